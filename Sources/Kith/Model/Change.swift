/// A change of a graph: what a caller requests, what a journal records and what an observer receives.
///
/// An applied change carries its own time and ids, so the same changes in the same order yield the same graph anywhere.
/// If a caller leaves an id or a time nil, the engine fills it in before it assigns a sequence number. Times are in
/// milliseconds; follows and likes keep whole seconds, rounded down.
///
/// Later releases may add cases: a `switch` of another package needs `@unknown default`.
@nonexhaustive
public enum Change: Hashable, Sendable {
  /// Adds a user.
  /// - Throws: `invalidUsername`, `usernameTaken`, `userIDTaken`, `invalidRequest` if the id is below 1; `noSchema` and
  ///   `invalidRequest` of fields.
  case addUser(id: UserID? = nil, username: String, fields: UserFields = UserFields())
  /// Renames a user.
  /// - Throws: `unknownUser`, `invalidUsername`, `usernameTaken`.
  case renameUser(UserID, to: String)
  /// Sets fields of a user: those that are given. Equal values have no effect.
  /// - Throws: `noSchema`, `unknownUser`, `invalidRequest` if the payload is too long.
  case editUser(UserID, UserFields)
  /// Removes a user with the user's posts, follows in both directions, likes, blocks and mutes.
  /// - Throws: `unknownUser`.
  case removeUser(UserID)
  /// Makes a user follow another, the target.
  /// - Throws: `unknownUser`, `cannotFollowSelf`, `blocked`, `invalidRequest` if the time is out of range.
  case follow(as: UserID, target: UserID, at: Timestamp? = nil)
  /// Removes a user's follow of another.
  /// - Throws: `unknownUser`.
  case unfollow(as: UserID, target: UserID)
  /// Adds a post with up to 256 edges of relations that the host declared: all of them, or nothing is added.
  /// - Throws: `unknownUser`, `postIDTaken`, `textTooLong`, `invalidRequest` if the id or time is out of range; of an
  ///   edge, what `addEdge` throws; of fields, what `editPost` throws.
  case addPost(
    id: PostID? = nil, by: UserID, text: String, createdAt: Timestamp? = nil, edges: [PostEdge] = [],
    fields: PostFields = PostFields())
  /// Sets the text and fields of a post: what is given. Equal values have no effect. A text or a payload that is
  /// another sets `PostFields.editedAt`.
  /// - Throws: `noSchema`, `unknownPost`, `textTooLong`, `invalidRequest` if the payload is too long, or a time is
  ///   given without a text or a payload, or is before 1970.
  case editPost(PostID, text: String? = nil, fields: PostFields = PostFields())
  /// Removes a post with its likes.
  /// - Throws: `unknownPost`.
  case removePost(PostID)
  /// Makes a user like a post.
  /// - Throws: `unknownUser`, `unknownPost`, `blocked`, `invalidRequest` if the time is out of range.
  case like(as: UserID, post: PostID, at: Timestamp? = nil)
  /// Removes a user's like of a post.
  /// - Throws: `unknownUser`, `unknownPost`, `blocked`.
  case unlike(as: UserID, post: PostID)
  /// Makes a user block another. Removes the follows between them.
  /// - Throws: `unknownUser`, `invalidRequest` if the users are the same.
  case block(as: UserID, target: UserID)
  /// Removes a block. Restores no follow.
  /// - Throws: `unknownUser`.
  case unblock(as: UserID, target: UserID)
  /// Hides the target's posts from the user's timeline.
  /// - Throws: `unknownUser`, `invalidRequest` if the users are the same.
  case mute(as: UserID, target: UserID)
  /// Shows the target's posts in the user's timeline again.
  /// - Throws: `unknownUser`.
  case unmute(as: UserID, target: UserID)
  /// Adds an edge of a relation. What it ends, `SocialGraph.Schema` says.
  /// - Throws: `noSchema`, `unknownRelation`, `unknownUser`, `unknownPost`, `invalidRequest` for nodes of other types,
  ///   one node twice, or a time out of range, `blocked`, `missingEdge`.
  case addEdge(Relation, from: Node, to: Node, at: Timestamp? = nil)
  /// Removes an edge of a relation.
  /// - Throws: `noSchema`, `unknownRelation`, `unknownUser`, `unknownPost`, `invalidRequest` for nodes of other types.
  case removeEdge(Relation, from: Node, to: Node)
  /// Declares relations. Made when a graph is opened with a schema that it lacks; a caller cannot request it.
  case declare(SocialGraph.Schema)
}

/// A change of one edge of a relation that every graph has: what the changes of these have in common.
package struct EdgeChange: Sendable {
  package let kind: RelationKind
  package let source: UserID
  /// The user or the post that the edge leads to.
  package let target: Int64
  /// When it is made; nil where it is removed, where its relation has no times, and where the engine fills it in.
  package var time: Timestamp?
  /// Whether it is made, not removed.
  package let adds: Bool

  package init(_ kind: RelationKind, _ source: UserID, _ target: Int64, at time: Timestamp? = nil, adds: Bool = true) {
    self.kind = kind
    self.source = source
    self.target = target
    self.time = time
    self.adds = adds
  }
}

extension Change {
  /// The edge that it makes or removes; nil for changes of users and posts, and of declared relations.
  package var edge: EdgeChange? {
    switch self {
    case .addUser, .renameUser, .editUser, .removeUser, .addPost, .editPost, .removePost, .addEdge, .removeEdge,
      .declare:
      nil
    case .follow(let user, let target, let time): EdgeChange(.follow, user, target.rawValue, at: time)
    case .unfollow(let user, let target): EdgeChange(.follow, user, target.rawValue, adds: false)
    case .like(let user, let post, let time): EdgeChange(.like, user, post.rawValue, at: time)
    case .unlike(let user, let post): EdgeChange(.like, user, post.rawValue, adds: false)
    case .block(let user, let target): EdgeChange(.block, user, target.rawValue)
    case .unblock(let user, let target): EdgeChange(.block, user, target.rawValue, adds: false)
    case .mute(let user, let target): EdgeChange(.mute, user, target.rawValue)
    case .unmute(let user, let target): EdgeChange(.mute, user, target.rawValue, adds: false)
    }
  }

  package init(_ edge: EdgeChange) {
    let (user, target) = (edge.source, UserID(edge.target))
    self =
      switch edge.kind {
      case .follow: edge.adds ? .follow(as: user, target: target, at: edge.time) : .unfollow(as: user, target: target)
      case .like:
        edge.adds
          ? .like(as: user, post: PostID(edge.target), at: edge.time) : .unlike(as: user, post: PostID(edge.target))
      case .block: edge.adds ? .block(as: user, target: target) : .unblock(as: user, target: target)
      case .mute: edge.adds ? .mute(as: user, target: target) : .unmute(as: user, target: target)
      default: preconditionFailure("a relation is one of the table")
      }
  }
}
