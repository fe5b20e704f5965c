import Synchronization

/// Bulk construction of relations on all cores, for restoring and importing.
extension Adjacency {
  /// Builds a relation from its forward lists: consecutive lists of `degrees[source]` elements each, targets ascending.
  ///
  /// - Parameters:
  ///   - boundsGroups: whether each group of targets has a bound of its own (`latestTimestamp(to:)`), which takes half
  ///     a byte a target; else all have that of all edges.
  ///   - fill: writes the elements of some adjacent sources; `elements` is their range among all elements. Called on
  ///     many threads.
  /// - Complexity: O(edges · log longest list), and the cost of `fill`. Memory: the relation, and per worker a word for
  ///   each source and the edges of one unit of the backward lists.
  init<Failure: Error>(
    degrees: [UInt32], targetCount: Int, workers: Int, order: borrowing some SourceOrder & ~Copyable,
    form: ListForm = .plain,
    hasSparseTargets: Bool = false, boundsGroups: Bool = false,
    filling fill:
      @Sendable (
        _ sources: Range<Int>, _ elements: Range<Int>, _ buffer: inout MutableSpan<UInt64>
      ) throws(Failure) -> Void
  ) throws(Failure) {
    let forward = try PackedLists<UInt64>(
      listsPerBlock: Self.sourcesPerBlock(form), form: form, degrees: degrees, workers: workers, filling: fill)
    let built = Self.backward(
      of: forward, targetCount: targetCount,
      targetsPerBlock: Self.targetsPerBlock(form, isSparse: hasSparseTargets), boundsGroups: boundsGroups,
      workers: workers, order: order)
    let count = degrees.reduce(0) { $0 + Int($1) }
    self.init(
      forward: forward, backward: built.lists, latestTimestamps: built.latestTimestamps, count: count,
      defersBackward: false)
  }

  /// Builds the forward lists alone, in the same way; the backward lists wait for `buildBackward`.
  init<Failure: Error>(
    degrees: [UInt32], targetCount: Int, workers: Int, form: ListForm, targetsPerBlock: Int,
    filling fill:
      @Sendable (
        _ sources: Range<Int>, _ elements: Range<Int>, _ buffer: inout MutableSpan<UInt64>
      ) throws(Failure) -> Void
  ) throws(Failure) {
    let forward = try PackedLists<UInt64>(
      listsPerBlock: Self.sourcesPerBlock(form), form: form, degrees: degrees, workers: workers, filling: fill)
    let none = [UInt32](repeating: 0, count: targetCount)
    self.init(
      forward: forward,
      backward: PackedLists(
        listsPerBlock: targetsPerBlock, form: form, degrees: none, elements: []),
      latestTimestamps: Column(), count: degrees.reduce(0) { $0 + Int($1) }, defersBackward: true)
  }

  /// The backward lists, and the bounds of their timestamps.
  struct Backward: ~Copyable {
    let lists: PackedLists<UInt32>
    let latestTimestamps: Column<UInt32>
  }

  /// Builds the backward lists from the forward lists, and the bounds of their timestamps.
  static func backward(
    of forward: borrowing PackedLists<UInt64>, targetCount: Int, targetsPerBlock: Int, boundsGroups: Bool, workers: Int,
    order: borrowing some SourceOrder & ~Copyable
  ) -> Backward {
    let (degrees, latest) = backwardDegrees(of: forward, targetCount: targetCount, workers: workers)
    let shift = targetsPerTimestampShift(forward.form)
    let groupCount = latest == 0 ? 0 : (targetCount + (1 << shift) - 1) >> shift
    let groups = boundsGroups ? GroupTimestamps(count: groupCount, shift: shift) : nil
    let lists = backward(
      of: forward, targetsPerBlock: targetsPerBlock, degrees: degrees, groups, workers: workers, order: order)
    var latestTimestamps = Column<UInt32>()
    latestTimestamps.grow(to: groupCount, filledWith: groups == nil ? latest : 0)
    groups?.write(to: &latestTimestamps)
    return Backward(lists: lists, latestTimestamps: latestTimestamps)
  }

  /// Builds the backward lists, some adjacent targets at a time. Their edges are located in every list, distributed by
  /// target, and sorted.
  /// - Parameters:
  ///   - degrees: the number of sources of each target.
  ///   - groups: takes the latest timestamp of each group of targets.
  private static func backward(
    of forward: borrowing PackedLists<UInt64>, targetsPerBlock: Int, degrees: [UInt32], _ groups: GroupTimestamps?,
    workers: Int, order: borrowing some SourceOrder & ~Copyable
  ) -> PackedLists<UInt32> {
    let total = degrees.reduce(0) { $0 + Int($1) }
    let readers = Pool<ForwardReader>()
    // Every unit looks at every source. Large graphs have 48 units, so that the looks grow with the graph alone.
    let unitElementCount = max(1 << 18, min(total / 16, max(1 << 23, total / 48)))
    return PackedLists<UInt32>(
      listsPerBlock: targetsPerBlock, form: forward.form, degrees: degrees, workers: workers,
      unitElementCount: unitElementCount
    ) { (targets, elements, buffer) throws(Never) in
      readers.lend {
        ForwardReader(sourceCount: forward.count)
      } _: { reader in
        reader.read(forward, to: targets, degrees: degrees, count: elements.count) { edges in
          EdgeSort.sort(&edges, lists: degrees[targets], order: order)
          groups?.note(edges.span, targets, degrees: degrees)
          for index in edges.indices { buffer[index] = UInt32(truncatingIfNeeded: edges[index]) }
        }
      }
    }
  }

  /// The number of sources of each target, and the latest timestamp of all edges.
  /// - Complexity: O(edges), on up to four cores, each with a word per target.
  static func backwardDegrees(
    of forward: borrowing PackedLists<UInt64>, targetCount: Int, workers: Int
  ) -> (degrees: [UInt32], latestTimestamp: UInt32) {
    let taskCount = forward.count < countedTogether ? 1 : min(workers, 4)
    var parts = (0..<taskCount).map { _ in WorkBuffer<UInt32>() }
    // No atomic: the maximum of unsigned ones compares as if they were signed (Swift 6.3).
    let latest = Mutex<UInt32>(0)
    Parallel.forEach(taskCount) { [parts] task in
      let sources = forward.count * task / taskCount..<forward.count * (task + 1) / taskCount
      parts[task].lend(targetCount) { degrees in
        let own = countTargets(of: forward, sources, &degrees)
        latest.withLock { $0 = max($0, own) }
      }
    }
    let sum = parts.removeFirst()
    return sum.lend(targetCount) { degrees in
      // Each is released before the next, and all before the result is allocated.
      while let part = parts.popLast() {
        part.lend(targetCount) { counts in for target in counts.indices { degrees[target] += counts[target] } }
      }
      return (degrees.indices.map { degrees[$0] }, latest.withLock { $0 })
    }
  }

  /// The targets of fewer sources are counted by one thread.
  private static let countedTogether = 1 << 14
  /// How many counts are fetched before they are raised.
  private static let countsAhead = 64

  /// Counts the sources of each target in `degrees`. Returns the latest timestamp.
  private static func countTargets(
    of forward: borrowing PackedLists<UInt64>, _ sources: Range<Int>, _ degrees: inout MutableSpan<UInt32>
  ) -> UInt32 {
    var latest: UInt32 = 0
    for target in degrees.indices { degrees[target] = 0 }
    for source in sources {
      forward.forEachRun(of: source) { elements in
        var start = 0
        while start < elements.count {
          // Their cache misses overlap.
          let block = elements.extracting(start..<min(start + countsAhead, elements.count))
          for index in block.indices { degrees.span.prefetch(Int(target(block[index])), count: 1) }
          for index in block.indices {
            degrees[Int(target(block[index]))] += 1
            latest = max(latest, timestamp(block[index]))
          }
          start += countsAhead
        }
      }
    }
    return latest
  }
}

/// The latest timestamp of the edges to each group of adjacent targets, during a bulk construction.
@safe private final class GroupTimestamps: @unchecked Sendable {
  // Safety: each thread writes the groups of its own targets, which are whole blocks, and so whole groups; they are
  // read when all are done.
  private let latest: UnsafeMutableBufferPointer<UInt32>
  private let shift: Int

  init(count: Int, shift: Int) {
    unsafe latest = .allocate(capacity: count)
    unsafe latest.initialize(repeating: 0)
    self.shift = shift
  }

  deinit { unsafe latest.deallocate() }

  /// Notes the last edge of each target.
  /// - Parameter edges: of adjacent targets, by target, then time, with the timestamp in the high word.
  func note(_ edges: Span<UInt64>, _ targets: Range<Int>, degrees: [UInt32]) {
    var end = 0
    for target in targets where degrees[target] > 0 {
      end += Int(degrees[target])
      let (group, timestamp) = (target >> shift, UInt32(truncatingIfNeeded: edges[end - 1] >> 32))
      if unsafe group < latest.count { unsafe latest[group] = max(latest[group], timestamp) }
    }
  }

  func write(to column: inout Column<UInt32>) {
    for group in unsafe latest.indices where unsafe latest[group] > 0 { unsafe column[group] = latest[group] }
  }
}

/// Reads all forward lists in parallel, from lower to higher targets, so that every edge is read once.
final class ForwardReader: @unchecked Sendable {
  // Safety: a pool lends it to one thread at a time.

  private let sourceCount: Int
  /// The read position in each list.
  private let positions = WorkBuffer<UInt32>()
  /// The end of the targets already read.
  private var end = Int.max
  private let edges = WorkBuffer<UInt64>()
  /// By target: the end of its edges so far.
  private let ends = WorkBuffer<UInt32>()

  /// How many sources ahead elements are prefetched, and heads of blocks.
  private static let elementsAhead = 12
  private static let blocksAhead = 64

  init(sourceCount: Int) { self.sourceCount = sourceCount }

  /// Calls `body` with the edges to some adjacent targets, by target, then by source: timestamp in the high word,
  /// source in the low word.
  ///
  /// If the targets are below those of the previous call, reading starts again. That happens if a thread was delayed
  /// before it borrowed a reader, and gets one that another thread has advanced.
  func read(
    _ forward: borrowing PackedLists<UInt64>, to targets: Range<Int>, degrees: [UInt32], count: Int,
    _ body: (inout MutableSpan<UInt64>) -> Void
  ) {
    let startsAgain = targets.lowerBound < end
    end = targets.upperBound
    edges.lend(count) { edges in
      ends.lend(targets.count) { ends in
        var start: UInt32 = 0
        for index in ends.indices {
          ends[index] = start
          start += degrees[targets.lowerBound + index]
        }
        Scatter.run(&edges, ends: &ends) { scatter in
          positions.lend(sourceCount) { positions in
            if startsAgain { for source in positions.indices { positions[source] = 0 } }
            Self.read(forward, to: targets, &positions, &scatter)
          }
        }
      }
      body(&edges)
    }
  }

  private static func read(
    _ forward: borrowing PackedLists<UInt64>, to targets: Range<Int>, _ positions: inout MutableSpan<UInt32>,
    _ scatter: inout Scatter
  ) {
    let (first, limit) = (UInt64(targets.lowerBound) << 32, UInt64(targets.upperBound) << 32)
    for source in positions.indices {
      var position = Int(positions[source])
      let ahead = source &+ Self.elementsAhead
      if ahead < positions.count { forward.prefetchElement(Int(positions[ahead]), of: ahead) }
      forward.prefetchBlock(of: source &+ Self.blocksAhead)
      if forward.isCompact {
        let (page, start, count, isLong) = forward.compact(source)
        if !isLong {
          take(from: &position, count: count, below: limit, notBelow: first) {
            page[start &+ $0]
          } edge: {
            put($0, source, from: targets.lowerBound, &scatter)
          }
          positions[source] = UInt32(truncatingIfNeeded: position)
          continue
        }
      }
      var runStart = 0
      for run in 0..<forward.runCount(of: source) {
        var index = position &- runStart
        let runLength: Int
        if forward.isCompact {
          let elements = forward.compactRun(run, of: source)
          runLength = elements.count
          take(from: &index, count: runLength, below: limit, notBelow: first) {
            elements[$0]
          } edge: {
            put($0, source, from: targets.lowerBound, &scatter)
          }
        } else {
          let elements = forward.run(run, of: source)
          runLength = elements.count
          take(from: &index, count: runLength, below: limit, notBelow: first) {
            elements[$0]
          } edge: {
            put($0, source, from: targets.lowerBound, &scatter)
          }
        }
        position = runStart &+ index
        runStart &+= runLength
        if position < runStart { break }
      }
      positions[source] = UInt32(truncatingIfNeeded: position)
    }
  }

  @inline(__always)
  private static func put(_ element: UInt64, _ source: Int, from first: Int, _ scatter: inout Scatter) {
    let word = UInt64(Adjacency.timestamp(element)) << 32 | UInt64(truncatingIfNeeded: source)
    scatter.append(word, to: Int(Adjacency.target(element)) &- first)
  }

  /// Calls `edge` with the elements of a run in a range, from an index on, which moves to the first element behind.
  @inline(__always)
  private static func take(
    from index: inout Int, count: Int, below limit: UInt64, notBelow first: UInt64, element: (Int) -> UInt64,
    edge: (UInt64) -> Void
  ) {
    while index < count {
      let element = element(index)
      if element >= limit { return }
      if element >= first { edge(element) }
      index &+= 1
    }
  }
}
