/// The keys of encoded values: those of the objects of `kith query`, which docs/PROTOCOL.md specifies.
package enum WireKey: String, CodingKey {
  case op, user, target, post, id, username, text, createdAt, at
  case sequence, missed
  case users, posts, next, previous, count, truncated, ranges
  case followerCount, followeeCount, postCount, following, followedAt, likedAt, mutualCount, mutuals
  case author, likeCount, liked
  case relation, from, fromPost, to, toPost, relations, addedAt
  case name, isTimed, visibility, isEndedBy, endsWith, isThread, hides, entersTimelines, grantsAccess, edges, parent
  case counts, marks
  case userKinds, kind
  case displayName, displayNameRanges, payload, flags, editedAt, isPrivate, audience, incoming, repost
}

/// A value that is an object of the wire protocol.
///
/// A writer takes such values, and no closures that write members: a requirement with one crashes the compiler of
/// Swift 6.3.1.
package protocol WireObject {
  func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure)
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
  /// An object of numbers by names of the host's.
  mutating func member(_ key: WireKey, _ numbers: [(String, Int64)]) throws(Failure)
  mutating func member<Object: WireObject>(_ key: WireKey, _ object: Object) throws(Failure)
  mutating func member<Object: WireObject>(_ key: WireKey, _ objects: [Object]) throws(Failure)
}

/// A key that a host has chosen: the name of a relation.
private struct HostKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension KeyedEncodingContainer<WireKey>: WireWriter {
  package mutating func member(_ key: WireKey, _ value: Int64) throws { try encode(value, forKey: key) }
  package mutating func member(_ key: WireKey, _ value: String) throws { try encode(value, forKey: key) }
  package mutating func member(_ key: WireKey, _ value: Bool) throws { try encode(value, forKey: key) }
  package mutating func member(_ key: WireKey, _ ranges: [Range<Int>]) throws { try encode(ranges, forKey: key) }
  package mutating func member(_ key: WireKey, _ texts: [String]) throws { try encode(texts, forKey: key) }

  package mutating func member(_ key: WireKey, _ numbers: [(String, Int64)]) throws {
    var container = nestedContainer(keyedBy: HostKey.self, forKey: key)
    for (name, number) in numbers { try container.encode(number, forKey: HostKey(stringValue: name)) }
  }

  package mutating func member<Object: WireObject>(_ key: WireKey, _ object: Object) throws {
    var container = nestedContainer(keyedBy: WireKey.self, forKey: key)
    try object.write(to: &container)
  }

  package mutating func member<Object: WireObject>(_ key: WireKey, _ objects: [Object]) throws {
    var list = nestedUnkeyedContainer(forKey: key)
    for object in objects {
      var container = list.nestedContainer(keyedBy: WireKey.self)
      try object.write(to: &container)
    }
  }
}
