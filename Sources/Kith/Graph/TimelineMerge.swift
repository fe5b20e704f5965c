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

  let direction: Direction
  let low: PostKey
  let high: PostKey
  /// The coarse time of the upper bound: authors whose newest post is coarsely older need no search.
  private let coarseHigh: UInt32
  let limit: Int
  /// The rank that an author must reach; those of later posts are higher when walking to older ones.
  private var threshold: UInt32
  /// About the row of the upper bound, once somebody asked for it.
  private(set) var highRow: UInt32?
  private var roomBeforeSelection: Int
  var scratch: TimelineScratch

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

  /// Where the newest post may lie beyond the bound, the first one within it counts: it is searched for with others'.
  @inline(never)
  private mutating func consider(_ author: UInt32, newest: UInt32, _ posts: borrowing PostTable) {
    if direction == .older {
      if newest < coarseHigh {
        if newest >= threshold { add(newest, author) }
      } else {
        posts.byAuthor.prefetchEnd(of: Int(author))
        scratch.later.append(rank: newest, row: author)
        if scratch.later.count >= roomBeforeSelection { searchLater(posts) }
      }
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

  /// Ends the pass: of those who were pushed, all are left who may have a post on the page.
  mutating func endPass(_ posts: borrowing PostTable) {
    if scratch.candidates.count + scratch.later.count > limit {
      searchLater(posts)
      select()
    } else if scratch.later.count > 0 {  // all of them are walked, whatever their rank
      _ = likelyHighRow(posts)
      for index in 0..<scratch.later.count { scratch.candidates.append(rank: .max, row: scratch.later.row(index)) }
    }
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
}
