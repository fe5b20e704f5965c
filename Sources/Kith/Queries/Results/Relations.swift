extension User {
  /// The relations between two users, from the first user's view.
  public struct Relations: Hashable, Codable, Sendable {
    /// The first follows the second.
    public let isFollowing: Bool
    /// The second follows the first.
    public let isFollowedBy: Bool
    /// The first blocks the second.
    public let isBlocking: Bool
    /// The second blocks the first.
    public let isBlockedBy: Bool
    /// The first mutes the second.
    public let isMuting: Bool

    /// Relations, for previews and tests.
    public init(
      isFollowing: Bool = false, isFollowedBy: Bool = false, isBlocking: Bool = false, isBlockedBy: Bool = false,
      isMuting: Bool = false
    ) {
      self.isFollowing = isFollowing
      self.isFollowedBy = isFollowedBy
      self.isBlocking = isBlocking
      self.isBlockedBy = isBlockedBy
      self.isMuting = isMuting
    }

    /// The keys of the wire protocol.
    private enum CodingKeys: String, CodingKey {
      case isFollowing = "following"
      case isFollowedBy = "followedBy"
      case isBlocking = "blocking"
      case isBlockedBy = "blockedBy"
      case isMuting = "muting"
    }
  }
}
