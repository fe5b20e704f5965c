/// The entries of one page of a timeline that has sources or filters of its own, or reposts: a k-way merge of the lists
/// of its sources, of which each is opened only when it may have the next entry.
///
/// Each source has two: its posts, and what enters timelines by it. Towards older entries, the lists with the latest
/// bounds are taken first (`EntryCandidates`): some for each entry of the page, because filters pass over entries. They
/// are opened one by one, as soon as their bound reaches the head of the heap. When the head falls below the bounds of
/// the lists that were left out, four times as many of these follow, from where the others ended. Towards newer
/// entries, all lists are opened: the newest entry of a list says nothing about its oldest.
///
/// Where many users are sources, their posts are found by a scan of all posts instead, which is one more list
/// (`EntryScan`). It gives up when it costs more than the lists would, and these are opened from where it was.
///
/// An entry is tested at the head of the heap, so that nothing is tested that is beyond the page.
/// - Complexity: O(sources) for each four times as many, and O(log entries) for each list opened, O(log lists) for each
///   entry, also one passed over.
struct EntryMerge: ~Copyable {
  /// The lists of a kind that are taken at first, for each entry of the page.
  private static let listsPerEntry = 3
  private static let growth = 4

  private let filter: EntryFilter
  private let range: EntryRange
  private let limit: Int
  /// What enters timelines, if it is shown.
  private let entries: Box<EntryLists>?
  private let scratch = EntryScratch()
  private let lists: Box<EntryScratch.Lists>

  init(_ filter: EntryFilter, _ range: EntryRange, limit: Int, _ state: borrowing GraphState) {
    (self.filter, self.range, self.limit) = (filter, range, limit)
    entries = filter.showsTags || filter.showsReposts ? state.declared.entries : nil
    lists = scratch.lists
    lists.value.removeAll(listCount: Self.listsPerEntry * limit)
    if range.direction == .older && range.high != EntryRange.end {
      lists.value.highRow = state.posts.likelyRow(of: range.high.postBound)
    }
  }

  /// The first entries of the range, nearest first in its direction.
  /// - Throws: `cancelled`.
  func run(_ state: borrowing GraphState) throws(KithError) -> [TimelineEntry] {
    if range.high <= range.low { return [] }
    var budget = QueryBudget()
    var found: [TimelineEntry] = []
    found.reserveCapacity(min(limit, 64))
    let isMerged = !filter.sources.isEveryone && range.direction == .older
    if filter.sources.isEveryone {
      open(.all, 0, &budget, state)
    } else if range.direction == .newer {
      openAll(&budget, state)
    } else {
      begin(&budget, state)
    }
    while true {
      if isMerged { openDue(&budget, state) }
      if lists.value.heap.count == 0 { break }
      let list = Int(lists.value.heap[0].list)
      let entry = lists.value.lists[list].entry
      if shows(entry, lists.value.lists[list].kind, found, state) {
        found.append(entry)
        if found.count == limit { break }
      }
      step(list, &budget, state)
      if !budget.takeStep() || !budget.canContinue { break }
    }
    try budget.check()
    return found
  }

  @inline(__always)
  private func shows(
    _ entry: TimelineEntry, _ kind: EntryList.Kind, _ found: [TimelineEntry], _ state: borrowing GraphState
  ) -> Bool {
    switch kind {
    case .authored, .scanned: filter.passes(entry.post, state) && !isLast(entry, of: found)
    case .tagged: filter.showsTagged(entry.post, state) && !isLast(entry, of: found)
    case .all: filter.showsAny(entry.post, state)
    case .reposted: filter.shows(entry, &lists.value.memory, state)
    }
  }

  /// Whether a post was just found by another list: by its author's, or of another tag.
  @inline(__always)
  private func isLast(_ entry: TimelineEntry, of found: [TimelineEntry]) -> Bool {
    guard let last = found.last else { return false }
    return last.post == entry.post && !last.isRepost
  }

  // MARK: - Lists that may come first

  /// Begins a merge towards older entries: with a scan of all posts where that pays.
  private func begin(_ budget: inout QueryBudget, _ state: borrowing GraphState) {
    if let scanLimit = scanLimit(state) {
      lists.value.memory.beginScan(limit: scanLimit)
      open(.scanned, 0, &budget, state)
    } else {
      takeAuthored(below: .max, state)
    }
    takeEntering(below: .max, state)
  }

  private func takeAuthored(below rank: UInt64, _ state: borrowing GraphState) {
    lists.value.authored.take(filter.sources, in: state.posts.newest, bounds(below: rank), state)
    lists.value.authored.prefetch(state.posts.byAuthor)
    if range.high == EntryRange.end { lists.value.authored.prefetchLast(filter, state) }
  }

  private func takeEntering(below rank: UInt64, _ state: borrowing GraphState) {
    guard let entries else { return }
    lists.value.entering.take(filter.sources, in: entries.value.newest, bounds(below: rank), state)
    if filter.showsReposts { lists.value.entering.prefetch(entries.value.reposts) }
  }

  private func bounds(below rank: UInt64) -> EntryCandidates.Bounds {
    EntryCandidates.Bounds(
      low: max(1, PostTable.coarse(max(0, range.low.time))), high: PostTable.coarse(range.high.time), below: rank)
  }

  /// Opens all lists that may have an entry before the head of the heap.
  @inline(__always)
  private func openDue(_ budget: inout QueryBudget, _ state: borrowing GraphState) {
    while true {
      if lists.value.heapIsBehind(lists.value.authored.due) {
        if let row = lists.value.authored.pop() {
          open(.authored, row, &budget, state)
        } else {
          lists.value.authored.wanted *= Self.growth
          takeAuthored(below: UInt64(lists.value.authored.bound), state)
        }
      } else if lists.value.heapIsBehind(lists.value.entering.due) {
        if let row = lists.value.entering.pop() {
          openEntering(row, &budget, state)
        } else {
          lists.value.entering.wanted *= Self.growth
          takeEntering(below: UInt64(lists.value.entering.bound), state)
        }
      } else {
        return
      }
    }
  }

  /// Opens the lists of all sources that have an entry after the lower bound.
  private func openAll(_ budget: inout QueryBudget, _ state: borrowing GraphState) {
    let low = max(1, PostTable.coarse(max(0, range.low.time)))
    filter.sources.forEach(state, in: state.posts.newest, reaching: low) { row, _ in
      if !filter.sources.leavesOut(row, state) { open(.authored, row, &budget, state) }
      return low
    }
    guard let entries else { return }
    filter.sources.forEach(state, in: entries.value.newest, reaching: low) { row, _ in
      if !filter.sources.leavesOut(row, state) { openEntering(row, &budget, state) }
      return low
    }
  }

  private func openEntering(_ row: UInt32, _ budget: inout QueryBudget, _ state: borrowing GraphState) {
    if filter.showsTags { open(.tagged, row, &budget, state) }
    if filter.showsReposts, !filter.sources.silences(row, state) { open(.reposted, row, &budget, state) }
  }

  // MARK: - The scan

  /// How many posts a scan may read to find those of the sources; nil where their lists are cheaper. In the units of
  /// `TimelinePlan.Cost`.
  private func scanLimit(_ state: borrowing GraphState) -> Int? {
    let count = filter.sources.memberCount(state)
    // Before a bound, most lists are searched, because most sources posted after it.
    let searched = range.high == EntryRange.end ? min(count, Self.listsPerEntry * limit) : count
    let merge = TimelinePlan.Cost.merge(count, of: state.users.count, searching: searched, limit: limit)
    // Half of the posts pass, or so.
    let expected = (filter.asksFlags ? 2 : 1) * limit * state.users.count / count
    if TimelinePlan.Cost.filter(count) + expected * TimelinePlan.Cost.filteredPost > merge { return nil }
    return merge / TimelinePlan.Cost.filteredPost
  }

  /// Opens the lists of authors in place of a scan that gave up, from the post on that it was at.
  @inline(never)
  private func endScan(at entry: TimelineEntry, _ state: borrowing GraphState) {
    lists.value.memory.endScan(at: entry.key(state).successor)
    lists.value.highRow = entry.post &+ 1
    takeAuthored(below: .max, state)
  }

  // MARK: - Lists

  private func open(
    _ kind: EntryList.Kind, _ row: UInt32, _ budget: inout QueryBudget, _ state: borrowing GraphState
  ) {
    var high = range.high
    if kind == .authored, let end = lists.value.memory.scanEnd { high = min(high, end) }
    var list = EntryList(kind, row, range.direction, low: range.low, high: high, near: lists.value.highRow, state)
    guard list.move(range.direction, state), isInRange(list.entry, state), passOver(&list, &budget, state) else {
      return
    }
    list.prefetchNext(filter, range.direction, state)
    lists.value.lists.append(list)
    lists.value.push(lists.value.lists.count - 1, range.direction, state)
  }

  /// Moves the list at the head of the heap to its next entry.
  @inline(__always)
  private func step(_ list: Int, _ budget: inout QueryBudget, _ state: borrowing GraphState) {
    var moved = lists.value.lists[list]
    let goesOn =
      moved.advance(range.direction, state) && isInRange(moved.entry, state) && passOver(&moved, &budget, state)
    moved.prefetchNext(filter, range.direction, state)
    lists.value.lists[list] = moved
    if goesOn {
      lists.value.replaceHead(list, range.direction, state)
    } else {
      lists.value.removeHead(range.direction, state)
    }
  }

  /// Moves on to the first entry that may be shown, so that the others need not go through the heap: one with flags
  /// that pass, in a scan of a source, of reposts one that is not known to be left out. False at the end.
  @inline(__always)
  private func passOver(_ list: inout EntryList, _ budget: inout QueryBudget, _ state: borrowing GraphState) -> Bool {
    switch list.kind {
    case .scanned: return passOverOthers(&list, &budget, state)
    case .reposted where filter.reposts == .once: return passOverKnown(&list, &budget, state)
    default: break
    }
    guard filter.asksFlags else { return true }
    while !filter.passesFlags(list.entry.post, state) {
      if !list.advance(range.direction, state) || !isInRange(list.entry, state) || !budget.takeStep() { return false }
    }
    return true
  }

  /// Passes over posts of others than the sources.
  @inline(never)
  private func passOverOthers(
    _ list: inout EntryList, _ budget: inout QueryBudget, _ state: borrowing GraphState
  ) -> Bool {
    while true {
      let post = list.entry.post
      let author = state.posts.authors[post]
      if lists.value.memory.isSource(author, filter.sources, state), filter.passesFlags(post, state) {
        return true
      }
      if !lists.value.memory.takePost() {
        endScan(at: list.entry, state)
        return false
      }
      if !list.advance(range.direction, state) || !isInRange(list.entry, state) || !budget.takeStep() { return false }
    }
  }

  /// Passes over reposts of posts that are known to be shown elsewhere.
  @inline(never)
  private func passOverKnown(
    _ list: inout EntryList, _ budget: inout QueryBudget, _ state: borrowing GraphState
  ) -> Bool {
    while filter.asksFlags && !filter.passesFlags(list.entry.post, state)
      || filter.isKnown(list.entry, lists.value.memory)
    {
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
