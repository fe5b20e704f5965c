/// The keys of encoded values: those of the objects of `kith query`, which docs/PROTOCOL.md specifies.
package enum WireKey: String, CodingKey {
  case op, user, target, post, id, username, text, createdAt, at
  case sequence, missed
  case users, posts, next, previous, count, truncated, ranges
  case followerCount, followeeCount, postCount, following, followedAt, likedAt, mutualCount, mutuals
  case author, likeCount, liked
  case relation, from, fromPost, to, toPost, relations, addedAt
  case name, visibility, isEndedBy, endsWith
}

/// Where the members of an object of the wire protocol are written: into an encoder of the host's, or as JSON.
package protocol WireWriter<Failure> {
  associatedtype Failure: Error

  mutating func member(_ key: WireKey, _ value: Int64) throws(Failure)
  mutating func member(_ key: WireKey, _ value: String) throws(Failure)
  mutating func member(_ key: WireKey, _ value: Bool) throws(Failure)
  /// Half-open ranges as pairs of numbers.
  mutating func member(_ key: WireKey, _ ranges: [Range<Int>]) throws(Failure)
  mutating func member(_ key: WireKey, _ texts: [String]) throws(Failure)
  /// An object.
  mutating func object(_ key: WireKey, _ members: (inout Self) throws(Failure) -> Void) throws(Failure)
  /// A list of objects.
  mutating func list<Items: Sequence>(
    _ key: WireKey, _ items: Items, each: (inout Self, Items.Element) throws(Failure) -> Void
  ) throws(Failure)
}

extension KeyedEncodingContainer<WireKey>: WireWriter {
  package mutating func member(_ key: WireKey, _ value: Int64) throws { try encode(value, forKey: key) }
  package mutating func member(_ key: WireKey, _ value: String) throws { try encode(value, forKey: key) }
  package mutating func member(_ key: WireKey, _ value: Bool) throws { try encode(value, forKey: key) }
  package mutating func member(_ key: WireKey, _ ranges: [Range<Int>]) throws { try encode(ranges, forKey: key) }
  package mutating func member(_ key: WireKey, _ texts: [String]) throws { try encode(texts, forKey: key) }

  package mutating func object(_ key: WireKey, _ members: (inout Self) throws -> Void) throws {
    var object = nestedContainer(keyedBy: WireKey.self, forKey: key)
    try members(&object)
  }

  package mutating func list<Items: Sequence>(
    _ key: WireKey, _ items: Items, each: (inout Self, Items.Element) throws -> Void
  ) throws {
    var list = nestedUnkeyedContainer(forKey: key)
    for item in items {
      var object = list.nestedContainer(keyedBy: WireKey.self)
      try each(&object, item)
    }
  }
}
