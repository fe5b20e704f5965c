/// Lists of sources that may have the next entry of a timeline: those with the latest bounds, the latest first.
struct EntryCandidates: ~Copyable {
  struct Bounds {
    /// The ranks that are looked for: from the least, cut to the greatest, and below another.
    let low: UInt32
    let high: UInt32
    let below: UInt64
  }

  /// Words of a rank and a row: a binary heap, the latest first.
  private var words = ScratchList<UInt64>()
  /// How many lists are taken at least, if there are so many.
  var wanted = 0
  /// All lists of lower ranks were left out; 0 if none was.
  private(set) var bound: UInt32 = 0

  mutating func removeAll(wanted: Int) {
    words.truncate(to: 0)
    (self.wanted, bound) = (wanted, 0)
  }

  /// No list that was not opened has a coarsely later entry; 0 if all were opened.
  @inline(__always)
  var due: UInt32 {
    words.count > 0 ? UInt32(truncatingIfNeeded: words[0] >> 32) : bound == 0 ? 0 : bound &- 1
  }

  /// Takes those with the greatest ranks, with all that tie with the last of them.
  /// - Parameter newest: by row, the rank.
  mutating func take(
    _ sources: TimelineSources, in newest: borrowing Column<UInt32>, _ bounds: Bounds, _ state: borrowing GraphState
  ) {
    words.truncate(to: 0)
    var (bar, isCut, capacity) = (bounds.low, false, 2 * wanted + 16)
    sources.forEach(state, in: newest, reaching: bar) { row, element in
      let rank = min(element, bounds.high)
      if UInt64(rank) >= bounds.below || sources.leavesOut(row, state) { return bar }
      words.append(rank: rank, row)
      if words.count >= capacity, let last = words.keepBest(wanted) {
        (bar, isCut) = (max(bar, last), true)
        capacity = max(capacity, 2 * words.count)
      }
      return bar
    }
    if let last = words.keepBest(wanted) { (bar, isCut) = (max(bar, last), true) }
    bound = isCut ? bar : 0
    for place in stride(from: words.count / 2 - 1, through: 0, by: -1) {
      words.sink(words[place], from: place, isBefore: >)
    }
  }

  /// Prefetches the lists of those that were taken.
  func prefetch<Element>(_ lists: borrowing PackedLists<Element>) {
    for index in 0..<words.count { lists.prefetchHead(of: Int(words.ranked(index))) }
  }

  /// Prefetches the last posts of those lists, in stages, and what a filter reads of them.
  func prefetchLast(_ filter: EntryFilter, _ state: borrowing GraphState) {
    for index in 0..<words.count { state.posts.byAuthor.endCursor(of: Int(words.ranked(index))).prefetchBefore() }
    for index in 0..<words.count {
      filter.prefetch(before: state.posts.byAuthor.endCursor(of: Int(words.ranked(index))), state)
    }
  }

  /// The row of the first, which is removed; nil if there is none.
  @inline(__always)
  mutating func pop() -> UInt32? {
    if words.count == 0 { return nil }
    let first = words.ranked(0)
    let last = words[words.count - 1]
    words.truncate(to: words.count - 1)
    if words.count > 0 { words.sink(last, from: 0, isBefore: >) }
    return first
  }
}
