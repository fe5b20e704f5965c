/// The keys of encoded values: those of the objects of `kith query`, which docs/PROTOCOL.md specifies.
enum WireKey: String, CodingKey {
  case op, user, target, post, id, username, text, createdAt, at
  case sequence, missed
  case users, posts, next, previous, count, truncated, ranges
  case followerCount, followeeCount, postCount, following, followedAt, likedAt, mutualCount, mutuals
  case author, likeCount, liked
  case relation, from, fromPost, to, toPost, relations, addedAt
}
