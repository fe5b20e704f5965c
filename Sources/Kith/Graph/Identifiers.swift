/// The id of a user: 1…2⁶³−1, the host's own or assigned; the same user in every process, after every restart.
public struct UserID: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// The number itself.
  public let rawValue: Int64
  /// An id from its number. Whether there is such a user, a question tells.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// An id from its number.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// An id from a literal.
  public init(integerLiteral value: Int64) { rawValue = value }
  /// By number.
  public static func < (left: UserID, right: UserID) -> Bool { left.rawValue < right.rawValue }
}

/// The id of a post: 1…2⁶³−1, the host's own or assigned.
public struct PostID: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// The number itself.
  public let rawValue: Int64
  /// An id from its number. Whether there is such a post, a question tells.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// An id from its number.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// An id from a literal.
  public init(integerLiteral value: Int64) { rawValue = value }
  /// By number.
  public static func < (left: PostID, right: PostID) -> Bool { left.rawValue < right.rawValue }
}

extension UserID: CustomStringConvertible {
  /// The number.
  public var description: String { String(rawValue) }
}

extension PostID: CustomStringConvertible {
  /// The number.
  public var description: String { String(rawValue) }
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

  /// The time of a whole second, as follows and likes keep it.
  init(second: UInt32) { rawValue = Int64(second) * 1_000 }
}

/// The limits of the engine, each by its name.
public enum Limits {
  /// Bytes of a username.
  public static let usernameByteCount = 255
  /// Bytes of a post's text.
  public static let textByteCount = 65_535
  /// Bytes of a query, trimmed.
  public static let queryByteCount = 256
  /// Distinct words of a post search.
  public static let queryTermCount = 32
  /// Items of a page.
  public static let pageCount = 1_000
  /// Changes of a batch.
  public static let batchCount = 10_000
  /// The last millisecond that a follow or a like can carry: the end of the last second of 32 bits.
  public static let edgeMilliseconds: Int64 = 4_294_967_295_999
  /// Users and posts ever: rows are 32-bit numbers.
  public static let rowCount = Int(UInt32.max) - 1
}
