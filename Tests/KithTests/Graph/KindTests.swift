import Foundation
import Testing

@testable import Kith

/// Kinds of users: names are unique, and found, within one.
@Suite struct KindTests {
  private static let schema = SocialGraph.Schema(userKinds: ["tag", "place"])

  private static func fill(_ graph: SocialGraph) throws {
    try graph.batch { (batch) throws(KithError) in
      for name in ["snow", "Ice", "rain"] { try batch.addUser(name) }
      for name in ["snow", "snowfall", "ice"] {
        try batch.addUser(name, fields: UserFields(kind: "tag", displayName: "#\(name)"))
      }
      try batch.addUser("snow", fields: UserFields(kind: "place"))
      for user in 2...7 as ClosedRange<Int64> { try batch.follow(UserID(user), as: 1) }
    }
  }

  @Test("A name is taken and found within its kind") func names() throws {
    let graph = SocialGraph(schema: Self.schema)
    try Self.fill(graph)
    #expect(throws: KithError.usernameTaken("snow")) { try graph.addUser("snow", fields: UserFields(kind: "tag")) }
    #expect(throws: KithError.usernameTaken("snow")) { try graph.addUser("snow") }
    #expect(throws: KithError.usernameTaken("snow")) { try graph.renameUser(5, to: "snow") }
    try graph.renameUser(5, to: "rain")
    try graph.removeUser(4)
    try graph.addUser("snow", fields: UserFields(kind: "tag"))
    graph.read { view in
      #expect(
        [nil, "user", "tag", "place", "none"].map { view.findUser(named: "snow", kind: $0) } == [1, 1, 8, 7, nil])
      #expect([nil, "tag"].map { view.findUser(named: "rain", kind: $0) } == [3, 5])
      #expect(view.verify().isEmpty)
    }
    for fields in [UserFields(kind: "none"), UserFields(kind: "post"), UserFields(kind: "list")] {
      #expect(throws: KithError.self) { try graph.addUser("new", fields: fields) }
    }
    #expect(throws: KithError.invalidRequest(.kindStays)) { try graph.editUser(1, UserFields(kind: "user")) }
    #expect(throws: KithError.noSchema) { try SocialGraph().addUser("ann", fields: UserFields(kind: "user")) }
  }

  @Test("Searches and suggestions are of one kind, lists of all") func searches() throws {
    let graph = SocialGraph(schema: Self.schema)
    try Self.fill(graph)
    try graph.follow(6, as: 3)
    try graph.follow(2, as: 7)
    func found(_ text: String, _ query: UserQuery = UserQuery()) throws -> [String] {
      try graph.pin().view.searchUsers(text, query).map { "\($0.kind) \($0.username)" }
    }
    #expect(try found("") == ["user Ice", "user rain", "user snow"])
    #expect(try found("", UserQuery(kind: "tag")) == ["tag ice", "tag snow", "tag snowfall"])
    #expect(try found("#snow", UserQuery(match: .prefix, kind: "tag")) == ["tag snow", "tag snowfall"])
    #expect(try found("#snow") == [] && found("snow", UserQuery(kind: "place")) == ["place snow"])
    for order in UserQuery.Order.allCases {
      #expect(try found("i", UserQuery(kind: "tag", order: order, viewer: 1)) == ["tag ice"])
      #expect(try found("i", UserQuery(order: order, limit: 1, viewer: 1)).count == 1)
    }
    #expect(throws: KithError.invalidRequest(.unknownKind("list"))) { try found("", UserQuery(kind: "list")) }
    // Of two followees of one name, in whatever kinds, the lower id comes first, also across pages.
    var (names, cursor): ([String], Cursor?) = ([], nil)
    repeat {
      let page = try graph.pin().view.followees(of: 1, ListQuery(order: .name, limit: 1, cursor: cursor))
      names += page.map { "\($0.id) \($0.username)" }
      cursor = page.next
    } while cursor != nil
    #expect(names == ["2 Ice", "6 ice", "3 rain", "4 snow", "7 snow", "5 snowfall"])
    #expect(try graph.pin().view.suggestions(for: 7, SuggestionQuery()).isEmpty)
    try graph.follow(3, as: 7)
    let pin = graph.pin()
    #expect(try pin.view.suggestions(for: 7, SuggestionQuery(kind: "tag")).map(\.user.username) == ["ice"])
    #expect(try pin.view.suggestions(for: 7, SuggestionQuery(kind: "place")).isEmpty)
  }

  @Test("Kinds and display names outlive the process, in journals and snapshots") func files() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("kith-kinds-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    func told() throws -> [String] {
      let graph = try SocialGraph.open(directory, schema: Self.schema)
      defer { try? graph.close() }
      return try graph.read { view in
        #expect(view.verify().isEmpty)
        return try [nil, "tag", "place"].flatMap { kind in
          try view.searchUsers("", UserQuery(kind: kind)).map { "\($0.kind) \($0.username) \($0.displayName ?? "-")" }
        }
      }
    }
    var graph = try SocialGraph.open(directory, schema: Self.schema)
    try Self.fill(graph)
    try graph.close()
    let replayed = try told()
    #expect(replayed.contains("tag snow #snow") && replayed.count == 7)
    graph = try SocialGraph.open(directory)
    #expect(graph.read { $0.schema } == Self.schema)
    let snapshot = try graph.snapshot()
    try graph.close()
    #expect(try told() == replayed)
    // Alone, without the journals that a store would read instead of a snapshot that is wrong.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: snapshot.path))
    let alone = try SocialGraph(snapshot: Array(bytes)).pin()
    #expect(
      try alone.view.searchUsers("", UserQuery(kind: "tag")).map(\.displayName) == ["#ice", "#snow", "#snowfall"])
    #expect(alone.view.findUser(named: "snow", kind: "place") == 7)
  }

  @Test("The index of a kind is compacted apart from the others") func compaction() throws {
    let graph = SocialGraph(schema: Self.schema)
    for start in [0, 4_500] {
      try graph.batch { (batch) throws(KithError) in
        for number in start..<start + 4_500 {
          try batch.addUser("user \(number)")
          try batch.addUser("tag \(number)", fields: UserFields(kind: "tag"))
        }
      }
    }
    for user in 2...3_000 as ClosedRange<Int64> { try graph.follow(UserID(user), as: 1) }
    for order in [UserQuery.Order.followedFirst, .popular] {
      // These scan followees, or the most followed, of all kinds. The names of tags come first.
      let page = try graph.pin().view.searchUsers("1", UserQuery(order: order, limit: 100, viewer: 1))
      #expect(page.count == 100 && page.allSatisfy { $0.kind == "user" && $0.isFollowedByViewer == true })
    }
    for number in 0..<500 as Range<Int64> { try graph.removeUser(UserID(2 + number * 4)) }
    var isSettled = false
    for _ in 0..<100 where !isSettled {
      let pin = graph.pin()
      #expect(try pin.view.searchUsers("tag", UserQuery(kind: "tag", countsMatches: true)).total == 8_500)
      #expect(try pin.view.searchUsers("user 1", UserQuery(match: .prefix, countsMatches: true)).total == 1_111)
      #expect(try pin.view.searchUsers("tag").isEmpty)
      #expect(try pin.view.searchUsers("user", UserQuery(kind: "tag")).isEmpty)
      let others = pin.view.state.users.otherSearches.map { $0.map { $0.value.sortedRuns.count } }
      isSettled = pin.view.state.users.search.sortedRuns.count == 1 && others == [1]
      if !isSettled { Thread.sleep(forTimeInterval: 0.1) }
    }
    #expect(isSettled && graph.read { $0.verify() }.isEmpty)
  }
}
