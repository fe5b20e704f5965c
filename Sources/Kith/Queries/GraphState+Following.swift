/// Whom a viewer follows: asked once for all users of a page.
extension GraphState {
  /// A list of at most so many followees is searched for one user after the other.
  private static var shortListCount: Int { 128 }

  /// Whether a viewer follows each of some users, in order.
  @inline(__always)
  borrowing func forEachFollowing(
    _ count: Int, by viewer: UInt32, row: (Int) -> UInt32, _ body: (Int, UserRecord.Following) -> Void
  ) {
    let isOneRun = follows.forward.isOneRun(Int(viewer))
    if isOneRun && follows.targetCount(viewer) <= Self.shortListCount {
      let followees = follows.forward.run(0, of: Int(viewer))
      for index in 0..<count { body(index, Adjacency.contains(row(index), in: followees) ? .yes : .no) }
    } else if follows.forward.runCount(of: Int(viewer)) > count {
      // To collect the runs of a very long list takes longer than to search it for a few users.
      for index in 0..<count { body(index, follows.contains(viewer, row(index)) ? .yes : .no) }
    } else {
      TargetSet.lend(targetsOf: viewer, in: follows) { Self.test(count, $0, row: row, body) }
    }
  }

  @inline(__always)
  private static func test(
    _ count: Int, _ followees: borrowing TargetSet, row: (Int) -> UInt32, _ body: (Int, UserRecord.Following) -> Void
  ) {
    withTemporaryList(of: UInt32.self, capacity: TargetSet.laneCount) { rows in
      for _ in 0..<TargetSet.laneCount { rows.append(0) }
      for start in stride(from: 0, to: count, by: TargetSet.laneCount) {
        let tested = min(TargetSet.laneCount, count - start)
        for lane in 0..<tested { rows[lane] = row(start + lane) }
        let members = followees.members(among: rows.span)
        for lane in 0..<tested { body(start + lane, members >> UInt32(lane) & 1 == 0 ? .no : .yes) }
      }
    }
  }
}
