/// Iteration in the order of ids, for exports.
extension GraphView {
  /// The rows of live users, ids ascending.
  private func userRows() -> [UInt32] {
    (0..<UInt32(state.users.rowCount)).filter { state.users.isLive($0) }
      .sorted { state.userID($0) < state.userID($1) }
  }

  /// Calls `body` with every user, ids ascending.
  package func forEachUser<E: Error>(_ body: (UserID, String) throws(E) -> Void) throws(E) {
    for row in userRows() { try body(state.userID(row), state.users.names.string(Int(row))) }
  }

  /// Calls `body` with every post, ids ascending.
  package func forEachPost<E: Error>(_ body: (PostID, UserID, Timestamp, String) throws(E) -> Void) throws(E) {
    for row in postRows() {
      try body(
        state.postID(row), state.userID(state.posts.authors[row]), Timestamp(state.posts.time(row)),
        state.posts.texts.string(Int(row)))
    }
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

  /// Calls `body` with every edge of the declared relations, as the change that adds it: by relation, those that end
  /// with another after it, then by source and target.
  package func forEachDeclaredEdge<E: Error>(_ body: (Change) throws(E) -> Void) throws(E) {
    for relation in state.relations.byDependence {
      guard let kind = relation.kind, state.isInUse(kind) else { continue }
      let rows = relation.source == .user ? userRows() : postRows()
      try forEachEdge(kind, from: rows, to: relation.target) { (row, target, timestamp) throws(E) in
        let source: Node = relation.source == .user ? .user(state.userID(row)) : .post(state.postID(row))
        let time = Timestamp(seconds: timestamp)
        try body(.addEdge(relation, from: source, to: Node(relation.target, target), at: time))
      }
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
