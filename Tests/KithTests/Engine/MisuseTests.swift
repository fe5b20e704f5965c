import Testing

@testable import Kith

/// Programming errors: the process traps, and its last message is the rule, also in optimized code.
@Suite struct MisuseTests {
  /// A call from inside another.
  enum Nesting: String, CaseIterable, Codable {
    case readInRead, changeInRead, pinInRead, batchInRead, observerInRead, closeInRead, snapshotInRead
    case readInBatch, changeInBatch, pinInBatch, questionInObservedQuestion

    func run(on graph: SocialGraph) throws {
      let ann = UserID(1)
      switch self {
      case .readInRead: _ = graph.read { _ in graph.read { $0.sequence } }
      case .changeInRead: try graph.read { _ in _ = try graph.addUser("bob") }
      case .pinInRead: graph.read { _ in _ = graph.pin() }
      case .batchInRead: try graph.read { _ in try graph.batch { _ in } }
      case .observerInRead: graph.read { _ in _ = graph.changes() }
      case .closeInRead: try graph.read { _ in try graph.close() }
      case .snapshotInRead: try graph.read { _ in _ = try graph.snapshot() }
      case .readInBatch: try graph.batch { _ in _ = graph.read { $0.sequence } }
      case .changeInBatch: try graph.batch { _ throws(KithError) in try graph.removeUser(ann) }
      case .pinInBatch: try graph.batch { _ in _ = graph.pin() }
      case .questionInObservedQuestion:
        let question = LiveQuery { _ in graph.read { $0.sequence } }
        _ = LiveSubscription(graph, question).ask()
      }
    }
  }

  @Test("A query or change of a graph inside its own read or batch traps with the rule", arguments: Nesting.allCases)
  func nesting(_ nesting: Nesting) async throws {
    let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [nesting = nesting as MisuseTests.Nesting] in
      let graph = SocialGraph()
      try graph.addUser("ann")
      try nesting.run(on: graph)
    }
    #expect(text(ending).contains("\(StripedLock.rule)"), "\(nesting)")
  }

  /// What is no nesting must work: other graphs, the lent view, other threads, and calls after an error.
  @Test("Two graphs, pins and errors inside a read are no misuse")
  func allowed() throws {
    let (graph, other) = (SocialGraph(), SocialGraph())
    let ann = try graph.addUser("ann")
    let pin = graph.pin()
    try graph.read { (view) throws in
      try other.addUser("bob")
      #expect(view.counts == pin.view.counts && other.read { $0.counts.users } == 1)
    }
    #expect(throws: KithError.unknownUser(7)) { try graph.read { try $0.user(7) } }
    #expect(throws: KithError.inBatch(index: 0, .unknownUser(7))) {
      try graph.batch { batch throws(KithError) in try batch.apply(.removeUser(7)) }
    }
    #expect(try graph.renameUser(ann, to: "anna") && graph.read { $0.sequence } == 2)
  }

  /// A call with a row that does not exist.
  enum Row: String, CaseIterable, Codable {
    case user, followerCount, followeeCount, isFollowing, isFollowed, forEachFollowers, forEachFollowees

    func ask(_ view: borrowing GraphView, _ row: Int) {
      switch self {
      case .user: _ = view.user(at: row)
      case .followerCount: _ = view.followerCount(at: row)
      case .followeeCount: _ = view.followeeCount(at: row)
      case .isFollowing: _ = view.isFollowing(row: 0, asRow: row)
      case .isFollowed: _ = view.isFollowing(row: row, asRow: 0)
      case .forEachFollowers: view.forEachFollowers(at: row) { _ in }
      case .forEachFollowees: view.forEachFollowees(at: row) { _ in }
      }
    }
  }

  @Test("A row that does not exist traps with the rule", arguments: Row.allCases)
  func rows(_ call: Row) async throws {
    for row in [1, -1, 16, 1 << 32, .max] {
      let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [call = call as MisuseTests.Row, row = row as Int] in
        let graph = SocialGraph()
        try graph.addUser("ann")
        graph.read { view in call.ask(view, row) }
      }
      #expect(text(ending).contains("a row is at least 0 and less than"), "\(call) of \(row)")
    }
    let graph = SocialGraph()
    try await graph.addUser("ann")
    graph.read { view in call.ask(view, 0) }
  }

  @Test("A result whose texts need longer offsets traps instead of mixing them up")
  func longAnswer() async throws {
    let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ResultBufferWriter<UInt64>(recordCount: 1, byteCount: 1 << 32)
    }
    #expect(text(ending).contains("the texts of a result take less than 4 GiB"))
  }

  /// The process's last message.
  private func text(_ ending: ExitTest.Result?) -> String {
    String(decoding: ending?.standardErrorContent ?? [], as: UTF8.self)
  }
}
