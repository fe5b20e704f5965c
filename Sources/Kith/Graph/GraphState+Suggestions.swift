/// Friends of friends: whom a user's followees follow, by how many of them do.
extension GraphState {
  /// The best candidates: not the user, not yet followed, not across a block.
  ///
  /// Everybody is counted, and whoever is not wanted is crossed out afterwards: that is once for each such user, where
  /// a test while counting is once for each follow.
  /// - Complexity: O(followees + their follows + limit · log limit).
  func suggestions(for user: UInt32, _ followees: Followees, limit: Int) -> [BestRows<UInt16>.Entry] {
    marks.lend(rowCount: users.rowCount) { marks in
      marks.reserve(elementCount: followees.followCount)
      for row in followees.rows {
        for run in 0..<follows.forward.runCount(of: Int(row)) { marks.tally(follows.forward.run(run, of: Int(row))) }
      }
      marks[user] = 0
      crossOut(targetsOf: user, in: follows, marks)
      crossOut(targetsOf: user, in: blocks, marks)
      crossOut(sourcesOf: user, in: blocks, marks)
      var best = BestRows<UInt16>(limit: limit)
      marks.drain { row, count in
        if count > 0 && best.wants(count) {
          best.push(.init(weight: count, id: users.identifiers.id(of: row), row: row))
        }
      }
      return best.sorted()
    }
  }

  private func crossOut(targetsOf user: UInt32, in relation: borrowing Relation, _ marks: RowMarks) {
    for run in 0..<relation.forward.runCount(of: Int(user)) {
      let targets = relation.forward.run(run, of: Int(user))
      for index in targets.indices { marks[Relation.target(targets[index])] = 0 }
    }
  }

  private func crossOut(sourcesOf user: UInt32, in relation: borrowing Relation, _ marks: RowMarks) {
    for run in 0..<relation.backward.runCount(of: Int(user)) {
      let sources = relation.backward.run(run, of: Int(user))
      for index in sources.indices { marks[sources[index]] = 0 }
    }
  }

  /// Of a user's followees the first by id who follow another: who they have in common with a suggestion.
  /// - Parameter followees: rows, ids ascending.
  /// - Complexity: O(followees · log longest list) at worst; it stops at `limit`.
  func firstMutuals(with candidate: UInt32, among followees: [UInt32], limit: Int) -> [UInt32] {
    var found: [UInt32] = []
    for row in followees where follows.contains(row, candidate) {
      found.append(row)
      if found.count == limit { break }
    }
    return found
  }

  /// Rows in the order of ids, which mostly they have already.
  func sortedByID(_ rows: [UInt32]) -> [UInt32] {
    let ids = rows.map { users.identifiers.id(of: $0) }
    if zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }) { return rows }
    return zip(ids, rows).sorted { $0.0 < $1.0 }.map(\.1)
  }
}
