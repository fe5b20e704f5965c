/// Everything in the order of ids, for exports.
extension GraphView {
  /// Rows of users that are there, ids ascending.
  private func userRows() -> [UInt32] {
    (0..<UInt32(state.users.rowCount)).filter { state.users.isLive($0) }
      .sorted { state.userID($0) < state.userID($1) }
  }

  /// Every user, ids ascending.
  package func forEachUser<E: Error>(_ body: (UserID, String) throws(E) -> Void) throws(E) {
    for row in userRows() { try body(state.userID(row), state.users.names.string(Int(row))) }
  }

  /// Every post, ids ascending.
  package func forEachPost<E: Error>(_ body: (PostID, UserID, Timestamp, String) throws(E) -> Void) throws(E) {
    for row in postRows() {
      try body(
        state.postID(row), state.userID(state.posts.authors[row]), Timestamp(state.posts.times[row]),
        state.posts.texts.string(Int(row)))
    }
  }

  private func postRows() -> [UInt32] {
    (0..<UInt32(state.posts.rowCount)).filter { state.posts.isLive($0) }
      .sorted { state.postID($0) < state.postID($1) }
  }

  /// Every follow, by follower and followee.
  package func forEachFollow<E: Error>(_ body: (UserID, UserID, Timestamp) throws(E) -> Void) throws(E) {
    try forEachEdge(state.follows, toPosts: false) { user, target, time throws(E) in
      try body(user, UserID(target), time)
    }
  }

  /// Every like, by user and post.
  package func forEachLike<E: Error>(_ body: (UserID, PostID, Timestamp) throws(E) -> Void) throws(E) {
    try forEachEdge(state.likes, toPosts: true) { user, target, time throws(E) in
      try body(user, PostID(target), time)
    }
  }

  /// Every block, by blocker and blocked.
  package func forEachBlock<E: Error>(_ body: (UserID, UserID) throws(E) -> Void) throws(E) {
    try forEachEdge(state.blocks, toPosts: false) { user, target, _ throws(E) in try body(user, UserID(target)) }
  }

  /// Every mute, by muter and muted.
  package func forEachMute<E: Error>(_ body: (UserID, UserID) throws(E) -> Void) throws(E) {
    try forEachEdge(state.mutes, toPosts: false) { user, target, _ throws(E) in try body(user, UserID(target)) }
  }

  private func forEachEdge<E: Error>(
    _ relation: borrowing Relation, toPosts: Bool, _ body: (UserID, Int64, Timestamp) throws(E) -> Void
  ) throws(E) {
    for row in userRows() {
      var targets: [(id: Int64, second: UInt32)] = []
      for run in 0..<relation.forward.runCount(of: Int(row)) {
        let elements = relation.forward.run(run, of: Int(row))
        for index in elements.indices {
          let target = Relation.target(elements[index])
          let id = toPosts ? state.posts.identifiers.ids[target] : state.users.identifiers.ids[target]
          targets.append((id, Relation.second(elements[index])))
        }
      }
      targets.sort { $0.id < $1.id }
      for target in targets { try body(state.userID(row), target.id, Timestamp(second: target.second)) }
    }
  }
}
