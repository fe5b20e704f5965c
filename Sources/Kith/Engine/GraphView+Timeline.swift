/// Home timelines.
extension GraphView {
  /// The posts of those whom a user follows, and their own, newest first; without those they mute or stand across a
  /// block from.
  ///
  /// Order: createdAt descending, then id descending. Older pages begin at the newest post or behind the cursor. Newer
  /// pages hold what is nearest above the cursor (without one: the oldest), printed newest first; a short one has
  /// caught up. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followees + limit · log limit), and O(log posts) for each followee whose newest post is beyond the
  ///   cursor; or O(followees), and O(1) for each of all posts down to the last of the page, where that is cheaper.
  public func timeline(
    of user: UserID, _ options: TimelineOptions = TimelineOptions()
  ) throws(KithError) -> PostPage {
    try timeline(of: user, options, plan: .cheaper)
  }

  /// The same by either plan.
  func timeline(of user: UserID, _ options: TimelineOptions, plan: TimelineWalk.Plan) throws(KithError) -> PostPage {
    let sight = try sight(of: user)
    if let viewer = sight.viewer { state.likes.forward.prefetchEnd(of: Int(viewer)) }
    var merge = try merge(user, options, plan)
    return page(&merge, .timeline, user, options, sight)
  }

  /// The page that a merge found, which gives its arrays back.
  func page(
    _ merge: inout TimelineMerge, _ kind: CursorContent.Kind, _ user: UserID, _ options: TimelineOptions,
    _ sight: Sight, isTruncated: Bool = false
  ) -> PostPage {
    defer { merge.giveBack() }
    let hasMore = merge.rows.count > options.limit
    if hasMore { merge.rows.removeLast() }
    if options.direction == .newer { merge.rows.reverse() }
    let (next, previous) = cursors(merge.rows, hasMore: hasMore, kind, user, options)
    return PostPage(posts(merge.rows, sight), next: next, previous: previous, isTruncated: isTruncated)
  }

  /// The ids of the same page, in the room of `ids`, whose former content goes: without any allocation once that room
  /// is large enough.
  public func timelineIDs(
    of user: UserID, _ options: TimelineOptions = TimelineOptions(), into ids: inout [PostID]
  ) throws(KithError) {
    try checkOpen()
    ids.removeAll(keepingCapacity: true)
    var merge = try merge(user, options, .cheaper)
    defer { merge.giveBack() }
    for row in merge.rows.prefix(options.limit) { ids.append(state.postID(row)) }
    if options.direction == .newer { ids.reverse() }
  }

  /// The rows of a page and of one post more, in the order of the walk.
  private func merge(
    _ user: UserID, _ options: TimelineOptions, _ plan: TimelineWalk.Plan
  ) throws(KithError) -> TimelineMerge {
    try Self.check(limit: options.limit)
    let own = try state.userRow(user)
    var (low, high) = Self.bounds(before: options.before, after: options.after)
    if let cursor = options.cursor {
      let key = try Self.postKey(cursor, kind: .timeline, subject: user.rawValue)
      switch options.direction {
      case .older: high = min(high, key)
      case .newer: low = max(low, key)
      }
    }
    var merge = TimelineMerge(
      direction: options.direction == .older ? .older : .newer, low: low, high: high, limit: options.limit + 1)
    if options.direction == .older {
      let walk = TimelineWalk(
        user: own, includeSelf: options.includeSelf, low: low, high: high, limit: options.limit + 1)
      if merge.isFilled(by: walk, state, plan) { return merge }
    }
    // Of few followees nearly all have a post on the page.
    let isFirst = options.direction == .older && high == .end
    let isHinted = isFirst && state.follows.targetCount(own) > 2 * options.limit
    let hint = isHinted ? state.timelineHints.hint(of: own, for: options.limit) : 0
    merge.expect(hint)
    pushAuthors(of: own, includeSelf: options.includeSelf, to: &merge)
    if isHinted {
      if merge.expectedTooMuch(state.posts) {
        merge.startAgain()
        pushAuthors(of: own, includeSelf: options.includeSelf, to: &merge)
      }
      let reached = merge.reachedRank(state.posts)
      if reached != hint { state.timelineHints.set(reached, of: own, for: options.limit) }
    }
    merge.merge(state.posts)
    return merge
  }

  private func pushAuthors(of user: UInt32, includeSelf: Bool, to merge: inout TimelineMerge) {
    if includeSelf { merge.push(user, state.posts) }
    if state.mutes.targetCount(user) == 0 {
      return state.follows.forward.forEachRun(of: Int(user)) { merge.push($0, state.posts) { _ in false } }
    }
    TargetSet.lend(targetsOf: user, in: state.mutes) { muted in
      state.follows.forward.forEachRun(of: Int(user)) { merge.push($0, state.posts) { muted.contains($0) } }
    }
  }

  private func cursors(
    _ rows: [UInt32], hasMore: Bool, _ kind: CursorContent.Kind, _ user: UserID, _ options: TimelineOptions
  ) -> (next: Cursor?, previous: Cursor?) {
    if let first = rows.first, let last = rows.last {
      let goesOn = hasMore || options.direction == .newer
      return (
        goesOn ? cursor(kind, subject: user.rawValue, at: last) : nil,
        cursor(kind, subject: user.rawValue, at: first)
      )
    }
    if let cursor = options.cursor { return (nil, cursor) }
    guard options.direction == .newer else { return (nil, nil) }
    return (nil, Cursor(CursorPlace(kind: kind, subject: user.rawValue, first: -1, second: 0)))
  }

  // MARK: - Keys

  /// Exclusive bounds from exclusive times.
  static func bounds(before: Timestamp?, after: Timestamp?) -> (low: PostKey, high: PostKey) {
    (
      PostKey(time: after?.rawValue ?? -1, id: .max),
      before.map { PostKey(time: $0.rawValue, id: 0) } ?? .end
    )
  }

  static func postKey(_ cursor: Cursor, kind: CursorContent.Kind, subject: Int64) throws(KithError) -> PostKey {
    let place = try CursorPlace(cursor, kind: kind, subject: subject)
    return PostKey(time: place.first, id: UInt64(bitPattern: place.second))
  }

  func cursor(_ kind: CursorContent.Kind, subject: Int64, at row: UInt32) -> Cursor {
    let key = state.posts.key(row)
    return Cursor(CursorPlace(kind: kind, subject: subject, first: key.time, second: Int64(bitPattern: key.id)))
  }
}
