/// The other plan for a timeline: all posts backwards from a bound, keeping those whose author the user follows.
///
/// Far back, the merge has to look for a place in nearly every followee's list, because nearly everybody has posted
/// since: 60 to 100 ns each. A walk looks at about limit / (the followees' share of all posts) posts instead, at 30 to
/// 80 ns each. It gives up as soon as the share that it sees would make it the dearer plan.
struct TimelineWalk {
  /// Fewer followees are searched sooner than anything is estimated.
  private static let fewestFollowees = 16
  /// Posts between two looks at how it goes.
  private static let stride = 32

  let user: UInt32
  let includeSelf: Bool
  /// Only posts whose key lies between, neither included.
  let low: PostKey
  let high: PostKey
  let limit: Int

  /// Fills `rows` with the newest posts before the bound, and answers true; false when a merge is the better plan, or
  /// became it.
  /// - Complexity: O(log posts + followees), the latter for the posts looked at.
  func fill(_ rows: inout [UInt32], _ state: borrowing GraphState) -> Bool {
    let followeeCount = state.follows.targetCount(user)
    guard followeeCount >= Self.fewestFollowees, high.time < .max else { return false }
    let all = state.posts.all.partitionPoint(of: 0) { state.posts.isBefore($0, high) }
    // At most so many followees have a newer post; if that is few, the merge searches few lists.
    let newerCount = state.posts.all.count(of: 0, from: all)
    guard newerCount > followeeCount / 2 else { return false }
    let isFound = walk(back: all, budget: max(2 * Self.stride, followeeCount), &rows, state)
    if !isFound { rows.removeAll(keepingCapacity: true) }
    return isFound
  }

  private func walk(
    back end: PackedLists<UInt32>.Position, budget: Int, _ rows: inout [UInt32], _ state: borrowing GraphState
  ) -> Bool {
    let mutes = state.mutes.targetCount(user) > 0
    var visitedCount = 0
    var upper = end.offset
    for run in (0...end.run).reversed() {
      let posts = state.posts.all.run(run, of: 0)
      if run < end.run { upper = posts.count }
      for offset in (0..<upper).reversed() {
        let row = posts[offset]
        if state.posts.times[row] <= low.time, state.posts.key(row) <= low { return true }
        let author = state.posts.authors[row]
        if author == user ? includeSelf : state.follows.contains(user, author) {
          if !mutes || author == user || !state.mutes.contains(user, author) {
            rows.append(row)
            if rows.count == limit { return true }
          }
        }
        visitedCount += 1
        // So many more posts are needed if it goes on as it went: more than the budget is too dear.
        if visitedCount % Self.stride == 0, visitedCount * limit > budget * max(1, rows.count) { return false }
      }
    }
    return true
  }
}
