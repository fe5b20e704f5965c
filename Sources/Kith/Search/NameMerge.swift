/// The rewriting of neighbouring tiers into one segment, without their dead: a function of one instant that anybody may
/// run while the index is searched and changed.
///
/// Whoever dies meanwhile stands in the new segment and is dead there too, because no serial leads to it.
struct NameMerge: ~Copyable, Sendable {
  let inputs: [NameIndex.Tier]
  /// The heads that are in the inputs.
  let serials: ClosedRange<UInt32>
  private let namesPerPart: Int
  private let rowSerials: Column<UInt32>
  private let names: TextColumn

  /// - Parameters:
  ///   - inputs: at least one.
  ///   - namesPerPart: of the segment.
  ///   - rowSerials: the index's, of that instant; `names` too.
  init(
    inputs: [NameIndex.Tier], namesPerPart: Int, rowSerials: consuming Column<UInt32>, names: consuming TextColumn
  ) {
    serials = inputs[0].serials.lowerBound...inputs[inputs.count - 1].serials.upperBound
    self.inputs = inputs
    self.namesPerPart = namesPerPart
    self.rowSerials = rowSerials
    self.names = names
  }

  /// Nil when nobody lives, and when it was stopped.
  /// - Parameter isStopped: is asked now and then whether nobody wants the segment any more.
  /// - Complexity: O(bytes): about 0.5 µs a name.
  func segment(unless isStopped: () -> Bool = { false }) -> NameSegment? {
    Self.segment(
      of: inputs[...], namesPerPart: namesPerPart, serials: rowSerials, names: names, unless: isStopped)
  }

  static func segment(
    of tiers: ArraySlice<NameIndex.Tier>, namesPerPart: Int, serials: borrowing Column<UInt32>,
    names: borrowing TextColumn, unless isStopped: () -> Bool = { false }
  ) -> NameSegment? {
    guard let first = tiers.first, let last = tiers.last else { return nil }
    var builder = NameSegmentBuilder(namesPerPart: namesPerPart)
    builder.reserve(
      count: tiers.reduce(0) { $0 + $1.count - $1.deadCount }, keyByteCount: tiers.reduce(0) { $0 + $1.keyByteCount })
    for tier in tiers {
      if isStopped() { return nil }
      tier.forEachEntry { row, key in
        if tier.serials.contains(serials[row]) { builder.add(row, key: key) }
      }
    }
    if builder.count == 0 { return nil }
    let range = first.serials.lowerBound...last.serials.upperBound
    return try? builder.build(serials: range, names: names) { () throws(CancellationError) in
      if isStopped() { throw CancellationError() }
    }
  }
}

extension NameIndex.Tier {
  var keyByteCount: Int {
    switch body {
    case .segment(let segment): segment.keys.count
    case .head(let head): head.keyByteCount
    }
  }

  /// Calls `body` with row and key of every entry, in order, the dead ones too.
  func forEachEntry(_ body: (UInt32, ArraySlice<UInt8>) -> Void) {
    switch self.body {
    case .segment(let segment):
      var work = SearchWork()
      segment.walk(from: segment.place(of: 0), while: { _ in true }, &work) { place, key in
        body(segment.rows[place.rank], segment.keys[place.start..<place.start + key.count])
        return true
      }
    case .head(let head):
      for block in head.blocks {
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
  /// Full heads that may wait. Beyond, whoever writes makes a segment of them first: writers who are faster than merges
  /// must not leave all names unmerged.
  static let maximumWaitingHeads = 16

  /// The head becomes the youngest tier as it is, and an empty one begins.
  mutating func freezeHead(names: borrowing TextColumn) {
    tiers.append(Tier(head, serial: headSerial))
    mergeMayBeDue = true
    head = NameHead()
    headSerial += 1
    var start = tiers.count
    while start > 0 && tiers[start - 1].isHead { start -= 1 }
    if tiers.count - start > Self.maximumWaitingHeads { merge(start..<tiers.count, names: names) }
  }

  /// The tiers that are to be rewritten next: full heads first, then a run of segments of one size, then one that is
  /// mostly dead. Nil when the shape is right.
  /// - Parameter running: serials of tiers that are being rewritten.
  func dueMerge(besides running: [ClosedRange<UInt32>] = []) -> Range<Int>? {
    func isFree(_ index: Int) -> Bool { !running.contains { $0.overlaps(tiers[index].serials) } }
    var end = tiers.count
    while end > 0 {
      // A stretch of tiers that nobody is at work on.
      while end > 0 && !isFree(end - 1) { end -= 1 }
      var start = end
      while start > 0 && isFree(start - 1) { start -= 1 }
      if let range = dueMerge(in: start..<end) { return range }
      end = start
    }
    return nil
  }

  private func dueMerge(in range: Range<Int>) -> Range<Int>? {
    if let first = range.first(where: { tiers[$0].isHead }) {
      let end = range[first...].first { !tiers[$0].isHead } ?? range.upperBound
      return first..<end
    }
    var end = range.upperBound
    while end > range.lowerBound {
      // From the youngest on: at least `fanout` neighbours, none of a level above the youngest one's.
      let level = level(of: tiers[end - 1])
      var start = end
      var keyByteCount = 0
      while start > range.lowerBound && self.level(of: tiers[start - 1]) <= level {
        keyByteCount += tiers[start - 1].keyByteCount
        if keyByteCount > NameSegment.maximumKeyByteCount { break }
        start -= 1
      }
      if end - start >= fanout { return start..<end }
      if isMostlyDead(tiers[end - 1]) { return end - 1..<end }
      end -= 1
    }
    return nil
  }

  func isMostlyDead(_ tier: Tier) -> Bool { tier.deadCount * 2 > tier.count }

  /// How many times `fanout` heads went into a segment of that many living names.
  private func level(of tier: Tier) -> Int {
    var level = 0
    var size = headCapacity * fanout
    while tier.count - tier.deadCount >= size {
      level += 1
      size *= fanout
    }
    return level
  }

  /// A due merge, to be run elsewhere and brought back to `adopt`.
  /// - Parameter running: serials that other merges are at work on.
  mutating func beginMerge(besides running: [ClosedRange<UInt32>], names: inout TextColumn) -> NameMerge? {
    guard let range = dueMerge(besides: running) else { return nil }
    return beginMerge(of: range, names: &names)
  }

  mutating func beginMerge(of range: Range<Int>, names: inout TextColumn) -> NameMerge {
    NameMerge(
      inputs: Array(tiers[range]), namesPerPart: namesPerPart, rowSerials: serials.pin(), names: names.pin())
  }

  /// Puts a merge's segment in the place of its inputs, unless they have gone meanwhile.
  mutating func adopt(_ segment: NameSegment?, inPlaceOf inputs: [Tier]) {
    guard let first = inputs.first,
      let start = tiers.firstIndex(where: { $0.serials == first.serials }), start + inputs.count <= tiers.count,
      zip(tiers[start...], inputs).allSatisfy({ $0.serials == $1.serials && $0.count == $1.count })
    else { return }
    let range = start..<start + inputs.count
    guard var tier = segment.map({ Tier($0) }) else { return tiers.removeSubrange(range) }
    for (tierNow, tierThen) in zip(tiers[range], inputs) { tier.deadCount += tierNow.deadCount - tierThen.deadCount }
    tiers.replaceSubrange(range, with: [tier])
  }

  /// Runs all due merges, here and now.
  mutating func settle(names: borrowing TextColumn) {
    while let range = dueMerge() { merge(range, names: names) }
  }

  private mutating func merge(_ range: Range<Int>, names: borrowing TextColumn) {
    let inputs = Array(tiers[range])
    let segment = NameMerge.segment(of: tiers[range], namesPerPart: namesPerPart, serials: serials, names: names)
    adopt(segment, inPlaceOf: inputs)
  }
}
