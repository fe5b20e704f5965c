/// A page of a home timeline: the posts of a user's followees, newest first.
///
/// A planner (`TimelinePlan`) chooses one of two scans: a backward scan of all posts with a Bloom filter of the
/// followees (`TimelineScan`), or a k-way merge of the followees' lists (`TimelineMerge`). A scan that becomes more
/// expensive than the merge gives up, and the merge runs. Both return the same rows.
struct TimelinePosts: Query {
  /// The authors of the page, besides the user.
  enum Scope {
    /// The user's followees.
    case followees
    /// The user's followees, and their followees as long as all these lists together have at most `followLimit`
    /// follows.
    case twoHops(followLimit: Int)
  }

  let user: UserID
  let query: TimelineQuery
  var scope = Scope.followees
  var plan = TimelinePlan.cheaper

  var operation: GraphOperation {
    switch scope {
    case .followees: .timeline
    case .twoHops: .twoHopTimeline
    }
  }

  /// The page as visible to its user.
  func run(_ state: borrowing GraphState) throws(KithError) -> Page<Post> {
    if hasEntries(state) { return try entries(state).run(state) }
    let visibility = try Visibility(of: user, state)
    if let viewer = visibility.viewer { state.likes.forward.prefetchHead(of: Int(viewer)) }
    let found = try rows(state)
    let (next, previous) = cursors(of: found, state)
    let records = found.withRows { PostRecords($0, visibility, state, includesAuthors: query.includesAuthors) }
    return Page(records, next: next, previous: previous, isTruncated: found.isTruncated)
  }

  func dependencies(of page: Page<Post>) -> [QueryDependency] { pageDependencies + QueryDependency.shown(page) }

  /// Whether the timeline has sources or filters of its own, or what else enters timelines.
  @inline(__always)
  func hasEntries(_ state: borrowing GraphState) -> Bool {
    if case .twoHops = scope { return query.isOfFollowees && state.hasAudiences }
    return !query.isOfFollowees || state.hasSchema && state.hasEntries(query)
  }

  /// - Throws: `unknownUser`, `invalidRequest`.
  func entries(_ state: borrowing GraphState) throws(KithError) -> TimelineEntries {
    guard case .twoHops(let followLimit) = scope else { return TimelineEntries(user: user, query: query) }
    try check()
    let own = try state.userRow(user)
    let followees = HopFrontier(of: own, in: state, followLimit: followLimit)
    var authors: [UInt32] = []
    forEachAuthor(of: own, followees, state) { authors.append($0) }
    authors.sort()
    return TimelineEntries(user: user, query: query, authors: authors, isTruncated: followees.isTruncated)
  }

  /// What the ids of any page depend on: added and removed posts, and the set of authors.
  var pageDependencies: [QueryDependency] {
    let authors: [QueryDependency] =
      switch scope {
      case .followees: TimelineEntries(user: user, query: query).sourceDependencies
      case .twoHops: [.anyPost, .anyFollow]
      }
    return authors + QueryDependency.omitted(by: user) + QueryDependency.access(of: user)
  }

  /// - Throws: `invalidRequest`.
  private func check() throws(KithError) {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    guard case .twoHops(let followLimit) = scope else { return }
    if followLimit < 0 { throw .invalidRequest(.followLimit(followLimit)) }
    if !query.isOfFollowees || query.reposts == .all { throw .invalidRequest(.twoHopFilters) }
  }

  /// The rows of the page, newest first.
  /// - Throws: `unknownUser`, `invalidRequest`, `invalidCursor`.
  func rows(_ state: borrowing GraphState) throws(KithError) -> TimelineRows {
    try check()
    let own = try state.userRow(user)
    let range = try TimelineRange(query, kind: cursorKind, subject: user.rawValue)
    var found: TimelineRows
    switch scope {
    case .followees: found = rowsOfFollowees(own, range, state)
    case .twoHops(let followLimit): found = rowsOfTwoHops(own, range, state, followLimit)
    }
    found.makePage(limit: query.limit, query.direction)
    return found
  }

  /// The cursors of a page towards older and newer posts.
  private func cursors(
    of found: borrowing TimelineRows, _ state: borrowing GraphState
  ) -> (next: Cursor?, previous: Cursor?) {
    if found.count > 0 {
      let continues = found.hasMore || query.direction == .newer
      return (continues ? cursor(at: found[found.count - 1], state) : nil, cursor(at: found[0], state))
    }
    if let cursor = query.cursor { return (nil, cursor) }
    // Before every post, so that the first ones are newer.
    return (nil, Cursor(CursorPlace(kind: cursorKind, subject: user.rawValue, first: -1, second: 0)))
  }

  private func cursor(at row: UInt32, _ state: borrowing GraphState) -> Cursor {
    Cursor(cursorKind, subject: user.rawValue, at: row, state.posts)
  }

  private var cursorKind: CursorContent.Kind {
    switch scope {
    case .followees: .timeline
    case .twoHops: .twoHopTimeline
    }
  }

  // MARK: - Scans

  private func rowsOfFollowees(
    _ own: UInt32, _ range: TimelineRange, _ state: borrowing GraphState
  ) -> TimelineRows {
    if let costLimit = plan.scanCostLimit(own, range, state) {
      let scan = TimelineScan(user: own, includeSelf: query.includesOwnPosts, range: range)
      if let found = scan.run(state, costLimit: costLimit) { return found }
    }
    // Of few followees, nearly all have a post on the page.
    if range.direction == .older && range.high == .end && state.follows.targetCount(own) > 2 * query.limit {
      return firstRowsOfMany(own, range, state)
    }
    var merge = TimelineMerge(range)
    pushFollowees(of: own, to: &merge, state)
    return merge.run(state.posts)
  }

  /// Merges a first page, starting from the rank that the user's last merge reached, so that most followees are
  /// rejected at once.
  ///
  /// Without that cache, a first page takes about 30 % more instructions with 1,000 followees and 15 % more with 5,000
  /// (counted by valgrind). Most of them go into selecting the best candidates repeatedly.
  private func firstRowsOfMany(
    _ own: UInt32, _ range: TimelineRange, _ state: borrowing GraphState
  ) -> TimelineRows {
    let hint = state.timelineHints.hint(of: own, for: query.limit)
    var merge = TimelineMerge(range, guess: hint)
    pushFollowees(of: own, to: &merge, state)
    if merge.isGuessTooHigh(state.posts) {
      merge = TimelineMerge(range)
      pushFollowees(of: own, to: &merge, state)
    }
    let reached = merge.reachedRank(state.posts)
    if reached != hint { state.timelineHints.set(reached, of: own, for: query.limit) }
    return merge.run(state.posts)
  }

  private func pushFollowees(of own: UInt32, to merge: inout TimelineMerge, _ state: borrowing GraphState) {
    if query.includesOwnPosts { merge.push(own, state.posts) }
    if state.mutes.targetCount(own) == 0 {
      return state.follows.forward.forEachRun(of: Int(own)) { merge.push($0, state.posts) { _ in false } }
    }
    TargetSet.lend(targetsOf: own, in: state.mutes) { muted in
      state.follows.forward.forEachRun(of: Int(own)) { merge.push($0, state.posts) { muted.contains($0) } }
    }
  }

  private func rowsOfTwoHops(
    _ own: UInt32, _ range: TimelineRange, _ state: borrowing GraphState, _ followLimit: Int
  ) -> TimelineRows {
    let followees = HopFrontier(of: own, in: state, followLimit: followLimit)
    var merge = TimelineMerge(range)
    if query.includesOwnPosts { merge.push(own, state.posts) }
    forEachAuthor(of: own, followees, state) { merge.push($0, state.posts) }
    var found = merge.run(state.posts)
    found.isTruncated = followees.isTruncated
    return found
  }

  /// Calls `body` with every author within two hops but the user, each once.
  ///
  /// All users within two hops are counted first. Those whose posts are not shown are excluded. All followees of the
  /// user are authors; `followees` are those whose own followees are authors too.
  /// - Complexity: O(followees + their follows + mutes + blocks).
  private func forEachAuthor(
    of user: UInt32, _ followees: HopFrontier, _ state: borrowing GraphState, _ body: (UInt32) -> Void
  ) {
    state.marks.lend(rowCount: state.users.rowCount) { marks in
      state.follows.forward.forEachRun(of: Int(user)) { marks.countVisits($0) }
      followees.countVisits(marks, state)
      marks[user] = 0
      marks.exclude(targetsOf: user, in: state.mutes)
      marks.exclude(targetsOf: user, in: state.blocks)
      marks.exclude(sourcesOf: user, in: state.blocks)
      marks.drain {
        state.posts.newest.prefetch(Int($0))
      } _: { author, mark in
        if mark > 0 { body(author) }
      }
    }
  }
}
