@testable import Kith

extension User {
  /// A user that no graph holds, for expected values.
  init(
    id: UserID, username: String, followerCount: Int, followeeCount: Int, postCount: Int, following: Bool?,
    followedAt: UInt32?, likedAt: UInt32?, addedAt: UInt32? = nil
  ) {
    let records = UserRecords(recordCount: 1, byteCount: username.utf8.count) { buffer in
      buffer.append(username)
      var record = UserRecord(
        id: id.rawValue, followerCount: UInt32(followerCount), followeeCount: UInt32(followeeCount),
        postCount: UInt32(postCount), nameStart: 0, nameByteCount: UInt8(username.utf8.count))
      if let following { record.following = following ? .yes : .no }
      if let second = followedAt ?? likedAt ?? addedAt {
        record.timedEvent = followedAt != nil ? .followed : likedAt != nil ? .liked : .added
        record.second = second
      }
      buffer.set(0, record)
    }
    self.init(records, 0)
  }
}

/// The content of a `Suggestion`, for expected values.
struct PlainSuggestion {
  let user: User
  let mutualCount: Int
  let mutuals: [User]
}

extension Post {
  /// A post that no graph holds, for expected values.
  init(
    id: PostID, author: UserID, username: String, createdAt: Timestamp, text: String, likeCount: Int, liked: Bool?,
    likedAt: Timestamp?, addedAt: Timestamp? = nil
  ) {
    let (name, body) = (username.utf8.count, text.utf8.count)
    let records = PostRecords(recordCount: 1, byteCount: name + body) { buffer in
      buffer.append(username)
      buffer.append(text)
      let record = PostRecord(
        id: id.rawValue, author: author.rawValue, createdAt: createdAt.rawValue, likeCount: UInt32(likeCount),
        nameStart: 0, nameByteCount: UInt8(name), textByteCount: UInt16(body), isLiked: liked,
        likedSecond: (likedAt ?? addedAt).map { UInt32($0.rawValue / 1_000) }, isOfEdge: addedAt != nil)
      buffer.set(0, record)
    }
    self.init(records, 0)
  }
}
