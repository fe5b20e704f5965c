import Synchronization
import Testing

@testable import Kith

/// What a host is told of its store.
@Suite struct StoreEventTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test("A snapshot tells how far it is, in order, and its store what happened")
  func events() async throws {
    let events = Mutex<[StoreEvent]>([])
    let graph = try SocialGraph.open(
      directory.file("events"), onEvent: { event in events.withLock { $0.append(event) } })
    for number in 0..<200 { try graph.addUser("user \(number)") }
    var steps: [SnapshotProgress] = []
    let info = try graph.snapshot(coreCount: 1) { steps.append($0) }
    #expect(steps.last == .verifying && steps.count > 3)
    let written = steps.dropLast().map { step -> Int in
      if case .writing(let byteCount) = step { byteCount } else { -1 }
    }
    #expect(written == written.sorted() && written.first ?? 0 > 0)
    try graph.close()
    let expected: [StoreEvent] = [.snapshotBegan(sequence: 200), .snapshotWritten(info)]
    for _ in 0..<200 where events.withLock({ $0 }) != expected { try await Task.sleep(for: .milliseconds(10)) }
    #expect(events.withLock { $0 } == expected)
  }

  @Test("A snapshot that begins by itself keeps to its rate")
  func pace() async throws {
    let written = Mutex(false)
    let options = Options(snapshotAfterChangeCount: 50, snapshotBytesPerSecond: 2_000, snapshotCoreCount: 1)
    let graph = try SocialGraph.open(
      directory.file("pace"), options: options,
      onEvent: { event in if case .snapshotWritten = event { written.withLock { $0 = true } } })
    let began = ContinuousClock.now
    for number in 0..<50 { try graph.addUser("a name of twenty \(number)") }
    for _ in 0..<1_000 where !written.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
    // Fifty ids and names are some 1,000 bytes and more.
    #expect(written.withLock { $0 } && ContinuousClock.now - began > .milliseconds(400))
    try graph.close()
  }

  @Test("A store whose journal takes nothing more heals itself, unless it was told not to", arguments: [0, nil])
  func healing(seconds: Int?) async throws {
    let events = Mutex<[StoreEvent]>([])
    let graph = try SocialGraph.open(
      directory.file("healing"), options: Options(healAfterSeconds: seconds),
      onEvent: { event in events.withLock { $0.append(event) } })
    try graph.addUser("ann")
    graph.bulk { (batch) throws(Never) in }
    #expect(throws: KithError.self) { try graph.addUser("bob") }
    Snapshotter(Options(healAfterSeconds: seconds), sequence: 1).noteFailure(of: graph)
    let wanted = seconds != nil
    for _ in 0..<(wanted ? 1_000 : 20) where graph.isJournalBroken { try await Task.sleep(for: .milliseconds(10)) }
    #expect(graph.isJournalBroken == !wanted)
    if wanted {
      try graph.addUser("bob")
      try graph.close()
      let again = try SocialGraph.open(directory.file("healing"))
      #expect(again.read { $0.counts.users } == 2)
    }
    let healed = events.withLock { $0.contains(.journalHealed(sequence: 1)) }
    #expect(healed == wanted)
  }

  @Test("A disk with little room is told once")
  func lowDisk() async throws {
    let events = Mutex<[StoreEvent]>([])
    let graph = try SocialGraph.open(
      directory.file("low"), options: Options(lowDiskByteCount: .max),
      onEvent: { event in events.withLock { $0.append(event) } })
    for name in ["ann", "bob", "cid"] { try graph.addUser(name) }
    try graph.snapshot()
    try graph.close()
    for _ in 0..<200 where events.withLock({ $0.count }) < 3 { try await Task.sleep(for: .milliseconds(10)) }
    let told = events.withLock { events in
      events.compactMap { event -> Int64? in if case .diskLow(let free) = event { free } else { nil } }
    }
    #expect(told.count == 1 && told[0] > 0)
  }
}
