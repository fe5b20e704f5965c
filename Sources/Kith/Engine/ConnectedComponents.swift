/// The parts that a graph falls into: users are in the same part if follows lead from the one to the other, whatever
/// their direction.
public struct ConnectedComponents: Sendable {
  /// One part.
  public struct Component: Hashable, Sendable {
    /// The member who appeared first: the name of the part.
    public let first: UserID
    /// How many members it has.
    public let userCount: Int
  }

  /// All parts, the largest first; of like size the one whose first member has the lower id.
  public let components: [Component]
  /// The row of the first member of every row's part; that of a removed user is its own.
  public let firstRows: [UInt32]

  /// The first member of a user's part; oneself for one who was not there when the parts were found. Errors:
  /// `unknownUser`.
  /// - Parameter view: of the same graph, then or later.
  public func first(of user: UserID, in view: borrowing GraphView) throws(KithError) -> UserID {
    let row = try view.row(of: user)
    return row < firstRows.count ? view.state.userID(firstRows[row]) : user
  }
}

extension Pin {
  /// The parts that the graph falls into. Errors: `cancelled`, `closed`.
  /// - Complexity: O(users + follows · log users) at worst, near O(users + follows), on all cores; 8 bytes a user.
  public func connectedComponents(control: PassControl = PassControl()) throws(KithError) -> ConnectedComponents {
    let pass = GraphPass(self, control: control, rounds: 2)
    let sets = DisjointSets(count: pass.rowCount)
    try pass.forEach { view, row in
      view.forEachFollowees(at: row) { followees in
        for index in followees.indices { sets.unite(UInt32(row), followees[index].row) }
      }
    }
    let firstRows = try pass.map(UInt32(0)) { _, row in sets.root(UInt32(row)) }
    control.finish()
    return ConnectedComponents(components: components(firstRows), firstRows: firstRows)
  }

  private func components(_ firstRows: [UInt32]) -> [ConnectedComponents.Component] {
    var counts = [Int](repeating: 0, count: firstRows.count)
    for (row, first) in firstRows.enumerated() where view.user(at: row) != nil { counts[Int(first)] += 1 }
    var components: [ConnectedComponents.Component] = []
    for (row, count) in counts.enumerated() where count > 0 {
      components.append(.init(first: view.state.userID(UInt32(row)), userCount: count))
    }
    return components.sorted { ($1.userCount, $0.first) < ($0.userCount, $1.first) }
  }
}
