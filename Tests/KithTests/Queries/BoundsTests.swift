import Testing

@testable import Kith

/// Bounds to the unit: one below, the bound itself, one above.
@Suite struct BoundsTests {
  private typealias Limits = SocialGraph.Limits

  /// The code of what a call throws; nil if it succeeds.
  private func refusal(_ call: () throws -> Void) -> String? {
    do {
      try call()
      return nil
    } catch {
      return (error as? KithError)?.code ?? "\(error)"
    }
  }

  /// Expects that values within a range are accepted, and that the next ones at both ends are refused.
  private func check(
    _ range: ClosedRange<Int>, _ code: String, _ what: String, _ call: (Int) throws -> Void
  ) {
    for value in [range.lowerBound, range.lowerBound + 1, range.upperBound - 1, range.upperBound]
    where range.contains(value) {
      #expect(refusal { try call(value) } == nil, "\(what): \(value)")
    }
    for value in [range.lowerBound &- 1, range.upperBound &+ 1] where !range.contains(value) {
      #expect(refusal { try call(value) } == code, "\(what): \(value)")
    }
  }

  private static func graph() throws -> SocialGraph {
    let graph = SocialGraph()
    for name in ["ann", "bob", "cid", "dan"] { try graph.addUser(name) }
    for (user, target) in [(1, 2), (2, 3), (3, 4)] as [(UserID, UserID)] { try graph.follow(target, as: user) }
    try graph.addPost("hello", by: 1)
    return graph
  }

  @Test("A page has 1 to 1,000 items, in every list")
  func pages() throws {
    let graph = try Self.graph()
    let view = graph.pin()
    let calls: [(String, (Int) throws -> Void)] = [
      ("users", { _ = try view.view.searchUsers("a", UserQuery(limit: $0)) }),
      ("no match", { _ = try view.view.searchUsers("qqqqqq", UserQuery(limit: $0)) }),
      ("fuzzy", { _ = try view.view.searchUsers("anna", UserQuery(match: .fuzzy, limit: $0)) }),
      ("posts", { _ = try view.view.searchPosts("a", PostQuery(limit: $0)) }),
      ("timeline", { _ = try view.view.timeline(of: 1, TimelineQuery(limit: $0)) }),
      ("newer", { _ = try view.view.timeline(of: 1, TimelineQuery(direction: .newer, limit: $0)) }),
      ("two hops", { _ = try view.view.twoHopTimeline(of: 1, TimelineQuery(limit: $0)) }),
      ("followees", { _ = try view.view.followees(of: 1, ListQuery(limit: $0)) }),
      ("followees by name", { _ = try view.view.followees(of: 1, ListQuery(order: .name, limit: $0)) }),
      ("followers", { _ = try view.view.followers(of: 1, ListQuery(limit: $0)) }),
      ("likers", { _ = try view.view.likers(of: 1, ListQuery(limit: $0)) }),
      ("likes", { _ = try view.view.likes(of: 1, ListQuery(limit: $0)) }),
      ("blocked", { _ = try view.view.blocked(by: 1, ListQuery(limit: $0)) }),
      ("muted", { _ = try view.view.muted(by: 1, ListQuery(limit: $0)) }),
      ("mutual followees", { _ = try view.view.mutualFollowees(of: 1, and: 2, MutualQuery(limit: $0)) }),
      ("mutual followers", { _ = try view.view.mutualFollowers(of: 1, and: 2, MutualQuery(limit: $0)) }),
      ("suggestions", { _ = try view.view.suggestions(for: 1, SuggestionQuery(limit: $0)) }),
    ]
    for (what, call) in calls { check(1...Limits.pageCount, "invalidRequest", what, call) }
    check(0...Limits.namedCount, "invalidRequest", "named") {
      _ = try view.view.suggestions(for: 1, SuggestionQuery(namedCount: $0))
    }
    for count in [0, Limits.idCount - 1, Limits.idCount, Limits.idCount + 1] {
      let error = refusal { _ = try view.view.users([UserID](repeating: 1, count: count)) }
      #expect(error == (count > Limits.idCount ? "invalidRequest" : nil), "\(count) ids")
    }
    check(0...Limits.roundCount, "invalidRequest", "rounds") {
      _ = try view.pageRank(PageRank.Options(maximumRounds: $0))
    }
  }

  @Test("A query has up to 256 bytes and 32 words, a name up to 255 bytes, a text up to 65,535")
  func texts() throws {
    let graph = try Self.graph()
    func text(_ count: Int, _ letter: Character = "x") -> String { String(repeating: letter, count: max(0, count)) }
    for match in [UserQuery.Match.substring, .prefix, .exact, .fuzzy] {
      for byteCount in 255...257 {
        let error = refusal { _ = try graph.read { try $0.searchUsers(text(byteCount), UserQuery(match: match)) } }
        #expect(error == (byteCount > Limits.queryByteCount ? "queryTooLong" : nil), "\(match), \(byteCount) bytes")
      }
    }
    for byteCount in 255...257 {
      let error = refusal { _ = try graph.read { try $0.searchPosts(text(byteCount)) } }
      #expect(error == (byteCount > Limits.queryByteCount ? "queryTooLong" : nil), "\(byteCount) bytes")
    }
    for count in 31...33 {
      let words = (0..<count).map { "w\($0)" }.joined(separator: " ")
      let error = refusal { _ = try graph.read { try $0.searchPosts(words) } }
      #expect(error == (count > Limits.queryTermCount ? "queryTooLong" : nil), "\(count) words")
    }
    for byteCount in [1, 2, 254, 255, 256] {
      let error = refusal { _ = try graph.addUser(text(byteCount, "n")) }
      #expect(error == (byteCount > Limits.usernameByteCount ? "invalidUsername" : nil), "\(byteCount) bytes")
      let again = refusal { _ = try graph.renameUser(1, to: text(byteCount, "r")) }
      #expect(again == (byteCount > Limits.usernameByteCount ? "invalidUsername" : nil), "\(byteCount) bytes")
    }
    for byteCount in [0, 1, 65_534, 65_535, 65_536] {
      let error = refusal { _ = try graph.addPost(text(byteCount), by: 1) }
      #expect(error == (byteCount > Limits.textByteCount ? "textTooLong" : nil), "\(byteCount) bytes")
    }
    #expect(graph.read { $0.verify() } == [])
  }

  @Test("A follow and a like have times from 1970 to the last second of 32 bits")
  func edgeTimes() throws {
    let graph = try Self.graph()
    let last = Int(Limits.edgeMilliseconds)
    check(0...last, "invalidRequest", "follow") { time in
      try graph.apply(.unfollow(as: 1, target: 4))
      try graph.apply(.follow(as: 1, target: 4, at: Timestamp(Int64(time))))
      let page = try graph.read { try $0.followees(of: 1) }
      let second = try #require(page.first { $0.id == 4 }?.followedAt)
      #expect(second.rawValue == Int64(time) / 1_000 * 1_000)
    }
    check(0...last, "invalidRequest", "like") { time in
      try graph.apply(.unlike(as: 1, post: 1))
      try graph.apply(.like(as: 1, post: 1, at: Timestamp(Int64(time))))
    }
    // What a cursor can hold of such a time.
    let list = try #require(CursorContent.Kind(.follow, .targets, .newest))
    for (second, code) in [(-1, "invalidCursor"), (0, nil), (last / 1_000, nil), (last / 1_000 + 1, "invalidCursor")] {
      let place = CursorPlace(kind: list, subject: 1, first: Int64(second), second: 1)
      for cursor in [Cursor(place), Cursor(Cursor(place).text)] {
        let error = refusal { _ = try graph.read { try $0.followees(of: 1, ListQuery(cursor: cursor)) } }
        #expect(error == code, "\(second)")
      }
    }
  }

  @Test("Posts before and after a time are those of other milliseconds")
  func times() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    let times: [Int64] = [
      0, 1, 999, 1_000, 1_001, 4_398_046_509_055, 4_398_046_509_056, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, .max - 1,
    ]
    for time in times { try graph.apply(.addPost(id: nil, by: ann, text: "snow", createdAt: Timestamp(time))) }
    let pin = graph.pin()
    for bound in times.flatMap({ [$0 - 1, $0, $0 + 1] }) where bound >= 0 {
      for direction in TimelineQuery.Direction.allCases {
        func read(before: Timestamp?, after: Timestamp?) throws -> [[Int64]] {
          let timeline = TimelineQuery(direction: direction, before: before, after: after)
          return [
            try pin.view.timeline(of: ann, timeline).map(\.createdAt.rawValue),
            try pin.view.twoHopTimeline(of: ann, timeline).map(\.createdAt.rawValue),
            try pin.view.searchPosts("snow", PostQuery(before: before, after: after)).map(\.createdAt.rawValue),
          ]
        }
        let (older, newer) = (times.filter { $0 < bound }, times.filter { $0 > bound })
        for found in try read(before: Timestamp(bound), after: nil) { #expect(found == older.reversed()) }
        for found in try read(before: nil, after: Timestamp(bound)) { #expect(found == newer.reversed()) }
      }
    }
  }

  @Test("As many follows and hops are read as are allowed, and not one more")
  func hops() throws {
    let graph = SocialGraph()
    for number in 1...9 { try graph.addUser("user \(number)") }
    // User 1 follows 2, who follows 4…6, and 3, who follows 6 and 7; 7 follows 8, who follows 9.
    let follows: [(UserID, [UserID])] = [(1, [2, 3]), (2, [4, 5, 6]), (3, [6, 7]), (7, [8]), (8, [9])]
    for (user, targets) in follows { for target in targets { try graph.follow(target, as: user) } }
    for user in [4, 7] as [UserID] { try graph.addPost("by \(user)", by: user) }
    let pin = graph.pin()
    for (limit, suggested, isTruncated) in [
      (1, [], true), (2, [6, 7], true), (4, [6, 7], true), (5, [6, 4, 5, 7], false), (6, [6, 4, 5, 7], false),
    ] as [(Int, [UserID], Bool)] {
      let page = try pin.view.suggestions(for: 1, SuggestionQuery(followLimit: limit))
      #expect(page.map(\.user.id) == suggested && page.isTruncated == isTruncated, "\(limit) follows")
      let posts = try pin.view.twoHopTimeline(of: 1, followLimit: limit)
      #expect(posts.items.count == suggested.count { $0 == 4 || $0 == 7 } && posts.isTruncated == isTruncated)
    }
    for (hops, found) in [(3, ShortestPath.unreachable), (4, .path([1, 3, 7, 8, 9])), (5, .path([1, 3, 7, 8, 9]))] {
      #expect(try pin.view.shortestPath(from: 1, to: 9, PathQuery(maximumHops: hops)) == found, "\(hops) hops")
    }
  }

  @Test("A batch has up to 10,000 changes")
  func batches() throws {
    for count in [9_999, 10_000, 10_001] {
      let graph = SocialGraph()
      let error = refusal {
        _ = try graph.batch { batch throws(KithError) in
          for number in 0..<count { try batch.apply(.addUser(id: nil, username: "\(number)")) }
        }
      }
      #expect((error == nil) == (count <= Limits.batchCount), "\(count): \(error ?? "")")
      #expect(graph.read { $0.counts.users } == (error == nil ? count : 0))
    }
  }

  @Test("A snapshot begins the kept time from the second on at which it is old enough")
  func retention() {
    func isEnough(_ count: Int, _ retention: SocialGraph.Retention, ages: Int64...) -> Bool {
      let now = Timestamp(1_000_000)
      var age = SnapshotAge(retention, now: now)
      for each in ages { age.pass(Timestamp(now.rawValue - each)) }
      return retention.isEnough(count, age: age)
    }
    let retention = SocialGraph.Retention(snapshotCount: 3, duration: .seconds(60))
    for (count, age, expected) in [
      (3, 59_999, false), (3, 60_000, true), (3, 60_001, true), (2, 60_001, false), (4, 60_000, true),
    ] as [(Int, Int64, Bool)] {
      #expect(isEnough(count, retention, ages: 30_000, age) == expected, "\(count) snapshots, \(age) ms")
    }
    #expect(!isEnough(1, SocialGraph.Retention(snapshotCount: 0), ages: 0))
    #expect(isEnough(2, SocialGraph.Retention(snapshotCount: 0), ages: 0))
  }
}
