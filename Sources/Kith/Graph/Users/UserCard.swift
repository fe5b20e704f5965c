/// What a page of a result shows of a user: the words of a row of `UserTable.names`, behind the reference of the name.
/// With that, 32 bytes, which never straddle cache lines.
///
/// The counts repeat the lengths of lists, each of which is two levels and a cache miss away.
struct UserCard: Equatable {
  static let wordsPerRow = 4

  var id: Int64
  var followerCount: Int
  var followeeCount: Int
  var postCount: Int
  /// The flags of the host's.
  var flags: UInt16 = 0
  /// Whether only followers see the user's posts.
  var isPrivate = false
  /// The number of the kind.
  var kind: UInt8 = 0
}

extension TextColumn {
  /// The card of a user.
  @inline(__always)
  func card(_ row: UInt32) -> UserCard { namedCard(row).card }

  /// The card of a user, and the reference of the name.
  @inline(__always)
  func namedCard(_ row: UInt32) -> (name: UInt64, card: UserCard) {
    let (name, id, counts, posts) = fourWords(Int(row))
    let card = UserCard(
      id: Int64(bitPattern: id), followerCount: Int(counts & 0xFFFF_FFFF), followeeCount: Int(counts >> 32),
      postCount: Int(posts & 0xFFFF_FFFF), flags: UInt16(truncatingIfNeeded: posts >> 32),
      isPrivate: posts >> 48 & 1 == 1, kind: UInt8(truncatingIfNeeded: posts >> 56))
    return (name, card)
  }

  /// Whether only followers see the posts of a user.
  @inline(__always)
  func isPrivate(_ row: UInt32) -> Bool { self[Int(row), 3] >> 48 & 1 == 1 }

  /// The number of the kind of a user.
  @inline(__always)
  func kind(_ row: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: self[Int(row), 3] >> 56) }

  mutating func setCard(_ row: UInt32, _ card: UserCard) {
    self[Int(row), 1] = UInt64(bitPattern: card.id)
    self[Int(row), 2] = UInt64(card.followeeCount) << 32 | UInt64(card.followerCount)
    self[Int(row), 3] =
      UInt64(card.kind) << 56 | UInt64(card.isPrivate ? 1 : 0) << 48 | UInt64(card.flags) << 32
      | UInt64(card.postCount)
  }

  /// Counts a follow that was added (`by` is 1) or removed (-1).
  /// - Returns: the target's number of followers.
  @inline(__always)
  mutating func countFollow(_ source: UInt32, _ target: UInt32, by change: Int64) -> Int {
    self[Int(source), 2] &+= UInt64(bitPattern: change << 32)
    let counts = self[Int(target), 2] &+ UInt64(bitPattern: change)
    self[Int(target), 2] = counts
    return Int(counts & 0xFFFF_FFFF)
  }

  @inline(__always)
  mutating func countPost(of author: UInt32, by change: Int64) { self[Int(author), 3] &+= UInt64(bitPattern: change) }
}
