/// A backward scan of all posts from a bound, which keeps those by the user's followees.
///
/// It reads the posts of all users, and at first searches eight authors at once. It gives up as soon as the followees'
/// share of the posts read makes it more expensive than a merge. Where that pays, it builds a Bloom filter of the
/// followees, which rejects most posts without a search.
struct TimelineScan {
  /// Posts between two checks of the cost: at least, and with the Bloom filter.
  static let leastStride = 2 * TargetSet.laneCount
  private static let filteredStride = 4 * TargetSet.laneCount

  let user: UInt32
  let includeSelf: Bool
  /// Its direction must be to older posts.
  let range: TimelineRange

  /// The newest posts of the range; nil if the scan would cost more than the limit.
  /// - Complexity: O(log posts), and per post read O(log followees) in a short scan, or O(1) in a long one, which reads
  ///   every followee once.
  func run(_ state: borrowing GraphState, costLimit: Int) -> TimelineRows? {
    let scratch = TimelineScratch()
    if range.high <= range.low { return TimelineRows(scratch) }
    let memory = scratch.memory
    var rows = exchange(&memory.value.rows, with: [])
    TimelineMerge.grow(&rows, to: min(range.limit, state.posts.count) + TargetSet.laneCount, with: 0)
    var course = course(state)
    let isFound = TargetSet.lend(targetsOf: user, in: state.follows) { followees in
      var found = rows.mutableSpan
      return find(&found, &course, memory, followees, state, costLimit)
    }
    rows.removeLast(rows.count - min(course.foundCount, range.limit))
    memory.value.rows = rows
    return isFound ? TimelineRows(scratch) : nil
  }

  private func find(
    _ rows: inout MutableSpan<UInt32>, _ course: inout Course, _ memory: Reusable<TimelineScratch.Arrays>,
    _ followees: borrowing TargetSet, _ state: borrowing GraphState, _ costLimit: Int
  ) -> Bool {
    let followeeCount = state.follows.targetCount(user)
    let hasMutes = state.mutes.targetCount(user) > 0
    let trial = TimelinePlan.Cost.trial(before: min(costLimit, TimelinePlan.Cost.filter(followeeCount)))
    var cost = 0
    let isFound = course.scan(&rows, range.limit, max(Self.leastStride, trial), state) { authors in
      wanted(authors, followees.members(among: authors), hasMutes, state)
    } while: { postCount in
      cost = TimelinePlan.Cost.scan(postCount, followeeCount)
      return cost <= costLimit && cost == postCount * TimelinePlan.Cost.searchedPost
    }
    if isFound || cost > costLimit { return isFound }
    var known = memory.value.bloomFilter.take() ?? RowBloomFilter()
    defer { memory.value.bloomFilter = known }
    known.clear(forCount: followeeCount + 1)
    known.insert(targetsOf: user, in: state.follows)
    known.insert(user)
    return course.scan(&rows, range.limit, Self.filteredStride, state) { authors in
      var likely: UInt32 = 0
      for lane in authors.indices { likely |= (known.mayContain(authors[lane]) ? 1 : 0) << UInt32(lane) }
      if likely == 0 { return 0 }
      // Few of eight pass the filter: one search each takes less time than the search of eight.
      var members: UInt32 = 0
      while likely != 0 {
        let lane = likely.trailingZeroBitCount
        likely &= likely &- 1
        members |= (followees.contains(authors[lane]) ? 1 : 0) << UInt32(lane)
      }
      return wanted(authors, members, hasMutes, state)
    } while: { postCount in
      postCount * TimelinePlan.Cost.filteredPost <= costLimit
    }
  }

  /// Which of eight authors' posts belong to the page: bit n for author n.
  /// - Parameter members: the same bits, for the authors who are followed.
  @inline(__always)
  private func wanted(
    _ authors: Span<UInt32>, _ members: UInt32, _ hasMutes: Bool, _ state: borrowing GraphState
  ) -> UInt32 {
    var wanted = members
    var own: UInt32 = 0
    for lane in authors.indices { own |= (authors[lane] == user ? 1 : 0) << UInt32(lane) }
    wanted = includeSelf ? wanted | own : wanted & ~own
    if hasMutes {
      for lane in authors.indices where wanted >> UInt32(lane) & 1 == 1 && state.mutes.contains(user, authors[lane]) {
        wanted &= ~(1 << UInt32(lane))
      }
    }
    return wanted
  }

  /// The whole range, before its first post is read.
  private func course(_ state: borrowing GraphState) -> Course {
    var end = state.posts.all.endPosition(of: 0)
    if range.high != .end {
      let guess = state.posts.all.position(notBelow: state.posts.likelyRow(of: range.high), in: 0)
      end = state.posts.checked(guess, of: range.high, in: state.posts.all, list: 0)
    }
    // No post has a time before 0.
    let start =
      range.low.time < 0
      ? state.posts.all.startPosition() : state.posts.all.partitionPoint(of: 0) { state.posts.key($0) <= range.low }
    return Course(place: end, start: start)
  }

  /// The progress of a scan.
  private struct Course {
    /// The posts before this position, down to `start`, are still to be read.
    var place: PackedLists<UInt32>.Position
    let start: PackedLists<UInt32>.Position
    var visitedCount = 0
    /// The rows found so far. At the end they may be some more than the limit.
    var foundCount = 0

    /// Continues until the page is full, the posts are exhausted, or `canContinue` returns false.
    /// - Parameter wanted: which of eight authors' posts are found: bit n for author n.
    /// - Parameter canContinue: called with an estimate of the number of posts still to be read.
    @inline(__always)
    mutating func scan(
      _ rows: inout MutableSpan<UInt32>, _ limit: Int, _ stride: Int, _ state: borrowing GraphState,
      wanted: (_ authors: Span<UInt32>) -> UInt32,
      while canContinue: (_ postCount: Int) -> Bool
    ) -> Bool {
      withTemporaryList(of: UInt32.self, capacity: TargetSet.laneCount) { authors in
        for _ in 0..<TargetSet.laneCount { authors.append(0) }
        var authors = authors.mutableSpan
        while place != start {
          if place.offset == 0 {
            place.run -= 1
            place.offset = state.posts.all.run(place.run, of: 0).count
            continue
          }
          let posts = state.posts.all.run(place.run, of: 0)
          let end = max(place.offset - stride, place.run == start.run ? start.offset : 0)
          visitedCount &+= place.offset - end
          while place.offset > end {
            read(posts, downTo: end, &rows, &authors, state, wanted: wanted)
            if foundCount >= limit { return true }
          }
          // One post more than were found: none among few posts says little.
          let expectedCount = visitedCount * limit / (foundCount + 1)
          if place != start, !canContinue(max(0, expectedCount - visitedCount)) { return false }
        }
        return true
      }
    }

    /// Reads the next eight posts, or fewer at the end, from the newest on. Without a branch on what is wanted, so that
    /// the searches for the next ones need not wait for it.
    @inline(__always)
    private mutating func read(
      _ posts: Span<UInt32>, downTo end: Int, _ rows: inout MutableSpan<UInt32>,
      _ authors: inout MutableSpan<UInt32>, _ state: borrowing GraphState,
      wanted: (_ authors: Span<UInt32>) -> UInt32
    ) {
      let newest = place.offset &- 1
      for lane in authors.indices { authors[lane] = state.posts.authors[posts[max(newest &- lane, end)]] }
      let found = wanted(authors.span)
      place.offset = max(place.offset &- TargetSet.laneCount, end)
      for lane in authors.indices {
        let offset = newest &- lane
        rows[foundCount] = posts[max(offset, end)]
        foundCount &+= offset >= end ? Int(found >> UInt32(lane) & 1) : 0
      }
    }
  }
}
