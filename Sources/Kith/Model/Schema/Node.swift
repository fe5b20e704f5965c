/// A user or a post, as an end of an edge.
public enum Node: Hashable, Sendable {
  /// A user.
  case user(UserID)
  /// A post.
  case post(PostID)

  /// Its type.
  public var end: Relation.End {
    switch self {
    case .user: .user
    case .post: .post
    }
  }

  /// Its id as a number.
  public var rawValue: Int64 {
    switch self {
    case .user(let id): id.rawValue
    case .post(let id): id.rawValue
    }
  }

  package init(_ end: Relation.End, _ id: Int64) {
    switch end {
    case .user: self = .user(UserID(id))
    case .post: self = .post(PostID(id))
    }
  }

  /// The error that there is no such user or post.
  var unknown: KithError {
    switch self {
    case .user(let id): .unknownUser(id)
    case .post(let id): .unknownPost(id)
    }
  }
}

extension Node: CustomStringConvertible {
  /// The type and the id: `user 1`.
  public var description: String { "\(end) \(rawValue)" }
}

/// The id of a user or of a post.
public protocol NodeIdentifier: Sendable {
  /// The user or the post.
  var node: Node { get }
}

extension UserID: NodeIdentifier {
  /// The user.
  public var node: Node { .user(self) }
}

extension PostID: NodeIdentifier {
  /// The post.
  public var node: Node { .post(self) }
}

extension Node: NodeIdentifier {
  /// Itself.
  public var node: Node { self }
}
