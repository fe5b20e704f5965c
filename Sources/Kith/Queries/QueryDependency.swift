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
    static let declaredEdgesOfUser = Kind(rawValue: 64)
    static let declaredEdgesOfPost = Kind(rawValue: 65)
    static let conversation = Kind(rawValue: 66)
    static let incoming = Kind(rawValue: 67)
    static let filtered = Kind(rawValue: 68)
    static let anyEntry = Kind(rawValue: 69)

    /// Edges of a user; relations come after all others.
    @inline(__always)
    static func edges(_ kind: RelationKind, _ side: RelationSide) -> Kind {
      Kind(rawValue: 10 + 2 * kind.number + (side == .targets ? 0 : 1))
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
  /// The edges of all declared relations of a user or a post, at both ends; those that a change of another relation
  /// ends are left out.
  static func declaredEdges(of node: Node) -> QueryDependency {
    QueryDependency(node.end == .user ? .declaredEdgesOfUser : .declaredEdgesOfPost, node.rawValue)
  }
  /// The edges of any relation of a user or a post, at both ends.
  static func anyEdges(of node: Node) -> [QueryDependency] {
    switch node {
    case .user(let user):
      [.declaredEdges(of: node)]
        + RelationKind.allCases.flatMap { [.edges($0, .targets, of: user), .edges($0, .sources, of: user)] }
    case .post(let post): [.declaredEdges(of: node), .post(post)]
    }
  }
  /// The edges that lead to a user or to their posts.
  static func incoming(to user: UserID) -> QueryDependency { QueryDependency(.incoming, user.rawValue) }
  /// All that brings posts into timelines beside their authors: reposts, and edges such as tags.
  static let anyEntry = QueryDependency(.anyEntry)
  /// What the filters of timelines read of posts, and changes later: flags, and the users whom posts mention.
  static let filtered = QueryDependency(.filtered)
  /// The posts that have a root.
  static func conversation(_ root: PostID) -> QueryDependency { QueryDependency(.conversation, root.rawValue) }
  /// The counts and marks of users and posts: their edges, which also end when a post at the other end is removed.
  static func details(of nodes: [Node]) -> [QueryDependency] {
    [.removedPosts] + nodes.flatMap { anyEdges(of: $0) }
  }
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

/// The edges that results depend on.
extension QueryDependency {
  /// Whom a user follows.
  public static func followees(of user: UserID) -> QueryDependency { edges(.follow, .targets, of: user) }
  /// Who follows a user.
  public static func followers(of user: UserID) -> QueryDependency { edges(.follow, .sources, of: user) }
  /// The posts that a user likes.
  public static func likes(of user: UserID) -> QueryDependency { edges(.like, of: user) }
  /// Whom a user mutes.
  public static func mutes(of user: UserID) -> QueryDependency { edges(.mute, of: user) }
  /// Whom a user blocks, and who blocks them.
  public static func blocks(of user: UserID) -> QueryDependency { edges(.block, of: user) }
}

/// What several queries depend on.
extension QueryDependency {
  /// The users hidden from a viewer.
  static func hidden(from viewer: UserID?, leavesOutMuted: Bool = false) -> [QueryDependency] {
    guard let viewer else { return [] }
    if leavesOutMuted { return omitted(by: viewer) }
    return RelationKind.allCases.filter { $0.facts.hides == .everything }.map { .edges($0, of: viewer) }
  }

  /// The posts hidden from a viewer: with their authors, for followers, and for those whom they mention.
  static func access(of viewer: UserID?, leavesOutMuted: Bool = false) -> [QueryDependency] {
    guard let viewer else { return [] }
    return hidden(from: viewer, leavesOutMuted: leavesOutMuted) + [
      .followees(of: viewer), .declaredEdges(of: .user(viewer)),
    ]
  }

  /// The users whom a user's timelines and suggestions omit.
  static func omitted(by user: UserID) -> [QueryDependency] {
    RelationKind.allCases.filter { $0.facts.hides != .nothing }.map { .edges($0, of: user) }
  }

  /// Users as they are shown.
  static func shown(_ users: some Sequence<User>) -> [QueryDependency] { users.map { .user($0.id) } }

  /// Posts as they are shown, with their authors.
  static func shown(_ posts: some Sequence<Post>) -> [QueryDependency] {
    posts.flatMap { [.post($0.id), .shown($0.author)] }
  }

  /// An author as shown: the name, or all of the user.
  static func shown(_ author: Post.Author) -> QueryDependency {
    author.user == nil ? .name(of: author.id) : .user(author.id)
  }
}
