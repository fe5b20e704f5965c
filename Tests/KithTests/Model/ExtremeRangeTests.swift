import Testing

@testable import Kith

/// Ids and times at the ends of their ranges, and closer together than floating-point numbers are there.
@Suite struct ExtremeRangeTests {
  /// The last one leaves room for ids and times above it.
  static let ends: [Int64] = [0, 1 << 31, 1 << 32, 1 << 53, 1 << 62, Int64.max - 5_000]

  @Test("Every query answers like the model near the ends of the ranges", arguments: ends, ListForm.allCases)
  func model(end: Int64, form: ListForm) throws {
    for (seed, users) in [(UInt64(71), 9), (72, 70)] {
      var run = try ModelRun(seed: seed, users: users, form, near: end)
      for _ in 0..<100 { try run.advance() }
      try run.checkWhole()
      let pin = run.graph.pin()
      for bucketCount in [1, 7, 120] {
        let times = try pin.timeDistribution(bucketCount: bucketCount)
        let model = run.model.counts
        let counts = [model.follows, model.posts, model.likes]
        #expect(times.buckets.map { $0.reduce(0, +) } == counts, "seed \(seed)")
        #expect(times.hours.map { $0.reduce(0, +) } == counts, "seed \(seed)")
      }
      #expect(
        try pin.connectedComponents().components.reduce(0) { $0 + $1.userCount } == run.model.counts.users,
        "seed \(seed)")
    }
  }

  @Test("A bound finds its place among many posts that come close together", arguments: ends)
  func bounds(end: Int64) throws {
    let graph = SocialGraph()
    let count: Int64 = 600
    try graph.bulk { batch throws(KithError) in
      try batch.apply(.addUser(id: UserID(end + 1), username: "ann"))
      for id in 1...count {
        let post = PostID(end + id)
        try batch.apply(.addPost(id: post, by: UserID(end + 1), text: "snow", createdAt: Timestamp(end + id)))
      }
    }
    let user = UserID(end + 1)
    try graph.read { view throws(KithError) in
      for bound in (0...count + 1).filter({ $0 % 7 == 0 || $0 > count - 3 }) {
        let time = Timestamp(end + bound)
        let older = try view.timeline(of: user, TimelineQuery(before: time, limit: 2))
        #expect(older.map(\.id.rawValue) == [1, 2].map { end + bound - $0 }.filter { $0 > end && $0 <= end + count })
        let newer = try view.timeline(of: user, TimelineQuery(direction: .newer, after: time, limit: 2))
        #expect(newer.map(\.id.rawValue) == [2, 1].map { end + bound + $0 }.filter { $0 <= end + count })
        let found = try view.searchPosts("snow", PostQuery(before: time, limit: 1))
        #expect(found.map(\.id.rawValue).first == (bound > 1 ? end + bound - 1 : nil), "\(bound)")
      }
      var (cursor, ids) = (Cursor?.none, [Int64]())
      repeat {
        let page = try view.timeline(of: user, TimelineQuery(limit: 41, cursor: cursor))
        ids += page.map(\.id.rawValue)
        cursor = page.next
      } while cursor != nil
      #expect(ids == (1...count).reversed().map { end + $0 })
    }
  }
}
