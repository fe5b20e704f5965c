/// A backward scan of all posts from a bound, which keeps those by the user's followees.
///
/// It reads the posts of all users, and at first searches eight authors at once. It gives up as soon as the followees'
/// share of the posts read makes it more expensive than a merge. Where that pays, it builds a Bloom filter of the
/// followees, which rejects most posts without a search.
struct TimelineScan {
  /// Posts between two checks of the cost: at least, and with the Bloom filter, which has a bit of a word for each.
  static let leastStride = 2 * TargetSet.laneCount
  private static let filteredStride = 4 * TargetSet.laneCount

  let user: UInt32
  let includeSelf: Bool
  /// Its direction must be to older posts.
  let range: TimelineRange

  /// The newest posts of the range; nil if the scan would cost more than the limit.
  /// - Complexity: O(log posts), and per post read O(log followees) in a short scan, or O(1) in a long one, which reads
  ///   every followee once.
  func run(_ state: borrowing GraphState, costLimit: TimelinePlan.CostLimit) -> TimelineRows? {
    let scratch = TimelineScratch()
    let lists = scratch.lists
    lists.value.rows.truncate(to: 0)
    if range.high <= range.low { return TimelineRows(scratch) }
    lists.value.rows.resize(to: min(range.limit, state.posts.count) + Self.filteredStride)
    var filter = lists.value.bloomFilter.take()
    let (isFound, count) = TargetSet.lend(targetsOf: user, in: state.follows) { followees in
      var found = FoundPosts(lists.value.rows.mutableSpan)
      return (find(&found, &filter, followees, state, costLimit), found.count)
    }
    lists.value.bloomFilter = filter
    lists.value.rows.truncate(to: min(count, range.limit))
    return isFound ? TimelineRows(scratch) : nil
  }

  private func find(
    _ found: inout FoundPosts, _ filter: inout RowBloomFilter?, _ followees: borrowing TargetSet,
    _ state: borrowing GraphState, _ costLimit: TimelinePlan.CostLimit
  ) -> Bool {
    var costLimit = costLimit
    var course = course(state)
    let followeeCount = state.follows.targetCount(user)
    let hasMutes = state.mutes.targetCount(user) > 0
    let trial = costLimit.trial(before: TimelinePlan.Cost.filter(followeeCount))
    var cost = 0
    let isFound = withTemporaryList(of: UInt32.self, capacity: TargetSet.laneCount) { authors in
      for _ in 0..<TargetSet.laneCount { authors.append(0) }
      var authors = authors.mutableSpan
      return course.scan(&found, range.limit, max(Self.leastStride, trial), blockCount: TargetSet.laneCount, state) {
        posts, found in
        search(posts, followees, hasMutes, &authors, &found, state)
      } while: { postCount in
        cost = TimelinePlan.Cost.scan(postCount, followeeCount)
        return costLimit.allows(cost, user, range, state) && cost == postCount * TimelinePlan.Cost.searchedPost
      }
    }
    if isFound || cost > costLimit.cost { return isFound }
    var known = filter.take() ?? RowBloomFilter()
    defer { filter = known }
    known.clear(forCount: followeeCount + 1)
    known.insert(targetsOf: user, in: state.follows)
    known.insert(user)
    return course.scan(&found, range.limit, Self.filteredStride, blockCount: Self.filteredStride, state) {
      posts, found in
      addKnown(posts, known, followees, hasMutes, &found, state)
    } while: { postCount in
      costLimit.allows(postCount * TimelinePlan.Cost.filteredPost, user, range, state)
    }
  }

  /// Adds those of at most eight posts that belong to the page, the newest, which is the last, first. Without a branch
  /// on what belongs to it, so that the searches for the next ones need not wait for it.
  @inline(__always)
  private func search(
    _ posts: Span<UInt32>, _ followees: borrowing TargetSet, _ hasMutes: Bool, _ authors: inout MutableSpan<UInt32>,
    _ found: inout FoundPosts, _ state: borrowing GraphState
  ) {
    let newest = posts.count - 1
    for lane in authors.indices { authors[lane] = state.posts.authors[posts[max(newest &- lane, 0)]] }
    var wanted = followees.members(among: authors.span)
    var own: UInt32 = 0
    for lane in authors.indices { own |= (authors[lane] == user ? 1 : 0) << UInt32(lane) }
    wanted = includeSelf ? wanted | own : wanted & ~own
    if hasMutes {
      for lane in authors.indices where wanted >> UInt32(lane) & 1 == 1 && state.mutes.contains(user, authors[lane]) {
        wanted &= ~(1 << UInt32(lane))
      }
    }
    for lane in authors.indices {
      let index = newest &- lane
      found.rows[found.count] = posts[max(index, 0)]
      found.count &+= index >= 0 ? Int(wanted >> UInt32(lane) & 1) : 0
    }
  }

  /// The same for at most 32 posts, few of whose authors pass a filter of the followees and the user.
  @inline(__always)
  private func addKnown(
    _ posts: Span<UInt32>, _ known: RowBloomFilter, _ followees: borrowing TargetSet, _ hasMutes: Bool,
    _ found: inout FoundPosts, _ state: borrowing GraphState
  ) {
    var likely: UInt32 = 0
    for index in posts.indices {
      likely |= (known.mayContain(state.posts.authors[posts[index]]) ? 1 : 0) &<< UInt32(truncatingIfNeeded: index)
    }
    while likely != 0 {
      let index = likely.bitWidth - 1 - likely.leadingZeroBitCount
      likely &= ~(1 &<< UInt32(truncatingIfNeeded: index))
      let author = state.posts.authors[posts[index]]
      let isWanted = author == user ? includeSelf : followees.contains(author)
      if !isWanted || hasMutes && state.mutes.contains(user, author) { continue }
      found.rows[found.count] = posts[index]
      found.count &+= 1
    }
  }

  /// The whole range, before its first post is read.
  private func course(_ state: borrowing GraphState) -> Course {
    var end = state.posts.all.endPosition(of: 0)
    if range.high != .end {
      let guess = state.posts.all.cursor(notBelow: state.posts.likelyRow(of: range.high), in: 0)
      end = state.posts.checked(guess, of: range.high, in: state.posts.all, list: 0).position
    }
    // No post has a time before 0.
    let start =
      range.low.time < 0
      ? state.posts.all.startPosition() : state.posts.all.partitionPoint(of: 0) { state.posts.key($0) <= range.low }
    return Course(place: end, start: start)
  }

  /// The rows found so far. At the end they may be some more than the limit.
  private struct FoundPosts: ~Copyable, ~Escapable {
    var rows: MutableSpan<UInt32>
    var count = 0

    @_lifetime(copy rows)
    init(_ rows: consuming MutableSpan<UInt32>) { self.rows = rows }
  }

  /// The progress of a scan.
  private struct Course {
    /// The posts before this position, down to `start`, are still to be read.
    var place: PackedLists<UInt32>.Position
    let start: PackedLists<UInt32>.Position
    var visitedCount = 0

    /// Continues until the page is full, the posts are exhausted, or `canContinue` returns false.
    /// - Parameters:
    ///   - stride: the posts that are read between two questions whether to continue.
    ///   - read: adds those of at most `blockCount` posts that belong to the page.
    ///   - canContinue: called with an estimate of the number of posts still to be read.
    @inline(__always)
    mutating func scan(
      _ found: inout FoundPosts, _ limit: Int, _ stride: Int, blockCount: Int, _ state: borrowing GraphState,
      read: (_ posts: Span<UInt32>, _ found: inout FoundPosts) -> Void, while canContinue: (_ postCount: Int) -> Bool
    ) -> Bool {
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
          let first = max(place.offset &- blockCount, end)
          read(posts.extracting(first..<place.offset), &found)
          place.offset = first
          if found.count >= limit { return true }
        }
        // One post more than were found: none among few posts says little.
        let expectedCount = visitedCount * limit / (found.count + 1)
        if place != start, !canContinue(max(0, expectedCount - visitedCount)) { return false }
      }
      return true
    }
  }
}
