/// A backward scan of all posts from a bound, which keeps those by the user's followees.
///
/// It reads the posts of all users. It gives up as soon as the followees' share of the posts read makes it more
/// expensive than a merge. Where that pays, it first builds a Bloom filter of the followees, which rejects most posts
/// without a search.
struct TimelineScan {
  /// Posts between two checks of the cost: while each author is searched, and with the Bloom filter.
  static let firstStride = 8
  private static let filteredStride = 32

  let user: UInt32
  let includeSelf: Bool
  /// Its direction must be to older posts.
  let range: TimelineRange

  /// The newest posts of the range; nil if the scan would cost more than the limit.
  /// - Complexity: O(log posts), and per post read O(log followees) in a short scan, or O(1) in a long one, which reads
  ///   every followee once.
  func run(_ state: borrowing GraphState, costLimit: Int) -> TimelineRows? {
    let scratch = TimelineScratch()
    guard find(scratch.memory, state, costLimit) else { return nil }
    return TimelineRows(scratch)
  }

  private func find(
    _ memory: Reusable<TimelineScratch.Arrays>, _ state: borrowing GraphState, _ costLimit: Int
  ) -> Bool {
    if range.high <= range.low { return true }
    let followeeCount = state.follows.targetCount(user)
    let hasMutes = state.mutes.targetCount(user) > 0
    var course = course(state)
    return TargetSet.lend(targetsOf: user, in: state.follows) { followees in
      var cost = 0
      let isFound = course.scan(&memory.value.rows, range.limit, Self.firstStride, state) { author in
        isWanted(author, followees, hasMutes, state)
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
      return course.scan(&memory.value.rows, range.limit, Self.filteredStride, state) { author in
        known.mayContain(author) && isWanted(author, followees, hasMutes, state)
      } while: { postCount in
        postCount * TimelinePlan.Cost.filteredPost <= costLimit
      }
    }
  }

  /// Whether the posts of an author belong to the page.
  @inline(__always)
  private func isWanted(
    _ author: UInt32, _ followees: borrowing TargetSet, _ hasMutes: Bool, _ state: borrowing GraphState
  ) -> Bool {
    if author == user { return includeSelf }
    return followees.contains(author) && !(hasMutes && state.mutes.contains(user, author))
  }

  /// The whole range, before its first post is read.
  private func course(_ state: borrowing GraphState) -> Course {
    let end =
      range.high == .end
      ? state.posts.all.endPosition(of: 0)
      : state.posts.place(
        of: range.high, likelyRow: state.posts.likelyRow(of: range.high), in: state.posts.all, list: 0)
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

    /// Continues until the page is full, the posts are exhausted, or `canContinue` returns false.
    /// - Parameter canContinue: called with an estimate of the number of posts still to be read.
    @inline(__always)
    mutating func scan(
      _ rows: inout [UInt32], _ limit: Int, _ stride: Int, _ state: borrowing GraphState,
      isWanted: (_ author: UInt32) -> Bool,
      while canContinue: (_ postCount: Int) -> Bool
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
        // Half a post more than were found: none among few posts says little.
        let expectedCount = 2 * visitedCount * limit / (2 * rows.count + 1)
        if place != start, !canContinue(expectedCount - visitedCount) { return false }
      }
      return true
    }
  }
}
