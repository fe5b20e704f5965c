/// The first hop of a two-hop query: the followees whose own followees are read, within a limit of follows.
///
/// Beyond the limit, the followees with the most follows are left out, because their follows say least about the user.
/// Of equal counts, the higher ids are left out. The choice thus depends only on the graph.
struct HopFrontier {
  /// The most followees read: the counters have sixteen bits, and the user counts too.
  static let maximumCount = Int(UInt16.max) - 1

  /// The rows of the followees whose own followees are read.
  private(set) var rows: [UInt32] = []
  /// The total number of their follows.
  private(set) var followCount = 0
  /// Whether some followees were left out.
  private(set) var isTruncated = false

  /// - Parameter followLimit: the most follows of followees to read.
  /// - Complexity: O(followees), and O(followees · log followees) beyond the limit.
  init(of user: UInt32, in state: borrowing GraphState, followLimit: Int) {
    rows.reserveCapacity(state.follows.targetCount(user))
    state.follows.forEachTarget(of: user) { row, _ in
      state.follows.forward.prefetchBlock(of: Int(row))
      rows.append(row)
    }
    for index in rows.indices {
      if index < 8 { state.follows.forward.prefetchElements(of: Int(rows[index])) }
      followCount += state.follows.targetCount(rows[index])
    }
    if followCount > followLimit || rows.count > Self.maximumCount { truncate(state, followLimit) }
  }

  /// Counts, for each user, how many of these followees follow that user.
  func countVisits(_ marks: VisitCounters, _ state: borrowing GraphState) {
    for index in rows.indices {
      if index + 8 < rows.count { state.follows.forward.prefetchElements(of: Int(rows[index + 8])) }
      state.follows.forward.forEachRun(of: Int(rows[index])) { marks.countVisits($0) }
    }
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
