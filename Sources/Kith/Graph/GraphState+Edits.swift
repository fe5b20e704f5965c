/// Every change is made in two parts: it is validated and placed while readers run, then written while none does.
extension GraphState {
  /// A change that was validated and placed: to make it cannot fail. Valid until the next change. Texts stay in the
  /// change, so that an edit is copied without counting references.
  enum Edit {
    case follow(Adjacency.EdgeEdit)
    case unfollow(Adjacency.EdgeEdit)
    case like(Adjacency.EdgeEdit)
    case unlike(Adjacency.EdgeEdit)
    /// Of a relation that has only the rules of its facts: a block or a mute.
    case add(RelationKind, Adjacency.EdgeEdit)
    case remove(RelationKind, Adjacency.EdgeEdit)
    /// The first edge of a declared relation, whose index is made with it.
    case begin(RelationKind, source: UInt32, target: UInt32, timestamp: UInt32)
    case declare
    /// `twin` is who has the same name, where a change is replayed.
    case addUser(twin: UInt32?)
    case renameUser(UInt32, twin: UInt32?)
    case removeUser(UInt32)
    case addPost(author: UInt32)
    case removePost(UInt32)
    case editUser(UInt32)
    case editPost(UInt32)
  }

  /// Validates and places a change. Writes nothing.
  /// - Parameter replaying: whether the change was made before and is replayed.
  /// - Returns: nil if it has no effect.
  /// - Precondition: ids and times are filled in (`complete`).
  @inline(__always)
  func edit(_ change: Change, replaying: Bool = false) throws(KithError) -> Edit? {
    switch change {
    case .follow(let user, let target, let time): return try follow(user, target, time)
    case .unfollow(let user, let target):
      let (source, row) = (try userRow(user), try userRow(target))
      users.prefetchCards(source, row)
      return follows.removal(source, row, order: users.identifiers.ids).map { .unfollow($0) }
    case .like(let user, let post, let time):
      let timestamp = try Self.timestamp(time)
      let rows = try liking(user, post)
      return likes.insertion(rows.user, rows.post, timestamp: timestamp, order: users.identifiers.ids).map { .like($0) }
    case .unlike(let user, let post):
      let rows = try liking(user, post)
      return likes.removal(rows.user, rows.post, order: users.identifiers.ids).map { .unlike($0) }
    default: return try otherEdit(change, replaying: replaying)
    }
  }

  /// Not inlined, so that the edit of a follow or a like stays one function.
  @inline(never)
  private func otherEdit(_ change: Change, replaying: Bool) throws(KithError) -> Edit? {
    switch change {
    case .addPost(let id, let author, let text, let time, let edges, let fields):
      let row = try authorRow(ofNew: id, author, text, time)
      if !edges.isEmpty, let time { _ = try placed(edges, createdAt: time) }
      try check(fields)
      return .addPost(author: row)
    case .addUser(let id, let username, let fields):
      let twin = try twin(ofNew: id, username, fields, replaying: replaying)
      try check(fields)
      return .addUser(twin: twin)
    case .editUser(let user, let fields): return try editing(user, fields)
    case .editPost(let post, let text, let fields): return try editing(post, text, fields)
    case .renameUser(let user, let username): return try renaming(user, username, replaying: replaying)
    case .removeUser(let user): return .removeUser(try userRow(user))
    case .removePost(let post): return .removePost(try postRow(post))
    case .addEdge(let relation, let source, let target, let time):
      return try adding(relation, source, target, at: time)
    case .removeEdge(let relation, let source, let target): return try removing(relation, source, target)
    case .declare(let schema): return try relations.missing(of: schema) == nil ? nil : .declare
    default: return try edgeEdit(change)
    }
  }

  /// Prefetches what an edit writes.
  @inline(__always)
  func prefetch(_ edit: Edit) {
    switch edit {
    case .follow(let edge), .unfollow(let edge): follows.prefetch(edge)
    case .like(let edge), .unlike(let edge): likes.prefetch(edge)
    default: break
    }
  }

  // MARK: - Users

  private func twin(
    ofNew id: UserID?, _ username: String, _ fields: UserFields, replaying: Bool
  ) throws(KithError) -> UInt32? {
    guard let id = id?.rawValue else { preconditionFailure("a change is completed before it is placed") }
    if id < 1 { throw .invalidRequest(.id(id)) }
    if users.identifiers.row(of: id) != nil { throw .userIDTaken(UserID(id)) }
    if users.rowCount >= SocialGraph.Limits.rowCount {
      throw .limitExceeded(.usersEverAdded(limit: SocialGraph.Limits.rowCount))
    }
    let name = Array(username.utf8)
    try Self.checkName(name.span)
    if fields.kind != nil { try checkMayHaveFields() }
    let kind = try relations.number(ofKind: fields.kind)
    return try twin(of: name.span, username, kind, replaying: replaying)
  }

  private func renaming(_ user: UserID, _ username: String, replaying: Bool) throws(KithError) -> Edit? {
    let row = try userRow(user)
    let name = Array(username.utf8)
    try Self.checkName(name.span)
    if ByteSearch.compare(users.names.bytes(Int(row)), name.span) == 0 { return nil }
    return .renameUser(
      row, twin: try twin(of: name.span, username, users.names.kind(row), besides: row, replaying: replaying))
  }

  /// The user who will share a given name; nil unless a change is replayed.
  private func twin(
    of name: Span<UInt8>, _ username: String, _ kind: UInt8, besides row: UInt32? = nil, replaying: Bool
  ) throws(KithError) -> UInt32? {
    guard let holder = users.holder(of: name, ofKind: kind, besides: row, loosely: !replaying) else { return nil }
    guard replaying, users.mayShare(name, with: holder, besides: row) else { throw .usernameTaken(username) }
    return holder
  }

  /// Checks a username: 1–255 bytes, no NUL, no line break (LF, VT, FF, CR, NEL, LS, PS).
  static func checkName(_ name: Span<UInt8>) throws(KithError) {
    if let problem = problem(ofName: name) { throw .invalidUsername(problem) }
  }

  /// What is wrong with a username, or a display name that is not empty; nil if nothing is.
  @inline(__always)
  static func problem(ofName name: Span<UInt8>) -> KithError.UsernameProblem? {
    if name.isEmpty { return .isEmpty }
    if name.count > SocialGraph.Limits.usernameByteCount { return .isTooLong(byteCount: name.count) }
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
      if isBreak { return .hasLineBreak }
    }
    return nil
  }

  // MARK: - Posts

  @inline(__always)
  private func authorRow(
    ofNew id: PostID?, _ author: UserID, _ text: String, _ createdAt: Timestamp?
  ) throws(KithError) -> UInt32 {
    guard let id = id?.rawValue, let time = createdAt?.rawValue else {
      preconditionFailure("a change is completed before it is placed")
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
    return row
  }

  // MARK: - Edges

  private func follow(_ user: UserID, _ target: UserID, _ time: Timestamp?) throws(KithError) -> Edit? {
    if user == target { throw .cannotFollowSelf }
    let timestamp = try Self.timestamp(time)
    let source = try userRow(user)
    let row = try userRow(target)
    if blocks.count > 0 && isBlocked(source, row) { throw .blocked }
    users.prefetchCards(source, row)
    return follows.insertion(source, row, timestamp: timestamp, order: users.identifiers.ids).map { .follow($0) }
  }

  private func liking(_ user: UserID, _ post: PostID) throws(KithError) -> (user: UInt32, post: UInt32) {
    let row = try postRow(post)
    let source = try userRow(user)
    if blocks.count > 0 && isBlocked(source, posts.authors[row]) { throw .blocked }
    return (source, row)
  }

  /// An edge of a relation that has only the rules of its facts.
  private func edgeEdit(_ change: Change) throws(KithError) -> Edit? {
    guard let edge = change.edge else { preconditionFailure("a change is of a user, of a post or of an edge") }
    let (kind, facts) = (edge.kind, edge.kind.facts)
    let (source, row) = (try userRow(edge.source), try userRow(UserID(edge.target)))
    if !edge.adds {
      return self[kind].removal(source, row, order: users.identifiers.ids).map { .remove(kind, $0) }
    }
    let timestamp = facts.hasTime ? try Self.timestamp(edge.time) : 0
    if source == row, let refusal = facts.selfRefusal { throw refusal }
    if facts.isEndedByBlock && isBlocked(source, row) { throw .blocked }
    return self[kind].insertion(source, row, timestamp: timestamp, order: users.identifiers.ids).map { .add(kind, $0) }
  }

  /// The timestamp stored for the time of a follow or like.
  static func timestamp(_ time: Timestamp?) throws(KithError) -> UInt32 {
    guard let time = time?.rawValue else { preconditionFailure("a change is completed before it is placed") }
    guard time >= 0 && time <= SocialGraph.Limits.edgeMilliseconds else {
      throw .invalidRequest(.edgeTime(Timestamp(rawValue: time)))
    }
    return UInt32(time / 1_000)
  }
}
