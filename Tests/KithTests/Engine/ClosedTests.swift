import Testing

@testable import Kith

/// After `close` every throwing call throws `closed`, and the rest answers for the last state.
@Suite struct ClosedTests {
  private static let ann = UserID(1)

  /// Every throwing query of a view.
  private static let questions: [(name: String, ask: @Sendable (borrowing GraphView) throws(KithError) -> Void)] = [
    ("user", { (view) throws(KithError) in _ = try view.user(ann) }),
    ("post", { (view) throws(KithError) in _ = try view.post(1) }),
    ("users", { (view) throws(KithError) in _ = try view.users([ann]) }),
    ("posts", { (view) throws(KithError) in _ = try view.posts([1]) }),
    ("isFollowing", { (view) throws(KithError) in _ = try view.isFollowing(ann, as: ann) }),
    ("relations", { (view) throws(KithError) in _ = try view.relations(of: ann, to: []) }),
    ("followees", { (view) throws(KithError) in _ = try view.followees(of: ann) }),
    ("followers", { (view) throws(KithError) in _ = try view.followers(of: ann) }),
    ("likers", { (view) throws(KithError) in _ = try view.likers(of: 1) }),
    ("likes", { (view) throws(KithError) in _ = try view.likes(of: ann) }),
    ("blocked", { (view) throws(KithError) in _ = try view.blocked(by: ann) }),
    ("muted", { (view) throws(KithError) in _ = try view.muted(by: ann) }),
    ("timeline", { (view) throws(KithError) in _ = try view.timeline(of: ann) }),
    ("twoHopTimeline", { (view) throws(KithError) in _ = try view.twoHopTimeline(of: ann) }),
    (
      "timelineIDs",
      { (view) throws(KithError) in
        var ids: [PostID] = []
        try view.timelineIDs(of: ann, into: &ids)
      }
    ),
    ("searchUsers", { (view) throws(KithError) in _ = try view.searchUsers("a") }),
    ("searchPosts", { (view) throws(KithError) in _ = try view.searchPosts("a") }),
    ("mutualFollowees", { (view) throws(KithError) in _ = try view.mutualFollowees(of: ann, and: ann) }),
    ("mutualFollowers", { (view) throws(KithError) in _ = try view.mutualFollowers(of: ann, and: ann) }),
    ("mutualFolloweeCount", { (view) throws(KithError) in _ = try view.mutualFolloweeCount(of: ann, and: ann) }),
    ("suggestions", { (view) throws(KithError) in _ = try view.suggestions(for: ann) }),
    ("distance", { (view) throws(KithError) in _ = try view.shortestPath(from: ann, to: ann) }),
    ("row", { (view) throws(KithError) in _ = try view.row(of: ann) }),
  ]

  /// Every throwing call of a graph, except those of its views.
  private static let calls: [(name: String, call: @Sendable (SocialGraph) throws(KithError) -> Void)] = [
    ("addUser", { (graph) throws(KithError) in _ = try graph.addUser("x") }),
    ("unfollow", { (graph) throws(KithError) in _ = try graph.unfollow(2, as: ann) }),
    ("apply", { (graph) throws(KithError) in _ = try graph.apply(.mute(as: ann, target: 2)) }),
    ("batch", { (graph) throws(KithError) in try graph.batch { _ in } }),
    ("snapshot", { (graph) throws(KithError) in _ = try graph.snapshot() }),
    ("writeSnapshot", { (graph) throws(KithError) in _ = try graph.writeSnapshot(to: -1) }),
    ("journaledChanges", { (graph) throws(KithError) in try graph.journaledChanges(in: 1...1) { _, _ in } }),
    ("pageRank", { (graph) throws(KithError) in _ = try graph.pin().pageRank() }),
    ("connectedComponents", { (graph) throws(KithError) in _ = try graph.pin().connectedComponents() }),
    ("degreeDistribution", { (graph) throws(KithError) in _ = try graph.pin().degreeDistribution() }),
    ("map", { (graph) throws(KithError) in _ = try GraphPass(graph.pin()).map(0) { _, row in row } }),
  ]

  private static func fill(_ graph: SocialGraph) throws {
    try graph.addUser("ann")
    try graph.addUser("bob")
    try graph.follow(2, as: 1)
    try graph.addPost("hello", by: 2)
  }

  private func expectClosed(_ name: String, _ body: () throws(KithError) -> Void) {
    do throws(KithError) {
      try body()
      Issue.record("\(name) was answered")
    } catch {
      #expect(error == .closed, "\(name)")
    }
  }

  @Test("Every throwing call throws closed, on a graph in memory, a store and a read-only store")
  func closed() async throws {
    let directory = try TemporaryDirectory()
    let store = try await SocialGraph.open(directory.file("store"))
    try Self.fill(store)
    try await store.close()
    let memory = SocialGraph()
    try Self.fill(memory)
    let reader = try await SocialGraph.open(directory.file("store"), access: .readOnly)
    let pin = memory.pin()
    for (kind, graph) in [("store", store), ("memory", memory), ("reader", reader)] {
      let components = try pin.connectedComponents()
      try await graph.close()
      for (name, call) in Self.calls { expectClosed("\(kind): \(name)") { () throws(KithError) in try call(graph) } }
      for (name, ask) in Self.questions {
        expectClosed("\(kind): \(name)") { () throws(KithError) in try graph.read(ask) }
        expectClosed("\(kind): \(name) of a pin") { () throws(KithError) in try ask(graph.pin().view) }
      }
      expectClosed("\(kind): first") { () throws(KithError) in
        _ = try graph.read { (view) throws(KithError) in try components.first(of: Self.ann, in: view) }
      }
      await #expect(throws: KithError.closed) { try await graph.apply(.removeUser(1)) }
      try await graph.close()
    }
    #expect(try pin.view.user(1).username == "ann", "a pin from before answers on")
  }

  @Test("Calls that cannot throw answer for the last state")
  func lastInstant() throws {
    let graph = SocialGraph()
    try Self.fill(graph)
    let counts = graph.read { $0.counts }
    try graph.close()
    graph.read { view in
      #expect(view.counts == counts && view.sequence == 4 && view.verify() == [])
      #expect(view.findUser(named: "ann") == 1 && view.user(at: 1) == 2 && view.followerCount(at: 1) == 1)
      #expect(view.isFollowing(row: 1, asRow: 0) && view.rowCount == 2)
    }
    #expect(graph.pin().view.counts == counts)
  }
}
