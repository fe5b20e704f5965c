/// Whom the viewer follows: asked once for all users of a page.
extension Visibility {
  /// A list of at most so many followees is searched for one user after the other.
  private static var shortListCount: Int { 128 }

  /// Lends, for each of some users, whether the viewer follows them; nothing without a viewer.
  @inline(__always)
  func withFollowing<Result>(
    _ count: Int, _ state: borrowing GraphState, row: (Int) -> UInt32,
    _ body: (Span<UserRecord.Following>) -> Result
  ) -> Result {
    withTemporaryList(of: UserRecord.Following.self, capacity: viewer == nil ? 0 : count) { following in
      if let viewer { test(count, of: viewer, state, row: row, &following) }
      return body(following.span)
    }
  }

  @inline(__always)
  private func test(
    _ count: Int, of viewer: UInt32, _ state: borrowing GraphState, row: (Int) -> UInt32,
    _ following: inout OutputSpan<UserRecord.Following>
  ) {
    let isOneRun = state.follows.forward.isOneRun(Int(viewer))
    if isOneRun && state.follows.targetCount(viewer) <= Self.shortListCount {
      let followees = state.follows.forward.run(0, of: Int(viewer))
      for index in 0..<count { following.append(Adjacency.contains(row(index), in: followees) ? .yes : .no) }
    } else if state.follows.forward.runCount(of: Int(viewer)) > count {
      // To collect the runs of a very long list takes longer than to search it for a few users.
      for index in 0..<count { following.append(state.follows.contains(viewer, row(index)) ? .yes : .no) }
    } else {
      TargetSet.lend(targetsOf: viewer, in: state.follows) { test(count, $0, row: row, &following) }
    }
  }

  @inline(__always)
  private func test(
    _ count: Int, _ followees: borrowing TargetSet, row: (Int) -> UInt32,
    _ following: inout OutputSpan<UserRecord.Following>
  ) {
    withTemporaryList(of: UInt32.self, capacity: TargetSet.laneCount) { rows in
      for _ in 0..<TargetSet.laneCount { rows.append(0) }
      for start in stride(from: 0, to: count, by: TargetSet.laneCount) {
        let tested = min(TargetSet.laneCount, count - start)
        for lane in 0..<tested { rows[lane] = row(start + lane) }
        let members = followees.members(among: rows.span)
        for lane in 0..<tested { following.append(members >> UInt32(lane) & 1 == 0 ? .no : .yes) }
      }
    }
  }
}
