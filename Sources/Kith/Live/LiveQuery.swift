/// A query that can run again whenever a change may have altered its result.
///
/// The queries of `GraphView` have factories of the same names: `.timeline(of: ann)`, `.post(id, as: ann)`,
/// `.searchUsers("bo")`. They fail with `KithError`. A closure makes any other result live, and may throw errors of the
/// host's own:
/// ```swift
/// LiveQuery { view in try view.user(ann).followerCount >= 1_000 }  // Failure is any Error
/// LiveQuery { (view) throws(KithError) in try view.user(ann).followerCount >= 1_000 }
/// ```
/// When the graph is closed, every query ends without an error: it is not run again.
public struct LiveQuery<Value: Equatable & Sendable, Failure: Error>: Sendable {
  typealias Answer = (value: Value, dependencies: [QueryDependency])

  let ask: @Sendable (borrowing GraphView) throws(Failure) -> Answer

  init(asking ask: @escaping @Sendable (borrowing GraphView) throws(Failure) -> Answer) { self.ask = ask }

  /// Creates a live query from a closure. It runs again after changes that touch its dependencies.
  ///
  /// The closure runs under the graph's lock: keep it short.
  /// - Parameters:
  ///   - dependencies: what every result depends on. By default, every change runs the query again.
  ///   - ask: runs the query. An error that it throws ends the query.
  public init(
    of dependencies: [QueryDependency] = [.everything],
    _ ask: @escaping @Sendable (borrowing GraphView) throws(Failure) -> Value
  ) {
    self.ask = { (view) throws(Failure) in (try ask(view), dependencies) }
  }

  /// A query of a view, live: it states its dependencies itself.
  init<Q: Query>(_ query: Q) where Q.Output == Value, Failure == KithError {
    ask = { (view) throws(KithError) in
      let result = try view.run(query)
      return (result, query.dependencies(of: result))
    }
  }

  /// The same query with a transformed result.
  public func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> LiveQuery<Other, Failure> {
    let ask = ask
    return LiveQuery<Other, Failure>(asking: { (view) throws(Failure) in
      let (value, dependencies) = try ask(view)
      return (transform(value), dependencies)
    })
  }

  /// Runs the query; nil if the graph was closed.
  func answer(_ graph: SocialGraph) throws(Failure) -> (answer: Answer, sequence: UInt64)? {
    try graph.read { (view) throws(Failure) in view.isClosed ? nil : (try ask(view), view.sequence) }
  }
}

// MARK: - Single values

extension LiveQuery where Value == User, Failure == KithError {
  /// A user with their counts. See `GraphView.user`.
  public static func user(_ id: UserID, as viewer: UserID? = nil, includesBlocked: Bool = false) -> LiveQuery {
    LiveQuery(UserByID(id: id, viewer: viewer, includesBlocked: includesBlocked))
  }
}

extension LiveQuery where Value == Post, Failure == KithError {
  /// A post with its likes. See `GraphView.post`.
  public static func post(_ id: PostID, as viewer: UserID? = nil, includesAuthors: Bool = false) -> LiveQuery {
    LiveQuery(PostByID(id: id, viewer: viewer, includesAuthors: includesAuthors))
  }
}

extension LiveQuery where Value == UserID?, Failure == KithError {
  /// The user with a name; nil if there is none. See `GraphView.findUser`. Runs again whenever a name is added, removed
  /// or changed.
  public static func findUser(named username: String, kind: String? = nil) -> LiveQuery {
    LiveQuery(of: [.anyName]) { (view) throws(KithError) in view.findUser(named: username, kind: kind) }
  }
}

extension LiveQuery where Value == [User?], Failure == KithError {
  /// Users by id, nil for those that do not exist. See `GraphView.users`.
  public static func users(_ ids: [UserID], as viewer: UserID? = nil, includesBlocked: Bool = false) -> LiveQuery {
    LiveQuery(UsersByID(ids: ids, viewer: viewer, includesBlocked: includesBlocked))
  }
}

extension LiveQuery where Value == [Post?], Failure == KithError {
  /// Posts by id, nil for those that do not exist. See `GraphView.posts`.
  public static func posts(_ ids: [PostID], as viewer: UserID? = nil, includesAuthors: Bool = false) -> LiveQuery {
    LiveQuery(PostsByID(ids: ids, viewer: viewer, includesAuthors: includesAuthors))
  }
}

extension LiveQuery where Value == Bool, Failure == KithError {
  /// Whether a user follows another. See `GraphView.isFollowing`.
  public static func isFollowing(_ target: UserID, as user: UserID) -> LiveQuery {
    LiveQuery(FollowExists(user: user, target: target))
  }
}

extension LiveQuery where Value == [User.Relations], Failure == KithError {
  /// The follows, blocks and mutes between a user and others. See `GraphView.relations`.
  public static func relations(of user: UserID, to targets: [UserID]) -> LiveQuery {
    LiveQuery(RelationsQuery(user: user, targets: targets))
  }
}

extension LiveQuery where Value == SocialGraph.Counts, Failure == KithError {
  /// The numbers of users, posts and edges.
  public static var counts: LiveQuery { LiveQuery { (view) throws(KithError) in view.counts } }
}

// MARK: - Users

extension LiveQuery where Value == Page<User>, Failure == KithError {
  /// The users who like a post. See `GraphView.likers`.
  public static func likers(of post: PostID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    LiveQuery(LikersQuery(post: post, query: query))
  }

  /// The users found by name. See `GraphView.searchUsers`. Runs again whenever a name is added, removed or changed.
  public static func searchUsers(_ text: String, _ query: UserQuery = UserQuery()) -> LiveQuery {
    LiveQuery(UsersByName(text: text, query: query))
  }
}

// MARK: - Posts

extension LiveQuery where Value == Page<Post>, Failure == KithError {
  /// The posts of a user's followees. See `GraphView.timeline`.
  public static func timeline(of user: UserID, _ query: TimelineQuery = TimelineQuery()) -> LiveQuery {
    LiveQuery(TimelinePosts(user: user, query: query))
  }

  /// The posts that a user likes. See `GraphView.likes`.
  public static func likes(of user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    LiveQuery(LikesQuery(user: user, query: query))
  }

  /// The posts found by words. See `GraphView.searchPosts`. Runs again whenever a post or name that it might find is
  /// added, removed or changed.
  public static func searchPosts(_ text: String, _ query: PostQuery = PostQuery()) -> LiveQuery {
    LiveQuery(PostsByWords(text: text, query: query))
  }
}

extension LiveQuery where Value == Int, Failure == KithError {
  /// The number of posts in a user's timeline that are newer than a cursor, `previous` of the page shown: for a "5 new
  /// posts" label, without reading the page.
  ///
  /// Counts up to `limit`, 1…1,000. The direction, limit and cursor of `query` are left out.
  /// - Throws: as `GraphView.timeline`.
  public static func newPosts(
    for user: UserID, _ query: TimelineQuery = TimelineQuery(), after place: Cursor, limit: Int = 100
  ) -> LiveQuery {
    var query = query
    (query.direction, query.limit, query.cursor, query.includesCursor) = (.newer, limit, place, false)
    // A post by another author may be there as a repost.
    let dependencies = TimelinePosts(user: user, query: query).pageDependencies + [.removedPosts]
    return LiveQuery(of: dependencies) { [query] (view) throws(KithError) in
      var ids: [PostID] = []
      try view.timelineIDs(of: user, query, into: &ids)
      return ids.count
    }
  }
}
