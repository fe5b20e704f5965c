/// The entries of one page of a timeline that has sources or filters of its own, or reposts: a k-way merge of the lists
/// of its sources, of which each is opened only when it may have the next entry.
///
/// Towards older entries, the sources with the latest bounds are taken first: some for each entry of the page, because
/// filters pass over entries. Their lists are opened one by one, as soon as their bound reaches the head of the heap.
/// When the head falls below the bounds of the sources that were left out, four times as many of these follow, from
/// where the others ended. Towards newer entries, all lists are opened: the newest entry of a list says nothing about
/// its oldest.
///
/// An entry is tested at the head of the heap, so that nothing is tested that is beyond the page.
/// - Complexity: O(sources) for each four times as many, and O(log entries) for each list opened, O(log lists) for each
///   entry, also one passed over.
struct EntryMerge: ~Copyable {
  /// The sources that are taken at first, for each entry of the page.
  private static let sourcesPerEntry = 3
  private static let growth = 4

  private let filter: EntryFilter
  private let range: EntryRange
  private let limit: Int
  private let scratch = EntryScratch()
  private let lists: Box<EntryScratch.Lists>

  init(_ filter: EntryFilter, _ range: EntryRange, limit: Int) {
    (self.filter, self.range, self.limit) = (filter, range, limit)
    lists = scratch.lists
    lists.value.removeAll()
  }

  /// The first entries of the range, nearest first in its direction.
  /// - Throws: `cancelled`.
  func run(_ state: borrowing GraphState) throws(KithError) -> [TimelineEntry] {
    if range.high <= range.low { return [] }
    var budget = QueryBudget()
    var found: [TimelineEntry] = []
    if filter.sources.isEveryone {
      open(.all, 0, &budget, state)
      _ = merge(&found, downTo: nil, [], &budget, state)
    } else if range.direction == .newer {
      openAll(&budget, state)
      _ = merge(&found, downTo: nil, [], &budget, state)
    } else {
      var (count, last): (Int, UInt64?) = (Self.sourcesPerEntry * limit, nil)
      while true {
        let batch = latest(count, below: last, state)
        let isLast = batch.count < count
        if merge(&found, downTo: isLast ? nil : batch.last, batch, &budget, state) || isLast { break }
        last = batch.last
        count *= Self.growth
      }
    }
    try budget.check()
    return found
  }

  /// Takes entries off the heap, after opening lists that may have earlier ones.
  /// - Parameters:
  ///   - bound: the last of the sources that were taken; nil if all were.
  ///   - batch: the sources to be opened, those with the latest bounds first.
  /// - Returns: whether the page is full, or the query was cancelled.
  private func merge(
    _ found: inout [TimelineEntry], downTo bound: UInt64?, _ batch: [UInt64], _ budget: inout QueryBudget,
    _ state: borrowing GraphState
  ) -> Bool {
    var next = 0
    while true {
      while next < batch.count, lists.value.heapIsBehind(Self.rank(batch[next])) {
        openLists(of: Self.row(batch[next]), &budget, state)
        next += 1
      }
      if lists.value.heap.count == 0 { return false }
      // Those left out may have an entry of the same coarse time.
      if let bound, lists.value.heapIsBehind(Self.rank(bound)) { return false }
      let list = Int(lists.value.heap[0].list)
      let entry = lists.value.lists[list].entry
      if shows(entry, lists.value.lists[list].kind, found, state) {
        found.append(entry)
        if found.count == limit { return true }
      }
      step(list, &budget, state)
      if !budget.takeStep() { return true }
    }
  }

  @inline(__always)
  private func shows(
    _ entry: TimelineEntry, _ kind: EntryList.Kind, _ found: [TimelineEntry], _ state: borrowing GraphState
  ) -> Bool {
    switch kind {
    case .authored: filter.shows(entry.post, isOfSource: true, state) && !isLast(entry, of: found)
    case .tagged, .all: filter.shows(entry.post, isOfSource: false, state) && !isLast(entry, of: found)
    case .reposted: filter.shows(entry, &lists.value.reposts, state)
    }
  }

  /// Whether a post was just found by another list: by its author's, or of another tag.
  @inline(__always)
  private func isLast(_ entry: TimelineEntry, of found: [TimelineEntry]) -> Bool {
    guard let last = found.last else { return false }
    return last.post == entry.post && !last.isRepost
  }

  // MARK: - Sources

  @inline(__always)
  private static func rank(_ source: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: source >> 32) }
  @inline(__always)
  private static func row(_ source: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: source) }

  /// No entry of a source is coarsely later: of its posts, and of what enters timelines by it.
  @inline(__always)
  private func bound(_ row: UInt32, _ entries: Box<EntryLists>?, _ state: borrowing GraphState) -> UInt32 {
    let newest = state.posts.newest[row]
    guard let entries else { return newest }
    return max(newest, entries.value.newest[row])
  }

  /// What enters timelines, if it is shown.
  private func entries(_ state: borrowing GraphState) -> Box<EntryLists>? {
    filter.showsTags || filter.showsReposts ? state.declared.entries : nil
  }

  /// The sources with the latest bounds, in descending order, each a word of its bound and its row.
  /// - Parameter last: only those after it.
  private func latest(_ count: Int, below last: UInt64?, _ state: borrowing GraphState) -> [UInt64] {
    var best = TopK<UInt64>(limit: count, ascends: true)
    let entries = entries(state)
    let (low, high) = (PostTable.coarse(max(0, range.low.time)), PostTable.coarse(range.high.time))
    let end = last ?? .max
    filter.sources.forEach(state) { row in
      let bound = bound(row, entries, state)
      if bound < low || bound == 0 { return }
      let word = UInt64(min(bound, high)) << 32 | UInt64(row)
      if let bar = best.bar, word <= bar { return }
      if word >= end || filter.sources.leavesOut(row, state) { return }
      best.push(word)
    }
    let found = best.sorted()
    for source in found { state.posts.byAuthor.prefetchHead(of: Int(Self.row(source))) }
    return found
  }

  /// Opens the lists of all sources that have an entry after the lower bound.
  private func openAll(_ budget: inout QueryBudget, _ state: borrowing GraphState) {
    let (entries, low) = (entries(state), PostTable.coarse(max(0, range.low.time)))
    filter.sources.forEach(state) { row in
      let bound = bound(row, entries, state)
      if bound >= low, bound > 0, !filter.sources.leavesOut(row, state) {
        openLists(of: row, &budget, state)
      }
    }
  }

  private func openLists(of row: UInt32, _ budget: inout QueryBudget, _ state: borrowing GraphState) {
    if state.posts.newest[row] > 0 { open(.authored, row, &budget, state) }
    if filter.showsTags { open(.tagged, row, &budget, state) }
    if filter.showsReposts, !filter.sources.silences(row, state) { open(.reposted, row, &budget, state) }
  }

  // MARK: - Lists

  private func open(
    _ kind: EntryList.Kind, _ row: UInt32, _ budget: inout QueryBudget, _ state: borrowing GraphState
  ) {
    var list = EntryList(kind, row, range, state)
    guard list.move(range.direction, state), isInRange(list.entry, state), passOver(&list, &budget, state) else {
      return
    }
    lists.value.lists.append(list)
    lists.value.push(lists.value.lists.count - 1, range.direction, state)
  }

  /// Moves the list at the head of the heap to its next entry.
  @inline(__always)
  private func step(_ list: Int, _ budget: inout QueryBudget, _ state: borrowing GraphState) {
    var moved = lists.value.lists[list]
    let goesOn =
      moved.advance(range.direction, state) && isInRange(moved.entry, state) && passOver(&moved, &budget, state)
    lists.value.lists[list] = moved
    if goesOn {
      lists.value.replaceHead(list, range.direction, state)
    } else {
      lists.value.removeHead(range.direction, state)
    }
  }

  /// Moves on to the first entry whose flags pass, so that the others need not go through the heap. False at the end.
  @inline(__always)
  private func passOver(_ list: inout EntryList, _ budget: inout QueryBudget, _ state: borrowing GraphState) -> Bool {
    guard filter.asksFlags else { return true }
    while !filter.passesFlags(list.entry.post, state) {
      if !list.advance(range.direction, state) || !isInRange(list.entry, state) || !budget.takeStep() { return false }
    }
    return true
  }

  /// Whether an entry is before the end of the range, in the direction of the merge.
  @inline(__always)
  private func isInRange(_ entry: TimelineEntry, _ state: borrowing GraphState) -> Bool {
    if range.direction == .older {
      return entry.time > range.low.time || entry.time == range.low.time && entry.key(state) > range.low
    }
    return entry.time < range.high.time || entry.time == range.high.time && entry.key(state) < range.high
  }
}
