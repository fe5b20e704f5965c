/// How to page through whom two users have in common.
public struct MutualOptions: Hashable, Sendable {
  /// Items of a page, 1…1,000.
  public var limit: Int
  /// Where to go on.
  public var cursor: Cursor?
  /// Who asks: results say whom they follow, and leave out whoever is across a block.
  public var viewer: UserID?
  /// Whether to tell how many there are in all.
  public var counting: Bool

  /// The defaults: the first twenty by id.
  public init(limit: Int = 20, cursor: Cursor? = nil, viewer: UserID? = nil, counting: Bool = false) {
    self.limit = limit
    self.cursor = cursor
    self.viewer = viewer
    self.counting = counting
  }
}

/// How to suggest people.
public struct SuggestionOptions: Hashable, Sendable {
  /// Suggestions at most, 1…1,000.
  public var limit: Int
  /// How many of the mutual followees each suggestion names, 0…100: none costs nothing.
  public var namedCount: Int
  /// Follows of followees that are read at most.
  public var followLimit: Int

  /// The defaults: twenty, without names.
  public init(limit: Int = 20, namedCount: Int = 0, followLimit: Int = Limits.followCount) {
    self.limit = limit
    self.namedCount = namedCount
    self.followLimit = followLimit
  }
}

/// How far to look for a way.
public struct DistanceOptions: Hashable, Sendable {
  /// Follows of the way at most, 0 or more.
  public var maximumHops: Int
  /// Follows that are read at most.
  public var followLimit: Int

  /// The defaults: six hops.
  public init(maximumHops: Int = 6, followLimit: Int = Limits.followCount) {
    self.maximumHops = maximumHops
    self.followLimit = followLimit
  }
}

/// How far it is from one user to another along follows.
public enum Distance: Hashable, Sendable {
  /// A shortest way, from the one to the other, both included; one's own is oneself alone. Where there are several, the
  /// same graph gives the same.
  case path([UserID])
  /// No way within the hops that were asked for.
  case unreachable
  /// The limit of follows was reached before a way, or that there is none, was found.
  case gaveUp

  /// How many follows lead from the one to the other; nil without a way.
  public var hops: Int? { if case .path(let users) = self { users.count - 1 } else { nil } }
}

extension Limits {
  /// Follows that one question over several hops reads, unless its options say otherwise: some milliseconds.
  public static let followCount = 1_000_000
}
