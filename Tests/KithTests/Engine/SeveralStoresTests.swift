import Dispatch
import Synchronization
import Testing

@testable import Kith

/// Two stores in one process: a delay of one does not delay the other.
@Suite struct SeveralStoresTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func fill(_ graph: SocialGraph) throws(KithError) {
    try graph.batch { (batch) throws(KithError) in
      for number in 0..<200 { try batch.apply(.addUser(id: nil, username: "a name of twenty \(number)")) }
    }
  }

  @Test("A blocked snapshot delays neither another store's snapshot nor its healing")
  func blockedSnapshot() async throws {
    let events = Mutex<[StoreEvent]>([])
    let hasBegun = Mutex(false)
    let slow = try await SocialGraph.open(
      directory.file("slow"),
      options: SocialGraph.Options {
        $0.snapshotAfterChangeCount = 50
        $0.snapshotBytesPerSecond = 1
      },
      onEvent: { event in if case .snapshotBegan = event { hasBegun.withLock { $0 = true } } })
    try fill(slow)
    for _ in 0..<1_000 where !hasBegun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
    let quick = try await SocialGraph.open(
      directory.file("quick"),
      options: SocialGraph.Options {
        $0.snapshotAfterChangeCount = 50
        $0.healAfter = .zero
      },
      onEvent: { event in events.withLock { $0.append(event) } })
    try fill(quick)
    func sees(_ isIt: (StoreEvent) -> Bool) async throws -> Bool {
      for _ in 0..<1_000 where !events.withLock({ $0.contains(where: isIt) }) {
        try await Task.sleep(for: .milliseconds(10))
      }
      return events.withLock { $0.contains(where: isIt) }
    }
    #expect(try await sees { if case .snapshotWritten = $0 { true } else { false } })
    quick.bulk { (batch) throws(Never) in }
    let options = SocialGraph.Options { $0.healAfter = .zero }
    Snapshotter(options, turn: SnapshotTurn(), sequence: 200).noteFailure(of: quick)
    #expect(try await sees { $0 == .journalRecovered(sequence: 200) })
    try await slow.close()
    try await quick.close()
  }

  @Test("A blocked disk of one graph delays no change submitted to another")
  func blockedDisk() async throws {
    // The clock is read right before a frame is written: blocking there simulates a disk that hangs.
    let isHung = DispatchSemaphore(value: 0), goesOn = DispatchSemaphore(value: 0)
    var opened = try Store.open(
      directory.file("slow"), mode: .synced, disk: SystemDisk(),
      clock: {
        isHung.signal()
        goesOn.wait()
        goesOn.signal()
        return .now()
      })
    let (store, report) = (opened.store, opened.report)
    let slow = SocialGraph(opened.state.pin(), store: store, recovery: report, isReadOnly: false)
    let change = Task { try await slow.apply(.addUser(id: nil, username: "ann")) }
    await Task.detached { Self.wait(for: isHung) }.value
    let quick = try await SocialGraph.open(directory.file("quick"))
    let isThrough = Mutex(false)
    let other = Task {
      _ = try await quick.apply(.addUser(id: nil, username: "bob"))
      isThrough.withLock { $0 = true }
    }
    for _ in 0..<1_000 where !isThrough.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
    #expect(isThrough.withLock { $0 })
    goesOn.signal()
    #expect(try await change.value.sequence == 1)
    try await other.value
    try await slow.close()
    try await quick.close()
  }

  /// A task's thread should not wait for a semaphore; here it does so briefly.
  private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
}
