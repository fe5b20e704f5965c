/// The targets that two sources of a relation have in common, in the order of rows.
///
/// Lists of like length are merged, without a branch that depends on what they hold. Where one is much longer, each
/// target of the shorter is looked for in the longer by galloping: steps that double, then halve (J. L. Bentley and
/// A. C.-C. Yao, "An almost optimal algorithm for unbounded searching", 1976).
/// - Complexity: O(both) for like lengths, else O(shorter · log(longer / shorter)).
struct Intersection {
  /// From this ratio of lengths on, galloping is quicker.
  private static let gallopRatio = 16

  /// Rows of the common targets.
  private(set) var rows: [UInt32] = []

  init(of first: UInt32, and second: UInt32, in follows: borrowing Relation) {
    let isOrdered = follows.targetCount(first) <= follows.targetCount(second)
    let (short, long) = isOrdered ? (Int(first), Int(second)) : (Int(second), Int(first))
    let (shortCount, longCount) = (follows.forward.count(of: short), follows.forward.count(of: long))
    if shortCount == 0 { return }
    let gallops = longCount / shortCount >= Self.gallopRatio
    var place = PackedLists<UInt64>.Position(run: 0, offset: 0)
    for run in 0..<follows.forward.runCount(of: short) {
      let elements = follows.forward.run(run, of: short)
      if gallops {
        gallop(elements, through: follows.forward, long, &place)
      } else {
        merge(elements, with: follows.forward, long, &place)
      }
    }
  }

  // MARK: - Lists of like length

  private mutating func merge(
    _ short: Span<UInt64>, with lists: borrowing PackedLists<UInt64>, _ long: Int,
    _ place: inout PackedLists<UInt64>.Position
  ) {
    let runCount = lists.runCount(of: long)
    var next = 0
    while next < short.count && place.run < runCount {
      let elements = lists.run(place.run, of: long)
      merge(short, &next, elements, &place.offset)
      if place.offset == elements.count { place = .init(run: place.run + 1, offset: 0) }
    }
  }

  /// Until one of the two runs has ended.
  private mutating func merge(
    _ short: Span<UInt64>, _ next: inout Int, _ long: Span<UInt64>, _ offset: inout Int
  ) {
    var (left, right, count) = (next, offset, rows.count)
    rows.append(contentsOf: repeatElement(0, count: min(short.count - left, long.count - right) + 1))
    var found = rows.mutableSpan
    while left < short.count && right < long.count {
      let (one, other) = (Relation.target(short[left]), Relation.target(long[right]))
      found[count] = one
      count &+= one == other ? 1 : 0
      left &+= one <= other ? 1 : 0
      right &+= other <= one ? 1 : 0
    }
    rows.removeLast(rows.count - count)
    (next, offset) = (left, right)
  }

  // MARK: - A short list and a long one

  private mutating func gallop(
    _ short: Span<UInt64>, through lists: borrowing PackedLists<UInt64>, _ long: Int,
    _ place: inout PackedLists<UInt64>.Position
  ) {
    let runCount = lists.runCount(of: long)
    for index in short.indices {
      let target = Relation.target(short[index])
      skipRuns(before: target, lists, long, runCount, &place)
      let elements = lists.run(place.run, of: long)
      place.offset = Self.gallop(elements, from: place.offset, to: target)
      if place.offset < elements.count && Relation.target(elements[place.offset]) == target { rows.append(target) }
    }
  }

  /// Goes to the last run that begins at or before a target.
  private func skipRuns(
    before target: UInt32, _ lists: borrowing PackedLists<UInt64>, _ long: Int, _ runCount: Int,
    _ place: inout PackedLists<UInt64>.Position
  ) {
    var low = place.run
    var high = runCount
    var step = 1
    while low + step < high && Relation.target(lists.run(low + step, of: long)[0]) <= target {
      low += step
      step *= 2
    }
    high = min(high, low + step)
    while high - low > 1 {
      let middle = (low + high) / 2
      if Relation.target(lists.run(middle, of: long)[0]) <= target { low = middle } else { high = middle }
    }
    if low > place.run { place = .init(run: low, offset: 0) }
  }

  /// The first place from `start` on whose target is not before the one looked for.
  private static func gallop(_ elements: Span<UInt64>, from start: Int, to target: UInt32) -> Int {
    let key = UInt64(target) << 32
    var (low, step) = (start, 1)
    while low + step <= elements.count && elements[low + step - 1] < key {
      low += step
      step *= 2
    }
    var high = min(elements.count, low + step - 1)
    while low < high {
      let middle = (low + high) >> 1
      if elements[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
