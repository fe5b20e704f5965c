/// A question of a graph that can be asked again whenever a change may have altered its answer.
///
/// The questions of `GraphView` are here by the same names: `.timeline(of: ann)`, `.post(id, as: ann)`. Any other is
/// made of a closure: `LiveQuestion { view in try view.followeeCount(at: 0) }`.
public struct LiveQuestion<Value: Equatable & Sendable>: Sendable {
  typealias Answer = (value: Value, dependencies: [Dependency])

  let ask: @Sendable (borrowing GraphView) throws(KithError) -> Answer

  init(asking ask: @escaping @Sendable (borrowing GraphView) throws(KithError) -> Answer) { self.ask = ask }

  /// Any question: it is asked again after changes that touch what it was made of.
  ///
  /// It is asked under the graph's lock: keep it short.
  /// - Parameters:
  ///   - dependencies: what its answers are made of, always the same; without them every change asks it again.
  ///   - ask: asks it.
  public init(
    of dependencies: [Dependency] = [.everything],
    _ ask: @escaping @Sendable (borrowing GraphView) throws(KithError) -> Value
  ) {
    self.ask = { (view) throws(KithError) in (try ask(view), dependencies) }
  }

  /// The same question, answered in another form.
  public func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> LiveQuestion<Other> {
    let ask = ask
    return LiveQuestion<Other>(asking: { (view) throws(KithError) in
      let (value, dependencies) = try ask(view)
      return (transform(value), dependencies)
    })
  }
}

// MARK: - One thing

extension LiveQuestion where Value == User {
  /// A user, with their counts. See `GraphView.user`.
  public static func user(_ id: UserID, as viewer: UserID? = nil) -> LiveQuestion {
    LiveQuestion(of: [.user(id)] + blocks(viewer)) { (view) throws(KithError) in try view.user(id, as: viewer) }
  }
}

extension LiveQuestion where Value == Post {
  /// A post, with its likes. See `GraphView.post`.
  public static func post(_ id: PostID, as viewer: UserID? = nil) -> LiveQuestion {
    LiveQuestion(asking: { (view) throws(KithError) in
      let post = try view.post(id, as: viewer)
      return (post, [.post(id), .name(of: post.author.id)] + blocks(viewer))
    })
  }
}

extension LiveQuestion where Value == Bool {
  /// Whether the first follows the second. See `GraphView.isFollowing`.
  public static func isFollowing(_ user: UserID, _ target: UserID) -> LiveQuestion {
    LiveQuestion(of: [.followees(of: user)]) { (view) throws(KithError) in try view.isFollowing(user, target) }
  }
}

extension LiveQuestion where Value == [Relations] {
  /// What stands between a user and others. See `GraphView.relations`.
  public static func relations(of user: UserID, to targets: [UserID]) -> LiveQuestion {
    LiveQuestion(of: [.followees(of: user), .followers(of: user), .blocks(of: user), .mutes(of: user)]) {
      (view) throws(KithError) in try view.relations(of: user, to: targets)
    }
  }
}

extension LiveQuestion where Value == Counts {
  /// How many there are of everything.
  public static var counts: LiveQuestion { LiveQuestion { (view) in view.counts } }
}

// MARK: - People

extension LiveQuestion where Value == UserPage {
  /// Who likes a post. See `GraphView.likers`.
  public static func likers(of post: PostID, _ options: ListOptions = ListOptions()) -> LiveQuestion {
    people([.post(post)] + blocks(options.viewer)) { (view) throws(KithError) in try view.likers(of: post, options) }
  }

  /// Who follows a user. See `GraphView.followers`.
  public static func followers(of user: UserID, _ options: ListOptions = ListOptions()) -> LiveQuestion {
    people([.followers(of: user)] + options.dependencies) { (view) throws(KithError) in
      try view.followers(of: user, options)
    }
  }

  /// Whom a user follows. See `GraphView.followees`.
  public static func followees(of user: UserID, _ options: ListOptions = ListOptions()) -> LiveQuestion {
    people([.followees(of: user)] + options.dependencies) { (view) throws(KithError) in
      try view.followees(of: user, options)
    }
  }

  /// Whom a user blocks. See `GraphView.blocked`.
  public static func blocked(by user: UserID, _ options: ListOptions = ListOptions()) -> LiveQuestion {
    people([.blocks(of: user)] + blocks(options.viewer)) { (view) throws(KithError) in
      try view.blocked(by: user, options)
    }
  }

  /// Whom a user mutes. See `GraphView.muted`.
  public static func muted(by user: UserID, _ options: ListOptions = ListOptions()) -> LiveQuestion {
    people([.mutes(of: user)] + blocks(options.viewer)) { (view) throws(KithError) in
      try view.muted(by: user, options)
    }
  }

  /// Those whom both users follow. See `GraphView.mutualFollowees`.
  public static func mutualFollowees(
    of user: UserID, and other: UserID, _ options: MutualOptions = MutualOptions()
  ) -> LiveQuestion {
    people([.followees(of: user), .followees(of: other)] + blocks(options.viewer)) { (view) throws(KithError) in
      try view.mutualFollowees(of: user, and: other, options)
    }
  }

  /// Those who follow both users. See `GraphView.mutualFollowers`.
  public static func mutualFollowers(
    of user: UserID, and other: UserID, _ options: MutualOptions = MutualOptions()
  ) -> LiveQuestion {
    people([.followers(of: user), .followers(of: other)] + blocks(options.viewer)) { (view) throws(KithError) in
      try view.mutualFollowers(of: user, and: other, options)
    }
  }

  /// People found by name. See `GraphView.searchUsers`. It is asked again whenever any name comes, goes or changes.
  public static func search(_ query: String, _ search: UserSearch = UserSearch()) -> LiveQuestion {
    people(search.dependencies) { (view) throws(KithError) in try view.searchUsers(query, search) }
  }

  /// A list that is made of these, and of the users on its page.
  private static func people(
    _ dependencies: [Dependency],
    _ ask: @escaping @Sendable (borrowing GraphView) throws(KithError) -> UserPage
  ) -> LiveQuestion {
    LiveQuestion(asking: { (view) throws(KithError) in
      let page = try ask(view)
      return (page, dependencies + page.map { .user($0.id) })
    })
  }
}

// MARK: - Posts

extension LiveQuestion where Value == PostPage {
  /// The posts of those whom a user follows. See `GraphView.timeline`.
  public static func timeline(of user: UserID, _ options: TimelineOptions = TimelineOptions()) -> LiveQuestion {
    posts(Dependency.timelines(of: user)) { (view) throws(KithError) in try view.timeline(of: user, options) }
  }

  /// What a user likes. See `GraphView.likes`.
  public static func likes(of user: UserID, _ options: ListOptions = ListOptions()) -> LiveQuestion {
    posts([.likes(of: user), .removedPosts] + blocks(options.viewer)) { (view) throws(KithError) in
      try view.likes(of: user, options)
    }
  }

  /// Posts found by their words. See `GraphView.searchPosts`. It is asked again whenever any post or name that it might
  /// find comes, goes or changes.
  public static func posts(_ query: String, _ search: PostSearch = PostSearch()) -> LiveQuestion {
    var dependencies: [Dependency] = [search.author.map { .posts(by: $0) } ?? .anyPost, .anyName]
    if search.following, let viewer = search.viewer { dependencies.append(.followees(of: viewer)) }
    return posts(dependencies + blocks(search.viewer)) { (view) throws(KithError) in
      try view.searchPosts(query, search)
    }
  }

  /// A list that is made of these, and of the posts on its page.
  private static func posts(
    _ dependencies: [Dependency],
    _ ask: @escaping @Sendable (borrowing GraphView) throws(KithError) -> PostPage
  ) -> LiveQuestion {
    LiveQuestion(asking: { (view) throws(KithError) in
      let page = try ask(view)
      return (page, dependencies + page.flatMap { [.post($0.id), .name(of: $0.author.id)] })
    })
  }
}

extension LiveQuestion where Value == Int {
  /// How many posts of a user's timeline are newer than a place in it, `previous` of the page that is shown: what says
  /// "5 new posts", without the page itself.
  ///
  /// Beyond `limit`, 1…1,000, it counts no further. Errors: those of `GraphView.timeline`.
  public static func newPosts(for user: UserID, after place: Cursor, limit: Int = 100) -> LiveQuestion {
    LiveQuestion(of: Dependency.timelines(of: user)) { (view) throws(KithError) in
      var ids: [PostID] = []
      try view.timelineIDs(of: user, TimelineOptions(limit: limit, cursor: place, direction: .newer), into: &ids)
      return ids.count
    }
  }
}

// MARK: - What answers are made of

/// Of an answer to a viewer: who is hidden from them.
private func blocks(_ viewer: UserID?) -> [Dependency] { viewer.map { [.blocks(of: $0)] } ?? [] }

extension Dependency {
  /// Of timelines, whatever the page: posts that come and go, and whose are shown.
  fileprivate static func timelines(of user: UserID) -> [Dependency] {
    [.timeline(of: user), .followees(of: user), .mutes(of: user), .blocks(of: user)]
  }
}

extension ListOptions {
  fileprivate var dependencies: [Dependency] { (order == .name ? [.anyName] : []) + blocks(viewer) }
}

extension UserSearch {
  /// Of all answers to it, beside the users found.
  var dependencies: [Dependency] {
    var dependencies: [Dependency] = [.anyName] + blocks(viewer)
    if order == .popular { dependencies.append(.anyFollow) }
    if order == .followedFirst, let viewer { dependencies.append(.followees(of: viewer)) }
    return dependencies
  }
}
