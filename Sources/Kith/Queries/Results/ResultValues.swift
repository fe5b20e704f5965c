/// Values that a host makes itself, for previews and tests: each owns a result of its own.

extension User {
  /// A user without a graph.
  /// - Precondition: the names have at most 255 bytes each; counts are from 0 to 2³²−1; at most one of the times is
  ///   given, from 0 to `SocialGraph.Limits.edgeMilliseconds`, and rounded down to whole seconds.
  public init(
    id: UserID, username: String, kind: String? = nil, displayName: String? = nil, followerCount: Int = 0,
    followeeCount: Int = 0,
    postCount: Int = 0,
    flags: UInt16 = 0, isPrivate: Bool = false, isFollowedByViewer: Bool? = nil, followedAt: Timestamp? = nil,
    likedAt: Timestamp? = nil, addedAt: Timestamp? = nil
  ) {
    let times = [followedAt, likedAt, addedAt].compactMap(\.self)
    demand(times.count < 2, "a user of a list has the time of a follow, of a like or of another edge, of one of them")
    var record = UserRecord(
      id: id.rawValue, followerCount: HostValue.count(followerCount), followeeCount: HostValue.count(followeeCount),
      postCount: HostValue.count(postCount), nameStart: 0, nameByteCount: HostValue.byteCount(username),
      flags: flags, isPrivate: isPrivate, second: times.first.map(HostValue.second) ?? 0,
      following: isFollowedByViewer.map { $0 ? .yes : .no } ?? .noViewer,
      timedEvent: followedAt != nil ? .followed : likedAt != nil ? .liked : addedAt != nil ? .added : .none)
    record.display_name_size = HostValue.byteCount(displayName ?? "")
    let kind = kind == "user" ? nil : kind
    record.kind_size = HostValue.byteCount(kind ?? "")
    record.place(names: 0)
    self.init(UserRecords([(record, username + (displayName ?? "") + (kind ?? ""))]), 0)
  }
}

extension Page<User> {
  /// A page of users, copied into one result.
  /// - Precondition: there are no highlights, or those of each user; likewise those of display names.
  public init(
    _ users: [User], next: Cursor? = nil, total: Int? = nil, highlights: [[Range<Int>]]? = nil,
    displayNameHighlights: [[Range<Int>]]? = nil
  ) {
    for ranges in [highlights, displayNameHighlights] {
      demand(ranges == nil || ranges?.count == users.count, "a page has the highlights of all elements, or none")
    }
    self.init(
      UserRecords(users), next: next, total: total,
      highlights: highlights.map { NameHighlights(names: $0, displayNames: displayNameHighlights) })
  }
}

extension Post.Author {
  /// An author without a graph.
  /// - Precondition: the name has at most 255 bytes.
  public init(id: UserID, username: String) { self = Post(id: PostID(0), authorID: id, username: username).author }

  /// An author without a graph, as a page with `includesAuthors` has them.
  public init(_ user: User) {
    self = Post(id: PostID(0), authorID: user.id, username: user.username, user: user).author
  }
}

extension Post {
  /// A post without a graph.
  /// - Precondition: the text has at most 65,535 bytes; the number of likes is from 0 to 2³²−1; at most one of the
  ///   times is given, from 0 to `SocialGraph.Limits.edgeMilliseconds`, and rounded down to whole seconds.
  public init(
    id: PostID, author: Author, createdAt: Timestamp, parent: PostID? = nil, flags: UInt16 = 0,
    audience: Audience = .everyone, editedAt: Timestamp? = nil, text: String, likeCount: Int = 0,
    isLikedByViewer: Bool? = nil,
    likedAt: Timestamp? = nil, addedAt: Timestamp? = nil, repost: Repost? = nil
  ) {
    demand(likedAt == nil || addedAt == nil, "a post of a list has the time of a like or of another edge, not of both")
    self.init(
      id: id, authorID: author.id, username: author.username, user: author.user, createdAt: createdAt, parent: parent,
      flags: flags, audience: audience, editedAt: editedAt, text: text, likeCount: likeCount,
      isLikedByViewer: isLikedByViewer,
      eventAt: likedAt ?? addedAt, isOfEdge: addedAt != nil, repost: repost)
  }

  fileprivate init(
    id: PostID, authorID: UserID, username: String, user: User? = nil, createdAt: Timestamp = 0, parent: PostID? = nil,
    flags: UInt16 = 0, audience: Audience = .everyone, editedAt: Timestamp? = nil, text: String = "",
    likeCount: Int = 0, isLikedByViewer: Bool? = nil, eventAt: Timestamp? = nil, isOfEdge: Bool = false,
    repost: Repost? = nil
  ) {
    demand(text.utf8.count <= SocialGraph.Limits.textByteCount, "the text of a post has at most 65,535 bytes")
    var record = PostRecord(
      id: id.rawValue, author: authorID.rawValue, createdAt: createdAt.rawValue,
      parent: parent?.rawValue ?? 0, likeCount: HostValue.count(likeCount), nameStart: 0,
      nameByteCount: HostValue.byteCount(username), textByteCount: UInt16(text.utf8.count),
      isLiked: isLikedByViewer, likedSecond: eventAt.map(HostValue.second), isOfEdge: isOfEdge)
    (record.flags, record.audience) = (flags, audience.number)
    if let editedAt { (record.is_edited, record.edited_at) = (1, editedAt.rawValue) }
    if let repost {
      record.reposted_by = repost.id.rawValue
      record.reposted_second = HostValue.second(repost.at)
      record.reposter_size = HostValue.byteCount(repost.username)
    }
    let records = PostRecords([(record, username + text + (repost?.username ?? ""))]) { $0.place(names: $1) }
    if let user { records.attach(UserRecords([user])) }
    self.init(records, 0)
  }
}

extension Page<Post> {
  /// A page of posts, copied into one result.
  /// - Precondition: there are no highlights, or those of each post; likewise users of authors.
  public init(
    _ posts: [Post], next: Cursor? = nil, previous: Cursor? = nil, isTruncated: Bool = false,
    highlights: [[Range<Int>]]? = nil
  ) {
    demand(highlights == nil || highlights?.count == posts.count, "a page has the highlights of all elements, or none")
    self.init(
      PostRecords(posts), next: next, previous: previous, isTruncated: isTruncated,
      highlights: highlights.map { NameHighlights(names: $0, displayNames: nil) })
  }
}

extension Suggestion {
  /// A suggestion without a graph.
  public init(user: User, mutualCount: Int, mutuals: [User] = []) {
    self.init(SuggestionRecords([(user, mutualCount, mutuals)]), 0)
  }
}

extension Page<Suggestion> {
  /// A page of suggestions, copied into one result.
  public init(_ suggestions: [Suggestion], isTruncated: Bool = false) {
    self.init(
      SuggestionRecords(suggestions.map { ($0.user, $0.mutualCount, $0.mutuals) }), isTruncated: isTruncated)
  }
}

// MARK: - Records

extension ResultBuffer {
  /// Records with the text of each. `place` sets where a text begins.
  fileprivate init(_ items: [(record: Record, text: String)], place: (inout Record, UInt32) -> Void = { _, _ in }) {
    var buffer = ResultBufferWriter<Record>(
      recordCount: items.count, byteCount: items.reduce(0) { $0 + $1.text.utf8.count })
    var start: UInt32 = 0
    for (index, item) in items.enumerated() {
      var record = item.record
      place(&record, start)
      buffer.set(index, record)
      buffer.append(item.text)
      start += UInt32(item.text.utf8.count)
    }
    self.init(buffer)
  }
}

extension ResultBuffer<UserRecord> {
  fileprivate init(_ users: [User]) {
    self.init(users.map { ($0.record, $0.username + ($0.displayName ?? "") + ($0.kind == "user" ? "" : $0.kind)) }) {
      $0.place(names: $1)
    }
  }
}

extension ResultBuffer<PostRecord> {
  fileprivate init(_ posts: [Post]) {
    self.init(posts.map { ($0.record, $0.author.username + $0.text + ($0.repost?.username ?? "")) }) {
      $0.place(names: $1)
    }
    let authors = posts.compactMap(\.author.user)
    demand(authors.isEmpty || authors.count == posts.count, "a page has the users of all authors, or none")
    if !authors.isEmpty { attach(UserRecords(authors)) }
  }
}

extension PostRecord {
  /// Sets where the names begin: that of the author, before the text, and that of who reposted it, after it.
  fileprivate mutating func place(names start: UInt32) {
    name_start = start
    if reposted_by != 0 { reposter_start = start + UInt32(name_size) + UInt32(text_size) }
  }
}

extension SuggestionRecords {
  fileprivate init(_ items: [(user: User, mutualCount: Int, mutuals: [User])]) {
    var mutualEnds: [Int] = []
    for item in items { mutualEnds.append((mutualEnds.last ?? items.count) + item.mutuals.count) }
    self.init(
      users: UserRecords(items.map(\.user) + items.flatMap(\.mutuals)),
      best: items.map { (row: 0, mutualCount: $0.mutualCount) }, mutualEnds: mutualEnds)
  }
}

/// The numbers of a value that a host makes, as a record holds them.
private enum HostValue {
  static func count(_ number: Int) -> UInt32 {
    guard let count = UInt32(exactly: number) else { broken("a count is from 0 to 4,294,967,295") }
    return count
  }

  static func second(_ time: Timestamp) -> UInt32 {
    guard (0...SocialGraph.Limits.edgeMilliseconds).contains(time.rawValue) else {
      broken("the time of a follow or like is from 0 to Limits.edgeMilliseconds")
    }
    return UInt32(time.rawValue / 1_000)
  }

  static func byteCount(_ name: String) -> UInt8 {
    guard let count = UInt8(exactly: name.utf8.count) else { broken("a username has at most 255 bytes") }
    return count
  }
}
