/// Applying changes. Each change is fully validated before anything is modified.
///
/// Name rules are checked when a change is made, not when it is replayed. A change accepted by an older release, or
/// without names unique by loose key, thus replays to the same graph.
extension GraphState {
  /// Fills in the id and the time that the caller left to the engine.
  @inline(__always)
  func complete(_ change: Change, now: () -> Timestamp) throws(KithError) -> Change {
    switch change {
    case .addUser(nil, let username):
      return .addUser(id: UserID(try Self.next(users.identifiers.highest)), username: username)
    case .addPost(let id, let author, let text, let createdAt) where id == nil || createdAt == nil:
      let assigned = if let id { id } else { PostID(try Self.next(posts.identifiers.highest)) }
      return .addPost(id: assigned, author: author, text: text, createdAt: createdAt ?? now())
    case .follow(let user, let target, nil): return .follow(by: user, target: target, at: now())
    case .like(let user, let post, nil): return .like(by: user, post: post, at: now())
    case .addUser, .renameUser, .removeUser, .addPost, .removePost, .follow, .unfollow, .like, .unlike: return change
    default: return completeEdge(change, now: now)
    }
  }

  /// Fills in the time of an edge of any relation. Not inlined: `complete` is on the path of every change.
  @inline(never)
  private func completeEdge(_ change: Change, now: () -> Timestamp) -> Change {
    guard var edge = change.edge, edge.adds, edge.kind.schema.hasTime, edge.time == nil else { return change }
    edge.time = now()
    return Change(edge)
  }

  private static func next(_ highest: Int64) throws(KithError) -> Int64 {
    if highest == Int64.max { throw .limitExceeded(.assignedIDs) }
    return highest + 1
  }

  /// Applies one complete change.
  /// - Parameter replaying: whether the change was made before and is replayed.
  /// - Returns: whether it had an effect; if so, it takes the next sequence number.
  /// - Precondition: ids and times are filled in (`complete`).
  mutating func apply(_ change: Change, replaying: Bool = false) throws(KithError) -> Bool {
    let changed =
      switch change {
      case .addUser(let id, let username): try addUser(id, username, replaying: replaying)
      case .renameUser(let user, let username): try renameUser(user, username, replaying: replaying)
      case .removeUser(let user): try removeUser(user)
      case .addPost(let id, let author, let text, let time): try addPost(id, author, text, time)
      case .removePost(let post): try removePost(post)
      case .follow, .unfollow, .like, .unlike: try applyEdit(change)
      default: try changeEdge(change)
      }
    if changed { sequence += 1 }
    return changed
  }

  /// Whether the user or post that a change adds already exists, with equal properties.
  func holds(_ change: Change) -> Bool {
    switch change {
    case .addUser(let id?, let username):
      guard let row = users.row(of: id) else { return false }
      return ByteSearch.compare(users.names.bytes(Int(row)), Array(username.utf8).span) == 0
    case .addPost(let id?, let author, let text, let createdAt?):
      guard let row = posts.row(of: id), posts.authors[row] == users.row(of: author) else { return false }
      return posts.time(row) == createdAt.rawValue
        && posts.texts.withBytes(Int(row)) { ByteSearch.compare($0, Array(text.utf8).span) } == 0
    default: return false
    }
  }

  // MARK: - Users

  private mutating func addUser(
    _ id: UserID?, _ username: String, replaying: Bool
  ) throws(KithError) -> Bool {
    guard let id = id?.rawValue else { preconditionFailure("a change is completed before it is applied") }
    if id < 1 { throw .invalidRequest(.id(id)) }
    if users.identifiers.row(of: id) != nil { throw .userIDTaken(UserID(id)) }
    if users.rowCount >= SocialGraph.Limits.rowCount {
      throw .limitExceeded(.usersEverAdded(limit: SocialGraph.Limits.rowCount))
    }
    let name = Array(username.utf8)
    let bytes = name.span
    try Self.checkName(bytes)
    let twin = try twin(of: bytes, username, replaying: replaying)
    let row = users.append(id: id, name: bytes)
    if let twin { users.notePair(row, twin) }
    appendUserRows()
    return true
  }

  /// The user who will share a given name; nil unless a change is replayed.
  private func twin(
    of name: Span<UInt8>, _ username: String, besides row: UInt32? = nil, replaying: Bool
  ) throws(KithError) -> UInt32? {
    guard let holder = users.holder(of: name, besides: row, loosely: !replaying) else { return nil }
    guard replaying, users.mayShare(name, with: holder, besides: row) else { throw .usernameTaken(username) }
    return holder
  }

  /// Defers the backward lists (followers and likers) until `buildBackward`, for many edges at once. Private relations
  /// have few edges and are not deferred.
  mutating func deferBackward() {
    for kind in RelationKind.allCases where !kind.schema.isPrivate {
      modify(kind) { relation, _ in relation.deferBackward() }
    }
    popularity.deferUpdates()
  }

  /// Builds the deferred lists.
  /// - Complexity: O(edges · log longest list).
  mutating func buildBackward(workers: Int = 1) {
    for kind in RelationKind.allCases { modify(kind) { $0.buildBackward(workers: workers, ids: $1) } }
    popularity = Popularity(follows)
    countCards()
  }

  /// Sets the cards of all users by the lists.
  /// - Complexity: O(users).
  mutating func countCards() {
    // Adjacent rows of removed users share pages.
    for row in 0..<UInt32(users.rowCount) where users.isLive(row) { users.setCard(row, countedCard(row)) }
  }

  /// The card of a user, from the lists.
  func countedCard(_ row: UInt32) -> UserCard {
    UserCard(
      id: users.identifiers.ids[row], followerCount: follows.sourceCount(row), followeeCount: follows.targetCount(row),
      postCount: posts.byAuthor.count(of: Int(row)))
  }

  /// Appends the lists of the newest user row.
  private mutating func appendUserRows() {
    posts.appendAuthor()
    for kind in RelationKind.allCases {
      modify(kind) { relation, _ in
        relation.appendSource()
        if kind.schema.target == .user { relation.appendTarget() }
      }
    }
  }

  private mutating func renameUser(
    _ user: UserID, _ username: String, replaying: Bool
  ) throws(KithError) -> Bool {
    let row = try userRow(user)
    let name = Array(username.utf8)
    let bytes = name.span
    try Self.checkName(bytes)
    if ByteSearch.compare(users.names.bytes(Int(row)), bytes) == 0 { return false }
    let twin = try twin(of: bytes, username, besides: row, replaying: replaying)
    users.rename(row, to: bytes)
    posts.setSignature(users.digests.signature(row), of: row)
    if let twin { users.notePair(row, twin) }
    return true
  }

  private mutating func removeUser(_ user: UserID) throws(KithError) -> Bool {
    let row = try userRow(user)
    posts.endDeferringLists()
    for post in posts.rows(of: row) { removePost(post) }
    removeFollows(of: row)
    for kind in RelationKind.allCases where kind != .follow {
      modify(kind) { relation, ids in
        relation.removeAll(from: row, ids: ids)
        if kind.schema.target == .user { relation.removeAll(to: row, ids: ids) }
      }
    }
    users.remove(row)
    return true
  }

  /// Checks a username: 1–255 bytes, no NUL, no line break (LF, VT, FF, CR, NEL, LS, PS).
  static func checkName(_ name: Span<UInt8>) throws(KithError) {
    if name.isEmpty { throw .invalidUsername(.isEmpty) }
    if name.count > SocialGraph.Limits.usernameByteCount { throw .invalidUsername(.isTooLong(byteCount: name.count)) }
    for index in name.indices {
      let byte = name[index]
      let isBreak =
        switch byte {
        case 0: true
        case 0x0A...0x0D: true
        case 0xC2: name[index + 1] == 0x85
        case 0xE2: name[index + 1] == 0x80 && (name[index + 2] == 0xA8 || name[index + 2] == 0xA9)
        default: false
        }
      if isBreak { throw .invalidUsername(.hasLineBreak) }
    }
  }

  // MARK: - Follows

  /// The timestamp stored for the time of a follow or like.
  static func timestamp(_ time: Timestamp?) throws(KithError) -> UInt32 {
    guard let time = time?.rawValue else { preconditionFailure("a change is completed before it is applied") }
    guard time >= 0 && time <= SocialGraph.Limits.edgeMilliseconds else {
      throw .invalidRequest(.edgeTime(Timestamp(rawValue: time)))
    }
    return UInt32(time / 1_000)
  }

  private mutating func unfollow(_ source: UInt32, _ row: UInt32) -> Bool {
    guard let edit = follows.removal(source, row, ids: users.identifiers.ids) else { return false }
    make(.unfollow(edit))
    return true
  }

  /// Removes the follows of a user in both directions.
  private mutating func removeFollows(of row: UInt32) {
    follows.buildBackward(ids: users.identifiers.ids)
    for followee in follows.targets(of: row) {
      let count = users.countFollow(row, followee, by: -1)
      popularity.note(followee, from: count + 1, to: count)
    }
    follows.removeAll(from: row, ids: users.identifiers.ids)
    popularity.note(row, from: follows.sourceCount(row), to: 0)
    for follower in follows.sources(of: row) { _ = users.countFollow(follower, row, by: -1) }
    follows.removeAll(to: row, ids: users.identifiers.ids)
  }

  // MARK: - Posts

  private mutating func addPost(
    _ id: PostID?, _ author: UserID, _ text: String, _ createdAt: Timestamp?
  ) throws(KithError) -> Bool {
    guard let id = id?.rawValue, let time = createdAt?.rawValue else {
      preconditionFailure("a change is completed before it is applied")
    }
    if id < 1 { throw .invalidRequest(.id(id)) }
    if time < 0 { throw .invalidRequest(.postTime(Timestamp(rawValue: time))) }
    if text.utf8.count > SocialGraph.Limits.textByteCount { throw .textTooLong(byteCount: text.utf8.count) }
    let row = try userRow(author)
    // These are scattered in memory: their cache misses overlap.
    posts.prefetchAuthor(row)
    users.prefetchCard(row)
    users.digests.prefetchSignature(row)
    if posts.identifiers.row(of: id) != nil { throw .postIDTaken(PostID(id)) }
    if posts.rowCount >= SocialGraph.Limits.rowCount {
      throw .limitExceeded(.postsEverAdded(limit: SocialGraph.Limits.rowCount))
    }
    text.withBytes { bytes in
      _ = posts.append(id: id, author: row, signature: users.digests.signature(row), time: time, text: bytes)
    }
    users.countPost(of: row, by: 1)
    likes.appendTarget()
    return true
  }

  private mutating func removePost(_ post: PostID) throws(KithError) -> Bool {
    removePost(try postRow(post))
    return true
  }

  private mutating func removePost(_ row: UInt32) {
    posts.endDeferringLists()
    likes.removeAll(to: row, ids: users.identifiers.ids)
    users.countPost(of: posts.authors[row], by: -1)
    posts.remove(row)
  }

  // MARK: - Other relations between users

  /// Adds or removes an edge of a relation that has only the rules of its schema: a block or a mute.
  private mutating func changeEdge(_ change: Change) throws(KithError) -> Bool {
    guard let edge = change.edge else { preconditionFailure("a change is of a user, of a post or of an edge") }
    let (kind, schema) = (edge.kind, edge.kind.schema)
    let (source, row) = (try userRow(edge.source), try userRow(UserID(edge.target)))
    if !edge.adds { return modify(kind) { $0.remove(source, row, ids: $1) } }
    let timestamp = schema.hasTime ? try Self.timestamp(edge.time) : 0
    if source == row, let refusal = schema.selfRefusal { throw refusal }
    if schema.isEndedByBlock && isBlocked(source, row) { throw .blocked }
    if !modify(kind, { $0.insert(source, row, timestamp: timestamp, ids: $1) }) { return false }
    if schema.hides == .everything { endEdges(between: source, row) }
    return true
  }

  /// Removes the edges that a block ends, in both directions.
  private mutating func endEdges(between user: UInt32, _ other: UInt32) {
    _ = unfollow(user, other)
    _ = unfollow(other, user)
    for kind in RelationKind.allCases where kind.schema.isEndedByBlock && kind != .follow {
      modify(kind) { relation, ids in
        _ = relation.remove(user, other, ids: ids)
        _ = relation.remove(other, user, ids: ids)
      }
    }
  }
}
