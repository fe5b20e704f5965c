/// Whom two users have in common.
extension GraphState {
  /// Rows of those whom both follow, in the order of rows, from one on, at most so many.
  func mutualFollowees(_ first: UInt32, _ second: UInt32, from row: UInt32 = 0, limit: Int = .max) -> [UInt32] {
    Intersection.rows(of: first, and: second, in: follows.forward, from: row, limit: limit)
  }

  /// How many both follow.
  func mutualFolloweeCount(_ first: UInt32, _ second: UInt32) -> Int {
    Intersection.count(of: first, and: second, in: follows.forward)
  }

  /// Rows of those who follow both, in no order that means anything.
  ///
  /// Followers stand in the order of time, so there is nothing to merge. Either each follower of the less followed is
  /// asked whether they follow the other, or they are marked and the other's followers are looked through: a question
  /// costs about as much as thirty-two looks.
  /// - Complexity: O(fewer followers · log followees), or O(followers of both).
  func mutualFollowers(_ first: UInt32, _ second: UInt32) -> [UInt32] {
    let isOrdered = follows.sourceCount(first) <= follows.sourceCount(second)
    let (fewer, more) = isOrdered ? (first, second) : (second, first)
    if follows.sourceCount(fewer) == 0 { return [] }
    let asks = follows.sourceCount(more) / follows.sourceCount(fewer) >= 32
    var found: [UInt32] = []
    if asks {
      forEachFollower(of: fewer) { row in if follows.contains(row, more) { found.append(row) } }
      return found
    }
    return marks.lend(rowCount: users.rowCount) { marks in
      forEachFollower(of: fewer) { row in marks[row] = 1 }
      forEachFollower(of: more) { row in if marks[row] != 0 { found.append(row) } }
      forEachFollower(of: fewer) { row in marks[row] = 0 }
      return found
    }
  }

  @inline(__always)
  private func forEachFollower(of user: UInt32, _ body: (UInt32) -> Void) {
    follows.backward.forEachRun(of: Int(user)) { followers in
      for index in followers.indices { body(followers[index]) }
    }
  }
}
