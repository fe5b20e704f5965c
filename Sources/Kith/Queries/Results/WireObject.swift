/// An element of a page that is encoded as an object of the wire protocol.
protocol WireObject: Encodable {
  /// - Parameter ranges: the matches of the query in the element, if the page has them.
  func encode(into object: inout KeyedEncodingContainer<WireKey>, ranges: [Range<Int>]?) throws
}

extension KeyedEncodingContainer<WireKey> {
  /// Encodes the elements of a page as a list of objects, each with its matches.
  mutating func encode(_ items: some Collection<some WireObject>, _ ranges: [[Range<Int>]]?, forKey key: WireKey) throws
  {
    var list = nestedUnkeyedContainer(forKey: key)
    for (index, item) in items.enumerated() {
      var object = list.nestedContainer(keyedBy: WireKey.self)
      try item.encode(into: &object, ranges: ranges?[index])
    }
  }
}

extension User: Encodable, WireObject {
  /// Encodes the user as `kith query` does: times in milliseconds, and without the properties that are nil.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try encode(into: &object, ranges: nil)
  }

  func encode(into object: inout KeyedEncodingContainer<WireKey>, ranges: [Range<Int>]?) throws {
    try object.encode(id, forKey: .id)
    try object.encode(username, forKey: .username)
    try object.encode(followerCount, forKey: .followerCount)
    try object.encode(followeeCount, forKey: .followeeCount)
    try object.encode(postCount, forKey: .postCount)
    try object.encodeIfPresent(isFollowedByViewer, forKey: .following)
    try object.encodeIfPresent(followedAt, forKey: .followedAt)
    try object.encodeIfPresent(likedAt, forKey: .likedAt)
    try object.encodeIfPresent(addedAt, forKey: .addedAt)
    try object.encodeIfPresent(ranges, forKey: .ranges)
  }
}

extension Post.Author: Encodable {
  /// Encodes id and name, or the user if authors were requested.
  public func encode(to encoder: any Encoder) throws {
    if let user { return try user.encode(to: encoder) }
    var object = encoder.container(keyedBy: WireKey.self)
    try object.encode(id, forKey: .id)
    try object.encode(username, forKey: .username)
  }
}

extension Post: Encodable, WireObject {
  /// Encodes the post as `kith query` does: times in milliseconds, and without the properties that are nil.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try encode(into: &object, ranges: nil)
  }

  func encode(into object: inout KeyedEncodingContainer<WireKey>, ranges: [Range<Int>]?) throws {
    try object.encode(id, forKey: .id)
    try object.encode(author, forKey: .author)
    try object.encode(createdAt, forKey: .createdAt)
    try object.encode(text, forKey: .text)
    try object.encode(likeCount, forKey: .likeCount)
    try object.encodeIfPresent(isLikedByViewer, forKey: .liked)
    try object.encodeIfPresent(likedAt, forKey: .likedAt)
    try object.encodeIfPresent(addedAt, forKey: .addedAt)
    try object.encodeIfPresent(ranges, forKey: .ranges)
  }
}

extension Suggestion: Encodable, WireObject {
  /// Encodes the user with `mutualCount`, and with `mutuals` if any were requested.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try encode(into: &object, ranges: nil)
  }

  func encode(into object: inout KeyedEncodingContainer<WireKey>, ranges: [Range<Int>]?) throws {
    try user.encode(into: &object, ranges: ranges)
    try object.encode(mutualCount, forKey: .mutualCount)
    if !mutuals.isEmpty { try object.encode(mutuals, nil, forKey: .mutuals) }
  }
}

extension Page: Encodable {
  /// Encodes the elements as `users` or `posts`, each with its matches if the page has them, and what the wire protocol
  /// has beside them. Users: `next` (null at the end of the list), and `count` if it was requested. Posts: `next`,
  /// `previous` if there is one, and `truncated` if it is true. Suggestions: `truncated`.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    switch self {
    case let users as Page<User>:
      try object.encode(users, highlights, forKey: .users)
      try object.encode(next, forKey: .next)
      try object.encodeIfPresent(total, forKey: .count)
    case let posts as Page<Post>:
      try object.encode(posts, highlights, forKey: .posts)
      try object.encode(next, forKey: .next)
      try object.encodeIfPresent(previous, forKey: .previous)
      try object.encodeIfPresent(total, forKey: .count)
      if isTruncated { try object.encode(true, forKey: .truncated) }
    case let suggestions as Page<Suggestion>:
      try object.encode(suggestions, nil, forKey: .users)
      try object.encode(isTruncated, forKey: .truncated)
    default: broken("no page has elements of another type")
    }
  }
}
