/// A user, as of one query. Values with the same id denote the same user.
///
/// A value shares the memory of its result: a page of users is one allocation, and a name becomes a `String` when read.
public struct User: PageElement, CustomStringConvertible {
  let records: UserRecords
  let index: Int

  init(_ records: UserRecords, _ index: Int) {
    self.records = records
    self.index = index
  }

  @inline(__always)
  var record: UserRecord { records[index] }

  /// The element at another index of the same result. For `Page` alone.
  public func _sibling(at index: Int) -> User { User(records, index) }

  /// The id.
  public var id: UserID { UserID(record.id) }
  /// The name, exactly as given.
  public var username: String {
    let record = record
    return records.string(at: Int(record.nameStart), count: Int(record.nameByteCount))
  }
  /// The number of followers, including those hidden by blocks.
  public var followerCount: Int { Int(record.followerCount) }
  /// The number of followees.
  public var followeeCount: Int { Int(record.followeeCount) }
  /// The number of posts.
  public var postCount: Int { Int(record.postCount) }
  /// Whether the viewer follows the user; nil without a viewer.
  public var isFollowedByViewer: Bool? { record.following == .noViewer ? nil : record.following == .yes }
  /// The time of the follow, in whole seconds; nil except in a list of followers or followees.
  public var followedAt: Timestamp? { time(.followed) }
  /// The time of the like, in whole seconds; nil except in a list of likers.
  public var likedAt: Timestamp? { time(.liked) }

  private func time(_ event: UserRecord.Event) -> Timestamp? {
    record.event == event ? Timestamp(seconds: record.timestamp) : nil
  }

  /// All properties as text.
  public var description: String {
    "User(id: \(id), username: \(username.debugDescription), followerCount: \(followerCount), "
      + "followeeCount: \(followeeCount), postCount: \(postCount), "
      + "isFollowedByViewer: \(isFollowedByViewer.map(String.init) ?? "nil"), "
      + "followedAt: \(followedAt.map { String($0.rawValue) } ?? "nil"), "
      + "likedAt: \(likedAt.map { String($0.rawValue) } ?? "nil"))"
  }

  /// Equal if all properties are, the username byte by byte.
  public static func == (left: User, right: User) -> Bool {
    let (own, other) = (left.record, right.record)
    return own.id == other.id && own.followerCount == other.followerCount && own.followeeCount == other.followeeCount
      && own.postCount == other.postCount && own.following == other.following && own.event == other.event
      && own.timestamp == other.timestamp && left.username.utf8.elementsEqual(right.username.utf8)
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension User: ResultElement {}

/// The users of one result, with their names.
typealias UserRecords = ResultBuffer<UserRecord>

/// A user in a result; 32 bytes.
struct UserRecord: BitwiseCopyable, Sendable {
  enum Following: UInt8, BitwiseCopyable {
    case no, yes
    /// There is no viewer.
    case noViewer
  }

  /// The event that `timestamp` is the time of.
  enum Event: UInt8, BitwiseCopyable { case none, followed, liked }

  let id: Int64
  let followerCount: UInt32
  let followeeCount: UInt32
  let postCount: UInt32
  var nameStart: UInt32
  /// The time of the event, if there is one.
  var timestamp: UInt32 = 0
  let nameByteCount: UInt8
  var following = Following.noViewer
  var event = Event.none
}
