extension DetailColumns {
  /// The counts and marks of a record, and its payload, if they were asked for.
  fileprivate func write<Writer: WireWriter>(_ index: Int, to writer: inout Writer) throws(Writer.Failure) {
    if !counted.isEmpty { try writer.member(.counts, counts(index)) }
    if !marked.isEmpty { try writer.member(.marks, marks(index)) }
    if let payload = payload(index), !payload.isEmpty { try writer.member(.payload, Base64.standard.text(payload)) }
  }
}

extension User: Encodable {
  /// Encodes the user as `kith query` does: times in milliseconds, and without the properties that are nil.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try write(to: &object)
  }

  /// - Parameter ranges: the matches of the query in the element, if its page has them.
  package func write<Writer: WireWriter>(
    to writer: inout Writer, ranges: [Range<Int>]? = nil, displayNameRanges: [Range<Int>]? = nil
  ) throws(Writer.Failure) {
    try writer.member(.id, id.rawValue)
    try writer.member(.username, username)
    if record.kind_size > 0 { try writer.member(.kind, kind) }
    if let displayName { try writer.member(.displayName, displayName) }
    try writer.member(.followerCount, Int64(followerCount))
    try writer.member(.followeeCount, Int64(followeeCount))
    try writer.member(.postCount, Int64(postCount))
    if flags != 0 { try writer.member(.flags, Int64(flags)) }
    if isPrivate { try writer.member(.isPrivate, true) }
    if let isFollowedByViewer { try writer.member(.following, isFollowedByViewer) }
    if let followedAt { try writer.member(.followedAt, followedAt.rawValue) }
    if let likedAt { try writer.member(.likedAt, likedAt.rawValue) }
    if let addedAt { try writer.member(.addedAt, addedAt.rawValue) }
    try records.details?.write(index, to: &writer)
    if let ranges { try writer.member(.ranges, ranges) }
    if let displayNameRanges, !displayNameRanges.isEmpty {
      try writer.member(.displayNameRanges, displayNameRanges)
    }
  }
}

extension Post.Author: Encodable, WireObject {
  /// Encodes id and name, or the user if authors were requested.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try write(to: &object)
  }

  package func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    if let user { return try user.write(to: &writer) }
    try writer.member(.id, id.rawValue)
    try writer.member(.username, username)
  }
}

extension Post: Encodable {
  /// Encodes the post as `kith query` does: times in milliseconds, and without the properties that are nil.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try write(to: &object)
  }

  /// - Parameter ranges: the matches of the query in the element, if its page has them.
  package func write<Writer: WireWriter>(to writer: inout Writer, ranges: [Range<Int>]? = nil) throws(Writer.Failure) {
    try writer.member(.id, id.rawValue)
    try writer.member(.author, author)
    try writer.member(.createdAt, createdAt.rawValue)
    if let parent { try writer.member(.parent, parent.rawValue) }
    if flags != 0 { try writer.member(.flags, Int64(flags)) }
    if audience != .everyone { try writer.member(.audience, audience.rawValue) }
    if let editedAt { try writer.member(.editedAt, editedAt.rawValue) }
    try writer.member(.text, text)
    try writer.member(.likeCount, Int64(likeCount))
    if let isLikedByViewer { try writer.member(.liked, isLikedByViewer) }
    if let likedAt { try writer.member(.likedAt, likedAt.rawValue) }
    if let addedAt { try writer.member(.addedAt, addedAt.rawValue) }
    if let repost { try writer.member(.repost, repost) }
    try records.details?.write(index, to: &writer)
    if let ranges { try writer.member(.ranges, ranges) }
  }
}

extension Post.Repost: Encodable, WireObject {
  /// Encodes id and name of the user, and the time in milliseconds.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try write(to: &object)
  }

  package func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    try writer.member(.id, id.rawValue)
    try writer.member(.username, username)
    try writer.member(.at, at.rawValue)
  }
}

extension Suggestion: Encodable {
  /// Encodes the user with `mutualCount`, and with `mutuals` if any were requested.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try user.write(to: &object)
    try object.encode(mutualCount, forKey: .mutualCount)
    if !mutuals.isEmpty { try object.encode(mutuals, forKey: .mutuals) }
  }
}

extension IncomingEdge: Encodable, WireObject {
  /// Encodes the relation's name, the time in milliseconds, and the user or post at each end.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try write(to: &object)
  }

  package func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    try writer.member(.relation, relation.name)
    try writer.member(.addedAt, addedAt.rawValue)
    if let user { try writer.member(.user, End(user)) }
    if let post { try writer.member(.post, End(post)) }
    if let target { try writer.member(.target, End(target)) }
  }

  /// A user or a post as a member.
  private struct End: WireObject {
    let user: User?
    let post: Post?

    init(_ user: User) { (self.user, post) = (user, nil) }
    init(_ post: Post) { (user, self.post) = (nil, post) }

    func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
      try user?.write(to: &writer)
      try post?.write(to: &writer)
    }
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
      try object.list(.users, users.indices) {
        try users[$1].write(
          to: &$0, ranges: users.highlights?[$1], displayNameRanges: users.displayNameHighlights?[$1])
      }
      try object.encode(next, forKey: .next)
      try object.encodeIfPresent(total, forKey: .count)
    case let posts as Page<Post>:
      try object.list(.posts, posts.indices) { try posts[$1].write(to: &$0, ranges: highlights?[$1]) }
      try object.encode(next, forKey: .next)
      try object.encodeIfPresent(previous, forKey: .previous)
      try object.encodeIfPresent(total, forKey: .count)
      if isTruncated { try object.encode(true, forKey: .truncated) }
    case let edges as Page<IncomingEdge>:
      try object.list(.incoming, edges) { try $1.write(to: &$0) }
      try object.encode(next, forKey: .next)
    case let suggestions as Page<Suggestion>:
      try object.encode(Array(suggestions), forKey: .users)
      try object.encode(isTruncated, forKey: .truncated)
    default: broken("no page has elements of another type")
    }
  }
}

extension KeyedEncodingContainer<WireKey> {
  /// Encodes a list of objects.
  fileprivate mutating func list<Items: Sequence>(
    _ key: WireKey, _ items: Items, each: (inout Self, Items.Element) throws -> Void
  ) throws {
    var list = nestedUnkeyedContainer(forKey: key)
    for item in items {
      var object = list.nestedContainer(keyedBy: WireKey.self)
      try each(&object, item)
    }
  }
}
