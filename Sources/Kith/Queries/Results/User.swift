import CSupport

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
    return records.string(at: Int(record.name_start), count: Int(record.name_size))
  }
  /// The name that the host shows, exactly as given; nil for none.
  public var displayName: String? {
    let record = record
    if record.display_name_size == 0 { return nil }
    return records.string(at: Int(record.display_name_start), count: Int(record.display_name_size))
  }
  /// The kind, by name (`SocialGraph.Schema.userKinds`).
  public var kind: String {
    let record = record
    if record.kind_size == 0 { return "user" }
    let start = Int(record.display_name_start) + Int(record.display_name_size)
    return records.string(at: start, count: Int(record.kind_size))
  }
  /// The number of followers, including those hidden by blocks.
  public var followerCount: Int { Int(record.follower_count) }
  /// The number of followees.
  public var followeeCount: Int { Int(record.followee_count) }
  /// The number of posts.
  public var postCount: Int { Int(record.post_count) }
  /// Whether the viewer follows the user; nil without a viewer.
  public var isFollowedByViewer: Bool? { record.following == .noViewer ? nil : record.following == .yes }
  /// The flags that the host keeps with the user.
  public var flags: UInt16 { record.flags }
  /// Whether only followers see the user's posts.
  public var isPrivate: Bool { record.is_private != 0 }
  /// The payload, if it was asked for (`ResultDetails.includesPayloads`); empty for none.
  public var payload: [UInt8]? { records.details?.payload(index) }
  /// The time of the follow, in whole seconds; nil except in a list of followers or followees.
  public var followedAt: Timestamp? { time(.followed) }
  /// The time of the like, in whole seconds; nil except in a list of likers.
  public var likedAt: Timestamp? { time(.liked) }

  /// The time of the edge, in whole seconds; nil except in a list of edges.
  public var addedAt: Timestamp? { time(.added) }

  private func time(_ event: UserRecord.TimedEvent) -> Timestamp? {
    record.timedEvent == event ? Timestamp(seconds: record.second) : nil
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
    return own.id == other.id && own.follower_count == other.follower_count
      && own.followee_count == other.followee_count && own.post_count == other.post_count
      && own.followed_by_viewer == other.followed_by_viewer && own.event == other.event && own.second == other.second
      && own.flags == other.flags && own.is_private == other.is_private
      && left.username.utf8.elementsEqual(right.username.utf8)
      && left.kind == right.kind && left.displayName.map { Array($0.utf8) } == right.displayName.map { Array($0.utf8) }
      && DetailColumns.areEqual(left.records.details, left.index, right.records.details, right.index)
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension User: ResultElement {}

/// The users of one result, with their names.
typealias UserRecords = ResultBuffer<UserRecord>

/// A user in a result: the structure that C reads in place, declared in kith_records.h.
package typealias UserRecord = kith_user

extension UserRecord {
  /// What `followed_by_viewer` says: a number of the header.
  struct Following: Equatable, BitwiseCopyable, Sendable {
    fileprivate let number: UInt8

    @inline(__always) static var no: Following { Following(number: UInt8(KITH_NOT_FOLLOWED)) }
    @inline(__always) static var yes: Following { Following(number: UInt8(KITH_IS_FOLLOWED)) }
    /// There is no viewer.
    @inline(__always) static var noViewer: Following { Following(number: UInt8(KITH_NO_VIEWER)) }
  }

  /// The event that `second` is the time of: a number of the header.
  struct TimedEvent: Equatable, BitwiseCopyable, Sendable {
    fileprivate let number: UInt8

    @inline(__always) static var none: TimedEvent { TimedEvent(number: UInt8(KITH_NO_EVENT)) }
    @inline(__always) static var followed: TimedEvent { TimedEvent(number: UInt8(KITH_FOLLOWED_AT)) }
    @inline(__always) static var liked: TimedEvent { TimedEvent(number: UInt8(KITH_LIKED_AT)) }
    @inline(__always) static var added: TimedEvent { TimedEvent(number: UInt8(KITH_ADDED_AT)) }
  }

  @inline(__always)
  init(
    id: Int64, followerCount: UInt32, followeeCount: UInt32, postCount: UInt32, nameStart: UInt32,
    nameByteCount: UInt8, flags: UInt16 = 0, isPrivate: Bool = false, second: UInt32 = 0,
    following: Following = .noViewer,
    timedEvent: TimedEvent = .none
  ) {
    self.init(
      id: id, follower_count: followerCount, followee_count: followeeCount, post_count: postCount,
      name_start: nameStart, second: second, name_size: nameByteCount, followed_by_viewer: following.number,
      event: timedEvent.number, is_private: isPrivate ? 1 : 0, flags: flags, display_name_size: 0, kind_size: 0,
      display_name_start: 0)
  }

  /// Sets where the names begin, one after the other.
  mutating func place(names start: UInt32) { (name_start, display_name_start) = (start, start + UInt32(name_size)) }

  var following: Following {
    @inline(__always) get { Following(number: followed_by_viewer) }
    @inline(__always) set { followed_by_viewer = newValue.number }
  }

  var timedEvent: TimedEvent {
    @inline(__always) get { TimedEvent(number: event) }
    @inline(__always) set { event = newValue.number }
  }
}
