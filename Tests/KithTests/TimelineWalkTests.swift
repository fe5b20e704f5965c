import Testing

@testable import Kith

/// The walk over all posts finds what a plain filter finds, and leaves to the merge what would cost it more.
@Suite struct TimelineWalkTests {
  private static let userCount = 60

  /// Everybody writes by turns, four at a time; user 1 follows `followeeCount` others and mutes two of
  /// them.
  private func graph(followeeCount: Int, mutes: Bool, millisecondsApart step: Int = 1) throws -> SocialGraph {
    let graph = SocialGraph()
    for number in 1...Self.userCount { try graph.addUser("user \(number)") }
    for number in 0..<3_000 {
      try graph.addPost(
        by: UserID(Int64(number * 7 % Self.userCount + 1)), "post \(number)",
        createdAt: Timestamp(Int64(number / 4 * step)))
    }
    for followee in 2..<2 + Int64(followeeCount) { try graph.follow(1, UserID(followee)) }
    if mutes { for muted in [3, 9] as [UserID] { try graph.mute(1, muted) } }
    return graph
  }

  @Test(arguments: [true, false], [true, false])
  func `far back, it finds the newest posts before the bound`(includeSelf: Bool, mutes: Bool) throws {
    let pin = try graph(followeeCount: 30, mutes: mutes).pin()
    let authors = Set((2...31).filter { !mutes || ($0 != 3 && $0 != 9) } + (includeSelf ? [1] : []))
    for (time, after) in [(500, -1), (200, 150), (90, -1), (3, -1), (201, 199)] as [(Int64, Int64)] {
      let walk = TimelineWalk(
        user: 0, includeSelf: includeSelf, low: PostKey(time: after, id: .max), high: PostKey(time: time, id: 0),
        limit: 21)
      var rows: [UInt32] = []
      var signature: RowSignature?
      #expect(walk.fill(&rows, &signature, pin.view.state))
      let expected = (0..<3_000).reversed().filter { number in
        number / 4 < time && number / 4 > after && authors.contains(number * 7 % Self.userCount + 1)
      }
      #expect(rows == expected.prefix(21).map { UInt32($0) })
    }
  }

  @Test func `it leaves the first page, few followees and rare ones to the merge`() throws {
    func fills(_ followeeCount: Int, before time: Int64?, limit: Int = 21) throws -> Bool {
      let graph = try graph(followeeCount: followeeCount, mutes: false, millisecondsApart: 2_000)
      return try fill(graph, before: time.map { $0 * 2_000 }, limit: limit) != nil
    }
    #expect(try fills(40, before: 400))
    #expect(try !fills(40, before: nil), "the newest are at hand")
    #expect(try !fills(20, before: 749), "few have newer posts")
    #expect(try !fills(2, before: 400), "two lists are searched at once")
    #expect(try !fills(20, before: 400, limit: 1_000), "a thousand posts are too far apart")
  }

  /// What user 1 gets before a time; nil where it is left to the merge.
  private func fill(_ graph: SocialGraph, before time: Int64?, limit: Int = 21) throws -> [UInt32]? {
    let pin = graph.pin()
    let walk = TimelineWalk(
      user: 0, includeSelf: false, low: PostKey(time: -1, id: .max),
      high: time.map { PostKey(time: $0, id: 0) } ?? .end, limit: limit)
    var rows: [UInt32] = []
    var signature: RowSignature?
    let isFilled = walk.fill(&rows, &signature, pin.view.state)
    #expect(isFilled || rows.isEmpty)
    return isFilled ? rows : nil
  }

  /// User 1 follows all but every third of the others; `writes` tells who has a post.
  private func crowd(_ userCount: Int, writes: (Int) -> Bool) throws -> SocialGraph {
    let graph = SocialGraph()
    try graph.batch { batch throws(KithError) in
      for number in 1...userCount { try batch.apply(.addUser(id: nil, username: "user \(number)")) }
    }
    try graph.batch { batch throws(KithError) in
      for number in 2..<userCount + 1 where number % 3 != 0 {
        try batch.apply(.follow(1, UserID(Int64(number)), at: Timestamp(0)))
      }
    }
    try graph.batch { batch throws(KithError) in
      for number in 2..<userCount + 1 where writes(number) {
        try batch.apply(
          .addPost(id: nil, author: UserID(Int64(number)), text: "", createdAt: Timestamp(Int64(number / 3))))
      }
    }
    return graph
  }

  @Test func `who follows most of those who write gets a walk for the first page, others soon the merge`() throws {
    let rows = try #require(try fill(try crowd(4_000, writes: { _ in true }), before: nil))
    let followed: [UInt32] = (2...4_000).reversed().filter { number in number % 3 != 0 }
    let expected: [UInt32] = followed.prefix(21).map { number in number - 2 }
    #expect(rows == expected)
    #expect(try fill(try crowd(6_500, writes: { $0 % 3 == 0 }), before: nil) == nil)
  }

  @Test func `a page before the latest time there is lacks a post of that time by either plan`() throws {
    let graph = try graph(followeeCount: 30, mutes: false)
    try graph.addPost(by: 2, "the last", createdAt: Timestamp(.max))
    let pin = graph.pin()
    for plan in [TimelineWalk.Plan.cheaper, .walk, .merge] {
      let all = try pin.view.timeline(of: 1, TimelineOptions(limit: 1), plan: plan)
      let before = try pin.view.timeline(of: 1, TimelineOptions(limit: 1, before: Timestamp(.max)), plan: plan)
      #expect(all.map(\.text) == ["the last"])
      #expect(before.map(\.createdAt.rawValue) == [748])
    }
  }

  @Test func `a set of targets knows them in a short list, a long one and none`() throws {
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
