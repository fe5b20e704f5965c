import Kith
import Testing

@testable import KithReplication

/// What an operator is told, and what goes on in spite of it.
@Suite struct ReplicaTroubleTests {
  private func isTrouble(
    _ kind: ReplicaTrouble.Kind, of replica: String? = nil
  ) -> (ReplicaEvent) -> Bool {
    { event in
      if case .trouble(let trouble) = event { trouble.kind == kind && trouble.replica == replica } else { false }
    }
  }

  private func isResolved(_ kind: ReplicaTrouble.Kind) -> (ReplicaEvent) -> Bool {
    { event in if case .resolved(let trouble) = event { trouble.kind == kind } else { false } }
  }

  // MARK: - Snapshots

  @Test("A snapshot that is nowhere is reported once and passed over, and the next one verified")
  func phantomSnapshot() async throws {
    let fixture = try ReplicaFixture()
    let (a, b) = (try await fixture.open("a"), try await fixture.open("b"))
    try await a.addUser("ann")
    let position = try await a.snapshot()
    let mark = try await a.digest().position
    try await b.catchUp()
    let phantom = LogSnapshot(
      position: mark, sequence: 1, chain: [1], outcomeChain: 1, digest: 1, byteCount: 1, place: "nowhere", writer: "c")
    fixture.server.record(phantom)
    for _ in 0..<2_000 where fixture.server.snapshots.last?.verifiers.contains("b") == false {
      try await b.verifySnapshots()
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(fixture.server.snapshots.map(\.position) == [mark, position])
    #expect(fixture.server.snapshots.map(\.verifiers) == [[], ["b"]])
    await fixture.expect("refused") { if case .snapshotRefused(path: "nowhere", _) = $0 { true } else { false } }
    await fixture.expect("trouble", isTrouble(.snapshots, of: "c"))
    await a.close()
    await b.close()
  }

  @Test("A snapshot in a replica's own directory is not announced to the others")
  func unannounced() async throws {
    let fixture = try ReplicaFixture()
    let graph = try await fixture.open(own: "own", shares: false)
    try await graph.addUser("ann")
    #expect(try await graph.snapshot() == 2)
    #expect(fixture.server.snapshots.isEmpty)
    await graph.close()
  }

  @Test("Replicas that do not share their directory say so; replicas that do say nothing")
  func sharing() async throws {
    let fixture = try ReplicaFixture()
    let (a, b) = (try await fixture.open("a"), try await fixture.open("b"))
    try ReplicaSnapshot.makeDirectory(fixture.directory + "/elsewhere")
    let c = try await fixture.open("c") { $0.snapshots = .directory(fixture.directory + "/elsewhere") }
    await fixture.expect("trouble of c", isTrouble(.snapshots, of: "c"))
    await fixture.expect("trouble of a, as c sees it", isTrouble(.snapshots, of: "a"))
    #expect(a.status.troubles.map(\.kind) == [.snapshots] && b.status.troubles.map(\.kind) == [.snapshots])
    #expect(!fixture.events.withLock { $0.contains(where: isTrouble(.snapshots, of: "b")) }, "a comes first")
    for graph in [a, b, c] { await graph.close() }
  }

  // MARK: - Without the log

  @Test("A host starts without the log from its snapshot, says so, and goes on when the log is back")
  func startWithoutLog() async throws {
    let fixture = try ReplicaFixture()
    for shares in [false, true] {
      let own = "own \(shares)"
      let first = try await fixture.open(own, own: own, shares: shares)
      let users = first.read { $0.counts.users }
      try await first.addUser("ann \(shares)")
      try await first.snapshot()
      try await first.addUser("bob \(shares)")
      await first.close()
      let log = MemoryLog(fixture.server)
      log.isCut = true
      // Its own directory can be lost, if all share one.
      let second = try await fixture.open(own, log: log, own: shares ? nil : own, shares: shares)
      #expect(second.read { $0.counts.users } == users + 1 && !second.status.isConnected)
      #expect(second.status.troubles.map(\.kind) == [.noLog])
      await fixture.expect("trouble", isTrouble(.noLog))
      log.isCut = false
      try await second.wait(for: fixture.server.log.count.magnitude.position, timeout: .seconds(60))
      #expect(second.read { $0.counts.users } == users + 2)
      try await second.addUser("cid \(shares)")
      await fixture.expect("resolved", isResolved(.noLog))
      await second.close()
    }
    // One that has no snapshot has nothing to answer.
    let log = MemoryLog(fixture.server)
    log.isCut = true
    await #expect(throws: KithError.self) { try await fixture.open("new", log: log, own: "new") }
  }

  @Test("A host that started without the log stops if the log that comes back is another one")
  func otherLogComesBack() async throws {
    let fixture = try ReplicaFixture()
    let first = try await fixture.open(own: "own", shares: false)
    try await first.addUser("ann")
    try await first.snapshot()
    await first.close()
    let other = MemoryServer()
    let log = MemoryLog(other)
    log.isCut = true
    let second = try await fixture.open(log: log, own: "own", shares: false)
    #expect(second.read { $0.counts.users } == 1)
    log.isCut = false
    await fixture.expect("diverged", ReplicaFixture.isDiverged)
    await second.close()
  }

  @Test("Without a quorum a host with a snapshot starts, and the loss and its end are reported")
  func quorum() async throws {
    let fixture = try ReplicaFixture()
    let log = MemoryLog(fixture.server)
    let graph = try await fixture.open(log: log)
    log.lacksQuorum = true
    await fixture.expect("trouble", isTrouble(.noQuorum))
    #expect(graph.status.troubles.map(\.kind) == [.noQuorum] && graph.status.isConnected)
    log.lacksQuorum = false
    await fixture.expect("resolved", isResolved(.noQuorum))
    #expect(graph.status.troubles == [])
    await graph.close()
  }

  // MARK: - Divergence

  @Test("One replica that differs and votes first stops none of the many")
  func majority() async throws {
    let fixture = try ReplicaFixture()
    var graphs: [ReplicatedGraph] = []
    for name in ["a", "b", "c"] { graphs.append(try await fixture.open(name)) }
    let wrong = LogID.random()
    fixture.server.vote(LogDigest(position: 4, kind: .outcomes, value: 1, replica: "wrong", session: wrong))
    for name in ["ann", "bob", "cid", "dan"] { try await graphs[0].addUser(name) }
    for graph in graphs { try await graph.catchUp() }
    for _ in 0..<2_000 where fixture.server.contestedDigests.count < 4 { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .seconds(3))
    #expect(graphs.allSatisfy { $0.status.failure == nil })
    #expect(fixture.server.dissents.isEmpty)
    for graph in graphs { await graph.close() }
  }

  @Test("A digest is outvoted by more, or by as many that were earlier, once those who live have voted")
  func votes() {
    let session = LogID.random()
    func vote(_ replica: String, _ value: UInt64, at time: Timestamp) -> LogDigest {
      LogDigest(position: 8, kind: .state, value: value, replica: replica, session: session, at: time)
    }
    func report(_ name: String, seen: Timestamp) -> ReplicaReport {
      ReplicaReport(name: name, session: session, applied: 9, outcomeChain: 0, seen: seen)
    }
    func winner(_ own: LogDigest, _ votes: [LogDigest], _ reports: [ReplicaReport] = []) -> String? {
      own.outvoted(by: votes, reports, clock: 20_000)?.replica
    }
    let (wrong, a, b) = (vote("w", 1, at: 19_000), vote("a", 2, at: 19_100), vote("b", 2, at: 19_200))
    #expect(
      winner(wrong, [wrong, a, b]) == "a" && winner(a, [wrong, a, b]) == nil && winner(b, [wrong, a, b]) == nil)
    #expect(winner(a, [wrong, a]) == "w" && winner(wrong, [wrong, a]) == nil, "of two the later one stops")
    let reports = [report("w", seen: 19_900), report("a", seen: 19_900), report("b", seen: 19_900)]
    #expect(winner(a, [wrong, a], reports) == nil && winner(wrong, [wrong, a], reports) == nil, "b is still to vote")
    let gone = [report("w", seen: 19_900), report("a", seen: 19_900), report("b", seen: 5_000)]
    #expect(winner(a, [wrong, a], gone) == "w")
    let old = vote("a", 2, at: 9_000)
    #expect(winner(old, [vote("w", 1, at: 8_000), old], reports) == "w", "b does not vote in time")
    let earlier = LogDigest(position: 8, kind: .state, value: 2, replica: "a", session: .random(), at: 19_100)
    #expect(winner(earlier, [wrong, a, b]) == nil, "a vote of another session is of another state")
    let elsewhere = LogDigest(position: 4, kind: .state, value: 1, replica: "c", session: session, at: 1)
    #expect(winner(wrong, [wrong, elsewhere]) == nil)
  }

  @Test("A replica that has stopped before a record takes no changes, and says why")
  func stopped() async throws {
    let fixture = try ReplicaFixture()
    let graph = try await fixture.open()
    try await graph.addUser("ann")
    fixture.server.append(.init(payload: [1, 99, 3], session: .random(), serial: 1, base: 0))
    await fixture.expect("stopped") { if case .stopped(before: 2, _) = $0 { true } else { false } }
    let refusal = await #expect(throws: KithError.self) { try await graph.addUser("bob") }
    #expect(refusal?.code == "unavailable" && refusal?.description.contains("record 2") == true)
    #expect(fixture.server.log.count == 2)
    await graph.close()
  }
}

extension UInt {
  /// The position of the last of so many records.
  fileprivate var position: LogPosition { LogPosition(self) }
}
