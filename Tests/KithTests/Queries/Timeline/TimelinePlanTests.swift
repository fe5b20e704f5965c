import Testing

@testable import Kith

/// Every plan equals a plain sort, wherever a page begins and in any order of posts.
@Suite struct TimelinePlanTests {
  enum Arrival: CaseIterable { case byTime, mostlyByTime, backwards, anyhow }

  private struct World {
    let graph = SocialGraph()
    /// Time, id and author of each post, those of removed ones included.
    var posts: [(time: Int64, id: Int64, author: Int64)] = []
    var removed: Set<Int64> = []
    var followees: Set<Int64> = []
    let muted: Set<Int64> = [5, 6, 7]
  }

  /// User 1 follows 130 of 200. User 2 has so many posts that the list of posts overflows, and of the others the lower
  /// ids have more. Three posts or more share a millisecond.
  private func world(_ arrival: Arrival) throws -> World {
    var world = World()
    var random = SeededRandom(seed: 3)
    for number in 1...200 { try world.graph.addUser("user \(number)") }
    for followee in 2...131 as ClosedRange<Int64> {
      try world.graph.follow(UserID(followee), as: 1)
      world.followees.insert(followee)
    }
    for muted in world.muted { try world.graph.mute(UserID(muted), as: 1) }
    for number in 0..<4_500 {
      let author = number % 3 == 0 ? 2 : 1 + random.below(1 + random.below(200))
      let time =
        switch arrival {
        case .byTime: number / 3
        case .mostlyByTime: random.below(20) == 0 ? random.below(1_500) : number / 3
        case .backwards: 1_500 - number / 3
        case .anyhow: random.below(1_500)
        }
      // Coarse times in seconds separate some of them.
      let post = (time: Int64(time) * 300, id: Int64(number) + 1, author: Int64(author))
      try world.graph.addPost("", by: UserID(post.author), id: PostID(post.id), createdAt: Timestamp(post.time))
      world.posts.append(post)
    }
    for post in world.posts where random.below(20) == 0 {
      try world.graph.apply(.removePost(PostID(post.id)))
      world.removed.insert(post.id)
    }
    return world
  }

  @Test("A page before any post equals a plain sort", arguments: Arrival.allCases, [1, 7, 20, 140, 1_000])
  func pageBeforeAnyPost(arrival: Arrival, limit: Int) throws {
    let world = try world(arrival)
    let pin = world.graph.pin()
    var random = SeededRandom(seed: UInt64(limit))
    let sorted = world.posts.sorted { ($0.time, $0.id) > ($1.time, $1.id) }
    for number in 0..<60 {
      let place = sorted[random.below(sorted.count)]
      var options = TimelineQuery(limit: limit)
      options.includesOwnPosts = number % 2 == 0
      var bound = (time: place.time, id: place.id)
      if number % 3 == 0 {
        options.before = Timestamp(place.time)
        bound.id = 0
      } else {
        options.cursor = Cursor(CursorPlace(kind: .timeline, subject: 1, first: place.time, second: place.id))
      }
      // Sometimes after the bound: then there is nothing.
      let low = number % 4 == 0 ? place.time + 600 - Int64(random.below(200_000)) : -1
      if low >= 0 { options.after = Timestamp(low) }
      let expected = sorted.filter {
        ($0.time, $0.id) < bound && $0.time > low && !world.removed.contains($0.id)
          && ($0.author == 1
            ? options.includesOwnPosts : world.followees.contains($0.author) && !world.muted.contains($0.author))
      }
      for plan in [TimelinePlan.cheaper, .scan, .merge] {
        let page = try pin.view.run(TimelinePosts(user: 1, query: options, plan: plan))
        #expect(page.map(\.id.rawValue) == expected.prefix(limit).map(\.id), "\(plan) before \(bound) above \(low)")
        #expect((page.next != nil) == (expected.count > limit))
      }
    }
  }

  @Test("A Bloom filter holds all of a set and rejects most others", arguments: [0, 1, 100, 5_000, 200_000])
  func bloomFilter(count: Int) {
    var random = SeededRandom(seed: UInt64(count))
    var bloomFilter = RowBloomFilter()
    for size in [count, count / 2] {  // The second time it is reused.
      bloomFilter.clear(forCount: size)
      let rows = (0..<size).map { _ in UInt32(random.below(1 << 31)) }
      for row in rows { bloomFilter.insert(row) }
      let mistaken = (0..<100_000).filter { _ in bloomFilter.mayContain(UInt32(random.below(1 << 31)) | 1 << 31) }.count
      #expect(rows.allSatisfy { bloomFilter.mayContain($0) })
      #expect(mistaken < (size > 60_000 ? 4_000 : 1_000), "\(mistaken) in 100,000 of a set of \(size)")
    }
  }
}
