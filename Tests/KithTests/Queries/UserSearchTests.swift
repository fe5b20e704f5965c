import Foundation
import Testing

@testable import Kith

/// User search through the graph, in cases that the small models do not reach.
@Suite struct UserSearchTests {
  /// User n is followed by the first (n · 7919) mod 97 users.
  private static func network(_ count: Int) throws -> SocialGraph {
    let graph = SocialGraph()
    try graph.bulk { batch throws(KithError) in
      for id in 1...count {
        let name = "\(["ann", "Bob", "é"][id % 3])\(id * 37)"
        _ = try batch.importChange(.addUser(id: UserID(Int64(id)), username: name))
      }
      for id in 1...count {
        for follower in 1...97 where follower <= (id * 7_919) % 97 && follower != id {
          _ = try batch.importChange(.follow(as: UserID(Int64(follower)), target: UserID(Int64(id)), at: Timestamp(0)))
        }
      }
    }
    return graph
  }

  /// All pages, small ones, one after the other.
  private static func walk(_ view: borrowing GraphView, _ query: String, _ search: UserQuery) throws -> [User] {
    var users: [User] = []
    var search = search
    repeat {
      let page = try view.searchUsers(query, search)
      users += page.items
      search.cursor = page.next
    } while search.cursor != nil
    return users
  }

  @Test(
    "Every order equals a sort of all matches, page by page, by every plan", arguments: ["", "n", "an", "37", "é3"])
  func orders(query: String) throws {
    let graph = try Self.network(3_000)
    let viewer = UserID(5)
    let pin = graph.pin()
    let byName = try Self.walk(pin.view, query, UserQuery(limit: 1_000, viewer: viewer))
    let orders: [(UserQuery.Order, (User) -> Int)] = [
      (.name, { _ in 0 }), (.prefixFirst, { Folding.loose($0.username).starts(with: Folding.loose(query)) ? 1 : 0 }),
      (.followedFirst, { $0.isFollowedByViewer == true ? 1 : 0 }), (.popular, { $0.followerCount }),
    ]
    for (order, front) in orders {
      let expected = byName.enumerated().sorted {
        (-front($0.element), $0.offset) < (-front($1.element), $1.offset)
      }.map(\.element.id)
      for limit in [7, 20, 1_000] {
        let search = UserQuery(order: order, limit: limit, viewer: viewer)
        #expect(try Self.walk(pin.view, query, search).map(\.id) == expected, "\(order), \(limit) a page")
      }
    }
    #expect(try pin.view.searchUsers(query, UserQuery(countsMatches: true)).total == byName.count)
  }

  @Test("Followees beyond those that a scan collects at once come in order, page by page", arguments: ["", "n", "é3"])
  func manyFollowees(query: String) throws {
    let graph = SocialGraph()
    let count = 9_000
    try graph.bulk { batch throws(KithError) in
      for id in 1...count {
        let name = "\(["ann", "Bob", "é"][id % 3])\(id * 37 % 10_007)"
        _ = try batch.importChange(.addUser(id: UserID(Int64(id)), username: name))
      }
      for id in 1...count where id % 7 != 0 && id != 5 {
        _ = try batch.importChange(.follow(as: UserID(5), target: UserID(Int64(id)), at: Timestamp(0)))
      }
    }
    let pin = graph.pin()
    let byName = try Self.walk(pin.view, query, UserQuery(limit: 1_000, viewer: UserID(5)))
    let followees = byName.filter { $0.isFollowedByViewer == true }
    let expected = (followees + byName.filter { $0.isFollowedByViewer != true }).map(\.id)
    #expect(followees.count > 200)
    for limit in [300, 1_000] {
      let search = UserQuery(order: .followedFirst, limit: limit, viewer: UserID(5))
      #expect(try Self.walk(pin.view, query, search).map(\.id) == expected, "\(limit) a page")
    }
  }

  @Test("Popularity follows every follow, unfollow, block and removal")
  func popularity() throws {
    let graph = try Self.network(200)
    var step: UInt64 = 1
    for _ in 0..<2_000 {
      step = step &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let (user, other) = (UserID(Int64(1 + step >> 33 % 200)), UserID(Int64(1 + step >> 45 % 9)))
      switch step >> 60 {
      case 0..<9: _ = try? graph.apply(.follow(as: user, target: other, at: Timestamp(0)))
      case 9..<14: _ = try? graph.apply(.unfollow(as: user, target: other))
      case 14: _ = try? graph.apply(.block(as: user, target: other))
      default: if user.rawValue > 150 { _ = try? graph.apply(.removeUser(user)) }
      }
    }
    let pin = graph.pin()
    #expect(pin.view.verify() == [])
    let counts = try pin.view.searchUsers("", UserQuery(order: .popular, limit: 1_000)).map(\.followerCount)
    #expect(counts == counts.sorted(by: >) && counts[0] > Popularity.minimumCount)
  }

  @Test("A long search of a cancelled task throws, a short one answers")
  func cancelling() async throws {
    let graph = try Self.network(3_000)
    let task = Task { () -> (KithError?, Int) in
      while !Task.isCancelled { await Task.yield() }
      let short = try graph.read { try $0.searchUsers("ann37").items.count }
      do throws(KithError) {
        _ = try graph.read { (view) throws(KithError) in try view.searchUsers("", UserQuery(countsMatches: true)) }
        return (nil, short)
      } catch {
        return (error, short)
      }
    }
    task.cancel()
    let (error, short) = try await task.value
    #expect(error == .cancelled && short > 0)
  }

  @Test("A prefix that no name has ends early, one that names have begins where it was found, with tombstones, too")
  func rejectedPrefixes() throws {
    let graph = try Self.network(3_000)
    func isRejected(_ text: String) -> Bool {
      let pin = graph.pin()
      var start: NameSegment.Place?
      return text.withBytes { pin.view.state.users.search.lacksPrefix($0, &start) }
    }
    var names = (1...3_000).map { "\(["ann", "bob", "é"][$0 % 3])\($0 * 37)" }
    // The second time, some prefixes are those of removed users alone.
    for _ in 0..<2 {
      var rejectedCount = 0
      for number in 0..<1_000 {
        let text = ["ANN\(number)", "bob\(number * 7)", "aNn\(number * 111)", "\(number)", "z\(number)"][number % 5]
        let matches = names.filter { $0.hasPrefix(text.lowercased()) }.sorted()
        for fold in [TextFolding.loose, .strict] {
          let query = UserQuery(match: .prefix, fold: fold, countsMatches: true, limit: 1_000)
          let page = try graph.read { try $0.searchUsers(text, query) }
          #expect(page.map { $0.username.lowercased() } == matches && page.total == matches.count, "\(text) \(fold)")
        }
        if isRejected(text) {
          rejectedCount += 1
          #expect(matches.isEmpty)
        }
      }
      #expect(rejectedCount > 400 && rejectedCount < 900)
      let removed = try graph.read { try $0.searchUsers("ann11", UserQuery(match: .prefix, limit: 1_000)) }
      for user in removed { try graph.removeUser(user.id) }
      names.removeAll { $0.hasPrefix("ann11") }
    }
    #expect(isRejected("~") && isRejected("ann1234567890") && !isRejected("AN"))
  }

  @Test("A text with a trigram that no name has ends early, and only if no name matches")
  func rejectedByTrigrams() throws {
    let graph = try Self.network(3_000)
    func isRejected(_ text: String) -> Bool {
      let pin = graph.pin()
      return text.withBytes { pin.view.state.users.search.lacksTrigram(of: $0) }
    }
    let names = (1...3_000).map { "\(["ann", "bob", "é"][$0 % 3])\($0 * 37)" }
    var rejectedCount = 0
    for number in 0..<1_000 {
      let text = ["ANN\(number)", "b\(number * 7)", "\(number)9\(number)", "nn\(number)b"][number % 4]
      let matchCount = names.count { $0.contains(text.lowercased()) }
      let query = UserQuery(countsMatches: true, includesHighlights: true)
      let page = try graph.read { try $0.searchUsers(text, query) }
      #expect(page.total == matchCount && page.highlights?.count == page.count, "\(text)")
      if isRejected(text) { rejectedCount += 1 }
    }
    #expect(rejectedCount > 200 && rejectedCount < 900)

    #expect(isRejected("zzz") && !isRejected("zz") && !isRejected("ANN3") && !isRejected("NN"))
    for (text, query, error) in [
      ("zzz", UserQuery(order: .followedFirst), KithError.invalidRequest(.orderNeedsViewer("followedFirst"))),
      ("zzz", UserQuery(limit: 0), .invalidRequest(.limit(0))), ("zzz", UserQuery(cursor: Cursor("?")), .invalidCursor),
      ("zzz", UserQuery(viewer: 9_999), .unknownUser(9_999)),
      ("zzz", UserQuery(excludedUser: 9_999), .unknownUser(9_999)),
      (String(repeating: "z", count: 257), UserQuery(), .queryTooLong),
    ] {
      #expect(throws: error) { try graph.read { try $0.searchUsers(text, query) } }
    }

    let added = try graph.addUser("Zzzz")
    #expect(!isRejected("zzz"))
    #expect(try graph.read { try $0.searchUsers("zzz") }.map(\.id) == [added])
  }

  @Test("Ranges locate the query in bytes of the original name")
  func ranges() throws {
    let graph = SocialGraph()
    for name in ["banana", "aaaaa", "Straße", "e\u{301}mile é", "👩\u{200D}🚒fire", "ﬁﬁ", "한국"] {
      try graph.addUser(name)
    }
    func ranges(_ query: String, _ match: UserQuery.Match = .substring, _ fold: TextFolding = .loose) throws -> [[Range<
      Int
    >]]? {
      let search = UserQuery(match: match, fold: fold, includesHighlights: true)
      return try graph.read { try $0.searchUsers(query, search).highlights }
    }
    #expect(try ranges("AN") == [[1..<3, 3..<5]])
    #expect(try ranges("aa") == [[0..<2, 2..<4]])
    #expect(try ranges("strasse", .exact) == [[0..<7]])
    #expect(try ranges("s", .substring, .strict) == [[0..<1, 4..<6]])
    #expect(try ranges("é") == [[0..<3, 6..<7, 8..<10], [6..<7], [14..<15]])
    #expect(try ranges("é", .substring, .strict) == [[0..<3, 8..<10]])
    #expect(try ranges("🚒") == [[7..<11]])
    #expect(try ranges("i")?.contains([0..<3, 3..<6]) == true)
    #expect(try ranges("국") == [[3..<6]])
    #expect(try ranges("ba", .prefix) == [[0..<2]])
    #expect(try ranges("") == Array(repeating: [], count: 7))
    #expect(try graph.read { try $0.searchUsers("an") }.highlights == nil)
  }

  @Test("Names added one by one are compacted in the background, beside searches and renames")
  func merging() throws {
    let graph = SocialGraph()
    let total = 14_000
    let readers = DispatchGroup()
    for reader in 0..<2 {
      DispatchQueue.global().async(group: readers) {
        for round in 0..<120 {
          let query = "\(round % 10)\(reader)"
          let found = graph.read { try? $0.searchUsers(query, UserQuery(countsMatches: true, limit: 1_000)) }
          #expect(found.map { min($0.total ?? 0, 1_000) } == found?.items.count)
          #expect(found?.allSatisfy { $0.username.contains(query) } == true)
        }
      }
    }
    for id in 1...total {
      try graph.addUser("user \(id &* 7_919 % 100_003)")
      if id % 5 == 0 { try graph.apply(.renameUser(UserID(Int64(id / 2 + 1)), to: "renamed \(id)")) }
      if id % 50 == 0 { try graph.apply(.removeUser(UserID(Int64(id / 3 + 1)))) }
    }
    readers.wait()
    let deadline = Date().addingTimeInterval(60)
    func isMerged() -> Bool { graph.read { view in view.state.users.search.dueCompaction() == nil } }
    while !isMerged() && Date() < deadline { Thread.sleep(forTimeInterval: 0.01) }
    #expect(isMerged())
    let pin = graph.pin()
    #expect(pin.view.verify() == [])
    #expect(try pin.view.searchUsers("renamed", UserQuery(countsMatches: true, limit: 1)).total ?? 0 > 2_000)
  }
}
