/// A page of mutual followees or followers.
public struct MutualQuery: Hashable, Sendable {
  /// Whether the page has the number of all mutuals (`total`).
  public var countsMatches: Bool
  /// The most items of a page, 1…1,000.
  public var limit: Int
  /// The cursor of the page; nil for the first.
  public var cursor: Cursor?
  /// The viewer. Results show which users the viewer follows, and omit users across a block.
  public var viewer: UserID?

  /// The defaults: the first twenty by id.
  public init(countsMatches: Bool = false, limit: Int = 20, cursor: Cursor? = nil, viewer: UserID? = nil) {
    self.countsMatches = countsMatches
    self.limit = limit
    self.cursor = cursor
    self.viewer = viewer
  }
}

/// Follow recommendations.
public struct SuggestionQuery: Hashable, Sendable {
  /// The most mutual followees named for each suggestion, 0…100. With 0, no names are looked up.
  public var namedCount: Int
  /// The most follows of followees that are read.
  public var followLimit: Int
  /// The kind of the suggested users, by name; nil for `user`.
  public var kind: String?
  /// The flags that suggested users must have.
  public var flags: FlagFilter
  /// The most suggestions, 1…1,000.
  public var limit: Int

  /// The defaults: twenty, without names.
  public init(
    namedCount: Int = 0, followLimit: Int = SocialGraph.Limits.followCount, kind: String? = nil,
    flags: FlagFilter = FlagFilter(), limit: Int = 20
  ) {
    self.namedCount = namedCount
    self.kind = kind
    self.flags = flags
    self.followLimit = followLimit
    self.limit = limit
  }
}

/// A search for a shortest path.
public struct PathQuery: Hashable, Sendable {
  /// The most follows in the path, 0 or more.
  public var maximumHops: Int
  /// The most follows that are read.
  public var followLimit: Int

  /// The defaults: six hops.
  public init(maximumHops: Int = 6, followLimit: Int = SocialGraph.Limits.followCount) {
    self.maximumHops = maximumHops
    self.followLimit = followLimit
  }
}

/// The result of a shortest path query along follows.
@nonexhaustive
public enum ShortestPath: Hashable, Sendable {
  /// A shortest path from source to target, including both. For equal users, that user alone. If there are several
  /// shortest paths, the choice depends only on the graph.
  case path([UserID])
  /// There is no path of at most the maximum number of hops.
  case unreachable
  /// The limit of follows was reached before a path was found or ruled out.
  case gaveUp

  /// The number of follows in the path; nil without a path.
  public var hops: Int? { if case .path(let users) = self { users.count - 1 } else { nil } }
}

extension SocialGraph.Limits {
  /// The default limit of follows read by one query over several hops: some milliseconds.
  public static let followCount = 1_000_000
}
