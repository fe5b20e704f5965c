import Kith
import Testing

@testable import KithReplication

/// Snapshots that the log itself holds.
@Suite struct LogSnapshotTests {
  private func open(_ fixture: ReplicaFixture, _ name: String) async throws(KithError) -> ReplicatedGraph {
    try await fixture.open(name, own: name) { $0.snapshots = .log }
  }

  @Test("A new host begins with a snapshot from the log; others verify it, and only the newest stay")
  func starting() async throws {
    let fixture = try ReplicaFixture()
    let (a, b) = (try await open(fixture, "a"), try await open(fixture, "b"))
    var positions: [LogPosition] = []
    for round in 0..<6 {
      try await a.addUser("user \(round)")
      positions.append(try await a.snapshot())
      // The second and the third are verified, and so stay longer.
      guard (1...2).contains(round) else { continue }
      try await b.catchUp()
      for _ in 0..<12_000 where fixture.server.snapshots[0].verifiers.isEmpty {
        try await b.verifySnapshots()
        try await Task.sleep(for: .milliseconds(5))
      }
      if round == 2 { await b.close() }
    }
    let kept = [positions[5], positions[4], positions[3], positions[2], positions[1]]
    #expect(fixture.server.snapshots.map(\.position) == kept)
    #expect(fixture.server.snapshots.allSatisfy { $0.isInLog })
    #expect(fixture.server.storedPlaces.count == kept.count)
    fixture.server.trim(through: positions[4])
    let c = try await open(fixture, "c")
    #expect(c.status.snapshotPosition == positions[5] && c.read { $0.counts.users } == 6)
    await fixture.expect("taken") { if case .snapshotTaken(positions[5], _) = $0 { true } else { false } }
    #expect(try c.local.stateDigest() == a.local.stateDigest())
    // Without a directory of its own a replica has no place for the file.
    await #expect(throws: KithError.self) { try await fixture.open("d") { $0.snapshots = .log } }
    for graph in [a, c] { await graph.close() }
  }

  @Test("Two arrivals of a snapshot at once do not disturb each other")
  func arrivals() throws {
    let fixture = try ReplicaFixture()
    defer { withExtendedLifetime(fixture) {} }
    let directory = fixture.directory
    let first = try #require(try ReplicaSnapshot.Arrival("snapshot", in: directory))
    let second = try #require(try ReplicaSnapshot.Arrival("snapshot", in: directory))
    try first.write([1, 2], at: 0)
    try second.write([1], at: 0)
    try first.finish()
    #expect(try ReplicaSnapshot.bytes(of: "snapshot", in: directory, at: 0, count: 9) == [1, 2])
    try second.write([2], at: 1)
    try second.finish()
    #expect(try ReplicaSnapshot.bytes(of: "snapshot", in: directory, at: 0, count: 9) == [1, 2])
    #expect(try ReplicaSnapshot.Arrival("snapshot", in: directory) == nil)
  }

  @Test("A snapshot with a missing, a short or a damaged part is passed over, and an older one taken")
  func damage() async throws {
    for damage in 0..<3 {
      let fixture = try ReplicaFixture()
      let a = try await open(fixture, "a")
      try await a.addUser("ann")
      let first = try await a.snapshot()
      try await a.addUser("bob")
      try await a.snapshot()
      let place = fixture.server.snapshots[0].place
      var bytes = try #require(fixture.server.part(of: place, at: 0))
      switch damage {
      case 0: fixture.server.store([], of: place, at: 0)
      case 1: fixture.server.store(bytes.dropLast(9) + [], of: place, at: 0)
      default:
        bytes[bytes.count / 2] ^= 4
        fixture.server.store(bytes, of: place, at: 0)
      }
      let b = try await open(fixture, "b")
      #expect(b.status.snapshotPosition == first && b.read { $0.counts.users } == 2, "damage \(damage)")
      await fixture.expect("refused") { if case .snapshotRefused = $0 { true } else { false } }
      for graph in [a, b] { await graph.close() }
    }
  }

  @Test("A store begins a log by a snapshot in it; its place in the list stays when its bytes have gone")
  func seeding() async throws {
    let fixture = try ReplicaFixture()
    let graph = SocialGraph()
    try await graph.addUser("ann")
    let log = MemoryLog(fixture.server)
    let seeded = try await ReplicatedGraph.seed(
      log, from: graph, to: .log, directory: fixture.directory, as: "test")
    #expect(seeded.isInLog)
    let a = try await open(fixture, "a")
    #expect(try await a.addUser("bob") == 2)
    await a.close()
    try await log.removeSnapshot(seeded.place)
    #expect(fixture.server.snapshots.map(\.position) == [0])
    await #expect(throws: KithError.self) { try await open(fixture, "b") }
  }

  @Test("A replica that differs removes what it wrote and no other has verified")
  func removing() async throws {
    let fixture = try ReplicaFixture()
    let a = try await open(fixture, "a")
    for name in ["ann", "bob"] { try await a.addUser(name) }
    try await a.snapshot()
    #expect(fixture.server.snapshots.count == 1)
    fixture.server.vote(
      LogDigest(position: 4, kind: .outcomes, value: 1, replica: "other", session: .random()))
    _ = try? await a.addUser("cid")
    await fixture.expect("diverged", ReplicaFixture.isDiverged)
    #expect(fixture.server.snapshots.isEmpty && fixture.server.storedPlaces.isEmpty)
    await a.close()
  }
}
