/// Applying changes. Each change is fully validated before anything is modified.
///
/// Name rules are checked when a change is made, not when it is replayed. A change accepted by an older release, or
/// without names unique by loose key, thus replays to the same graph.
extension GraphState {
  /// Fills in the id and the time that the caller left to the engine.
  @inline(__always)
  func complete(_ change: Change, now: () -> Timestamp) throws(KithError) -> Change {
    switch change {
    case .addUser(nil, let username, let fields):
      return .addUser(id: UserID(try Self.next(users.identifiers.highest)), username: username, fields: fields)
    case .addPost(let id, let author, let text, let createdAt, let edges, let fields)
    where id == nil || createdAt == nil || !edges.isEmpty:
      let assigned = if let id { id } else { PostID(try Self.next(posts.identifiers.highest)) }
      let time = createdAt ?? now()
      return .addPost(
        id: assigned, by: author, text: text, createdAt: time, edges: try complete(edges, createdAt: time),
        fields: fields)
    case .follow(let user, let target, nil): return .follow(as: user, target: target, at: now())
    case .like(let user, let post, nil): return .like(as: user, post: post, at: now())
    case .addUser, .renameUser, .removeUser, .addPost, .removePost, .follow, .unfollow, .like, .unlike: return change
    default: return try completeEdge(change, now: now)
    }
  }

  /// Fills in the time of an edge of any relation. Not inlined: `complete` is on the path of every change.
  @inline(never)
  private func completeEdge(_ change: Change, now: () -> Timestamp) throws(KithError) -> Change {
    if let declared = try completeDeclared(change, now: now) { return declared }
    if let edit = try completeEdit(change, now: now) { return edit }
    guard var edge = change.edge, edge.adds, edge.kind.facts.hasTime, edge.time == nil else { return change }
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
    guard let edit = try edit(change, replaying: replaying) else { return false }
    apply(edit, of: change)
    return true
  }

  /// Makes an edit, which takes the next sequence number.
  /// - Parameter change: the change that was placed.
  @inline(__always)
  mutating func apply(_ edit: Edit, of change: Change) {
    switch edit {
    case .follow(let edge): follow(edge)
    case .unfollow(let edge): unfollow(edge)
    case .like(let edge): likes.insert(edge)
    case .unlike(let edge): likes.remove(edge)
    default: applyOther(edit, of: change)
    }
    sequence += 1
    if !declared.isEmpty { endEdges(after: edit) }
  }

  /// Not inlined, so that a follow or a like stays one function.
  @inline(never)
  private mutating func applyOther(_ edit: Edit, of change: Change) {
    switch edit {
    case .addPost(let author): addPost(change, author)
    case .addUser(let twin): addUser(change, twin)
    case .renameUser(let row, let twin): renameUser(row, change, twin)
    case .removeUser(let row): removeUser(row)
    case .removePost(let row): removePost(row)
    case .editUser(let row): editUser(row, change)
    case .editPost(let row): editPost(row, change)
    case .add(let kind, let edge):
      modify(kind) { $0.insert(edge) }
      noteEntry(kind, edge.source, edge.target, edge.timestamp, adds: true)
      if kind == .block { endEdges(between: edge.source, edge.target) }
    case .begin(let kind, let source, let target, let timestamp):
      begin(kind, source, target, timestamp)
    case .remove(let kind, let edge):
      modify(kind) { $0.remove(edge) }
      noteEntry(kind, edge.source, edge.target, edge.timestamp, adds: false)
    case .declare: declare(change)
    case .follow, .unfollow, .like, .unlike: preconditionFailure("these are made by `apply`")
    }
  }

  /// Whether the user or post that a change adds already exists, with equal properties.
  func holds(_ change: Change) -> Bool {
    switch change {
    case .addUser(let id?, let username, let fields):
      guard let row = users.row(of: id), has(fields, user: row) else { return false }
      return ByteSearch.compare(users.names.bytes(Int(row)), Array(username.utf8).span) == 0
    case .addPost(let id?, let author, let text, let createdAt?, _, let fields):
      guard let row = posts.row(of: id), posts.authors[row] == users.row(of: author) else { return false }
      return has(fields, post: row) && posts.time(row) == createdAt.rawValue
        && posts.texts.withBytes(Int(row)) { ByteSearch.compare($0, Array(text.utf8).span) } == 0
    default: return false
    }
  }

  // MARK: - Users

  private mutating func addUser(_ change: Change, _ twin: UInt32?) {
    guard case .addUser(let id?, let username, let fields) = change else {
      preconditionFailure("the edit is of another change")
    }
    let kind = fields.kind.flatMap { relations.userKinds.firstIndex(of: $0) }.map { UInt8($0) } ?? 0
    let row = username.withBytes { name in
      guard let displayName = fields.displayName else { return users.append(id: id.rawValue, name: name, kind: kind) }
      return displayName.withBytes { users.append(id: id.rawValue, name: name, displayName: $0, kind: kind) }
    }
    if let twin { users.notePair(row, twin) }
    appendUserRows()
    if !declared.isEmpty { declared.appendRow(of: .user) }
    if !fields.isEmpty { users.set(fields, of: row) }
  }

  /// Defers the backward lists (followers and likers) until `buildBackward`, for many edges at once. Private relations
  /// have few edges and are not deferred.
  mutating func deferBackward() {
    for kind in RelationKind.allCases where !kind.facts.isPrivate {
      modify(kind) { $0.deferBackward() }
    }
    popularity.deferUpdates()
  }

  /// Builds the deferred lists.
  /// - Complexity: O(edges · log longest list).
  mutating func buildBackward(workers: Int = 1) {
    for kind in kinds {
      // What leads to a user (`IncomingSearch`) is read of few posts by these bounds.
      let boundsGroups = relations.hasSchema && relations[kind].target == .post
      edit(kind, .buildBackward(workers: workers, boundsGroups: boundsGroups))
    }
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
      postCount: posts.byAuthor.count(of: Int(row)), flags: users.flags(of: row),
      isPrivate: users.isPrivate(row), kind: users.names.kind(row))
  }

  /// Appends the lists of the newest user row.
  private mutating func appendUserRows() {
    posts.appendAuthor()
    for kind in RelationKind.allCases {
      modify(kind) { relation in
        relation.appendSource()
        if kind.facts.target == .user { relation.appendTarget() }
      }
    }
  }

  private mutating func renameUser(_ row: UInt32, _ change: Change, _ twin: UInt32?) {
    guard case .renameUser(_, let username) = change else { preconditionFailure("the edit is of another change") }
    username.withBytes { users.rename(row, to: $0) }
    posts.setSignature(users.digests.signature(row), of: row)
    if let twin { users.notePair(row, twin) }
  }

  private mutating func removeUser(_ row: UInt32) {
    posts.endDeferringLists()
    for post in posts.rows(of: row) { removePost(post) }
    removeFollows(of: row)
    removeDeclared(of: row, .user)
    for kind in RelationKind.allCases where kind != .follow {
      edit(kind, .removeAllFrom(row))
      if kind.facts.target == .user { edit(kind, .removeAllTo(row)) }
    }
    users.remove(row)
  }

  // MARK: - Follows

  @inline(__always)
  private mutating func follow(_ edge: Adjacency.EdgeEdit) {
    follows.insert(edge)
    let count = users.countFollow(edge.source, edge.target, by: 1)
    popularity.note(edge.target, from: count - 1, to: count)
  }

  @inline(__always)
  private mutating func unfollow(_ edge: Adjacency.EdgeEdit) {
    follows.remove(edge)
    let count = users.countFollow(edge.source, edge.target, by: -1)
    popularity.note(edge.target, from: count + 1, to: count)
  }

  /// Removes the follows of a user in both directions.
  private mutating func removeFollows(of row: UInt32) {
    follows.buildBackward(order: users.identifiers.ids)
    for followee in follows.targets(of: row) {
      let count = users.countFollow(row, followee, by: -1)
      popularity.note(followee, from: count + 1, to: count)
    }
    follows.removeAll(from: row, order: users.identifiers.ids)
    popularity.note(row, from: follows.sourceCount(row), to: 0)
    for follower in follows.sources(of: row) { _ = users.countFollow(follower, row, by: -1) }
    follows.removeAll(to: row, order: users.identifiers.ids)
  }

  // MARK: - Posts

  private mutating func addPost(_ change: Change, _ author: UInt32) {
    guard case .addPost(let id?, _, let text, let time?, let edges, let fields) = change else {
      preconditionFailure("the edit is of another change")
    }
    let row = text.withBytes { bytes in
      posts.append(
        id: id.rawValue, author: author, signature: users.digests.signature(author), time: time.rawValue, text: bytes)
    }
    users.countPost(of: author, by: 1)
    likes.appendTarget()
    if !declared.isEmpty { declared.appendRow(of: .post) }
    if !edges.isEmpty { addEdges(edges, of: row) }
    if !fields.isEmpty { posts.set(fields, of: row) }
  }

  private mutating func removePost(_ row: UInt32) {
    posts.endDeferringLists()
    // Here, because `removeAll` builds them without bounds for groups of posts.
    if likes.defersBackward { edit(.like, .buildBackward(workers: 1, boundsGroups: relations.hasSchema)) }
    likes.removeAll(to: row, order: users.identifiers.ids)
    removeDeclared(of: row, .post)
    declared.endConversation(of: row, posts)
    users.countPost(of: posts.authors[row], by: -1)
    posts.remove(row, keepingTime: relations.hasSchema)
  }

  // MARK: - Other relations between users

  /// Removes the edges that a block ends, in both directions.
  private mutating func endEdges(between user: UInt32, _ other: UInt32) {
    for (source, target) in [(user, other), (other, user)] {
      if let edge = follows.removal(source, target, order: users.identifiers.ids) { unfollow(edge) }
    }
    for kind in RelationKind.allCases where kind.facts.isEndedByBlock && kind != .follow {
      edit(kind, .remove(user, other))
      edit(kind, .remove(other, user))
    }
  }
}
