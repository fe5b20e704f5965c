/// Mutual follows, suggestions, shortest paths, and two-hop timelines.
extension GraphView {
  /// The users whom both users follow, by id.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  /// - Complexity: O(followees of both), or O(fewer · log(more / fewer)) if their numbers differ much.
  public func mutualFollowees(
    of user: UserID, and other: UserID, _ query: MutualQuery = MutualQuery()
  ) throws(KithError) -> Page<User> {
    try run(MutualUsers(side: .followees, user: user, other: other, query: query))
  }

  /// The users who follow both users, by id.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  /// - Complexity: O(followers of both), or O(fewer · log followees) if their numbers differ much.
  public func mutualFollowers(
    of user: UserID, and other: UserID, _ query: MutualQuery = MutualQuery()
  ) throws(KithError) -> Page<User> {
    try run(MutualUsers(side: .followers, user: user, other: other, query: query))
  }

  /// The followers of a user whom a viewer follows, by id: whom the viewer knows among them. The query's own viewer is
  /// not read.
  /// - Throws: `KithError.unknownUser`, also across a block; `invalidRequest` if a value of the query is out of range,
  /// `invalidCursor`.
  /// - Complexity: O(fewer · log followees), of the user's followers and the viewer's followees; a walk over the latter
  ///   ends with the page.
  public func familiarFollowers(
    of user: UserID, as viewer: UserID, _ query: MutualQuery = MutualQuery()
  ) throws(KithError) -> Page<User> {
    try run(MutualUsers(side: .familiar, user: user, other: viewer, query: query))
  }

  /// The number of users whom both users follow. Blocks are ignored.
  /// - Throws: `KithError.unknownUser`.
  /// - Complexity: as `mutualFollowees`.
  public func mutualFolloweeCount(of user: UserID, and other: UserID) throws(KithError) -> Int {
    try run(MutualFolloweeCount(user: user, other: other))
  }

  /// Follow recommendations, friends of friends: the users followed by a user's followees, by how many of these follow
  /// them in descending order, then by id. The user, users already followed or muted, and users across a block are
  /// omitted.
  ///
  /// The result is exact if the user has at most 65,534 followees, who together have at most `followLimit` follows.
  /// Otherwise the followees with the most follows are left out, and the page `isTruncated`.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range.
  /// - Complexity: O(followees + their follows + limit · log limit); O(followees · log) more for each suggestion's
  ///   mutuals.
  public func suggestions(
    for user: UserID, _ query: SuggestionQuery = SuggestionQuery()
  ) throws(KithError) -> Page<Suggestion> {
    try run(SuggestedUsers(user: user, query: query))
  }

  /// A shortest path from one user to another along follows, in their direction. Blocks need no filter: users across a
  /// block do not follow each other.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a limit is negative.
  /// - Complexity: O(follows read), at most `followLimit`. The search is bidirectional; in a large graph it mostly ends
  ///   after a few thousand follows.
  public func shortestPath(
    from user: UserID, to target: UserID, _ query: PathQuery = PathQuery()
  ) throws(KithError) -> ShortestPath {
    try run(PathBetweenUsers(user: user, target: target, query: query))
  }

  /// The posts of a user's followees and of their followees, newest first. Includes the user's own posts unless
  /// `includesOwnPosts` is off. Omits the posts of users whom the user mutes, and of users across a block.
  ///
  /// Order and pages are those of `timeline`. The result is exact if the followees together have at most `followLimit`
  /// follows. Otherwise the lists of the followees with the most follows are left out, and the page `isTruncated`.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  /// - Complexity: O(followees + their follows + limit · log limit); O(log posts) more for each author whose newest
  ///   post is beyond the cursor.
  public func twoHopTimeline(
    of user: UserID, _ query: TimelineQuery = TimelineQuery(), followLimit: Int = SocialGraph.Limits.followCount
  ) throws(KithError) -> Page<Post> {
    try run(TimelinePosts(user: user, query: query, scope: .twoHops(followLimit: followLimit)))
  }
}
