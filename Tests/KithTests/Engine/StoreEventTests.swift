import Synchronization
import Testing

@testable import Kith

/// The events that a host gets from its store.
@Suite struct StoreEventTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test("A snapshot reports its progress in order, and its store reports events")
  func events() async throws {
    let events = Mutex<[StoreEvent]>([])
    let graph = try await SocialGraph.open(
      directory.file("events"), onEvent: { event in events.withLock { $0.append(event) } })
    for number in 0..<200 { try await graph.addUser("user \(number)") }
    let noted = Mutex<[SnapshotInfo.Progress]>([])
    let info = try await graph.snapshot(coreCount: 1) { step in noted.withLock { $0.append(step) } }
    let steps = noted.withLock { $0 }
    #expect(steps.last == .verifying && steps.count > 3)
    let written = steps.dropLast().map { step -> Int in
      if case .writing(let byteCount) = step { byteCount } else { -1 }
    }
    #expect(written == written.sorted() && written.first ?? 0 > 0)
    try await graph.close()
    let expected: [StoreEvent] = [.snapshotBegan(sequence: 200), .snapshotWritten(info)]
    for _ in 0..<200 where events.withLock({ $0 }) != expected { try await Task.sleep(for: .milliseconds(10)) }
    #expect(events.withLock { $0 } == expected)
  }

  @Test("A background snapshot keeps to its rate")
  func pace() async throws {
    let written = Mutex(false)
    let options = SocialGraph.Options {
      $0.snapshotAfterChangeCount = 50
      $0.snapshotBytesPerSecond = 2_000
      $0.snapshotCoreCount = 1
    }
    let graph = try await SocialGraph.open(
      directory.file("pace"), options: options,
      onEvent: { event in if case .snapshotWritten = event { written.withLock { $0 = true } } })
    let began = ContinuousClock.now
    for number in 0..<50 { try await graph.addUser("a name of twenty \(number)") }
    for _ in 0..<1_000 where !written.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
    // Fifty ids and names take some 1,000 bytes and more.
    #expect(written.withLock { $0 } && ContinuousClock.now - began > .milliseconds(400))
    try await graph.close()
  }

  @Test("A store whose journal failed heals itself, unless this is disabled", arguments: [Duration.zero, nil])
  func healing(delay: Duration?) async throws {
    let events = Mutex<[StoreEvent]>([])
    let graph = try await SocialGraph.open(
      directory.file("healing"), options: SocialGraph.Options { $0.healAfter = delay },
      onEvent: { event in events.withLock { $0.append(event) } })
    try await graph.addUser("ann")
    graph.bulk { (batch) throws(Never) in }
    #expect(throws: KithError.self) { try graph.addUser("bob") }
    let options = SocialGraph.Options { $0.healAfter = delay }
    Snapshotter(options, turn: SnapshotTurn(), sequence: 1).noteFailure(of: graph)
    let wanted = delay != nil
    for _ in 0..<(wanted ? 1_000 : 20) where graph.isJournalBroken { try await Task.sleep(for: .milliseconds(10)) }
    #expect(graph.isJournalBroken == !wanted)
    if wanted {
      try await graph.addUser("bob")
      try await graph.close()
      let again = try await SocialGraph.open(directory.file("healing"))
      #expect(again.read { $0.counts.users } == 2)
    }
    let healed = events.withLock { $0.contains(.journalRecovered(sequence: 1)) }
    #expect(healed == wanted)
  }

  @Test("Low disk space is reported once")
  func lowDisk() async throws {
    let events = Mutex<[StoreEvent]>([])
    let graph = try await SocialGraph.open(
      directory.file("low"), options: SocialGraph.Options { $0.lowDiskByteCount = .max },
      onEvent: { event in events.withLock { $0.append(event) } })
    for name in ["ann", "bob", "cid"] { try await graph.addUser(name) }
    try await graph.snapshot()
    try await graph.close()
    for _ in 0..<200 where events.withLock({ $0.count }) < 3 { try await Task.sleep(for: .milliseconds(10)) }
    let reported = events.withLock { events in
      events.compactMap { event -> Int64? in if case .diskLow(let free) = event { free } else { nil } }
    }
    #expect(reported.count == 1 && reported[0] > 0)
  }

  @Test("The last failure is in the statistics, and is over when what failed succeeds")
  func lastFailure() async throws {
    let graph = try await SocialGraph.open(
      directory.file("failure"), options: SocialGraph.Options { $0.healAfter = nil }, onEvent: { _ in })
    func statistics() -> SocialGraph.Statistics { graph.statistics() }
    #expect(statistics().lastFailure == nil && statistics().acceptsChanges && graph.refusal == nil)
    let store = try #require(graph.store)
    store.fail(.system(errno: 28, call: "pwrite", path: "j"))
    let failure = try #require(statistics().lastFailure)
    #expect(failure.name == "journalFailed" && failure.message.contains("pwrite failed: no space left"))
    #expect(!failure.isOver && !statistics().acceptsChanges && graph.refusal != nil)
    #expect(statistics().prometheus.contains("\nkith_failing 1\n"))
    #expect(statistics().prometheus.contains("\nkith_accepts_changes 0\n"))
    try await graph.snapshot()
    let over = try #require(statistics().lastFailure)
    #expect(over.name == "journalFailed" && over.isOver && over.time == failure.time)
    #expect(statistics().acceptsChanges && graph.refusal == nil)
    store.events.note(.snapshotFailed(.closed))
    #expect(statistics().lastFailure == over, "a snapshot that was cancelled is no failure")
    store.events.note(.snapshotFailed(.unknownUser(1)))
    #expect(statistics().lastFailure?.name == "snapshotFailed" && statistics().lastFailure?.isOver == false)
    try await graph.snapshot()
    #expect(statistics().lastFailure?.isOver == true)
    try await graph.close()
    #expect(graph.refusal == .closed && !statistics().acceptsChanges)
  }

  @Test("A store whose disk was full is tried once there is free space, another one after its delay alone")
  func room() {
    let free = Mutex<Int64?>(10)
    let full = FreeDiskSpace(neededByteCount: 100) { free.withLock { $0 } }
    #expect(full.wasLow && !full.isEnough)
    free.withLock { $0 = 99 }
    #expect(!full.isEnough)
    free.withLock { $0 = 100 }
    #expect(full.isEnough && !FreeDiskSpace(neededByteCount: 100) { free.withLock { $0 } }.wasLow)
    free.withLock { $0 = nil }
    let unknown = FreeDiskSpace(neededByteCount: 100) { nil }
    #expect(!full.isEnough && !unknown.wasLow && !unknown.isEnough)
  }
}
