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
  public static func user(_ id: UserID, as viewer: UserID? = nil) -> LiveQuery {
    LiveQuery(of: [.user(id)] + blocks(viewer)) { (view) throws(KithError) in try view.user(id, as: viewer) }
  }
}

extension LiveQuery where Value == Post, Failure == KithError {
  /// A post with its likes. See `GraphView.post`.
  public static func post(_ id: PostID, as viewer: UserID? = nil) -> LiveQuery {
    LiveQuery(asking: { (view) throws(KithError) in
      let post = try view.post(id, as: viewer)
      return (post, [.post(id), .name(of: post.author.id)] + blocks(viewer))
    })
  }
}

extension LiveQuery where Value == UserID?, Failure == KithError {
  /// The user with a name; nil if there is none. See `GraphView.findUser`. Runs again whenever a name is added, removed
  /// or changed.
  public static func findUser(named username: String) -> LiveQuery {
    LiveQuery(of: [.anyName]) { (view) throws(KithError) in view.findUser(named: username) }
  }
}

extension LiveQuery where Value == [User?], Failure == KithError {
  /// Users by id, nil for those that do not exist. See `GraphView.users`.
  public static func users(_ ids: [UserID], as viewer: UserID? = nil) -> LiveQuery {
    LiveQuery(of: ids.map { .user($0) } + blocks(viewer)) { (view) throws(KithError) in
      try view.users(ids, as: viewer)
    }
  }
}

extension LiveQuery where Value == [Post?], Failure == KithError {
  /// Posts by id, nil for those that do not exist. See `GraphView.posts`.
  public static func posts(_ ids: [PostID], as viewer: UserID? = nil) -> LiveQuery {
    LiveQuery(asking: { (view) throws(KithError) in
      let posts = try view.posts(ids, as: viewer)
      let names = posts.compactMap { post in post.map { QueryDependency.name(of: $0.author.id) } }
      return (posts, ids.map { .post($0) } + names + blocks(viewer))
    })
  }
}

extension LiveQuery where Value == Bool, Failure == KithError {
  /// Whether a user follows another. See `GraphView.isFollowing`.
  public static func isFollowing(_ target: UserID, as user: UserID) -> LiveQuery {
    LiveQuery(of: [.followees(of: user)]) { (view) throws(KithError) in try view.isFollowing(target, as: user) }
  }
}

extension LiveQuery where Value == [User.Relations], Failure == KithError {
  /// The follows, blocks and mutes between a user and others. See `GraphView.relations`.
  public static func relations(of user: UserID, to targets: [UserID]) -> LiveQuery {
    LiveQuery(of: [.followees(of: user), .followers(of: user), .blocks(of: user), .mutes(of: user)]) {
      (view) throws(KithError) in try view.relations(of: user, to: targets)
    }
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
    people([.post(post)] + blocks(query.viewer)) { (view) throws(KithError) in try view.likers(of: post, query) }
  }

  /// The users found by name. See `GraphView.searchUsers`. Runs again whenever a name is added, removed or changed.
  public static func searchUsers(_ text: String, _ query: UserQuery = UserQuery()) -> LiveQuery {
    people(query.dependencies) { (view) throws(KithError) in try view.searchUsers(text, query) }
  }

  /// A list that depends on `dependencies` and on the users on its page.
  static func people(
    _ dependencies: [QueryDependency],
    _ ask: @escaping @Sendable (borrowing GraphView) throws(KithError) -> Page<User>
  ) -> LiveQuery {
    LiveQuery(asking: { (view) throws(KithError) in
      let page = try ask(view)
      return (page, dependencies + page.map { .user($0.id) })
    })
  }
}

// MARK: - Posts

extension LiveQuery where Value == Page<Post>, Failure == KithError {
  /// The posts of a user's followees. See `GraphView.timeline`.
  public static func timeline(of user: UserID, _ query: TimelineQuery = TimelineQuery()) -> LiveQuery {
    posts(QueryDependency.timelines(of: user)) { (view) throws(KithError) in try view.timeline(of: user, query) }
  }

  /// The posts that a user likes. See `GraphView.likes`.
  public static func likes(of user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    posts([.likes(of: user), .removedPosts] + blocks(query.viewer)) { (view) throws(KithError) in
      try view.likes(of: user, query)
    }
  }

  /// The posts found by words. See `GraphView.searchPosts`. Runs again whenever a post or name that it might find is
  /// added, removed or changed.
  public static func searchPosts(_ text: String, _ query: PostQuery = PostQuery()) -> LiveQuery {
    var dependencies: [QueryDependency] = [query.author.map { .posts(by: $0) } ?? .anyPost, .anyName]
    if query.followedOnly, let viewer = query.viewer { dependencies.append(.followees(of: viewer)) }
    return posts(dependencies + blocks(query.viewer)) { (view) throws(KithError) in
      try view.searchPosts(text, query)
    }
  }

  /// A list that depends on `dependencies` and on the posts on its page.
  static func posts(
    _ dependencies: [QueryDependency],
    _ ask: @escaping @Sendable (borrowing GraphView) throws(KithError) -> Page<Post>
  ) -> LiveQuery {
    LiveQuery(asking: { (view) throws(KithError) in
      let page = try ask(view)
      return (page, dependencies + page.flatMap { [.post($0.id), .name(of: $0.author.id)] })
    })
  }
}

extension LiveQuery where Value == Int, Failure == KithError {
  /// The number of posts in a user's timeline that are newer than a cursor, `previous` of the page shown: for a "5 new
  /// posts" label, without reading the page.
  ///
  /// Counts up to `limit`, 1…1,000.
  /// - Throws: as `GraphView.timeline`.
  public static func newPosts(for user: UserID, after place: Cursor, limit: Int = 100) -> LiveQuery {
    LiveQuery(of: QueryDependency.timelines(of: user)) { (view) throws(KithError) in
      var ids: [PostID] = []
      try view.timelineIDs(of: user, TimelineQuery(direction: .newer, limit: limit, cursor: place), into: &ids)
      return ids.count
    }
  }
}

// MARK: - Dependencies of results

/// The dependencies of any result on the users hidden from the viewer.
func blocks(_ viewer: UserID?) -> [QueryDependency] {
  guard let viewer else { return [] }
  return RelationKind.allCases.filter { $0.schema.hides == .everything }.map { .edges($0, of: viewer) }
}

extension QueryDependency {
  /// The dependencies of any page of a timeline: added and removed posts, and the set of authors.
  fileprivate static func timelines(of user: UserID) -> [QueryDependency] {
    [.timeline(of: user), .followees(of: user)] + hidden(fromTimelinesOf: user)
  }

  /// The users whose posts a user's timelines omit.
  static func hidden(fromTimelinesOf user: UserID) -> [QueryDependency] {
    RelationKind.allCases.filter { $0.schema.hides != .nothing }.map { .edges($0, of: user) }
  }
}

extension UserQuery {
  /// The dependencies of every result of the search, besides the users found.
  var dependencies: [QueryDependency] {
    let dependencies: [QueryDependency] = [.anyName] + blocks(viewer)
    return switch order.schema.ranksBy {
    case .nothing: dependencies
    case .followees: dependencies + (viewer.map { [.followees(of: $0)] } ?? [])
    case .follows: dependencies + [.anyFollow]
    }
  }
}
