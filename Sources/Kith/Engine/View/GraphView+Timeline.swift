/// Home timelines (`TimelineQuery`).
extension GraphView {
  /// The posts of a user and of the user's followees, newest first, or of other sources (`TimelineQuery.Sources`).
  /// Omits the posts of users whom the user mutes, and of users across a block. Where relations enter timelines, also
  /// the posts that sources reposted, each once (`TimelineQuery.Reposts`), and posts that lead to them.
  ///
  /// Order: createdAt descending, then id descending; a repost at its own time (`Post.repost`). An older page begins at
  /// the newest post, or after the cursor. A newer page has the posts nearest above the cursor (without one: the
  /// oldest), also returned newest first; a page that is not full has reached the newest post.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`; of
  ///   other sources `unknownPost` and `unknownRelation`; with filters `cancelled`.
  /// - Complexity: O(followees + limit · log limit), and O(log posts) for each followee whose newest post is beyond the
  ///   cursor. Or, where that is cheaper: O(followees), and O(1) for each of all posts down to the last one of the
  ///   page. With filters or reposts also O(log followees) for each post and repost that is passed over.
  public func timeline(
    of user: UserID, _ query: TimelineQuery = TimelineQuery()
  ) throws(KithError) -> Page<Post> {
    try run(TimelinePosts(user: user, query: query))
  }

  /// The ids of the same page, written to `ids` in place of its former content. Allocates nothing if its capacity
  /// suffices.
  /// - Throws: as `timeline`.
  public func timelineIDs(
    of user: UserID, _ query: TimelineQuery = TimelineQuery(), into ids: inout [PostID]
  ) throws(KithError) {
    let posts = TimelinePosts(user: user, query: query)
    if isPlain { return try collect(posts, into: &ids) }
    try measure(posts.operation) { () throws(KithError) in try collect(posts, into: &ids) }
  }

  @inline(__always)
  private func collect(_ posts: TimelinePosts, into ids: inout [PostID]) throws(KithError) {
    ids.removeAll(keepingCapacity: true)
    if posts.hasEntries(state) {
      return ids.append(contentsOf: try posts.entries(state).ids(state))
    }
    let found = try posts.rows(state)
    ids.append(addingCapacity: found.count) { output in
      for index in 0..<found.count { output.append(state.postID(found[index])) }
    }
  }
}
