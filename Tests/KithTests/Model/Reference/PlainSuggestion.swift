@testable import Kith

extension User {
  /// A user that no graph holds, for expected values.
  init(
    id: UserID, username: String, kind: String? = nil, displayName: String? = nil, followerCount: Int,
    followeeCount: Int, postCount: Int,
    flags: UInt16 = 0, isPrivate: Bool = false, following: Bool?, followedAt: UInt32?, likedAt: UInt32?,
    addedAt: UInt32? = nil
  ) {
    self.init(
      id: id, username: username, kind: kind, displayName: displayName, followerCount: followerCount,
      followeeCount: followeeCount,
      postCount: postCount,
      flags: flags, isPrivate: isPrivate, isFollowedByViewer: following,
      followedAt: followedAt.map { Timestamp(seconds: $0) },
      likedAt: likedAt.map { Timestamp(seconds: $0) }, addedAt: addedAt.map { Timestamp(seconds: $0) })
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
    id: PostID, author: UserID, username: String, createdAt: Timestamp, parent: PostID?, flags: UInt16 = 0,
    audience: Audience = .everyone, editedAt: Timestamp? = nil, text: String, likeCount: Int, liked: Bool?,
    likedAt: Timestamp?,
    addedAt: Timestamp? = nil, repost: Repost? = nil
  ) {
    self.init(
      id: id, author: Author(id: author, username: username), createdAt: createdAt, parent: parent,
      flags: flags, audience: audience, editedAt: editedAt, text: text, likeCount: likeCount,
      isLikedByViewer: liked, likedAt: likedAt, addedAt: addedAt, repost: repost)
  }
}
