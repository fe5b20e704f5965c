import Testing

@testable import Kith

/// Names whose NFC is ASCII, although they are not: they equal what they compose to, in either order. Files of releases
/// that accepted both still open.
@Suite struct SharedNameTests {
  private static let pairs = [
    ("\u{212A}", "K"), ("\u{37E}", ";"), ("\u{1FEF}", "`"), ("ma\u{212A}e_\u{37E}", "maKe_;"),
  ]

  @Test("Names that fold alike are one, in either order, to add, to rename and in a batch", arguments: pairs)
  func oneName(odd: String, plain: String) throws {
    for (first, second) in [(odd, plain), (plain, odd)] {
      let graph = SocialGraph()
      let (ann, bob) = (try graph.addUser(first), try graph.addUser("bob"))
      let taken = KithError.usernameTaken(second)
      #expect(throws: taken) { try graph.addUser(second) }
      #expect(throws: taken) { try graph.renameUser(bob, to: second) }
      #expect(throws: KithError.inBatch(index: 1, taken)) {
        try graph.batch { batch throws(KithError) in
          try batch.apply(.addUser(id: nil, username: "cid"))
          try batch.apply(.addUser(id: nil, username: second))
        }
      }
      #expect(graph.read { view in [view.findUser(named: first), view.findUser(named: second)] } == [ann, ann])
      #expect(try graph.renameUser(ann, to: second), "one's own name may be spelled otherwise")
      #expect(try graph.read { try $0.user(ann).username.utf8.elementsEqual(second.utf8) })
      try graph.renameUser(ann, to: "ann")
      try graph.renameUser(bob, to: first)
      #expect(graph.read { view in view.findUser(named: second) } == bob)
      #expect(graph.read { $0.verify() } == [])
    }
  }

  /// A state that older releases could make: two users of one name.
  private static func shared(_ first: String, _ second: String) throws -> GraphState {
    var state = GraphState()
    for change in [
      Change.addUser(id: 7, username: first), .addUser(id: 3, username: second), .addUser(id: 9, username: "bob"),
    ] { #expect(try state.apply(change, replaying: true)) }
    return state
  }

  private static func snapshot(_ state: borrowing GraphState) throws -> [UInt8] {
    let disk = MemoryDisk()
    let header = SnapshotHeader(
      storeID: StoreID(high: 1, low: 2), sequence: state.sequence, generation: 1, chainHash: 0, writtenAt: 0,
      unicodeVersion: "17.0.0", hasSchema: false)
    let summary = try SnapshotFile.write(
      header, GraphSections.sections(of: state), to: MemoryDisk.directory, name: "s", disk: disk)
    return try #require(disk[summary.path])
  }

  @Test("Of a restored pair the lower id is found; after its removal the other is", arguments: pairs)
  func restoredPair(
    odd: String, plain: String
  ) throws {
    for (first, second) in [(odd, plain), (plain, odd)] {
      let bytes = try Self.snapshot(try Self.shared(first, second))
      func names(_ graph: SocialGraph) -> [UserID?] {
        graph.read { view in [view.findUser(named: first), view.findUser(named: second)] }
      }
      func graph() throws -> SocialGraph {
        let graph = try SocialGraph(snapshot: bytes)
        #expect(names(graph) == [3, 3] && graph.read { $0.verify() } == [])
        #expect(try graph.read { try $0.user(7).username.utf8.elementsEqual(first.utf8) })
        #expect(try !graph.renameUser(7, to: first) && !graph.renameUser(3, to: second), "their names are theirs")
        #expect(throws: KithError.usernameTaken(first)) { try graph.renameUser(3, to: first) }
        #expect(throws: KithError.usernameTaken(second)) { try graph.renameUser(7, to: second) }
        #expect(throws: KithError.usernameTaken(plain)) { try graph.addUser(plain) }
        return graph
      }
      for left in [UserID(7), 3] {
        let gone: UserID = left == 7 ? 3 : 7
        let (renamed, removed) = (try graph(), try graph())
        try renamed.renameUser(gone, to: "other")
        try removed.removeUser(gone)
        for graph in [renamed, removed] {
          #expect(names(graph) == [left, left] && graph.read { $0.verify() } == [])
          #expect(throws: KithError.usernameTaken(plain)) { try graph.renameUser(9, to: plain) }
        }
        // A pin and a failed batch keep the pair.
        let pinned = try graph()
        let pin = pinned.pin()
        try? pinned.batch { batch throws(KithError) in
          try batch.apply(.removeUser(gone))
          try batch.apply(.removeUser(99))
        }
        #expect(names(pinned) == [3, 3])
        try pinned.removeUser(gone)
        #expect(pin.view.findUser(named: plain) == 3 && names(pinned) == [left, left])
      }
      let page = try graph().read { try $0.searchUsers(plain, UserQuery(match: .exact)) }
      #expect(Set(page.map(\.id)) == [3, 7])
    }
  }

  @Test("A journal of an older release is replayed, and the pairs are reported")
  func olderJournal() throws {
    let fixture = try JournalFixture()
    let frames: [[Change]] = [
      [.addUser(id: 7, username: "\u{212A}"), .addUser(id: 3, username: "K")],
      [.addUser(id: 1, username: ";"), .addUser(id: 2, username: "x"), .renameUser(2, to: "\u{37E}")],
      [.addUser(id: 4, username: "`"), .addUser(id: 5, username: "\u{1FEF}"), .removeUser(4)],
    ]
    for changes in frames { try fixture.commit(changes, replaying: true) }
    try fixture.close()
    let recovered = try fixture.recover()
    let pairs = [RecoveryReport.SharedName(lower: 1, higher: 2), RecoveryReport.SharedName(lower: 3, higher: 7)]
    #expect(recovered.report.sharedNames == pairs && recovered.state.checkInvariants() == [])
    let remark = try #require(recovered.report.remarks.first { $0.contains("NFC") })
    #expect(remark.contains("lower id: 1 and 2, 3 and 7; rename"))
    // The same with a snapshot of it.
    let bytes = try Self.snapshot(recovered.state)
    let verification = try Verification(ofSnapshot: bytes, named: "s", .deep)
    #expect(verification.problems.isEmpty && verification.remarks == [remark])
    #expect(try Verification(ofSnapshot: bytes, named: "s").problems.isEmpty)
  }

  @Test("Names that no release accepted are no pair")
  func invalidPair() throws {
    var state = try Self.shared("\u{212A}", "K")
    for name in ["K", "\u{212A}"] {
      #expect(throws: KithError.usernameTaken(name)) {
        try state.apply(.addUser(id: 8, username: name), replaying: true)
      }
    }
    #expect(throws: KithError.usernameTaken("bob")) {
      try state.apply(.renameUser(3, to: "bob"), replaying: true)
    }
    var many = GraphState()
    for id in Int64(1)...7 {
      for (place, name) in ["K\(id)", "\u{212A}\(id)"].enumerated() {
        _ = try many.apply(.addUser(id: UserID(id * 10 + Int64(place)), username: name), replaying: true)
      }
    }
    #expect(many.users.sharedNames.remark?.contains("50 and 51, and 2 more pairs") == true)
  }

  @Test("A cursor at a shared name keeps its place")
  func cursorPlace() throws {
    let graph = try SocialGraph(snapshot: try Self.snapshot(try Self.shared("K", "\u{212A}")))
    var names: [UserID] = []
    var search = UserQuery(limit: 1)
    repeat {
      let page = try graph.read { try $0.searchUsers("", search) }
      names += page.map(\.id)
      search.cursor = page.next
    } while search.cursor != nil
    #expect(names == [9, 7, 3])
  }
}
