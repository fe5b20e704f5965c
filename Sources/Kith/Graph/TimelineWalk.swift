/// The other plan for a timeline: all posts backwards from a bound, keeping those whose author the user follows.
///
/// A merge looks at every followee, and, where somebody has posted since the bound, searches that list. A walk looks at
/// about limit / (the followees' share of all posts) posts instead, however many the followees are. It gives up as soon
/// as the share that it sees would make it the dearer plan.
///
/// A long walk first makes a signature of the followees, by which most posts are turned away without a search.
struct TimelineWalk {
  /// Which plan makes a page. They give the same one; tests ask for either.
  enum Plan { case cheaper, walk, merge }

  /// What things cost, in nanoseconds as they were measured with a million users and ten million posts.
  private enum Cost {
    /// To look at a post and search its author among the followees, or only in their signature.
    static let searchedPost = 40
    static let signedPost = 3
    /// To enter a followee in the signature.
    static let signedFollowee = 1
    /// Of a merge: to look at a followee, and to search the list of one.
    static let gatheredFollowee = 1
    static let searchedList = 80
    /// What a walk that soon gives up may cost, in parts of the merge that it delays.
    static let trialShare = 16
  }

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
  /// - Parameter signature: memory for one, kept for the next walk.
  /// - Complexity: O(log posts), and for each post looked at O(log followees) in a short walk; O(1) in a long one,
  ///   which looks at every followee once.
  func fill(
    _ rows: inout [UInt32], _ signature: inout RowSignature?, _ state: borrowing GraphState, plan: Plan = .cheaper
  ) -> Bool {
    if plan == .merge { return false }
    let isFirst = high == .end
    let followeeCount = state.follows.targetCount(user)
    var mergeCost = Int.max
    if plan == .cheaper {
      mergeCost = Self.mergeCost(followeeCount, searching: isFirst ? 0 : followeeCount)
      if !isWorthTrying(followeeCount, mergeCost, state) { return false }
      if !isFirst {
        mergeCost = Self.mergeCost(followeeCount, searching: searchedCount(of: followeeCount, state))
        if !isWorthTrying(followeeCount, mergeCost, state) { return false }
      }
    }
    let end =
      isFirst
      ? state.posts.all.endPosition(of: 0)
      : state.posts.place(of: high, likelyRow: state.posts.likelyRow(of: high), in: state.posts.all, list: 0)
    let isFilled = walk(back: end, followeeCount, mergeCost, &rows, &signature, state)
    if !isFilled { rows.removeAll(keepingCapacity: true) }
    return isFilled
  }

  // MARK: - Which plan is cheaper

  private static func mergeCost(_ followeeCount: Int, searching searchedCount: Int) -> Int {
    followeeCount * Cost.gatheredFollowee + searchedCount * Cost.searchedList
  }

  /// What a walk costs that is still without a signature, and makes one if that pays.
  private static func walkCost(_ postCount: Int, _ followeeCount: Int) -> Int {
    min(postCount * Cost.searchedPost, followeeCount * Cost.signedFollowee + postCount * Cost.signedPost)
  }

  /// Whether a walk may be cheaper: it would be if everybody posted alike, or is given up before that matters.
  private func isWorthTrying(_ followeeCount: Int, _ mergeCost: Int, _ state: borrowing GraphState) -> Bool {
    if followeeCount == 0 { return false }
    return mergeCost >= Cost.trialShare * Self.stride * Cost.searchedPost
      || Self.walkCost(limit * state.users.count / followeeCount, followeeCount) <= mergeCost
  }

  /// About how many lists a merge searches, those of followees whose newest post is not before the bound: some of them
  /// are asked.
  private func searchedCount(of followeeCount: Int, _ state: borrowing GraphState) -> Int {
    let bound = PostTable.coarse(high.time)
    let step = max(1, followeeCount / Self.stride)
    var (askedCount, laterCount) = (0, 0)
    state.follows.forward.forEachRun(of: Int(user)) { followees in
      for index in Swift.stride(from: 0, to: followees.count, by: step) {
        askedCount &+= 1
        if state.posts.newest[Relation.target(followees[index])] >= bound { laterCount &+= 1 }
      }
    }
    return followeeCount * laterCount / max(1, askedCount)
  }

  // MARK: - Walking

  /// Walks until the page is full or there are no more posts; false if a merge became cheaper.
  private func walk(
    back end: PackedLists<UInt32>.Position, _ followeeCount: Int, _ mergeCost: Int, _ rows: inout [UInt32],
    _ signature: inout RowSignature?, _ state: borrowing GraphState
  ) -> Bool {
    if high <= low { return true }
    // Nothing is before the time 0.
    let start =
      low.time < 0
      ? state.posts.all.startPosition() : state.posts.all.partitionPoint(of: 0) { state.posts.key($0) <= low }
    var course = Course(place: end, start: start)
    return TargetSet.lend(targetsOf: user, in: state.follows) { followees in
      var cost = 0
      let isFilled = course.walk(&rows, limit, state) { author in
        isWanted(author, followees, state)
      } while: { postCount in
        cost = Self.walkCost(postCount, followeeCount)
        return cost <= mergeCost && cost == postCount * Cost.searchedPost
      }
      if isFilled || cost > mergeCost { return isFilled }
      var known = signature.take() ?? RowSignature()
      defer { signature = known }
      known.clear(forCount: followeeCount + 1)
      known.insert(targetsOf: user, in: state.follows)
      known.insert(user)
      return course.walk(&rows, limit, state) { author in
        known.mayContain(author) && isWanted(author, followees, state)
      } while: { postCount in
        postCount * Cost.signedPost <= mergeCost
      }
    }
  }

  /// Whether the posts of an author belong to the page.
  @inline(__always)
  private func isWanted(_ author: UInt32, _ followees: borrowing TargetSet, _ state: borrowing GraphState) -> Bool {
    if author == user { return includeSelf }
    return followees.contains(author) && !state.mutes.contains(user, author)
  }

  /// How far a walk came.
  private struct Course {
    /// The posts before it are still to be looked at, down to `start`.
    var place: PackedLists<UInt32>.Position
    let start: PackedLists<UInt32>.Position
    var visitedCount = 0

    /// Goes on until the page is full or there are no more posts; false if it is told to stop.
    /// - Parameter goesOn: whether to, where about so many posts are still to be looked at.
    @inline(__always)
    mutating func walk(
      _ rows: inout [UInt32], _ limit: Int, _ state: borrowing GraphState, isWanted: (_ author: UInt32) -> Bool,
      while goesOn: (_ postCount: Int) -> Bool
    ) -> Bool {
      while place != start {
        if place.offset == 0 {
          place.run -= 1
          place.offset = state.posts.all.run(place.run, of: 0).count
          continue
        }
        let posts = state.posts.all.run(place.run, of: 0)
        let end = max(place.offset - stride, place.run == start.run ? start.offset : 0)
        for offset in (end..<place.offset).reversed() {
          let row = posts[offset]
          if isWanted(state.posts.authors[row]) {
            rows.append(row)
            if rows.count == limit { return true }
          }
        }
        visitedCount &+= place.offset - end
        place.offset = end
        if place != start, !goesOn(visitedCount * limit / max(1, rows.count) - visitedCount) { return false }
      }
      return true
    }
  }
}
