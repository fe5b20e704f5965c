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
    let facts = kind.facts
    for row in userRows() {
      var targets: [(id: Int64, timestamp: UInt32)] = []
      state[kind].forEachTarget(of: row) { target, timestamp in
        let id = facts.target == .post ? state.posts.identifiers.ids[target] : state.users.identifiers.ids[target]
        targets.append((id, timestamp))
      }
      targets.sort { $0.id < $1.id }
      for target in targets {
        try body(state.userID(row), target.id, facts.hasTime ? Timestamp(seconds: target.timestamp) : nil)
      }
    }
  }
}
