/// The newest (or the next newer) posts of many authors, exactly: merge on read.
///
/// Heads theorem: the first L posts come from at most L authors, those whose first visible post ranks among the first L
/// of all first posts, because the L others' first posts already come before anything further. So one pass over the
/// authors gathers each one's newest coarse time from a dense column, keeps the best L (coarse ties are all kept), and
/// a k-way merge over at most so many post lists, by a binary heap on exact keys, gives the page.
///
/// Bounds are exclusive keys. Authors are pushed one by one; each at most once.
/// - Complexity: O(authors + L · log L); where the newest post of an author lies beyond the bound, O(log posts) for
///   that author.
struct TimelineMerge {
  enum Direction { case older, newer }

  /// One author's list on its way: the post it stands at.
  private struct Walker {
    var key: PostKey
    var row: UInt32
    var author: UInt32
    var position: PackedLists<UInt32>.Position
  }

  private let direction: Direction
  private let low: PostKey
  private let high: PostKey
  private let limit: Int
  /// Coarse time in the high word, author in the low one.
  private var candidates: [UInt64] = []
  private var threshold: UInt32 = 1
  private var roomBeforeSelection: Int

  /// - Parameters:
  ///   - low, high: only posts whose key lies between, neither included.
  ///   - limit: how many posts `merge` gives at most.
  init(direction: Direction, low: PostKey, high: PostKey, limit: Int) {
    self.direction = direction
    self.low = low
    self.high = high
    self.limit = limit
    threshold = direction == .older ? 1 : 0
    roomBeforeSelection = 2 * limit + 16
    candidates.reserveCapacity(min(roomBeforeSelection, 256))
  }

  // MARK: - The pass over the authors

  @inline(__always)
  mutating func push(_ author: UInt32, _ posts: borrowing PostTable) {
    let newest = posts.newest[author]
    switch direction {
    case .older:
      if newest < threshold { return }
      var coarse = newest
      if newest >= PostTable.coarse(high.time) {
        guard let head = head(of: author, posts) else { return }
        coarse = PostTable.coarse(head.key.time)
        if coarse < threshold { return }
      }
      candidates.append(UInt64(coarse) << 32 | UInt64(author))
    case .newer:
      if newest == 0 || newest < PostTable.coarse(low.time) { return }
      guard let head = head(of: author, posts) else { return }
      let coarse = ~PostTable.coarse(head.key.time)  // the earliest is the best
      if coarse < threshold { return }
      candidates.append(UInt64(coarse) << 32 | UInt64(author))
    }
    if candidates.count >= roomBeforeSelection { select() }
  }

  /// Keeps the best `limit` authors, and those whose coarse time ties with the last of them.
  private mutating func select() {
    candidates.sort(by: >)
    guard candidates.count > limit else { return }
    let last = candidates[limit - 1] >> 32
    var kept = limit
    while kept < candidates.count && candidates[kept] >> 32 == last { kept += 1 }
    candidates.removeLast(candidates.count - kept)
    threshold = max(threshold, UInt32(last))
    roomBeforeSelection = max(roomBeforeSelection, 2 * kept)
  }

  /// The first visible post of an author in the direction of the walk.
  private func head(of author: UInt32, _ posts: borrowing PostTable) -> Walker? {
    let list = Int(author)
    switch direction {
    case .older:
      // Mostly the newest post is it: a search would look at the times of a dozen others.
      let end = posts.byAuthor.endPosition(of: list)
      guard let newest = posts.byAuthor.element(before: end, of: list) else { return nil }
      if posts.isBefore(newest.0, high) { return walker(newest.0, author, newest.1, posts) }
      let place = posts.byAuthor.partitionPoint(of: list) { posts.isBefore($0, high) }
      guard let (row, position) = posts.byAuthor.element(before: place, of: list) else { return nil }
      return walker(row, author, position, posts)
    case .newer:
      let place = posts.byAuthor.partitionPoint(of: list) { posts.key($0) <= low }
      guard let (row, position) = posts.byAuthor.element(atOrAfter: place, of: list) else { return nil }
      return walker(row, author, position, posts)
    }
  }

  private func walker(
    _ row: UInt32, _ author: UInt32, _ position: PackedLists<UInt32>.Position, _ posts: borrowing PostTable
  ) -> Walker? {
    let key = posts.key(row)
    return low < key && key < high ? Walker(key: key, row: row, author: author, position: position) : nil
  }

  // MARK: - The merge

  /// Rows of the first `limit` posts: newest first when walking to older ones, oldest first when walking to newer ones.
  mutating func merge(_ posts: borrowing PostTable) -> [UInt32] {
    select()
    var heap: [Walker] = []
    heap.reserveCapacity(candidates.count)
    for candidate in candidates {
      if let walker = head(of: UInt32(truncatingIfNeeded: candidate), posts) { heap.append(walker) }
    }
    for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(&heap, from: index) }
    var rows: [UInt32] = []
    rows.reserveCapacity(min(limit, posts.count))
    while rows.count < limit, let first = heap.first {
      rows.append(first.row)
      if let next = step(first, posts) {
        heap[0] = next
      } else if heap.count > 1 {
        heap[0] = heap.removeLast()
      } else {
        heap.removeLast()
      }
      siftDown(&heap, from: 0)
    }
    return rows
  }

  private func step(_ walker: Walker, _ posts: borrowing PostTable) -> Walker? {
    let list = Int(walker.author)
    switch direction {
    case .older:
      guard let (row, position) = posts.byAuthor.element(before: walker.position, of: list) else { return nil }
      return self.walker(row, walker.author, position, posts)
    case .newer:
      let after = PackedLists<UInt32>.Position(run: walker.position.run, offset: walker.position.offset + 1)
      guard let (row, position) = posts.byAuthor.element(atOrAfter: after, of: list) else { return nil }
      return self.walker(row, walker.author, position, posts)
    }
  }

  @inline(__always)
  private func comesFirst(_ left: PostKey, _ right: PostKey) -> Bool {
    direction == .older ? right < left : left < right
  }

  private func siftDown(_ heap: inout [Walker], from start: Int) {
    var parent = start
    while true {
      var best = parent
      let left = 2 * parent + 1
      if left < heap.count && comesFirst(heap[left].key, heap[best].key) { best = left }
      if left + 1 < heap.count && comesFirst(heap[left + 1].key, heap[best].key) { best = left + 1 }
      if best == parent { return }
      heap.swapAt(parent, best)
      parent = best
    }
  }
}
