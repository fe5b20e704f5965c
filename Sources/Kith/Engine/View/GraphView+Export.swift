/// Iteration in the order of ids, for exports.
extension GraphView {
  /// The rows of live users, ids ascending.
  private func userRows() -> [UInt32] {
    (0..<UInt32(state.users.rowCount)).filter { state.users.isLive($0) }
      .sorted { state.userID($0) < state.userID($1) }
  }

  /// Calls `body` with every user, ids ascending, and with what the host keeps with them.
  package func forEachUser<E: Error>(_ body: (UserID, String, UserFields) throws(E) -> Void) throws(E) {
    for row in userRows() {
      try body(state.userID(row), state.users.names.string(Int(row)), state.userFields(row))
    }
  }

  /// Whether the host keeps anything with a user, or with a post.
  package var hasUserFields: Bool { state.users.host != nil || state.users.hasDisplayNames || state.users.hasKinds }
  package var hasPostFields: Bool { state.posts.host != nil }

  /// Calls `body` with every post, ids ascending, with the post that it replies to, if that is there, and with what the
  /// host keeps with it.
  /// - Parameter isForImport: whether a reply comes after what it replies to, whatever their ids.
  package func forEachPost<E: Error>(
    isForImport: Bool = false,
    _ body: (PostID, UserID, Timestamp, _ parent: PostID?, String, PostFields) throws(E) -> Void
  ) throws(E) {
    func give(_ row: UInt32) throws(E) {
      try body(
        state.postID(row), state.userID(state.posts.authors[row]), Timestamp(state.posts.time(row)),
        parent(of: row).map { state.postID($0) }, state.posts.texts.string(Int(row)), state.postFields(row))
    }
    if !state.declared.hasThreads || !isForImport {
      for row in postRows() { try give(row) }
      return
    }
    var given = [Bool](repeating: false, count: state.posts.rowCount)
    for row in postRows() {
      var waiting = [row]
      while let last = waiting.last, !given[Int(last)], let parent = parent(of: last), !given[Int(parent)] {
        waiting.append(parent)
      }
      for row in waiting.reversed() where !given[Int(row)] {
        given[Int(row)] = true
        try give(row)
      }
    }
  }

  /// The post that a post replies to, unless it was removed.
  private func parent(of row: UInt32) -> UInt32? {
    guard state.declared.hasThreads, let parent = state.declared.threads.parent(of: row), state.posts.isLive(parent)
    else { return nil }
    return parent
  }

  /// The relation that makes threads, if there are replies.
  package var threadRelation: Relation? {
    guard state.declared.hasThreads, let kind = state.relations.thread else { return nil }
    return state.relations[kind]
  }

  private func postRows() -> [UInt32] {
    (0..<UInt32(state.posts.rowCount)).filter { state.posts.isLive($0) }
      .sorted { state.postID($0) < state.postID($1) }
  }

  /// Calls `body` with every edge of a relation, sorted by source, then target, and with its time if the relation has
  /// times.
  package func forEachEdge<E: Error>(
    of kind: RelationKind, _ body: (UserID, Int64, Timestamp?) throws(E) -> Void
  ) throws(E) {
    let hasTime = kind.facts.hasTime
    try forEachEdge(kind, from: userRows(), to: kind.facts.target) { (row, target, timestamp) throws(E) in
      try body(state.userID(row), target, hasTime ? Timestamp(seconds: timestamp) : nil)
    }
  }

  /// Calls `body` with every edge of a declared relation, sorted by source, then target: the relation, the ids of the
  /// ends, and the time if edges have their own.
  package func forEachEdge<E: Error>(
    ofDeclared name: String, _ body: (Relation, Int64, Int64, Timestamp?) throws(E) -> Void
  ) throws(E) {
    guard let relation = state.relations.declared.first(where: { $0.name == name }), let kind = relation.kind,
      state.isInUse(kind)
    else { return }
    let isFromUsers = relation.source == .user
    let rows = isFromUsers ? userRows() : postRows()
    try forEachEdge(kind, from: rows, to: relation.target) { (row, target, timestamp) throws(E) in
      let source = isFromUsers ? state.userID(row).rawValue : state.postID(row).rawValue
      try body(relation, source, target, relation.hasTime ? Timestamp(seconds: timestamp) : nil)
    }
  }

  /// The declared relations whose edges an export has in files of their own: those with edges, but for replies, which
  /// are given with their posts. In the order of the schema.
  package var exportedRelations: [Relation] {
    state.relations.declared.filter { relation in
      guard let kind = relation.kind, state.isInUse(kind), !relation.isThread else { return false }
      return state[kind].count > 0
    }
  }

  /// Calls `body` with the edges of some sources: the source, the id of the target, ascending, and the timestamp.
  private func forEachEdge<E: Error>(
    _ kind: RelationKind, from rows: [UInt32], to end: Relation.End,
    _ body: (UInt32, Int64, UInt32) throws(E) -> Void
  ) throws(E) {
    for row in rows {
      var targets: [(id: Int64, timestamp: UInt32)] = []
      state[kind].forEachTarget(of: row) { target, timestamp in
        let id = end == .post ? state.posts.identifiers.ids[target] : state.users.identifiers.ids[target]
        targets.append((id, timestamp))
      }
      targets.sort { $0.id < $1.id }
      for target in targets { try body(row, target.id, target.timestamp) }
    }
  }
}
