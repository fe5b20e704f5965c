/// The newest (or the next newer) posts of many authors, exactly: merge on read.
///
/// Heads theorem: the first L posts come from at most L authors, those whose first visible post ranks among the first L
/// of all first posts, because the L others' first posts already come before anything further. So one pass over the
/// authors gathers each one's newest coarse time from a dense column, keeps the best L (coarse ties are all kept), and
/// a k-way merge over at most so many post lists, by a binary heap on exact keys, gives the page.
///
/// Bounds are exclusive keys. Authors are pushed one by one; each at most once. Its arrays are lent by a pool: a merge
/// allocates nothing once they are as long as they need to be.
/// - Complexity: O(authors + L · log L); where the newest post of an author lies beyond the bound, O(log posts) for
///   that author.
struct TimelineMerge {
  enum Direction { case older, newer }

  private let direction: Direction
  private let low: PostKey
  private let high: PostKey
  /// The coarse time of the upper bound: authors whose newest post is coarsely older need no search.
  private let coarseHigh: UInt32
  private let limit: Int
  /// The rank that an author must reach; those of later posts are higher when walking to older ones.
  private var threshold: UInt32
  /// About the row of the upper bound, once somebody asked for it.
  private var highRow: UInt32?
  private var roomBeforeSelection: Int
  private var scratch: TimelineScratch

  /// - Parameters:
  ///   - low, high: only posts whose key lies between, neither included.
  ///   - limit: how many posts `merge` gives at most.
  init(direction: Direction, low: PostKey, high: PostKey, limit: Int) {
    self.direction = direction
    self.low = low
    self.high = high
    self.limit = limit
    coarseHigh = PostTable.coarse(high.time)
    threshold = direction == .older ? 1 : 0
    roomBeforeSelection = 2 * limit + 16
    scratch = TimelineScratch.borrow()
  }

  /// Gives the arrays back to the pool; the merge is over.
  mutating func giveBack() { TimelineScratch.giveBack(&scratch) }

  /// What `merge` found: newest first when walking to older ones, oldest first when walking to newer ones.
  var rows: [UInt32] {
    @inline(__always) get { scratch.rows }
    @inline(__always) _modify { yield &scratch.rows }
  }

  /// Has a walk find the rows instead; false if it did not, and authors are to be pushed.
  mutating func isFilled(
    by walk: TimelineWalk, _ state: borrowing GraphState, _ plan: TimelineWalk.Plan
  ) -> Bool {
    walk.fill(&scratch.rows, &scratch.signature, state, plan: plan)
  }

  // MARK: - The pass over the authors

  /// Begins with a guess of the rank that an author must reach, to be checked when all were pushed; 0 for none.
  mutating func expect(_ rank: UInt32) { threshold = max(threshold, rank) }

  /// Whether the guess was one too many: fewer authors reach it than may have a post on the page.
  mutating func expectedTooMuch(_ posts: borrowing PostTable) -> Bool {
    searchLater(posts)
    return threshold > 1 && scratch.candidates.count < limit
  }

  /// Forgets the authors and the guess.
  mutating func startAgain() {
    scratch.candidates.removeAll()
    threshold = 1
  }

  /// The rank that the last author reached who may have a post on the page; 0 while all may.
  mutating func reachedRank(_ posts: borrowing PostTable) -> UInt32 {
    searchLater(posts)
    select()
    return scratch.candidates.count < limit ? 0 : threshold
  }

  /// Whoever a user follows, the targets of forward elements, but for those left out. Of these only they are asked for
  /// whose newest post is among the newest so far.
  @inline(__always)
  mutating func push(
    _ followees: Span<UInt64>, _ posts: borrowing PostTable, leavingOut isLeftOut: (_ author: UInt32) -> Bool
  ) {
    // The newest post tells nothing of the oldest ones: when walking to newer posts, everybody is considered.
    let isOlder = direction == .older
    posts.newest.forEach(highWordsOf: followees, reaching: isOlder ? threshold : 0) { author, newest in
      if isLeftOut(author) { return isOlder ? threshold : 0 }
      if isOlder && newest < coarseHigh {
        add(newest, author)
      } else {
        consider(author, newest: newest, posts)
      }
      return isOlder ? threshold : 0
    }
  }

  /// One author.
  mutating func push(_ author: UInt32, _ posts: borrowing PostTable) {
    consider(author, newest: posts.newest[author], posts)
  }

  /// Where the newest post may lie beyond the bound, the first one within it counts.
  @inline(never)
  private mutating func consider(_ author: UInt32, newest: UInt32, _ posts: borrowing PostTable) {
    if direction == .older && newest < coarseHigh {
      if newest >= threshold { add(newest, author) }
      return
    }
    if direction == .older {
      posts.byAuthor.prefetchEnd(of: Int(author))
      scratch.later.append(rank: newest, row: author)
      if scratch.later.count >= roomBeforeSelection { searchLater(posts) }
      return
    }
    if newest == 0 || newest < PostTable.coarse(low.time) { return }
    guard let head = searchHead(of: author, posts) else { return }
    let rank = ~PostTable.coarse(head.key.time)  // the earliest is the best
    if rank >= threshold { add(rank, author) }
  }

  /// Takes those who are left to be searched by their newest post before the bound.
  ///
  /// Each list is somewhere else in memory, and so are the times of its posts: what is needed of all is asked for in
  /// stages, and read when it has come.
  @inline(never)
  private mutating func searchLater(_ posts: borrowing PostTable) {
    let count = scratch.later.count
    if count == 0 { return }
    let likelyRow = likelyHighRow(posts)
    var walkers = scratch.walkers
    scratch.walkers = []
    Self.grow(&walkers, to: count, with: Walker())
    var places = walkers.mutableSpan
    for index in 0..<count { posts.byAuthor.prefetchSearch(of: Int(scratch.later.row(index))) }
    for index in 0..<count {
      let author = scratch.later.row(index)
      let place = posts.byAuthor.partitionPoint(of: Int(author)) { $0 < likelyRow }
      posts.prefetchTimes(around: place, of: author)
      places[index].author = author
      places[index].position = place
    }
    for index in 0..<count {
      let (author, guess) = (places[index].author, places[index].position)
      let place = posts.checked(guess, of: high, in: posts.byAuthor, list: Int(author))
      guard let (row, _) = posts.byAuthor.element(before: place, of: Int(author)) else { continue }
      let rank = PostTable.coarse(posts.times[row])
      if rank >= threshold { add(rank, author) }
    }
    scratch.walkers = walkers
    scratch.later.removeAll()
  }

  /// About the row of the upper bound.
  private mutating func likelyHighRow(_ posts: borrowing PostTable) -> UInt32 {
    if let highRow { return highRow }
    let row = posts.likelyRow(of: high)
    highRow = row
    return row
  }

  @inline(__always)
  private mutating func add(_ rank: UInt32, _ author: UInt32) {
    scratch.candidates.append(rank: rank, row: author)
    if scratch.candidates.count >= roomBeforeSelection { select() }
  }

  /// Keeps the best `limit` authors, and those whose coarse time ties with the last of them.
  @inline(never)
  private mutating func select() {
    guard let last = scratch.candidates.keepBest(limit) else { return }
    threshold = max(threshold, last)
    roomBeforeSelection = max(roomBeforeSelection, 2 * scratch.candidates.count)
  }

  /// The first visible post of an author in the direction of the walk.
  @inline(__always)
  private func head(of author: UInt32, _ posts: borrowing PostTable) -> Walker? {
    let list = Int(author)
    if direction == .older {
      // Mostly the newest post is it, and its row tells when it is not.
      guard let (newest, position) = posts.byAuthor.last(of: list) else { return nil }
      if newest < highRow ?? .max {
        let key = posts.key(newest)
        if key < high {
          posts.prefetchTime(before: position, of: author)
          return low < key ? Walker(key: key, row: newest, author: author, position: position) : nil
        }
      }
    }
    return searchHead(of: author, posts)
  }

  @inline(never)
  private func searchHead(of author: UInt32, _ posts: borrowing PostTable) -> Walker? {
    let list = Int(author)
    switch direction {
    case .older:
      let place = posts.place(of: high, likelyRow: highRow ?? .max, in: posts.byAuthor, list: list)
      guard let (row, position) = posts.byAuthor.element(before: place, of: list) else { return nil }
      posts.prefetchTime(before: position, of: author)
      return walker(row, author, position, posts)
    case .newer:
      let place = posts.byAuthor.partitionPoint(of: list) { posts.key($0) <= low }
      guard let (row, position) = posts.byAuthor.element(atOrAfter: place, of: list) else { return nil }
      return walker(row, author, position, posts)
    }
  }

  @inline(__always)
  private func walker(
    _ row: UInt32, _ author: UInt32, _ position: PackedLists<UInt32>.Position, _ posts: borrowing PostTable
  ) -> Walker? {
    let key = posts.key(row)
    return low < key && key < high ? Walker(key: key, row: row, author: author, position: position) : nil
  }

  // MARK: - The merge

  /// Finds the rows of the first `limit` posts.
  mutating func merge(_ posts: borrowing PostTable) {
    if scratch.candidates.count + scratch.later.count > limit {
      searchLater(posts)
      select()
    } else if scratch.later.count > 0 {  // all of them are walked, whatever their rank
      _ = likelyHighRow(posts)
      for index in 0..<scratch.later.count { scratch.candidates.append(rank: .max, row: scratch.later.row(index)) }
    }
    // Out of the struct while they are written, so that the rest can be read meanwhile.
    var (walkers, heap, rows) = (scratch.walkers, scratch.heap, scratch.rows)
    (scratch.walkers, scratch.heap, scratch.rows) = ([], [], [])
    let authorCount = scratch.candidates.count
    Self.grow(&walkers, to: authorCount, with: Walker())
    Self.grow(&heap, to: authorCount, with: Standing())
    Self.grow(&rows, to: min(limit, posts.count), with: 0)
    prefetchHeads(posts)
    var found = rows.mutableSpan
    let foundCount = merge(walkers.mutableSpan, heap.mutableSpan, into: &found, posts)
    rows.removeLast(rows.count - foundCount)
    (scratch.walkers, scratch.heap, scratch.rows) = (walkers, heap, rows)
  }

  /// The walkers stay where they are; the heap holds their numbers and times. Returns how many rows there are.
  private func merge(
    _ walkers: consuming MutableSpan<Walker>, _ heap: consuming MutableSpan<Standing>,
    into found: inout MutableSpan<UInt32>, _ posts: borrowing PostTable
  ) -> Int {
    var count = 0
    for index in 0..<scratch.candidates.count {
      if let walker = head(of: scratch.candidates.row(index), posts) {
        walkers[count] = walker
        heap[count] = standing(of: count, walkers)
        count &+= 1
      }
    }
    for index in stride(from: count / 2 - 1, through: 0, by: -1) {
      siftDown(&heap, count, heap[index], from: index, walkers)
    }
    var foundCount = 0
    while count > 0, foundCount < found.count {
      let first = Int(heap[0].walker)
      found[foundCount] = walkers[first].row
      foundCount &+= 1
      if step(&walkers[first], posts) {
        siftDown(&heap, count, standing(of: first, walkers), from: 0, walkers)
      } else {
        count &-= 1
        if count > 0 { siftDown(&heap, count, heap[count], from: 0, walkers) }
      }
    }
    return foundCount
  }

  /// Asks for what the heads of all candidates are read from, one stage after the other.
  private func prefetchHeads(_ posts: borrowing PostTable) {
    for index in 0..<scratch.candidates.count { posts.byAuthor.prefetchEnd(of: author(index)) }
    let likelyRow = highRow ?? .max
    for index in 0..<scratch.candidates.count {
      if highRow == nil {
        posts.byAuthor.prefetchLast(of: author(index))
      } else {
        posts.byAuthor.prefetchSearch(of: author(index))
      }
    }
    if direction == .newer { return }
    for index in 0..<scratch.candidates.count {
      guard let row = posts.byAuthor.packedLast(of: author(index)) else { continue }
      if row < likelyRow {
        posts.times.prefetch(Int(row))
      } else {
        let place = posts.byAuthor.partitionPoint(of: author(index)) { $0 < likelyRow }
        posts.prefetchTimes(around: place, of: scratch.candidates.row(index))
      }
    }
  }

  @inline(__always)
  private func author(_ index: Int) -> Int { Int(scratch.candidates.row(index)) }

  private static func grow<Element>(_ array: inout [Element], to count: Int, with element: Element) {
    if array.count < count { array.append(contentsOf: repeatElement(element, count: count - array.count)) }
  }

  /// Moves a walker to the next post of its author; false if there is none.
  @inline(__always)
  private func step(_ walker: inout Walker, _ posts: borrowing PostTable) -> Bool {
    let list = Int(walker.author)
    var next: (row: UInt32, position: PackedLists<UInt32>.Position)?
    switch direction {
    case .older: next = posts.byAuthor.element(before: walker.position, of: list)
    case .newer:
      let after = PackedLists<UInt32>.Position(run: walker.position.run, offset: walker.position.offset + 1)
      next = posts.byAuthor.element(atOrAfter: after, of: list)
    }
    guard let next else { return false }
    if direction == .older { posts.prefetchTime(before: next.position, of: walker.author) }
    walker.key = posts.key(next.row)
    walker.row = next.row
    walker.position = next.position
    return low < walker.key && walker.key < high
  }

  @inline(__always)
  private func standing(of walker: Int, _ walkers: borrowing MutableSpan<Walker>) -> Standing {
    let time = UInt64(bitPattern: walkers[walker].key.time)
    return Standing(rank: direction == .older ? time : ~time, walker: UInt32(truncatingIfNeeded: walker))
  }

  @inline(__always)
  private func comesFirst(_ left: Standing, _ right: Standing, _ walkers: borrowing MutableSpan<Walker>) -> Bool {
    if left.rank != right.rank { return left.rank > right.rank }
    let (leftID, rightID) = (walkers[Int(left.walker)].key.id, walkers[Int(right.walker)].key.id)
    return direction == .older ? rightID < leftID : leftID < rightID
  }

  /// Puts a walker where the heap's `start` is empty, or below it.
  @inline(__always)
  private func siftDown(
    _ heap: inout MutableSpan<Standing>, _ count: Int, _ standing: Standing, from start: Int,
    _ walkers: borrowing MutableSpan<Walker>
  ) {
    var parent = start
    while true {
      var child = 2 &* parent &+ 1
      if child >= count { break }
      var best = heap[child]
      if child &+ 1 < count {
        let other = heap[child &+ 1]
        if comesFirst(other, best, walkers) {
          child &+= 1
          best = other
        }
      }
      if !comesFirst(best, standing, walkers) { break }
      heap[parent] = best
      parent = child
    }
    heap[parent] = standing
  }
}
