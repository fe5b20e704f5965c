/// Applying changes: validate, then change; nothing is touched before everything is known to hold.
extension GraphState {
  /// Fills in the id and the time that a writer left to the engine.
  func complete(_ change: Change, now: () -> Timestamp) throws(KithError) -> Change {
    switch change {
    case .addUser(nil, let username):
      return .addUser(id: UserID(try Self.next(users.identifiers.highest)), username: username)
    case .addPost(let id, let author, let text, let createdAt) where id == nil || createdAt == nil:
      let assigned = if let id { id } else { PostID(try Self.next(posts.identifiers.highest)) }
      return .addPost(id: assigned, author: author, text: text, createdAt: createdAt ?? now())
    case .follow(let user, let target, nil): return .follow(user, target, at: now())
    case .like(let user, let post, nil): return .like(user, post, at: now())
    default: return change
    }
  }

  private static func next(_ highest: Int64) throws(KithError) -> Int64 {
    if highest == Int64.max { throw .limitExceeded("ids: the highest possible one is in use") }
    return highest + 1
  }

  /// Makes one complete change. Returns whether it changed anything; if so it has the next sequence number.
  /// - Precondition: ids and times are filled in (`complete`).
  mutating func apply(_ change: Change) throws(KithError) -> Bool {
    let changed =
      switch change {
      case .addUser(let id, let username): try addUser(id, username)
      case .renameUser(let user, let username): try renameUser(user, username)
      case .removeUser(let user): try removeUser(user)
      case .follow(let user, let target, let time): try follow(user, target, time)
      case .unfollow(let user, let target): try unfollow(user, target)
      case .addPost(let id, let author, let text, let time): try addPost(id, author, text, time)
      case .removePost(let post): try removePost(post)
      case .like(let user, let post, let time): try like(user, post, time)
      case .unlike(let user, let post): try unlike(user, post)
      case .block(let user, let target): try block(user, target)
      case .unblock(let user, let target): try unblock(user, target)
      case .mute(let user, let target): try mute(user, target)
      case .unmute(let user, let target): try unmute(user, target)
      }
    if changed { sequence += 1 }
    return changed
  }

  // MARK: - Users

  private mutating func addUser(_ id: UserID?, _ username: String) throws(KithError) -> Bool {
    guard let id = id?.rawValue else { preconditionFailure("a change is completed before it is applied") }
    if id < 1 { throw .invalidRequest(reason: "an id is 1 or more") }
    if users.identifiers.row(of: id) != nil { throw .idTaken(id) }
    if users.rowCount >= Limits.rowCount { throw .limitExceeded("users") }
    let name = Array(username.utf8)
    let bytes = name.span
    try Self.checkName(bytes)
    if users.row(named: bytes) != nil { throw .usernameTaken(username) }
    _ = users.append(id: id, name: bytes)
    appendUserRows()
    return true
  }

  /// Many changes come at once: indexes and backward sides wait for `endBulk`.
  mutating func beginBulk() {
    users.deferSearch()
    posts.deferIndex()
    deferBackward()
  }

  mutating func endBulk() {
    users.buildSearch()
    posts.endDeferringIndex()
    buildBackward()
  }

  /// Many edges come at once: followers and likers wait for `buildBackward`.
  mutating func deferBackward() {
    follows.deferBackward()
    popularity.deferUpdates()
    likes.deferBackward()
  }

  /// Makes the lists that wait: O(edges · log longest list).
  mutating func buildBackward() {
    follows.buildBackward(ids: users.identifiers.ids)
    popularity = Popularity(follows)
    likes.buildBackward(ids: users.identifiers.ids)
  }

  /// Gives the newest row of users its lists.
  mutating func appendUserRows() {
    posts.appendAuthor()
    follows.appendSource()
    follows.appendTarget()
    likes.appendSource()
    blocks.appendSource()
    blocks.appendTarget()
    mutes.appendSource()
    mutes.appendTarget()
  }

  private mutating func renameUser(_ user: UserID, _ username: String) throws(KithError) -> Bool {
    let row = try userRow(user)
    let name = Array(username.utf8)
    let bytes = name.span
    try Self.checkName(bytes)
    if let holder = users.row(named: bytes), holder != row { throw .usernameTaken(username) }
    if ByteSearch.compare(users.names.bytes(Int(row)), bytes) == 0 { return false }
    users.rename(row, to: bytes)
    return true
  }

  private mutating func removeUser(_ user: UserID) throws(KithError) -> Bool {
    let row = try userRow(user)
    for post in posts.rows(of: row) { removePost(post) }
    likes.removeAll(from: row, ids: users.identifiers.ids)
    removeFollows(of: row)
    blocks.removeAll(from: row, ids: users.identifiers.ids)
    blocks.removeAll(to: row, ids: users.identifiers.ids)
    mutes.removeAll(from: row, ids: users.identifiers.ids)
    mutes.removeAll(to: row, ids: users.identifiers.ids)
    users.remove(row)
    return true
  }

  /// 1–255 bytes, no NUL, no line break (LF, VT, FF, CR, NEL, LS, PS).
  static func checkName(_ name: Span<UInt8>) throws(KithError) {
    if name.isEmpty { throw .invalidUsername(reason: "is at least one byte") }
    if name.count > Limits.usernameByteCount {
      throw .invalidUsername(reason: "is at most \(Limits.usernameByteCount) bytes; this has \(name.count)")
    }
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
      if isBreak { throw .invalidUsername(reason: "holds no NUL and no line break") }
    }
  }

  // MARK: - Follows

  /// A time of a follow or a like as the second that is kept.
  private static func second(_ time: Timestamp?) throws(KithError) -> UInt32 {
    guard let time = time?.rawValue else { preconditionFailure("a change is completed before it is applied") }
    guard time >= 0 && time <= Limits.edgeMilliseconds else {
      throw .invalidRequest(reason: "the time of a follow or a like is 0 to \(Limits.edgeMilliseconds) ms since 1970")
    }
    return UInt32(time / 1_000)
  }

  private mutating func follow(_ user: UserID, _ target: UserID, _ time: Timestamp?) throws(KithError) -> Bool {
    if user == target { throw .cannotFollowSelf }
    let second = try Self.second(time)
    let source = try userRow(user)
    let row = try userRow(target)
    if blocks.count > 0 && isBlocked(source, row) { throw .blocked }
    if !follows.insert(source, row, second: second, ids: users.identifiers.ids) { return false }
    let count = follows.sourceCount(row)
    popularity.note(row, from: count - 1, to: count)
    return true
  }

  private mutating func unfollow(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    unfollow(try userRow(user), try userRow(target))
  }

  private mutating func unfollow(_ source: UInt32, _ row: UInt32) -> Bool {
    if !follows.remove(source, row, ids: users.identifiers.ids) { return false }
    let count = follows.sourceCount(row)
    popularity.note(row, from: count + 1, to: count)
    return true
  }

  /// Both ways.
  private mutating func removeFollows(of row: UInt32) {
    var followees: [UInt32] = []
    for run in 0..<follows.forward.runCount(of: Int(row)) {
      let elements = follows.forward.run(run, of: Int(row))
      for index in elements.indices { followees.append(Relation.target(elements[index])) }
    }
    follows.removeAll(from: row, ids: users.identifiers.ids)
    for followee in followees {
      let count = follows.sourceCount(followee)
      popularity.note(followee, from: count + 1, to: count)
    }
    popularity.note(row, from: follows.sourceCount(row), to: 0)
    follows.removeAll(to: row, ids: users.identifiers.ids)
  }

  // MARK: - Posts

  private mutating func addPost(
    _ id: PostID?, _ author: UserID, _ text: String, _ createdAt: Timestamp?
  ) throws(KithError) -> Bool {
    guard let id = id?.rawValue, let time = createdAt?.rawValue else {
      preconditionFailure("a change is completed before it is applied")
    }
    if id < 1 { throw .invalidRequest(reason: "an id is 1 or more") }
    if time < 0 { throw .invalidRequest(reason: "the time of a post is 0 ms since 1970 or more") }
    if text.utf8.count > Limits.textByteCount { throw .textTooLong(byteCount: text.utf8.count) }
    let row = try userRow(author)
    if posts.identifiers.row(of: id) != nil { throw .idTaken(id) }
    if posts.rowCount >= Limits.rowCount { throw .limitExceeded("posts") }
    _ = posts.append(id: id, author: row, time: time, text: Array(text.utf8).span)
    likes.appendTarget()
    return true
  }

  private mutating func removePost(_ post: PostID) throws(KithError) -> Bool {
    removePost(try postRow(post))
    return true
  }

  private mutating func removePost(_ row: UInt32) {
    likes.removeAll(to: row, ids: users.identifiers.ids)
    posts.remove(row)
  }

  // MARK: - Likes

  private func liking(_ user: UserID, _ post: PostID) throws(KithError) -> (user: UInt32, post: UInt32) {
    let row = try postRow(post)
    let source = try userRow(user)
    if blocks.count > 0 && isBlocked(source, posts.authors[row]) { throw .blocked }
    return (source, row)
  }

  private mutating func like(_ user: UserID, _ post: PostID, _ time: Timestamp?) throws(KithError) -> Bool {
    let second = try Self.second(time)
    let rows = try liking(user, post)
    return likes.insert(rows.user, rows.post, second: second, ids: users.identifiers.ids)
  }

  private mutating func unlike(_ user: UserID, _ post: PostID) throws(KithError) -> Bool {
    let rows = try liking(user, post)
    return likes.remove(rows.user, rows.post, ids: users.identifiers.ids)
  }

  // MARK: - Blocks and mutes

  private mutating func block(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    let (source, row) = (try userRow(user), try userRow(target))
    if source == row { throw .invalidRequest(reason: "nobody blocks themselves") }
    if !blocks.insert(source, row, second: 0, ids: users.identifiers.ids) { return false }
    _ = unfollow(source, row)
    _ = unfollow(row, source)
    return true
  }

  private mutating func unblock(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    blocks.remove(try userRow(user), try userRow(target), ids: users.identifiers.ids)
  }

  private mutating func mute(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    let (source, row) = (try userRow(user), try userRow(target))
    if source == row { throw .invalidRequest(reason: "nobody mutes themselves") }
    return mutes.insert(source, row, second: 0, ids: users.identifiers.ids)
  }

  private mutating func unmute(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    mutes.remove(try userRow(user), try userRow(target), ids: users.identifiers.ids)
  }
}
