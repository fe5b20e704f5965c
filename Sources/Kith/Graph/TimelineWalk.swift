/// The other plan for a timeline: all posts backwards from a bound, keeping those whose author the user follows.
///
/// A merge looks at every followee, and, where somebody has posted since the bound, searches that list. A walk looks at
/// about limit / (the followees' share of all posts) posts instead, however many the followees are. It gives up as soon
/// as the share that it sees would make it the dearer plan.
struct TimelineWalk {
  /// Which plan makes a page. They give the same one; tests ask for either.
  enum Plan { case cheaper, walk, merge }

  /// Posts between two looks at how it goes.
  private static let stride = 32
  /// So many followees are gathered while a walk looks at one post.
  private static let gatheredPerPost = 32
  /// So many posts are looked at while a merge searches one list.
  private static let postsPerSearch = 3
  /// What a walk that soon gives up may cost, in parts of the merge that it delays.
  private static let trialShare = 16

  let user: UInt32
  let includeSelf: Bool
  /// Only posts whose key lies between, neither included.
  let low: PostKey
  let high: PostKey
  let limit: Int

  /// Fills `rows` with the newest posts before the bound, and answers true; false when a merge is the better plan, or
  /// became it.
  /// - Complexity: O(log posts), and O(log followees) for each post looked at.
  func fill(_ rows: inout [UInt32], _ state: borrowing GraphState, plan: Plan = .cheaper) -> Bool {
    if plan == .merge { return false }
    let isFirst = high == .end
    let followeeCount = state.follows.targetCount(user)
    let userCount = max(1, state.users.count)
    if plan == .cheaper && !isWorthTrying(followeeCount, isFirst ? 0 : state.posts.count, userCount) { return false }
    let end =
      isFirst
      ? state.posts.all.endPosition(of: 0) : state.posts.all.partitionPoint(of: 0) { state.posts.isBefore($0, high) }
    let newerCount = isFirst ? 0 : Self.count(from: end, state.posts)
    if plan == .cheaper && !isWorthTrying(followeeCount, newerCount, userCount) { return false }
    let isFound = TargetSet.lend(targetsOf: user, in: state.follows) { followees in
      walk(back: end, followees, &rows, state) { visitedCount, foundCount in
        let found = max(1, foundCount)
        let cost = mergeCost(followeeCount, searching: newerCount * found / visitedCount)
        return plan == .walk || visitedCount * limit / found - visitedCount <= cost
      }
    }
    if !isFound { rows.removeAll(keepingCapacity: true) }
    return isFound
  }

  /// About how many posts stand at a place and behind it: runs between its own and the last are not looked at.
  private static func count(from place: PackedLists<UInt32>.Position, _ posts: borrowing PostTable) -> Int {
    let last = posts.all.runCount(of: 0) - 1
    let rest = posts.all.run(place.run, of: 0).count - place.offset
    if place.run == last { return rest }
    return rest + (last - place.run - 1) * (posts.count / (last + 1)) + posts.all.run(last, of: 0).count
  }

  /// What a merge costs, in posts that a walk looks at in the same time.
  private func mergeCost(_ followeeCount: Int, searching searchedCount: Int) -> Int {
    followeeCount / Self.gatheredPerPost + Self.postsPerSearch * min(followeeCount, searchedCount)
  }

  /// Whether a walk may be cheaper: it would be if everybody posted alike, or is given up before that matters.
  private func isWorthTrying(_ followeeCount: Int, _ newerCount: Int, _ userCount: Int) -> Bool {
    let cost = mergeCost(followeeCount, searching: newerCount * followeeCount / userCount)
    return cost >= Self.trialShare * Self.stride || cost * followeeCount >= limit * userCount
  }

  /// - Parameter goesOn: whether to go on after so many posts of which so many were found.
  @inline(__always)
  private func walk(
    back end: PackedLists<UInt32>.Position, _ followees: borrowing TargetSet, _ rows: inout [UInt32],
    _ state: borrowing GraphState, while goesOn: (_ visitedCount: Int, _ foundCount: Int) -> Bool
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
        if author == user ? includeSelf : followees.contains(author) {
          if !mutes || author == user || !state.mutes.contains(user, author) {
            rows.append(row)
            if rows.count == limit { return true }
          }
        }
        visitedCount &+= 1
        if visitedCount % Self.stride == 0, !goesOn(visitedCount, rows.count) { return false }
      }
    }
    return true
  }
}
