/// A user as one question saw them. Two values with the same id are the same user.
public struct User: Identifiable, Hashable, Sendable {
  /// Who it is.
  public let id: UserID
  /// The name, exactly as given.
  public let username: String
  /// How many follow them, everybody's blocks regardless.
  public let followerCount: Int
  /// How many they follow.
  public let followeeCount: Int
  /// How many posts they have.
  public let postCount: Int
  /// Whether the viewer follows them; nil without a viewer.
  public var following: Bool?
  /// When the edge of a followers or followees list was made, in whole seconds.
  public var followedAt: Timestamp?
  /// When the like of a likers list was given, in whole seconds.
  public var likedAt: Timestamp?
  /// Where the query stands in the username, as half-open ranges of its UTF-8 bytes: all hits that do not overlap, each
  /// of whole scalars; nil unless the search asked for them.
  public var ranges: [Range<Int>]?
}

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
