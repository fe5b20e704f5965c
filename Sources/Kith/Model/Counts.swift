extension SocialGraph {
  /// The numbers of users, posts and edges.
  public struct Counts: Hashable, Codable, Sendable {
    /// Users.
    public let users: Int
    /// Posts.
    public let posts: Int
    /// Follows.
    public let follows: Int
    /// Likes.
    public let likes: Int
    /// Blocks.
    public let blocks: Int
    /// Mutes.
    public let mutes: Int

    /// Numbers, for previews and tests.
    public init(users: Int = 0, posts: Int = 0, follows: Int = 0, likes: Int = 0, blocks: Int = 0, mutes: Int = 0) {
      self.users = users
      self.posts = posts
      self.follows = follows
      self.likes = likes
      self.blocks = blocks
      self.mutes = mutes
    }

    /// The edges of a relation.
    package subscript(kind: RelationKind) -> Int {
      switch kind {
      case .follow: follows
      case .like: likes
      case .block: blocks
      case .mute: mutes
      default: preconditionFailure("a relation is one of the table")
      }
    }
  }
}

extension SocialGraph.Counts {
  init(users: Int, posts: Int, edges: (RelationKind) -> Int) {
    self.init(
      users: users, posts: posts, follows: edges(.follow), likes: edges(.like), blocks: edges(.block),
      mutes: edges(.mute))
  }
}

extension SocialGraph {
  /// A violated invariant, or a damaged file.
  public struct Violation: Hashable, Sendable {
    /// The kind of violation.
    public let code: String
    /// The structure or file with the violation.
    public let place: String
    /// The description of the violation.
    public let message: String

    package init(code: String, place: String, message: String) {
      self.code = code
      self.place = place
      self.message = message
    }
  }
}
