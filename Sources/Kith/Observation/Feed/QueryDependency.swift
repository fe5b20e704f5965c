/// A part of the graph that a query result depends on. A change that touches none of a result's dependencies does not
/// alter the result.
public struct QueryDependency: Hashable, Sendable {
  struct Kind: Hashable, Sendable {
    let rawValue: UInt8

    static let user = Kind(rawValue: 0)
    static let name = Kind(rawValue: 1)
    static let posts = Kind(rawValue: 2)
    static let post = Kind(rawValue: 3)
    static let timeline = Kind(rawValue: 4)
    static let anyName = Kind(rawValue: 5)
    static let anyFollow = Kind(rawValue: 6)
    static let anyPost = Kind(rawValue: 7)
    static let removedPosts = Kind(rawValue: 8)
    static let everything = Kind(rawValue: 9)

    /// Edges of a user; relations come after all others.
    @inline(__always)
    static func edges(_ kind: RelationKind, _ side: RelationSide) -> Kind {
      Kind(rawValue: 10 + 2 * kind.rawValue + (side == .targets ? 0 : 1))
    }
  }

  let kind: Kind
  let id: Int64

  private init(_ kind: Kind, _ id: Int64 = 0) {
    self.kind = kind
    self.id = id
  }

  /// All properties of a `User`: the name and the counts of followers, followees and posts.
  public static func user(_ user: UserID) -> QueryDependency { QueryDependency(.user, user.rawValue) }
  /// The name of a user.
  public static func name(of user: UserID) -> QueryDependency { QueryDependency(.name, user.rawValue) }
  /// The edges of a user at one end. For a relation that hides everything, `targets` means both ends.
  @inline(__always)
  static func edges(_ kind: RelationKind, _ side: RelationSide = .targets, of user: UserID) -> QueryDependency {
    QueryDependency(.edges(kind, side), user.rawValue)
  }
  /// The posts by a user.
  public static func posts(by user: UserID) -> QueryDependency { QueryDependency(.posts, user.rawValue) }
  /// A post: its existence and its likes.
  public static func post(_ post: PostID) -> QueryDependency { QueryDependency(.post, post.rawValue) }
  /// The posts by a user and by the user's followees, but not the set of followees.
  public static func timeline(of user: UserID) -> QueryDependency { QueryDependency(.timeline, user.rawValue) }
  /// All usernames.
  public static let anyName = QueryDependency(.anyName)
  /// All follows.
  public static let anyFollow = QueryDependency(.anyFollow)
  /// All posts.
  public static let anyPost = QueryDependency(.anyPost)
  /// The set of removed posts.
  public static let removedPosts = QueryDependency(.removedPosts)
  /// Everything that a change can alter.
  public static let everything = QueryDependency(.everything)

  @inline(__always)
  var place: CountingBloomFilter.Place { CountingBloomFilter.Place(id: id, kind: kind.rawValue) }
}

/// An applied change, with information that the graph no longer has afterwards.
struct AppliedChange: Sendable {
  let change: Change
  /// The author of the post that it removes; set only if there are observers.
  let removedAuthor: UserID?

  /// The author of the post that it adds or removes.
  var postAuthor: UserID? { if case .addPost(_, let author, _, _) = change { author } else { removedAuthor } }

  /// Whether all observers must be notified: removing a user also removes follows, posts and likes.
  var touchesAll: Bool { if case .removeUser = change { true } else { false } }

  /// Calls `body` with each dependency it touches, except timelines, which depend on the follows.
  func forEachTouched(_ body: (QueryDependency) -> Void) {
    switch change {
    case .addUser(let user, _):
      if let user { body(.user(user)) }
      body(.anyName)
    case .renameUser(let user, _):
      body(.user(user))
      body(.name(of: user))
      body(.anyName)
    case .removeUser: break
    case .addPost(let post, let author, _, _):
      if let post { body(.post(post)) }
      body(.user(author))
      body(.posts(by: author))
      body(.anyPost)
    case .removePost(let post):
      body(.post(post))
      if let removedAuthor {
        body(.user(removedAuthor))
        body(.posts(by: removedAuthor))
      }
      body(.anyPost)
      body(.removedPosts)
    default: if let edge = change.edge { Self.touch(edge, body) }
    }
    body(.everything)
  }

  private static func touch(_ edge: EdgeChange, _ body: (QueryDependency) -> Void) {
    let schema = edge.kind.schema
    if schema.target == .post {
      body(.post(PostID(edge.target)))
      body(.edges(edge.kind, of: edge.source))
      return
    }
    let target = UserID(edge.target)
    guard schema.hides == .everything else { return touch(edge.kind, edge.source, target, body) }
    if edge.adds {
      for ended in RelationKind.allCases where ended.schema.isEndedByBlock {
        touch(ended, edge.source, target, body)
        touch(ended, target, edge.source, body)
      }
    }
    body(.edges(edge.kind, of: edge.source))
    body(.edges(edge.kind, of: target))
  }

  private static func touch(
    _ kind: RelationKind, _ source: UserID, _ target: UserID, _ body: (QueryDependency) -> Void
  ) {
    if kind == .follow {
      body(.user(source))
      body(.user(target))
      body(.anyFollow)
    }
    body(.edges(kind, .targets, of: source))
    body(.edges(kind, .sources, of: target))
  }
}
