/// Friends of friends: whom a user's followees follow, by how many of them do.
extension GraphState {
  /// The best candidates: not the user, not yet followed, not across a block.
  ///
  /// Everybody is counted, and whoever is not wanted is crossed out afterwards: that is once for each such user, where
  /// a test while counting is once for each follow.
  /// - Complexity: O(followees + their follows + limit · log limit).
  func suggestions(for user: UInt32, _ followees: Followees, limit: Int) -> [(row: UInt32, mutualCount: Int)] {
    marks.lend(rowCount: users.rowCount) { marks in
      tally(followees, marks)
      marks[user] = 0
      marks.crossOut(targetsOf: user, in: follows)
      marks.crossOut(targetsOf: user, in: blocks)
      marks.crossOut(sourcesOf: user, in: blocks)
      return users.identifiers.isAscending ? bestByRow(marks, limit) : bestByID(marks, limit)
    }
  }

  /// Counts whom the followees follow.
  func tally(_ followees: Followees, _ marks: RowMarks) {
    let rows = followees.rows
    for index in rows.indices {
      if index + 8 < rows.count { follows.forward.prefetchElements(of: Int(rows[index + 8])) }
      follows.forward.forEachRun(of: Int(rows[index])) { marks.tally($0) }
    }
  }

  /// A key in one word: the count in the high half, the complement of the row in the low one.
  private func bestByRow(_ marks: RowMarks, _ limit: Int) -> [(row: UInt32, mutualCount: Int)] {
    var best = BestKeys<UInt64>(limit: limit)
    marks.drain { row, count in
      if count > 0 { best.push(UInt64(count) << 32 | UInt64(~row)) }
    }
    return best.sorted().map { (~UInt32(truncatingIfNeeded: $0), Int($0 >> 32)) }
  }

  private func bestByID(_ marks: RowMarks, _ limit: Int) -> [(row: UInt32, mutualCount: Int)] {
    var best = BestKeys<WeightedID<UInt16>>(limit: limit)
    marks.drain { row, count in
      if count > 0 { best.push(WeightedID(weight: count, id: users.identifiers.ids[row])) }
    }
    return best.sorted().compactMap { key in
      users.identifiers.row(of: key.id).map { ($0, Int(key.weight)) }
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

  /// Rows in the order of their ids.
  func sortedByID(_ rows: [UInt32]) -> [UInt32] {
    if users.identifiers.isAscending { return rows.sorted() }
    return rows.map { (id: users.identifiers.ids[$0], row: $0) }.sorted { $0.id < $1.id }.map(\.row)
  }
}
