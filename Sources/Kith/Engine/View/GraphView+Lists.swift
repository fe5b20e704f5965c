/// Paged lists of followers, followees, likers, likes, blocks and mutes.
extension GraphView {
  /// The users at one end of a user's edges.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  package func list(
    _ kind: RelationKind, _ side: RelationSide, of user: UserID, _ query: ListQuery
  ) throws(KithError) -> Page<User> {
    try run(RelationListQuery(kind: kind, side: side, user: user, query: query))
  }

  /// The users whom a user follows, with the time of each follow.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  /// - Complexity: O(limit · log limit), and O(followees) up to about a thousand. Of more, a first page reads at most
  ///   `limit` blocks of a thousand; a later one may read all.
  public func followees(of user: UserID, _ query: ListQuery = ListQuery()) throws(KithError) -> Page<User> {
    try list(.follow, .targets, of: user, query)
  }

  /// The users who follow a user, with the time of each follow.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  /// - Complexity: O(limit · log followees); by name O(followers) or a walk over all names, whichever is cheaper.
  public func followers(of user: UserID, _ query: ListQuery = ListQuery()) throws(KithError) -> Page<User> {
    try list(.follow, .sources, of: user, query)
  }

  /// The users who like a post, oldest like first, with the time of each.
  /// - Throws: `KithError.unknownPost`, `unknownUser`, `invalidRequest` if a value of the query is out of range,
  /// `invalidCursor`.
  /// - Complexity: O(limit · log likes).
  public func likers(of post: PostID, _ query: ListQuery = ListQuery()) throws(KithError) -> Page<User> {
    try run(LikersQuery(post: post, query: query))
  }

  /// The posts that a user likes, newest like first, with the time of each.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  /// - Complexity: O(limit · log limit), and O(likes of the user) up to about a thousand. Of more, a page reads one or
  ///   two blocks of a thousand where likes are made in the order of the posts, as most are; at most `limit` blocks for
  ///   a first page, and at worst all for a later one.
  public func likes(of user: UserID, _ query: ListQuery = ListQuery()) throws(KithError) -> Page<Post> {
    try run(LikesQuery(user: user, query: query))
  }

  /// The users whom a user blocks, by id.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  public func blocked(by user: UserID, _ query: ListQuery = ListQuery()) throws(KithError) -> Page<User> {
    try list(.block, .targets, of: user, query)
  }

  /// The users whom a user mutes, by id.
  /// - Throws: `KithError.unknownUser`, `invalidRequest` if a value of the query is out of range, `invalidCursor`.
  public func muted(by user: UserID, _ query: ListQuery = ListQuery()) throws(KithError) -> Page<User> {
    try list(.mute, .targets, of: user, query)
  }
}
