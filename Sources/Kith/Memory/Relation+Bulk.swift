/// Whole relations at once, on all cores: restoring, importing.
extension Relation {
  /// A relation from its forward side alone: lists one after another, `degrees[source]` elements each, targets
  /// ascending.
  ///
  /// - Parameter fill: writes the elements of some neighbouring sources, which are those of `elements` in the row of
  ///   all; it is called from many threads.
  /// - Complexity: O(edges · log longest list), and what `fill` takes. Memory: the relation, and about an eighth of
  ///   the edges in words for every worker.
  init<Failure: Error>(
    degrees: [UInt32], targetCount: Int, workers: Int, ids: borrowing Column<Int64>,
    filling fill:
      @Sendable (_ sources: Range<Int>, _ elements: Range<Int>, _ buffer: inout [UInt64]) throws(Failure) -> Void
  ) throws(Failure) {
    let forward = try PackedLists<UInt64>(listsPerBlock: 8, degrees: degrees, workers: workers, filling: fill)
    let (backwardDegrees, latest) = Self.backwardDegrees(of: forward, targetCount: targetCount)
    let backward = Self.backward(of: forward, degrees: backwardDegrees, workers: workers, ids: ids)
    let latestSeconds = Self.latestSeconds(latest, targetCount: targetCount)
    let count = degrees.reduce(0) { $0 + Int($1) }
    self.init(forward: forward, backward: backward, latestSeconds: latestSeconds, count: count)
  }

  /// The backward side of a forward one, some neighbouring targets at a time: their edges are looked up in every list,
  /// counted out, and put in order.
  /// - Parameter degrees: how many sources each target has.
  static func backward(
    of forward: borrowing PackedLists<UInt64>, degrees: [UInt32], workers: Int, ids: borrowing Column<Int64>
  ) -> PackedLists<UInt32> {
    let total = degrees.reduce(0) { $0 + Int($1) }
    let readers = Pool<ForwardReader>()
    return PackedLists<UInt32>(
      listsPerBlock: 16, degrees: degrees, workers: workers, unitElementCount: max(1 << 18, min(total / 8, 1 << 23))
    ) { (targets, elements, buffer) throws(Never) in
      var edges = readers.lend {
        ForwardReader(sourceCount: forward.count)
      } _: { reader in
        reader.edges(of: forward, to: targets, degrees: degrees, count: elements.count)
      }
      EdgeOrder.sort(&edges, lists: degrees[targets], ids: ids)
      for index in edges.indices { buffer[index] = UInt32(truncatingIfNeeded: edges[index]) }
    }
  }

  /// How many sources each target has, and the latest second of all edges.
  static func backwardDegrees(
    of forward: borrowing PackedLists<UInt64>, targetCount: Int
  ) -> (degrees: [UInt32], latestSecond: UInt32) {
    var degrees = [UInt32](repeating: 0, count: targetCount)
    var latest: UInt32 = 0
    for source in 0..<forward.count {
      for run in 0..<forward.runCount(of: source) {
        let elements = forward.run(run, of: source)
        for index in elements.indices {
          degrees[Int(target(elements[index]))] += 1
          latest = max(latest, second(elements[index]))
        }
      }
    }
    return (degrees, latest)
  }
}

/// Goes through all forward lists at once, from lower targets to higher ones, and so reads every edge but once.
final class ForwardReader: @unchecked Sendable {
  // Safety: a pool lends it to one thread at a time.

  /// How far every list has been read.
  private var positions: [UInt32]
  /// The target up to which they have been.
  private var end = 0

  init(sourceCount: Int) { positions = [UInt32](repeating: 0, count: sourceCount) }

  /// The edges to some neighbouring targets, target by target, by source: second in the high word, source in the low
  /// one.
  ///
  /// Targets that are lower than those of the call before begin anew: a thread that was held up before it borrowed a
  /// reader may get one that went past its targets on another.
  func edges(
    of forward: borrowing PackedLists<UInt64>, to targets: Range<Int>, degrees: [UInt32], count: Int
  ) -> [UInt64] {
    if targets.lowerBound < end { positions = [UInt32](repeating: 0, count: positions.count) }
    end = targets.upperBound
    var next: [Int] = []
    next.reserveCapacity(targets.count)
    var start = 0
    for target in targets {
      next.append(start)
      start += Int(degrees[target])
    }
    var edges = [UInt64](repeating: 0, count: count)
    let (first, limit) = (UInt64(targets.lowerBound) << 32, UInt64(targets.upperBound) << 32)
    // Out of the object while it is written: each write there would look whether the array is shared.
    var positions = self.positions
    self.positions = []
    defer { self.positions = positions }
    for source in positions.indices {
      var position = Int(positions[source])
      var runStart = 0
      for run in 0..<forward.runCount(of: source) {
        let elements = forward.run(run, of: source)
        var index = position &- runStart
        while index < elements.count, elements[index] < limit {
          if elements[index] >= first {
            let list = Int(Relation.target(elements[index])) &- targets.lowerBound
            edges[next[list]] = UInt64(Relation.second(elements[index])) << 32 | UInt64(source)
            next[list] &+= 1
          }
          index &+= 1
        }
        position = runStart &+ index
        runStart &+= elements.count
        if position < runStart { break }
      }
      positions[source] = UInt32(truncatingIfNeeded: position)
    }
    return edges
  }
}
