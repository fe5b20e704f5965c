import Kith
import Testing

@testable import KithReplication

/// Tokens of callers, and the rules that they need.
@Suite struct RequestTokenTests {
  @Test("A request with a token takes effect once: on another host, after a restart, and from a snapshot")
  func once() async throws {
    let fixture = try ReplicaFixture()
    let (a, b) = (try await fixture.open("a"), try await fixture.open("b"))
    let ann = try await a.addUser("ann")
    let token = RequestToken.random()
    let first = try await a.submit(.addPost(by: ann, text: "hello"), token: token)
    #expect(try await a.submit(.addPost(by: ann, text: "hello"), token: token).applied == first.applied)
    let other = try await b.submit(.addPost(by: ann, text: "hello"), token: token)
    #expect(other.applied == first.applied && other.position == first.position + 2)
    let batch = ReplicatedGraph.Batch()
    try batch.follow(try batch.addUser("bob"), as: ann)
    let made = try await b.submit(batch, token: RequestToken(high: 0, low: 9))
    try await a.snapshot()
    for graph in [a, b] { await graph.close() }
    // The records that hold the first attempts are gone.
    fixture.server.trim(through: 6)
    let c = try await fixture.open("c")
    #expect(c.status.snapshotPosition == 6)
    #expect(try await c.submit(.addPost(by: ann, text: "hello"), token: token).applied == first.applied)
    #expect(try await c.submit(batch, token: RequestToken(high: 0, low: 9)).results == made.results)
    #expect(c.read { $0.counts.posts } == 1 && c.read { $0.counts.users } == 2)
    await c.close()
  }

  @Test("Requests that were repeated while the log failed are made once")
  func faults() async throws {
    let fixture = try ReplicaFixture()
    for seed in UInt64(1)...4 {
      let logs = (0..<2).map { MemoryLog(fixture.server, seed: seed * 10 + $0) }
      var graphs: [ReplicatedGraph] = []
      for (index, log) in logs.enumerated() {
        graphs.append(
          try await fixture.open("\(seed) \(index)", log: log) {
            $0.unavailableAfter = .milliseconds(50)
            $0.resolveWithin = .milliseconds(40)
          })
      }
      let author = UserID(Int64(seed))
      let adding = LoggedRequests.entry([.addUser(id: author, username: "author \(seed)")])
      fixture.server.append(
        .init(payload: [LoggedRequests.format] + adding, session: .random(), serial: 1, base: 0))
      for log in logs { log.setFaultRate(40) }
      for number in 0..<20 {
        let token = RequestToken(high: seed, low: UInt64(number))
        // As callers do that have no answer, on this host and on the other.
        for attempt in 0..<10_000 {
          let graph = graphs[(number + attempt) % 2]
          let change = Change.addPost(by: author, text: "\(seed) \(number)")
          guard (try? await graph.submit(change, token: token)) == nil else { break }
          if attempt % 8 == 7 { fixture.server.deliverLate() }
        }
      }
      for log in logs { log.setFaultRate(0) }
      fixture.server.deliverLate()
      for graph in graphs { try await graph.catchUp(timeout: .seconds(200)) }
      let count = graphs[0].read { $0.counts.posts }
      #expect(count == Int(seed) * 20, "seed \(seed)")
      #expect(try graphs[0].local.stateDigest() == graphs[1].local.stateDigest())
      for graph in graphs { await graph.close() }
    }
  }

  @Test("The text of a token is 32 hexadecimal digits")
  func texts() {
    let token = RequestToken(high: 1, low: .max)
    #expect(token.description == "0000000000000001ffffffffffffffff")
    #expect(RequestToken(token.description) == token)
    #expect(RequestToken("123e4567-e89b-12d3-a456-426614174000")?.high == 0x123e_4567_e89b_12d3)
    for text in ["", "1", "+000000000000001ffffffffffffffff", "g0000000000000010000000000000000"] {
      #expect(RequestToken(text) == nil)
    }
  }

  // MARK: - Rules

  private func fixtureWithOldRules() throws -> ReplicaFixture {
    try ReplicaFixture(MemoryServer(identity: LogIdentity(id: .random(), rules: 1)))
  }

  private static let tokenRequest = LoggedRequests.entry([.addUser(username: "eve")], token: 1)

  @Test("New rules begin with a record once all replicas know them; one that does not know them stops and says so")
  func upgrading() async throws {
    let fixture = try fixtureWithOldRules()
    let (new, old) = (try await fixture.open("new"), try await fixture.open("old") { $0.knownRules = 1 })
    try await new.addUser("ann")
    await #expect(throws: KithError.self) { try await new.submit(.addUser(username: "bob"), token: .random()) }
    for _ in 0..<12_000 where fixture.server.reports.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
    let reason = "replica old knows rules 1 only; update it, or forget it"
    await #expect(throws: KithError.unavailable(.refused(reason: reason))) { try await new.upgrade() }
    #expect(try await old.upgrade() == 1 && old.status.rules == 1)
    let position = try await new.snapshot()
    // It reports itself every second, so it is forgotten as long as it runs until the upgrade is quicker.
    var rules = 0
    for _ in 0..<12_000 where rules == 0 {
      fixture.server.forget("old")
      rules = (try? await new.upgrade()) ?? 0
    }
    #expect(rules == 2)
    let made = try await new.submit(.addUser(username: "bob"), token: .random())
    await fixture.expect("upgraded") { $0 == .upgraded(rules: 2, position: position + 1) }
    await fixture.expect("stopped") { if case .stopped(position + 1, _) = $0 { true } else { false } }
    #expect(old.position == position && old.read { $0.counts.users } == 1)
    #expect(old.status.failure?.hasPrefix("unsupportedVersion") == true)
    try await new.snapshot()
    #expect(try await new.upgrade() == 2)
    // A new process of the old release begins before the new rules; one of the new release with them.
    for answersAtOnce in [true, false] {
      let older = try await fixture.open("older") {
        $0.knownRules = 1
        $0.answersAtOnce = answersAtOnce
      }
      #expect(older.status.snapshotPosition == position && older.read { $0.counts.users } == 1)
      await older.close()
    }
    let newer = try await fixture.open("newer")
    #expect(newer.status.snapshotPosition == made.position + 1)
    #expect(try await newer.submit(.addUser(username: "cid"), token: .random()).applied.user == 3)
    for graph in [new, old, newer] { await graph.close() }
  }

  @Test("A record that needs rules which the log does not have stops a replica")
  func missingRules() async throws {
    let fixture = try fixtureWithOldRules()
    let graph = try await fixture.open()
    let payload = [LoggedRequests.format] + Self.tokenRequest
    fixture.server.append(.init(payload: payload, session: .random(), serial: 1, base: 0))
    await fixture.expect("stopped") { if case .stopped(before: 1, _) = $0 { true } else { false } }
    #expect(graph.status.failure?.hasPrefix("corrupt") == true)
    await graph.close()
    await #expect(throws: KithError.self) {
      try await fixture.open("old") { $0.knownRules = 0 }
    }
  }

  // MARK: - Contested digests

  @Test("A digest is contested when a replica differs again after a rebuild, and every replica says so")
  func contested() async throws {
    let fixture = try ReplicaFixture()
    let graph = try await fixture.open("a", own: "own", shares: false)
    // What another replica would have found.
    for position in [4, 8] as [LogPosition] {
      fixture.server.vote(
        LogDigest(position: position, kind: .outcomes, value: 1, replica: "other", session: .random()))
    }
    for name in ["ann", "bob", "cid", "dan"] { _ = try? await graph.addUser(name) }
    await fixture.expect("diverged", ReplicaFixture.isDiverged)
    await graph.close()
    #expect(!fixture.events.withLock { $0.contains { if case .contested = $0 { true } else { false } } })
    fixture.events.withLock { $0 = [] }
    let again = try await fixture.open("a", own: "own", shares: false) { $0.digestInterval = 8 }
    let writer = try await fixture.open("writer", shares: false) { $0.digestInterval = 1_000 }
    for name in ["eve", "fay", "gil", "hal", "ian"] { try await writer.addUser(name) }
    // The writer lives and does not vote: the others do not wait for ever.
    for _ in 0..<12_000 where !fixture.server.digests.contains(where: { $0.position == 8 && $0.replica == "a" }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    fixture.server.turnClock(by: 20_000)
    await fixture.expect("diverged", ReplicaFixture.isDiverged)
    await fixture.expect("contested") { $0 == .contested(position: 8) }
    for graph in [again, writer] { await graph.close() }
  }
}
