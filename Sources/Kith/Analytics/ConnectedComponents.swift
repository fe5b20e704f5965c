/// The weakly connected components of the follow graph. Two users are in one component if a path of follows, in either
/// direction, connects them.
public struct ConnectedComponents: Sendable {
  /// One component.
  public struct Component: Hashable, Sendable {
    /// The first member that was added, which identifies the component.
    public let first: UserID
    /// The number of members.
    public let userCount: Int
  }

  /// All components, largest first; of equal sizes, the one whose first member has the lower id first.
  public let components: [Component]
  /// By row: the row of the first member of its component; for a removed user, the row itself.
  public let firstRows: [UInt32]

  /// The first member of a user's component; the user itself if it was added after the components were computed.
  /// - Parameters:
  ///   - user: a user of the graph.
  ///   - view: of the same graph, at that time or later.
  /// - Throws: `KithError.unknownUser`, `closed`.
  public func first(of user: UserID, in view: borrowing GraphView) throws(KithError) -> UserID {
    let row = try view.row(of: user)
    return row < firstRows.count ? view.state.userID(firstRows[row]) : user
  }
}

extension SocialGraph.Pin {
  /// Computes the connected components of the follow graph.
  /// - Throws: `KithError.cancelled`, `closed`.
  /// - Complexity: O(users + follows · log users) in the worst case, nearly O(users + follows) in practice, on all
  ///   cores; 8 bytes per user.
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
