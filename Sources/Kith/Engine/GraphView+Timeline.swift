/// Home timelines.
extension GraphView {
  /// The posts of those whom a user follows, and their own, newest first; without those they mute or stand across a
  /// block from.
  ///
  /// Order: createdAt descending, then id descending. Older pages begin at the newest post or behind the cursor. Newer
  /// pages hold what is nearest above the cursor (without one: the oldest), printed newest first; a short one has
  /// caught up. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followees + limit · log limit), and O(log posts) for each followee whose newest post is beyond the
  ///   cursor.
  public func timeline(of user: UserID, _ options: TimelineOptions = TimelineOptions()) throws(KithError) -> Page<Post>
  {
    let sight = try sight(of: user)
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
    pushAuthors(of: own, includeSelf: options.includeSelf, to: &merge)
    var rows = merge.merge(state.posts)
    let hasMore = rows.count > options.limit
    if hasMore { rows.removeLast() }
    if options.direction == .newer { rows.reverse() }
    return page(rows, hasMore: hasMore, user, options, sight)
  }

  private func pushAuthors(of user: UInt32, includeSelf: Bool, to merge: inout TimelineMerge) {
    if includeSelf { merge.push(user, state.posts) }
    let mutes = state.mutes.targetCount(user) > 0
    for run in 0..<state.follows.forward.runCount(of: Int(user)) {
      let followees = state.follows.forward.run(run, of: Int(user))
      for index in followees.indices {
        let author = Relation.target(followees[index])
        if mutes && state.mutes.contains(user, author) { continue }
        merge.push(author, state.posts)
      }
    }
  }

  private func page(
    _ rows: [UInt32], hasMore: Bool, _ user: UserID, _ options: TimelineOptions, _ sight: Sight
  ) -> Page<Post> {
    var page = Page(posts(rows, sight))
    if let first = rows.first, let last = rows.last {
      page.previous = cursor(.timeline, subject: user.rawValue, at: first)
      if hasMore || options.direction == .newer { page.next = cursor(.timeline, subject: user.rawValue, at: last) }
    } else if let cursor = options.cursor {
      page.previous = cursor
    } else if options.direction == .newer {
      page.previous = CursorContent(kind: .timeline, subject: user.rawValue, numbers: [-1, 0]).cursor
    }
    return page
  }

  // MARK: - Keys

  /// Exclusive bounds from exclusive times.
  static func bounds(before: Timestamp?, after: Timestamp?) -> (low: PostKey, high: PostKey) {
    (
      PostKey(time: after?.rawValue ?? -1, id: .max),
      before.map { PostKey(time: $0.rawValue, id: 0) } ?? PostKey(time: .max, id: .max)
    )
  }

  static func postKey(_ cursor: Cursor, kind: CursorContent.Kind, subject: Int64) throws(KithError) -> PostKey {
    let content = try CursorContent(cursor, kind: kind, subject: subject, numberCount: 2)
    return PostKey(time: content.numbers[0], id: UInt64(bitPattern: content.numbers[1]))
  }

  func cursor(_ kind: CursorContent.Kind, subject: Int64, at row: UInt32) -> Cursor {
    let key = state.posts.key(row)
    return CursorContent(kind: kind, subject: subject, numbers: [key.time, Int64(bitPattern: key.id)]).cursor
  }
}
