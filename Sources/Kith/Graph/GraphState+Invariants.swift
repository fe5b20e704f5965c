/// One check that walks everything reachable; it serves the tests, `verify` and the command line alike.
extension GraphState {
  /// What is wrong, in words; empty when the graph is sound.
  /// - Complexity: O(graph · log longest list).
  func checkInvariants() -> [Problem] {
    var problems: [Problem] = []
    func add(_ place: String, _ messages: [String]) {
      problems += messages.map { Problem(code: "invariant", place: place, message: $0) }
    }
    add("users", users.checkInvariants())
    add("posts", posts.checkInvariants())
    add("follows", follows.checkInvariants("follows", ids: users.identifiers.ids))
    add("popularity", popularity.checkInvariants(follows))
    add("likes", likes.checkInvariants("likes", ids: users.identifiers.ids))
    add("blocks", blocks.checkInvariants("blocks", ids: users.identifiers.ids))
    add("mutes", mutes.checkInvariants("mutes", ids: users.identifiers.ids))
    add("rows", checkRowCounts())
    add("edges", checkEdges())
    return problems
  }

  private func checkRowCounts() -> [String] {
    let users = users.rowCount
    let lists = [
      ("authors", posts.byAuthor.count), ("followers", follows.backward.count), ("followees", follows.forward.count),
      ("likes of users", likes.forward.count), ("blocks", blocks.forward.count), ("blockers", blocks.backward.count),
      ("mutes", mutes.forward.count), ("muters", mutes.backward.count),
    ]
    var problems = lists.filter { $0.1 != users }.map { "\($0.1) lists of \($0.0) for \(users) rows of users" }
    if likes.backward.count != posts.rowCount {
      problems.append("\(likes.backward.count) lists of likers for \(posts.rowCount) rows of posts")
    }
    return problems
  }

  /// Nothing leads to or from what was removed, nobody follows themselves, and no follow crosses a block.
  private func checkEdges() -> [String] {
    var problems: [String] = []
    for source in 0..<UInt32(users.rowCount) {
      let isLive = users.isLive(source)
      func check(_ relation: borrowing Relation, _ name: String, allowsSelf: Bool, _ isThere: (UInt32) -> Bool) {
        for run in 0..<relation.forward.runCount(of: Int(source)) {
          let elements = relation.forward.run(run, of: Int(source))
          for index in elements.indices {
            let target = Relation.target(elements[index])
            if !isLive || !isThere(target) { problems.append("\(name): \(source) to \(target) joins what was removed") }
            if !allowsSelf && source == target { problems.append("\(name): \(source) points at itself") }
          }
        }
      }
      check(follows, "follows", allowsSelf: false) { users.isLive($0) && !isBlocked(source, $0) }
      check(likes, "likes", allowsSelf: true) { posts.isLive($0) }
      check(blocks, "blocks", allowsSelf: false) { users.isLive($0) }
      check(mutes, "mutes", allowsSelf: false) { users.isLive($0) }
    }
    return problems
  }
}
