/// A k-way merge of authors' post lists: the exact newest (or next newer) posts of all authors.
///
/// With a limit of L posts, at most L authors matter. The first L posts come from the authors whose first visible post
/// ranks among the first L of all authors' first posts, because those of other authors sort after all of these. So one
/// pass over the authors reads each one's newest coarse time from a dense column and keeps the best L, including all
/// coarse ties. A k-way merge of these lists, by a binary heap on exact keys, yields the page.
///
/// Authors are pushed one by one, each at most once; `run` ends the merge.
/// - Complexity: O(authors + L · log L); O(log posts) more for each author whose newest post is beyond the bound.
struct TimelineMerge: ~Copyable {
  let range: TimelineRange
  /// The coarse time of the upper bound. An author whose newest post is coarsely older needs no binary search.
  private let coarseHigh: UInt32
  /// The rank that an author must reach. If the scan is towards older posts, later posts have higher ranks.
  private var threshold: UInt32
  /// An estimate of the row of the upper bound, once computed.
  private var highRow: UInt32?
  private var capacityBeforeSelection: Int
  /// The cursors from which on those that are not needed are removed.
  private var cursorLimit = 1_024
  private let scratch = TimelineScratch()
  /// Those of `scratch`: a getter would count a reference at each access. Never changed, but a variable: with a
  /// constant, Swift 6.3 with the thread sanitizer marks a write to the first field of this value and emits an invalid
  /// module.
  private(set) var lists: Box<TimelineLists>

  /// - Parameter guess: an estimate of the rank that an author must reach, to be verified by `isGuessTooHigh`; 0 for
  ///   none.
  init(_ range: TimelineRange, guess: UInt32 = 0) {
    self.range = range
    coarseHigh = PostTable.coarse(range.high.time)
    threshold = max(guess, range.direction == .older ? 1 : 0)
    capacityBeforeSelection = 2 * range.limit + 16
    lists = scratch.lists
    lists.value.candidates.truncate(to: 0)
    lists.value.later.truncate(to: 0)
    lists.value.cursors.truncate(to: 0)
  }

  /// The rows of the first `limit` posts of all authors pushed.
  consuming func run(_ posts: borrowing PostTable) -> TimelineRows {
    endPass(posts)
    merge(posts)
    return TimelineRows(scratch)
  }

  // MARK: - The pass over the authors

  /// Adds a user's followees, the targets of forward elements, except those left out. Only followees whose newest post
  /// is among the newest so far are considered.
  @inline(__always)
  mutating func push(
    _ followees: Span<UInt64>, _ posts: borrowing PostTable, skipping isLeftOut: (_ author: UInt32) -> Bool
  ) {
    // Towards newer posts, every author is considered: the newest post says nothing about the oldest ones.
    let isOlder = range.direction == .older
    posts.newest.forEach(highWordsOf: followees, reaching: isOlder ? threshold : 0) { author, newest in
      if isLeftOut(author) { return isOlder ? threshold : 0 }
      if isOlder && newest < coarseHigh {
        add(newest, AuthorCursor(author: author))
      } else {
        consider(author, newest: newest, posts)
      }
      return isOlder ? threshold : 0
    }
  }

  /// Adds one author.
  mutating func push(_ author: UInt32, _ posts: borrowing PostTable) {
    consider(author, newest: posts.newest[author], posts)
  }

  /// Adds an author by the first post within the bounds. Where that may not be the newest post, the binary search is
  /// deferred, to be batched with others.
  @inline(never)
  private mutating func consider(_ author: UInt32, newest: UInt32, _ posts: borrowing PostTable) {
    if range.direction == .older {
      if newest < coarseHigh {
        if newest >= threshold { add(newest, AuthorCursor(author: author)) }
      } else {
        posts.byAuthor.prefetchHead(of: Int(author))
        lists.value.later.append(author)
        if lists.value.later.count >= capacityBeforeSelection { searchLater(posts) }
      }
      return
    }
    if newest == 0 || newest < PostTable.coarse(range.low.time) { return }
    var cursor = AuthorCursor(author: author)
    let first = posts.byAuthor.partitionPoint(of: Int(author)) { !posts.isAfter($0, range.low) }
    cursor.place = posts.byAuthor.cursor(at: first, of: Int(author))
    guard cursor.settle(posts) else { return }
    let rank = ~PostTable.coarse(cursor.time)  // the earliest post ranks first
    if rank >= threshold { add(rank, cursor) }
  }

  /// For each deferred author, finds the newest post before the bound, and adds the author if it reaches the threshold.
  ///
  /// The lists and the times of their posts are scattered in memory. They are prefetched in stages and read when they
  /// have arrived.
  @inline(never)
  private mutating func searchLater(_ posts: borrowing PostTable) {
    if lists.value.later.count == 0 { return }
    trimCursors()
    let likelyRow = likelyHighRow(posts)
    let (first, count) = (lists.value.cursors.count, lists.value.later.count)
    for index in 0..<count { posts.byAuthor.prefetchSearch(of: Int(lists.value.later[index])) }
    for index in 0..<count {
      let author = lists.value.later[index]
      let place = posts.byAuthor.cursor(notBelow: likelyRow, in: Int(author))
      posts.prefetchTimes(around: place)
      lists.value.cursors.append(AuthorCursor(place: place, author: author))
    }
    lists.value.later.truncate(to: 0)
    var kept = first
    for index in first..<first + count {
      var cursor = lists.value.cursors[index]
      cursor.place = posts.checked(cursor.place, of: range.high, in: posts.byAuthor, list: Int(cursor.author))
      guard cursor.moveBack(posts) else { continue }
      let rank = PostTable.coarse(cursor.time)
      if rank < threshold { continue }
      lists.value.cursors[kept] = cursor
      addCandidate(rank, kept)
      kept += 1
    }
    lists.value.cursors.truncate(to: kept)
  }

  /// An estimate of the row of the upper bound.
  private mutating func likelyHighRow(_ posts: borrowing PostTable) -> UInt32 {
    if let highRow { return highRow }
    let row = posts.likelyRow(of: range.high)
    highRow = row
    return row
  }

  /// Whether the guess was too high: fewer authors reach it than may have a post on the page.
  mutating func isGuessTooHigh(_ posts: borrowing PostTable) -> Bool {
    searchLater(posts)
    return threshold > 1 && lists.value.candidates.count < range.limit
  }

  /// The rank of the last author who may have a post on the page; 0 if any author may.
  mutating func reachedRank(_ posts: borrowing PostTable) -> UInt32 {
    searchLater(posts)
    select()
    return lists.value.candidates.count < range.limit ? 0 : threshold
  }

  /// Ends the pass: the candidates are all authors who may have a post on the page.
  private mutating func endPass(_ posts: borrowing PostTable) {
    searchLater(posts)
    select()
  }

  @inline(__always)
  private mutating func add(_ rank: UInt32, _ cursor: AuthorCursor) {
    if lists.value.cursors.count >= cursorLimit { trimCursors() }
    lists.value.cursors.append(cursor)
    addCandidate(rank, lists.value.cursors.count - 1)
  }

  @inline(__always)
  private mutating func addCandidate(_ rank: UInt32, _ cursor: Int) {
    lists.value.candidates.append(rank: rank, UInt32(truncatingIfNeeded: cursor))
    if lists.value.candidates.count >= capacityBeforeSelection { select() }
  }

  /// Keeps the best `limit` authors, and those whose coarse time ties with the last of them.
  @inline(never)
  private mutating func select() {
    guard let last = lists.value.candidates.keepBest(range.limit) else { return }
    threshold = max(threshold, last)
    capacityBeforeSelection = max(capacityBeforeSelection, 2 * lists.value.candidates.count)
  }

  /// Removes the cursors of authors who are no longer candidates, if there are many.
  @inline(never)
  private mutating func trimCursors() {
    let count = lists.value.cursors.count
    if count < cursorLimit { return }
    for index in 0..<lists.value.candidates.count {
      lists.value.cursors.append(lists.value.cursors[Int(lists.value.candidates.ranked(index))])
    }
    for index in 0..<lists.value.candidates.count {
      lists.value.cursors[index] = lists.value.cursors[count + index]
      lists.value.candidates.setRanked(index, UInt32(truncatingIfNeeded: index))
    }
    lists.value.cursors.truncate(to: lists.value.candidates.count)
    cursorLimit = max(cursorLimit, 2 * lists.value.candidates.count)
  }
}
