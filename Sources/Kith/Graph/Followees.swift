/// Whose lists a question over two hops reads: the followees of a user, all of them if that stays within a limit.
///
/// Where it does not, those who follow most are left out (of as many, the higher ids), because they say least: who
/// follows everybody recommends nobody. So what is read depends on the graph alone.
struct Followees {
  /// Followees of one user that are read at most: what sixteen bits count, with the user.
  static let maximumCount = Int(UInt16.max) - 1

  /// Rows of the followees whose own followees are read.
  private(set) var rows: [UInt32] = []
  /// How many follows they have together.
  private(set) var followCount = 0
  /// Whether some were left out.
  private(set) var isTruncated = false

  /// - Parameter followLimit: how many follows of followees may be read.
  /// - Complexity: O(followees), and O(followees · log followees) beyond the limit.
  init(of user: UInt32, in state: borrowing GraphState, followLimit: Int) {
    rows.reserveCapacity(state.follows.targetCount(user))
    state.follows.forward.forEachRun(of: Int(user)) { followees in
      for index in followees.indices {
        let row = Relation.target(followees[index])
        state.follows.forward.prefetchBlock(of: Int(row))
        rows.append(row)
      }
    }
    for index in rows.indices {
      if index < 8 { state.follows.forward.prefetchElements(of: Int(rows[index])) }
      followCount += state.follows.targetCount(rows[index])
    }
    if followCount > followLimit || rows.count > Self.maximumCount { truncate(state, followLimit) }
  }

  private mutating func truncate(_ state: borrowing GraphState, _ limit: Int) {
    let lists = rows.map { row in
      (count: state.follows.targetCount(row), id: state.users.identifiers.id(of: row), row: row)
    }
    rows.removeAll(keepingCapacity: true)
    followCount = 0
    for list in lists.sorted(by: { ($0.count, $0.id) < ($1.count, $1.id) }) {
      if followCount + list.count > limit || rows.count == Self.maximumCount {
        isTruncated = true
        break
      }
      rows.append(list.row)
      followCount += list.count
    }
  }
}
