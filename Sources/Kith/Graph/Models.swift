/// What stands between two users, seen from the first.
public struct Relations: Hashable, Sendable {
  /// The first follows the second.
  public let following: Bool
  /// The second follows the first.
  public let followedBy: Bool
  /// The first blocks the second.
  public let blocking: Bool
  /// The second blocks the first.
  public let blockedBy: Bool
  /// The first mutes the second.
  public let muting: Bool
}

/// How many there are of everything.
public struct Counts: Hashable, Sendable {
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
}

/// One fault that a check of the whole graph found.
public struct Problem: Hashable, Sendable {
  /// The kind of fault.
  public let code: String
  /// The structure or file it is in.
  public let place: String
  /// What is wrong.
  public let message: String

  package init(code: String, place: String, message: String) {
    self.code = code
    self.place = place
    self.message = message
  }
}
