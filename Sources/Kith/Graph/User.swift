/// A user as one question saw them. Two values with the same id are the same user.
///
/// A value shares the memory of the answer it came with: a page of users is one allocation, and names become strings
/// when they are read.
public struct User: Identifiable, Hashable, Sendable, CustomStringConvertible {
  private let records: UserRecords
  private let index: Int

  init(_ records: UserRecords, _ index: Int) {
    self.records = records
    self.index = index
  }

  @inline(__always)
  private var record: UserRecord { records[index] }

  /// Who it is.
  public var id: UserID { UserID(record.id) }
  /// The name, exactly as given.
  public var username: String {
    let record = record
    return records.string(at: Int(record.nameStart), count: Int(record.nameByteCount))
  }
  /// How many follow them, everybody's blocks regardless.
  public var followerCount: Int { Int(record.followerCount) }
  /// How many they follow.
  public var followeeCount: Int { Int(record.followeeCount) }
  /// How many posts they have.
  public var postCount: Int { Int(record.postCount) }
  /// Whether the viewer follows them; nil without a viewer.
  public var following: Bool? { record.following == .unasked ? nil : record.following == .yes }
  /// When the edge of a followers or followees list was made, in whole seconds.
  public var followedAt: Timestamp? { time(.followed) }
  /// When the like of a likers list was given, in whole seconds.
  public var likedAt: Timestamp? { time(.liked) }

  private func time(_ event: UserRecord.Event) -> Timestamp? {
    record.event == event ? Timestamp(second: record.second) : nil
  }

  /// All that it says.
  public var description: String {
    "User(id: \(id), username: \(username.debugDescription), followerCount: \(followerCount), "
      + "followeeCount: \(followeeCount), postCount: \(postCount), "
      + "following: \(following.map(String.init) ?? "nil"), "
      + "followedAt: \(followedAt.map { String($0.rawValue) } ?? "nil"), "
      + "likedAt: \(likedAt.map { String($0.rawValue) } ?? "nil"))"
  }

  /// Equal in all that they say.
  public static func == (left: User, right: User) -> Bool {
    let (own, other) = (left.record, right.record)
    return own.id == other.id && own.followerCount == other.followerCount && own.followeeCount == other.followeeCount
      && own.postCount == other.postCount && own.following == other.following && own.event == other.event
      && own.second == other.second && left.username == right.username
  }

  /// Hashes what tells users apart.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The users of one answer, and their names.
typealias UserRecords = ResultBuffer<UserRecord>

/// What an answer says of a user; 32 bytes.
struct UserRecord: BitwiseCopyable, Sendable {
  enum Following: UInt8, BitwiseCopyable {
    case no, yes
    /// There is no viewer.
    case unasked
  }

  /// What `second` is the time of.
  enum Event: UInt8, BitwiseCopyable { case none, followed, liked }

  let id: Int64
  let followerCount: UInt32
  let followeeCount: UInt32
  let postCount: UInt32
  let nameStart: UInt32
  /// When it was, if there is an event.
  var second: UInt32 = 0
  let nameByteCount: UInt8
  var following = Following.unasked
  var event = Event.none
}

/// One page of users, in order, and where to go on: one allocation, whatever its length.
public struct UserPage: RandomAccessCollection, Hashable, Sendable {
  private let records: UserRecords?
  /// Where the next page begins; nil when the list has ended.
  public let next: Cursor?
  /// How many users the whole list has, where that was asked for.
  public let total: Int?
  /// Of a search that asked for it: where the query stands in each name, as half-open ranges of its UTF-8 bytes: all
  /// hits that do not overlap, each of whole scalars.
  public let ranges: [[Range<Int>]]?

  init(_ records: UserRecords?, next: Cursor? = nil, total: Int? = nil, ranges: [[Range<Int>]]? = nil) {
    self.records = records
    self.next = next
    self.total = total
    self.ranges = ranges
  }

  /// The users as an array.
  public var items: [User] { Array(self) }

  /// The place of the first user.
  public var startIndex: Int { 0 }
  /// The place behind the last user.
  public var endIndex: Int { records?.count ?? 0 }
  /// One user.
  public subscript(index: Int) -> User {
    guard let records else { preconditionFailure("the page is empty") }
    return User(records, index)
  }

  /// Equal users in the same order, and the same way on.
  public static func == (left: UserPage, right: UserPage) -> Bool {
    left.next == right.next && left.total == right.total && left.ranges == right.ranges && left.elementsEqual(right)
  }

  /// Hashes the ids.
  public func hash(into hasher: inout Hasher) { for user in self { hasher.combine(user) } }
}
