import Testing

@testable import Kith

/// The backward scan equals a plain filter, and leaves expensive cases to the merge.
@Suite struct TimelineScanTests {
  private static let userCount = 60

  /// All users write in turn, four at a time; user 1 follows `followeeCount` others and mutes two of them.
  private func graph(followeeCount: Int, mutes: Bool, millisecondsApart step: Int = 1) throws -> SocialGraph {
    let graph = SocialGraph()
    for number in 1...Self.userCount { try graph.addUser("user \(number)") }
    for number in 0..<3_000 {
      try graph.addPost(
        "post \(number)", by: UserID(Int64(number * 7 % Self.userCount + 1)),
        createdAt: Timestamp(Int64(number / 4 * step)))
    }
    for followee in 2..<2 + Int64(followeeCount) { try graph.follow(UserID(followee), as: 1) }
    if mutes { for muted in [3, 9] as [UserID] { try graph.mute(muted, as: 1) } }
    return graph
  }

  @Test("Far back the scan finds the newest posts before the bound", arguments: [true, false], [true, false])
  func newestBeforeTheBound(includeSelf: Bool, mutes: Bool) throws {
    let pin = try graph(followeeCount: 30, mutes: mutes).pin()
    let authors = Set((2...31).filter { !mutes || ($0 != 3 && $0 != 9) } + (includeSelf ? [1] : []))
    for (time, after) in [(500, -1), (200, 150), (90, -1), (3, -1), (201, 199)] as [(Int64, Int64)] {
      let range = TimelineRange(
        direction: .older, low: PostKey(time: after, id: .max), high: PostKey(time: time, id: 0), limit: 21)
      let rows = scan(pin, range, includeSelf: includeSelf)
      let expected = (0..<3_000).reversed().filter { number in
        number / 4 < time && number / 4 > after && authors.contains(number * 7 % Self.userCount + 1)
      }
      #expect(rows == expected.prefix(21).map { UInt32($0) })
    }
  }

  /// The result of the planner's scan for user 1; nil if it is left to the merge.
  private func scan(_ pin: SocialGraph.Pin, _ range: TimelineRange, includeSelf: Bool) -> [UInt32]? {
    guard let costLimit = TimelinePlan.cheaper.scanCostLimit(0, range, pin.view.state) else { return nil }
    let scan = TimelineScan(user: 0, includeSelf: includeSelf, range: range)
    guard let found = scan.run(pin.view.state, costLimit: costLimit) else { return nil }
    return (0..<found.count).map { found[$0] }
  }

  @Test("Few followees and rare ones are left to the merge, others are scanned for")
  func leftToTheMerge() throws {
    func isScanned(_ followeeCount: Int, before time: Int64?, limit: Int = 21) throws -> Bool {
      let graph = try graph(followeeCount: followeeCount, mutes: false, millisecondsApart: 2_000)
      return try scanned(graph, before: time.map { $0 * 2_000 }, limit: limit) != nil
    }
    #expect(try isScanned(40, before: 400))
    #expect(try isScanned(40, before: nil), "two of three posts are on the page")
    #expect(try !isScanned(2, before: nil), "the newest are at hand")
    #expect(try !isScanned(2, before: 749), "few have newer posts")
    #expect(try !isScanned(2, before: 400), "two lists are searched at once")
    #expect(try !isScanned(20, before: 400, limit: 1_000), "a thousand posts are too far apart")
  }

  /// The page of user 1 before a time; nil if it is left to the merge.
  private func scanned(_ graph: SocialGraph, before time: Int64?, limit: Int = 21) throws -> [UInt32]? {
    let high = time.map { PostKey(time: $0, id: 0) } ?? .end
    let range = TimelineRange(direction: .older, low: PostKey(time: -1, id: .max), high: high, limit: limit)
    return scan(graph.pin(), range, includeSelf: false)
  }

  /// User 1 follows all but every third of the others; `writes` says who has a post.
  private func crowd(_ userCount: Int, writes: (Int) -> Bool) throws -> SocialGraph {
    let graph = SocialGraph()
    try graph.batch { batch throws(KithError) in
      for number in 1...userCount { try batch.apply(.addUser(id: nil, username: "user \(number)")) }
    }
    try graph.batch { batch throws(KithError) in
      for number in 2..<userCount + 1 where number % 3 != 0 {
        try batch.apply(.follow(as: 1, target: UserID(Int64(number)), at: Timestamp(0)))
      }
    }
    try graph.batch { batch throws(KithError) in
      for number in 2..<userCount + 1 where writes(number) {
        try batch.apply(
          .addPost(id: nil, by: UserID(Int64(number)), text: "", createdAt: Timestamp(Int64(number / 3))))
      }
    }
    return graph
  }

  @Test("A viewer who follows most authors gets a scan for the first page, others the merge")
  func planOfTheFirstPage() throws {
    let rows = try #require(try scanned(try crowd(4_000, writes: { _ in true }), before: nil))
    let followed: [UInt32] = (2...4_000).reversed().filter { number in number % 3 != 0 }
    let expected: [UInt32] = followed.prefix(21).map { number in number - 2 }
    #expect(rows == expected)
    #expect(try scanned(try crowd(6_500, writes: { $0 % 3 == 0 }), before: nil) == nil)
  }

  @Test("If a sample of few followees has most posts, their first page gets a scan")
  func planByActivity() throws {
    /// User 1 follows 300 of 40,000, the first ones; every n-th user writes a post, the latest the last.
    func rows(every step: Int, of writerCount: Int) throws -> [UInt32]? {
      let graph = SocialGraph()
      for group in 0..<4 {
        try graph.batch { batch throws(KithError) in
          for number in 1...10_000 { try batch.apply(.addUser(id: nil, username: "user \(group) \(number)")) }
        }
      }
      try graph.batch { batch throws(KithError) in
        for number in 2...301 as ClosedRange<Int64> { try batch.apply(.follow(as: 1, target: UserID(number), at: 0)) }
        for number in stride(from: 2, through: writerCount + 1, by: step) {
          try batch.apply(
            .addPost(id: nil, by: UserID(Int64(number)), text: "", createdAt: Timestamp(Int64(number))))
        }
      }
      return try scanned(graph, before: nil, limit: 200)
    }
    #expect(try rows(every: 1, of: 300) == (100..<300).reversed())
    #expect(try rows(every: 100, of: 39_000) == nil)
  }

  @Test("A scan that costs more than a merge without searches goes on if a merge would search many lists")
  func sampledMerge() throws {
    /// User 1 follows 2,666 of 4,000; every n-th of 2,000 posts is by one of them, and then all write one more or none.
    func rows(every step: Int, withLaterPosts: Bool) throws -> [UInt32]? {
      let graph = try crowd(4_000, writes: { _ in false })
      try graph.batch { batch throws(KithError) in
        for number in 0..<(withLaterPosts ? 6_000 : 2_000) {
          let author = number < 2_000 ? (number % step == 0 ? 4 : 3) : number - 1_999
          try batch.apply(
            .addPost(id: nil, by: UserID(Int64(author)), text: "", createdAt: Timestamp(Int64(number) * 2_000)))
        }
      }
      return try scanned(graph, before: 4_000_000)
    }
    #expect(try rows(every: 50, withLaterPosts: true) == (0..<21).map { 1_950 - 50 * $0 })
    #expect(try rows(every: 400, withLaterPosts: true) == [1_600, 1_200, 800, 400, 0])
    #expect(try rows(every: 400, withLaterPosts: false) == nil)
  }

  @Test("A page before the latest possible time lacks a post of that time in either plan")
  func latestTime() throws {
    let graph = try graph(followeeCount: 30, mutes: false)
    try graph.addPost("the last", by: 2, createdAt: Timestamp(.max))
    let pin = graph.pin()
    for plan in [TimelinePlan.cheaper, .scan, .merge] {
      func page(before: Timestamp?) throws -> Page<Post> {
        try pin.view.run(
          TimelinePosts(user: 1, query: TimelineQuery(before: before, limit: 1), plan: plan))
      }
      let all = try page(before: nil)
      let before = try page(before: Timestamp(.max))
      #expect(all.map(\.text) == ["the last"])
      #expect(before.map(\.createdAt.rawValue) == [748])
    }
  }

  @Test("A merge of authors each of whom is newer than those before keeps few cursors", arguments: [nil, 4_000_000])
  func cursorsOfManyAuthors(before time: Int64?) throws {
    let graph = SocialGraph()
    let userCount = 5_000 as Int64
    // Each author has two posts, the second one after all first ones. Twenty of the first authors are on every page.
    var posts = (1...2 * userCount).map { (author: ($0 - 1) % userCount + 1, time: $0 * 2_000) }
    for author in 101...120 as ClosedRange<Int64> {
      posts += [(author, 3_998_000 + author), (author, (2 * userCount + author) * 2_000)]
    }
    try graph.bulk { batch throws(KithError) in
      for number in 1...userCount { _ = try batch.importChange(.addUser(id: UserID(number), username: "\(number)")) }
      for (index, post) in posts.enumerated() {
        _ = try batch.importChange(
          .addPost(
            id: PostID(Int64(index + 1)), by: UserID(post.author), text: "", createdAt: Timestamp(post.time)))
      }
    }
    let pin = graph.pin()
    let high = time.map { PostKey(time: $0, id: 0) } ?? .end
    let range = TimelineRange(direction: .older, low: PostKey(time: -1, id: .max), high: high, limit: 21)
    var merge = TimelineMerge(range)
    var mostCursors = 0
    for author in 0..<UInt32(userCount) {
      merge.push(author, pin.view.state.posts)
      mostCursors = max(mostCursors, merge.lists.value.cursors.count)
    }
    let expected = posts.indices.filter { posts[$0].time < high.time }.sorted { posts[$0].time > posts[$1].time }
    let found = merge.run(pin.view.state.posts)
    #expect((0..<found.count).map { found[$0] } == expected.prefix(21).map { UInt32($0) })
    #expect(mostCursors < 1_024 + 64)
  }

  @Test("A target set is right for a short list, a long one and none")
  func targetSets() throws {
    for userCount in [1, 2, 3, 900, 1_500, 1_600, 5_000] {
      let pin = try crowd(userCount, writes: { _ in false }).pin()
      let rowCount = UInt32(pin.view.state.users.rowCount)
      TargetSet.lend(targetsOf: 0, in: pin.view.state.follows) { followees in
        for row in 0..<rowCount {
          let isAmong = followees.contains(row)
          let isFollowed = row > 0 && (row + 1) % 3 != 0
          #expect(isAmong == isFollowed, "\(row) of \(userCount)")
        }
      }
    }
  }
}
