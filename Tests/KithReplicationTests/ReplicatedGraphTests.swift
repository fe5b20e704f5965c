import Foundation
import Kith
import Testing

@testable import KithReplication

/// What one replica, or a few, promise to their hosts.
@Suite struct ReplicatedGraphTests {
  @Test("A change on one host is read on another with its token, and all verbs do what a graph's do")
  func verbs() async throws {
    let fixture = try ReplicaFixture()
    let (a, b) = (try await fixture.open("a"), try await fixture.open("b"))
    let ann = try await a.addUser("ann")
    let bob = try await b.addUser("bob")
    #expect(ann == 1 && bob == 2)
    #expect(try await a.follow(bob, as: ann))
    #expect(try await b.follow(bob, as: ann) == false)
    let post = try await b.addPost("hello", by: bob)
    let liked = try await a.submit(.like(as: ann, post: post))
    try await b.wait(for: liked.position)
    #expect(b.read { $0.counts.likes } == 1 && b.position == liked.position)
    #expect(try await b.unlike(post, as: ann))
    #expect(try await a.unfollow(bob, as: ann))
    #expect(try await a.mute(bob, as: ann))
    #expect(try await a.unmute(bob, as: ann))
    #expect(try await a.block(ann, as: bob))
    #expect(try await a.unblock(ann, as: bob))
    #expect(try await a.renameUser(bob, to: "rob"))
    await #expect(throws: KithError.usernameTaken("rob")) { try await b.addUser("rob") }
    await #expect(throws: KithError.cannotFollowSelf) { try await a.follow(ann, as: ann) }
    try await a.removePost(post)
    try await a.removeUser(bob)
    try await b.catchUp()
    #expect(b.read { $0.counts } == SocialGraph.Counts(users: 1, posts: 0, follows: 0, likes: 0, blocks: 0, mutes: 0))
    #expect(try a.local.stateDigest() == b.local.stateDigest())
    #expect(throws: KithError.readOnly) { try a.local.addUser("cid") }
    let status = b.status
    #expect(status.lag == 0 && status.isConnected && status.server == "memory" && status.failure == nil)
    await a.close()
    await #expect(throws: KithError.closed) { try await a.addUser("cid") }
    await b.close()
  }

  @Test("A batch is made as a whole; an expected position refuses what another record preceded")
  func batches() async throws {
    let fixture = try ReplicaFixture()
    let graph = try await fixture.open()
    let batch = ReplicatedGraph.Batch()
    let (ann, bob) = (try batch.addUser("ann"), try batch.addUser("bob"))
    try batch.follow(bob, as: ann)
    try batch.like(try batch.addPost("hello", by: bob), as: ann)
    let done = try await graph.submit(batch, expecting: 0)
    #expect(done.results.map(\.user) == [1, 2, nil, nil, nil] && done.results[3].post == 1)
    #expect(graph.read { $0.counts.likes } == 1)
    await #expect(throws: KithError.conflict(position: 2)) {
      try await graph.submit(.unlike(as: 1, post: 1), expecting: 0)
    }
    #expect(try await graph.submit(.unlike(as: 1, post: 1), expecting: 2).applied.didChange)
    let twice = ReplicatedGraph.Batch()
    try twice.addUser("cid")
    try twice.addUser("ann")
    await #expect(throws: KithError.inBatch(index: 1, .usernameTaken("ann"))) { try await graph.submit(twice) }
    #expect(throws: KithError.inBatch(index: 2, .cannotFollowSelf)) { try twice.follow(7, as: 7) }
    #expect(graph.read { $0.counts.users } == 2)
    await graph.close()
  }

  @Test("Without the log reads go on, changes are unavailable, and everything resumes by itself")
  func outage() async throws {
    let fixture = try ReplicaFixture()
    let log = MemoryLog(fixture.server)
    fixture.server.append(.init(payload: Self.ann, session: .random(), serial: 1, base: 0))
    let graph = try await fixture.open(log: log) { $0.unavailableAfter = .milliseconds(200) }
    log.isCut = true
    await #expect(throws: KithError.unavailable(.unreachable(reason: "the connection is cut"))) {
      try await graph.addUser("bob")
    }
    await #expect(throws: KithError.unavailable(.unreachable(reason: "the connection is cut"))) {
      try await graph.catchUp()
    }
    #expect(try graph.read { try $0.user(1).username } == "ann")
    #expect(!graph.status.isConnected && graph.status.failure != nil)
    await fixture.expect("disconnected") { if case .disconnected = $0 { true } else { false } }
    await #expect(throws: KithError.lagging(position: 1)) { try await graph.wait(for: 2, timeout: .milliseconds(50)) }
    log.isCut = false
    // A starved process may still find its requests overdue.
    for _ in 0..<100 where graph.read({ $0.counts.users }) < 2 { _ = try? await graph.addUser("bob") }
    #expect(graph.read { $0.counts.users } == 2)
    await graph.close()
  }

  /// A record that adds a user.
  private static let ann = [LoggedRequests.format] + LoggedRequests.entry([.addUser(username: "ann")])

  @Test("What may have been written is in doubt, and its outcome is given once it is known")
  func doubts() async throws {
    let fixture = try ReplicaFixture()
    let log = MemoryLog(fixture.server)
    let graph = try await fixture.open(log: log) { $0.resolveWithin = .milliseconds(200) }
    log.lacksQuorum = true
    var ticket: UInt64?
    do throws(KithError) {
      try await graph.addUser("ann")
    } catch {
      if case .inDoubt(let number, _) = error { ticket = number }
    }
    let doubt = try #require(ticket)
    #expect(try graph.outcome(of: doubt) == nil)
    log.lacksQuorum = false
    try await graph.wait(for: 1, timeout: .seconds(60))
    for _ in 0..<1_000 where try graph.outcome(of: doubt) == nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try graph.outcome(of: doubt)?.results.first?.user == 1)
    #expect(throws: KithError.self) { try graph.outcome(of: 999) }
    await graph.close()
  }

  @Test("A replica begins with the newest snapshot that leads to the log; records before two verified ones may go")
  func snapshots() async throws {
    let fixture = try ReplicaFixture()
    let (a, b) = (try await fixture.open("a"), try await fixture.open("b"))
    var positions: [LogPosition] = []
    for round in 0..<3 {
      for number in 0..<5 { try await a.addUser("user \(round) \(number)") }
      try await b.catchUp()
      positions.append(try await a.snapshot())
      try await b.catchUp()
      for _ in 0..<1_000 where fixture.server.snapshots[0].verifiers.isEmpty {
        try await b.verifySnapshots()
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    #expect(fixture.server.snapshots.map(\.verifiers) == [["b"], ["b"], ["b"]])
    await fixture.expect("verified") { if case .snapshotVerified = $0 { true } else { false } }
    for _ in 0..<1_000 where fixture.server.reports.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
    for _ in 0..<1_000 where fixture.server.reports.contains(where: { $0.applied < positions[1] }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await a.trim() == positions[1])
    #expect(fixture.server.log.first?.position == positions[1] + 1)
    // A damaged file is passed over for an older one.
    try await a.addUser("last")
    let newest = ReplicaSnapshot.name(at: positions[2], of: fixture.server.identity.id.storeID)
    try damage(fixture.directory + "/" + newest)
    let c = try await fixture.open("c")
    #expect(c.status.snapshotPosition == positions[1])
    #expect(try c.local.stateDigest() == a.local.stateDigest() && c.read { $0.counts.users } == 16)
    // Without a snapshot nothing leads to the log.
    await #expect(throws: KithError.self) { try await fixture.open("d", shares: false) }
    for graph in [a, b, c] { await graph.close() }
  }

  private func damage(_ path: String) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test("A replica without a shared directory restarts from its own snapshot")
  func restarting() async throws {
    let fixture = try ReplicaFixture()
    let first = try await fixture.open(own: "own", shares: false)
    try await first.addUser("ann")
    let position = try await first.snapshot()
    try await first.addUser("bob")
    let digest = try first.local.stateDigest()
    await first.close()
    let second = try await fixture.open(own: "own", shares: false)
    #expect(second.status.snapshotPosition == position)
    #expect(try second.local.stateDigest() == digest)
    #expect(try await second.addUser("cid") == 3)
    await second.close()
  }

  @Test("Beyond the limits of what waits, submitters are suspended, and none is lost")
  func backPressure() async throws {
    let fixture = try ReplicaFixture()
    let log = MemoryLog(fixture.server)
    let graph = try await fixture.open(log: log) { $0.waitingChangeLimit = 5 }
    log.isCut = true
    let users = Task {
      try await withThrowingTaskGroup(of: UserID.self) { group in
        for number in 0..<50 { group.addTask { try await graph.addUser("user \(number)") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    // One record is being sent, five requests wait.
    for _ in 0..<12_000 where graph.status.waitingRequestCount < 5 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(graph.status.waitingRequestCount == 5)
    log.isCut = false
    #expect(try await users.value.sorted() == (1...50).map { UserID($0) })
    #expect(graph.status.waitingRequestCount == 0)
    await graph.close()
  }

  @Test("A snapshot is written by itself after so many bytes of records, and limits bind who submits")
  func automaticSnapshots() async throws {
    let fixture = try ReplicaFixture()
    let graph = try await fixture.open {
      $0.snapshotAfterByteCount = 30
      $0.graph.maximumUserCount = 5
    }
    for number in 0..<5 { try await graph.addUser("user \(number)") }
    await #expect(throws: KithError.limitExceeded(.users(limit: 5))) { try await graph.addUser("beyond") }
    await fixture.expect("written") { if case .snapshotWritten = $0 { true } else { false } }
    // The mark follows the users that were added within the first second.
    #expect((1...6).contains(fixture.server.snapshots.first?.position ?? 0))
    await graph.close()
  }

  @Test("A replica that opens far behind, past refused batches, has the lists of one that was there")
  func refusedGroupInCatchUp() async throws {
    let fixture = try ReplicaFixture()
    let a = try await fixture.open("a")
    let (ann, bob) = (try await a.addUser("ann"), try await a.addUser("bob"))
    try await a.follow(bob, as: ann)
    let post = try await a.addPost("hello", by: bob)
    try await a.like(post, as: ann)
    let batch = ReplicatedGraph.Batch()
    try batch.addPost("x", by: ann)
    try batch.addUser("ann")
    await #expect(throws: KithError.inBatch(index: 1, .usernameTaken("ann"))) { try await a.submit(batch) }
    for _ in 0..<ReplicaOptions.deferringLag { try await a.addPost("filler", by: ann) }
    let b = try await fixture.open("b")
    #expect(b.position == a.position && b.position >= ReplicaOptions.deferringLag)
    #expect(try b.read { try $0.followers(of: bob) }.map(\.id) == [ann])
    #expect(try b.read { try $0.likers(of: post) }.map(\.id) == [ann])
    #expect(b.read { $0.verify() } == [])
    #expect(try await b.digest().digest == a.local.stateDigest())
    #expect(try await b.unfollow(bob, as: ann))
    #expect(b.read { $0.verify() } == [])
    await a.close()
    await b.close()
  }

  @Test("A batch is bound by a limit as a whole, and a replica that exceeds its own begins again from its snapshot")
  func limits() async throws {
    let fixture = try ReplicaFixture()
    let bound = try await fixture.open("a", own: "a") { $0.graph.maximumUserCount = 3 }
    let batch = ReplicatedGraph.Batch()
    for number in 0..<4 { try batch.addUser("user \(number)") }
    await #expect(throws: KithError.inBatch(index: 3, .limitExceeded(.users(limit: 3)))) {
      try await bound.submit(batch)
    }
    let other = try await fixture.open("b")
    _ = try await other.submit(batch)
    try await bound.catchUp()
    #expect(bound.read { $0.counts.users } == 4)
    try await bound.snapshot()
    await bound.close()
    let again = try await fixture.open("a", own: "a") {
      $0.graph.maximumUserCount = 3
      $0.graph.maximumByteCount = 1
    }
    await fixture.expect("restored") { if case .snapshotTaken = $0 { true } else { false } }
    #expect(again.read { $0.counts.users } == 4)
    await #expect(throws: KithError.limitExceeded(.users(limit: 3))) { try await again.addUser("beyond") }
    await again.close()
    await other.close()
  }

  @Test("A store becomes the beginning of a log; no replica begins without it")
  func seeding() async throws {
    let fixture = try ReplicaFixture()
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    let log = MemoryLog(fixture.server)
    try await ReplicatedGraph.seed(log, from: graph, to: .directory(fixture.directory), as: "test")
    await #expect(throws: KithError.self) {
      try await ReplicatedGraph.seed(log, from: graph, to: .directory(fixture.directory), as: "test")
    }
    await #expect(throws: KithError.self) { try await fixture.open("lost", shares: false) }
    let replica = try await fixture.open()
    #expect(try replica.read { try $0.user(ann).username } == "ann")
    #expect(try await replica.addUser("bob") == 2)
    await replica.close()
  }

  @Test("A replica whose history the log no longer has stops, and a new one begins with the new history")
  func otherHistory() async throws {
    let fixture = try ReplicaFixture()
    let log = MemoryLog(fixture.server)
    let graph = try await fixture.open(log: log, own: "own")
    for name in ["ann", "bob", "cid"] { try await graph.addUser(name) }
    try await graph.snapshot()
    log.isCut = true
    try await Task.sleep(for: .milliseconds(30))
    fixture.server.rewrite(from: 2)
    log.isCut = false
    await fixture.expect("diverged", ReplicaFixture.isDiverged)
    await #expect(throws: KithError.self) { try await graph.addUser("dan") }
    #expect(throws: KithError.closed) { try graph.read { try $0.searchUsers("ann") } }
    #expect(graph.status.failure?.hasPrefix("diverged") == true)
    await graph.close()
    let again = try await fixture.open(own: "own")
    #expect(again.status.snapshotPosition == nil && again.read { $0.counts.users } == 3)
    await again.close()
  }

  @Test("A record that continues another history stops a replica that never lost its connection")
  func otherChain() async throws {
    let fixture = try ReplicaFixture()
    let graph = try await fixture.open()
    for name in ["ann", "bob", "cid"] { try await graph.addUser(name) }
    fixture.server.rewrite(from: 2)
    fixture.server.append(.init(payload: Self.ann, session: .random(), serial: 1, base: 0))
    await fixture.expect("diverged", ReplicaFixture.isDiverged)
    #expect(graph.position == 3)
    await graph.close()
  }

  @Test("A replica that decides otherwise, or has another state, stops at the next comparison")
  func otherOutcomes() async throws {
    for kind in [LogDigest.Kind.outcomes, .state] {
      let fixture = try ReplicaFixture()
      let graph = try await fixture.open()
      // What another replica would have found at position 4.
      fixture.server.vote(LogDigest(position: 4, kind: kind, value: 1, replica: "other", session: .random()))
      for name in ["ann", "bob", "cid"] { try await graph.addUser(name) }
      _ = try? await graph.digest()
      await fixture.expect("diverged", ReplicaFixture.isDiverged)
      #expect(graph.status.failure?.contains("other") == true)
      await graph.close()
    }
  }

  @Test("A record that cannot be read stops a replica before it; it goes on once the record is passed over")
  func skipping() async throws {
    let fixture = try ReplicaFixture()
    let graph = try await fixture.open()
    try await graph.addUser("ann")
    fixture.server.append(.init(payload: [1, 99, 3], session: .random(), serial: 1, base: 0))
    fixture.server.append(
      .init(
        payload: [LoggedRequests.format] + LoggedRequests.entry([.addUser(username: "bob")]), session: .random(),
        serial: 1, base: 0))
    await fixture.expect("stopped") { if case .stopped(before: 2, _) = $0 { true } else { false } }
    #expect(graph.position == 1 && graph.read { $0.counts.users } == 1)
    #expect(graph.status.failure?.hasPrefix("corrupt") == true)
    try fixture.server.skip(2)
    try await graph.wait(for: 3, timeout: .seconds(60))
    #expect(graph.read { $0.counts.users } == 2 && graph.status.failure == nil)
    await graph.close()
  }

  @Test("Live values of the local copy follow changes that other hosts make")
  func live() async throws {
    let fixture = try ReplicaFixture()
    let (a, b) = (try await fixture.open("a"), try await fixture.open("b"))
    let ann = try await a.addUser("ann")
    let bob = try await a.addUser("bob")
    try await b.catchUp()
    var values = b.local.values(of: .isFollowing(bob, as: ann)).makeAsyncIterator()
    #expect(try await values.next() == false)
    try await a.follow(bob, as: ann)
    #expect(try await values.next() == true)
    await a.close()
    await b.close()
  }
}
