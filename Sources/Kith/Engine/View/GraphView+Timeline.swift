/// Home timelines (`TimelineQuery`).
extension GraphView {
  /// The posts of a user and of the user's followees, newest first. Omits the posts of users whom the user mutes, and
  /// of users across a block.
  ///
  /// Order: createdAt descending, then id descending. An older page begins at the newest post, or after the cursor. A
  /// newer page has the posts nearest above the cursor (without one: the oldest), also returned newest first; a page
  /// that is not full has reached the newest post.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  /// - Complexity: O(followees + limit · log limit), and O(log posts) for each followee whose newest post is beyond the
  ///   cursor. Or, where that is cheaper: O(followees), and O(1) for each of all posts down to the last one of the
  ///   page.
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
      for entry in try posts.entries.entries(state).items { ids.append(state.postID(entry.post)) }
      return
    }
    let found = try posts.rows(state)
    ids.append(addingCapacity: found.count) { output in
      for index in 0..<found.count { output.append(state.postID(found[index])) }
    }
  }
}
