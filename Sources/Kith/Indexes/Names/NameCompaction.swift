/// Compacts adjacent sorted runs of the name index into one segment, dropping deleted entries.
///
/// Reads an immutable snapshot, so it needs no lock. An entry that is deleted during the compaction is copied, but
/// stays invisible: its row's generation is no longer one of the segment's.
final class NameCompaction: IndexCompaction {
  let inputs: [NameIndex.SortedRun]
  private let namesPerPart: Int
  private let rowGenerations: Column<UInt32>
  private let names: TextColumn

  /// - Parameters:
  ///   - inputs: at least one.
  ///   - namesPerPart: names in each part of the segment.
  ///   - rowGenerations: the index's generations by row at the time the inputs were taken. `names` is of the same time.
  init(
    inputs: [NameIndex.SortedRun], namesPerPart: Int, rowGenerations: consuming Column<UInt32>,
    names: consuming TextColumn
  ) {
    self.inputs = inputs
    self.namesPerPart = namesPerPart
    self.rowGenerations = rowGenerations
    self.names = names
  }

  /// The generations of the inputs.
  var inputRange: Range<UInt32> {
    inputs[0].generations.lowerBound..<inputs[inputs.count - 1].generations.upperBound + 1
  }

  /// - Complexity: O(bytes): about 0.5 µs per name.
  func segment(unless isStopped: () -> Bool = { false }) -> NameSegment? {
    Self.segment(
      of: inputs[...], namesPerPart: namesPerPart, generations: rowGenerations, names: names, unless: isStopped)
  }

  static func segment(
    of sortedRuns: ArraySlice<NameIndex.SortedRun>, namesPerPart: Int, generations: borrowing Column<UInt32>,
    names: borrowing TextColumn, unless isStopped: () -> Bool
  ) -> NameSegment? {
    guard let first = sortedRuns.first, let last = sortedRuns.last else { return nil }
    var builder = NameSegmentBuilder(namesPerPart: namesPerPart, isOfNames: true)
    builder.reserve(
      count: sortedRuns.reduce(0) { $0 + $1.liveCount }, keyByteCount: sortedRuns.reduce(0) { $0 + $1.keyByteCount })
    builder.hasDisplayNames = sortedRuns.contains { $0.hasDisplayNames }
    for sortedRun in sortedRuns {
      if isStopped() { return nil }
      sortedRun.forEachEntry { row, key in
        if sortedRun.generations.contains(generations[row]) {
          builder.add(row, key: key, name: names.bytes(Int(row)))
        }
      }
    }
    if builder.count == 0 { return nil }
    let range = first.generations.lowerBound...last.generations.upperBound
    return try? builder.build(generations: range, names: names) { () throws(CancellationError) in
      if isStopped() { throw CancellationError() }
    }
  }
}

extension NameIndex.SortedRun {
  var hasDisplayNames: Bool {
    switch body {
    case .segment(let segment): segment.hasDisplayNames
    case .memtable(let memtable): memtable.hasDisplayNames
    }
  }

  var keyByteCount: Int {
    switch body {
    case .segment(let segment): segment.keys.count
    case .memtable(let memtable): memtable.keyByteCount
    }
  }

  /// Calls `body` with the row and key of every entry in order, including deleted ones.
  func forEachEntry(_ body: (UInt32, ArraySlice<UInt8>) -> Void) {
    switch self.body {
    case .segment(let segment):
      // Not by `walk`, whose budget ends it in a cancelled task: the new segment would lack the rest.
      let keys = segment.keys
      var start = 0
      for row in segment.rows {
        let end = ByteSearch.terminator(in: keys.span, from: start)
        body(row, keys[start..<end])
        start = end + 1
      }
    case .memtable(let memtable):
      for block in memtable.blocks {
        var start = 0
        for row in block.rows {
          let end = block.keyEnd(from: start)
          body(row, block.keys[start..<end])
          start = end + 1
        }
      }
    }
  }
}

extension NameIndex {
  /// The most frozen memtables that wait for compaction. At the limit, the writer compacts them itself. Otherwise
  /// writers that are faster than compactions would leave all names in memtables.
  static let maximumFrozenMemtables = 16

  /// Freezes the memtable: it becomes the youngest sorted run without being rewritten. A new empty memtable begins.
  mutating func freezeMemtable(names: borrowing TextColumn) {
    sortedRuns.append(SortedRun(memtable, generation: memtableGeneration))
    compactionMayBeDue = true
    memtable = NameMemtable()
    memtable.hasDisplayNames = hasDisplayNames
    memtableGeneration += 1
    var start = sortedRuns.count
    while start > 0 && sortedRuns[start - 1].isMemtable { start -= 1 }
    if sortedRuns.count - start > Self.maximumFrozenMemtables { compact(start..<sortedRuns.count, names: names) }
  }

  /// The sorted runs to compact next; nil if no compaction is due. Adjacent frozen memtables come first, then the range
  /// that the policy chooses.
  /// - Parameter running: the generations that running compactions rewrite.
  func dueCompaction(besides running: [Range<UInt32>] = []) -> Range<Int>? {
    func isBusy(_ sortedRun: SortedRun) -> Bool { running.contains { $0.overlaps(Range(sortedRun.generations)) } }
    func isDueMemtable(_ sortedRun: SortedRun) -> Bool { sortedRun.isMemtable && !isBusy(sortedRun) }
    if let start = sortedRuns.firstIndex(where: isDueMemtable) {
      return start..<(sortedRuns[start...].firstIndex { !isDueMemtable($0) } ?? sortedRuns.count)
    }
    let segments = sortedRuns.map { sortedRun in
      CompactionPolicy.Segment(
        count: sortedRun.liveCount, byteCount: sortedRun.keyByteCount, isMostlyDeleted: sortedRun.isMostlyDeleted,
        isBusy: isBusy(sortedRun))
    }
    return policy.dueRange(of: segments)
  }

  /// Begins the compaction that is due, if any.
  /// - Parameter running: the generations that running compactions rewrite.
  mutating func beginCompaction(besides running: [Range<UInt32>], names: inout TextColumn) -> NameCompaction? {
    guard let range = dueCompaction(besides: running) else { return nil }
    return beginCompaction(of: range, names: &names)
  }

  mutating func beginCompaction(of range: Range<Int>, names: inout TextColumn) -> NameCompaction {
    NameCompaction(
      inputs: Array(sortedRuns[range]), namesPerPart: namesPerPart, rowGenerations: generations.pin(),
      names: names.pin())
  }

  /// Replaces a compaction's inputs with its segment. Does nothing if the inputs were replaced in the meantime.
  mutating func install(_ segment: NameSegment?, inPlaceOf inputs: [SortedRun]) {
    guard let first = inputs.first,
      let start = sortedRuns.firstIndex(where: { $0.generations == first.generations }),
      start + inputs.count <= sortedRuns.count,
      zip(sortedRuns[start...], inputs).allSatisfy({ $0.generations == $1.generations && $0.count == $1.count })
    else { return }
    let range = start..<start + inputs.count
    guard var compacted = segment.map({ SortedRun($0) }) else { return sortedRuns.removeSubrange(range) }
    // The segment contains the entries that were deleted during the compaction.
    for (current, input) in zip(sortedRuns[range], inputs) {
      compacted.deletedCount += current.deletedCount - input.deletedCount
    }
    sortedRuns.replaceSubrange(range, with: [compacted])
  }

  /// Runs all due compactions on the calling thread.
  mutating func settle(names: borrowing TextColumn) {
    while let range = dueCompaction() { compact(range, names: names) }
  }

  private mutating func compact(_ range: Range<Int>, names: borrowing TextColumn) {
    let inputs = Array(sortedRuns[range])
    let segment = NameCompaction.segment(
      of: sortedRuns[range], namesPerPart: namesPerPart, generations: generations, names: names
    ) { false }
    install(segment, inPlaceOf: inputs)
  }
}
