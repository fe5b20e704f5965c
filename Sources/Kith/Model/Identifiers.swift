/// The id of a user: 1…2⁶³−1, chosen by the host or assigned. It denotes the same user in every process, after every
/// restart.
public struct UserID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number itself.
  public let rawValue: Int64
  /// An id from its number. The user need not exist.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// An id from its number.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// By number.
  public static func < (left: UserID, right: UserID) -> Bool { left.rawValue < right.rawValue }
}

/// The id of a post: 1…2⁶³−1, chosen by the host or assigned.
public struct PostID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number itself.
  public let rawValue: Int64
  /// An id from its number. The post need not exist.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// An id from its number.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// By number.
  public static func < (left: PostID, right: PostID) -> Bool { left.rawValue < right.rawValue }
}

/// A point in time: milliseconds since 1970-01-01 00:00 UTC.
public struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// Milliseconds since 1970.
  public let rawValue: Int64
  /// A time from milliseconds since 1970.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// A time from milliseconds since 1970.
  public init(_ milliseconds: Int64) { rawValue = milliseconds }
  /// A time from a literal of milliseconds since 1970.
  public init(integerLiteral value: Int64) { rawValue = value }
  /// Earlier first.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

  /// The time of a whole second, the resolution of follows and likes.
  init(seconds: UInt32) { rawValue = Int64(seconds) * 1_000 }
}

extension SocialGraph {
  /// The limits of the engine.
  public enum Limits {
    /// The most bytes of a username.
    public static let usernameByteCount = 255
    /// The most kinds of users, with the kind of every graph.
    public static let kindCount = 16
    /// The most bytes of a text that is canonically equivalent to a username. A decomposed text is at most three times
    /// as long as its source, and its source as the composed name.
    static let spellingByteCount = 9 * usernameByteCount
    /// The most bytes of a post's text.
    public static let textByteCount = 65_535
    /// The most bytes of a query, without white space at its ends.
    public static let queryByteCount = 256
    /// The most distinct words of a post search.
    public static let queryTermCount = 32
    /// The most items of a page.
    public static let pageCount = 1_000
    /// The most ids of one call of `users`, `posts` or `relations`.
    public static let idCount = 1_000
    /// The most mutuals named for a suggestion.
    public static let namedCount = 100
    /// Of the edges that lead to a user (`GraphView.incomingCount`): so many are counted.
    public static let incomingCount = 1_000
    /// The most rounds of a PageRank.
    public static let roundCount = 1_000_000
    /// The most changes of a batch.
    public static let batchCount = 10_000
    /// The most bytes that the changes of a batch take in a journal: with what forms before it, it fits a frame.
    public static let batchByteCount = 900 << 20
    /// The most relations of a graph, with the four of every graph.
    public static let relationCount = 64
    /// The most bytes of a relation's name.
    public static let relationNameByteCount = 64
    /// The most edges that are given with a new post.
    public static let postEdgeCount = 256
    /// The most bytes of a payload: 65,535.
    public static let payloadByteCount = 65_535
    /// The last millisecond that a follow or like can have: the end of the last second of 32 bits.
    public static let edgeMilliseconds: Int64 = 4_294_967_295_999
    /// The most users, and the most posts, that can ever be added: rows are 32-bit numbers.
    public static let rowCount = Int(UInt32.max) - 1
  }
}
