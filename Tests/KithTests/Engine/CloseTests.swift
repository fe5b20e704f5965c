import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Kith

/// Closing during a snapshot: it is cancelled, leaves nothing behind, and the store is free at once.
@Suite struct CloseTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("store")
  }

  /// The events of a store.
  private final class Log: Sendable {
    private let events = Mutex<[StoreEvent]>([])

    func note(_ event: StoreEvent) { events.withLock { $0.append(event) } }
    var all: [StoreEvent] { events.withLock { $0 } }

    /// Whether a condition becomes true within ten seconds.
    func sees(_ isIt: (StoreEvent) -> Bool) async throws -> Bool {
      for _ in 0..<1_000 where !all.contains(where: isIt) { try await Task.sleep(for: .milliseconds(10)) }
      return all.contains(where: isIt)
    }
  }

  private func fill(_ graph: SocialGraph) throws(KithError) {
    try graph.batch { (batch) throws(KithError) in
      for number in 0..<200 { try batch.apply(.addUser(id: nil, username: "a name of twenty \(number)")) }
    }
  }

  private func expectFree() throws {
    let again = try SocialGraph.open(path)
    #expect(again.read { $0.counts.users } == 200)
    try again.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(!names.contains { SnapshotName($0) != nil || $0.hasSuffix(StoreNames.temporarySuffix) }, "\(names)")
  }

  @Test("close cancels a running snapshot and waits for its end")
  func runningSnapshot() async throws {
    let log = Log()
    let graph = try await SocialGraph.open(path, onEvent: { log.note($0) })
    try fill(graph)
    let began = DispatchSemaphore(value: 0)
    let outcome = Mutex<KithError?>(nil)
    let thread = Thread {
      do throws(KithError) {
        try graph.snapshot(coreCount: 1) { _ in
          began.signal()
          // The snapshot continues only when it is being closed, and then for longer than opening takes.
          while !graph.isClosed { usleep(1_000) }
          usleep(100_000)
        }
      } catch {
        outcome.withLock { $0 = error }
      }
    }
    thread.start()
    began.wait()
    try await graph.close()
    try expectFree()
    #expect(try await log.sees { $0 == .snapshotFailed(.closed) })
    #expect(outcome.withLock { $0 } == .closed)
    #expect(log.all == [.snapshotBegan(sequence: 200), .snapshotFailed(.closed)])
  }

  @Test("close cancels a snapshot that is limited to a rate")
  func limitedSnapshot() async throws {
    let log = Log()
    // A quarter of an hour for each kilobyte: longer than this test can wait for a thread of a busy machine.
    let options = SocialGraph.Options {
      $0.snapshotAfterChangeCount = 50
      $0.snapshotBytesPerSecond = 1
    }
    let graph = try await SocialGraph.open(path, options: options, onEvent: { log.note($0) })
    try fill(graph)
    #expect(try await log.sees { $0 == .snapshotBegan(sequence: 200) })
    let began = ContinuousClock.now
    try await graph.close()
    #expect(ContinuousClock.now - began < .seconds(20))
    try expectFree()
    #expect(try await log.sees { $0 == .snapshotFailed(.closed) })
  }

  @Test("A step that waits is woken by the end of its turn, and then cancelled, and later ones do not wait")
  func wokenStep() throws {
    let turn = SnapshotTurn()
    let (waits, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let outcomes = Mutex<[Result<Void, KithError>]>([])
    // Threads of their own: no other test can keep them waiting, and one that is never woken fails this one.
    let waiter = Thread {
      for _ in 0..<2 {
        let outcome = Result { () throws(KithError) in
          try turn.take { () throws(KithError) in
            waits.signal()
            turn.wait(until: .distantFuture)
            try turn.checkGoing()
          }
        }
        outcomes.withLock { $0.append(outcome) }
        turn.wait(until: .distantFuture)
      }
      ended.signal()
    }
    waiter.start()
    try #require(waits.wait(timeout: .now() + 60) == .success)
    Thread { try? turn.end(.closed) { () throws(KithError) in } }.start()
    try #require(ended.wait(timeout: .now() + 60) == .success)
    let found = outcomes.withLock { $0 }
    #expect(found.count == 2)
    for outcome in found { #expect(throws: KithError.closed) { try outcome.get() } }
  }

  @Test("close from a snapshot's progress handler cancels it")
  func closeFromProgress() throws {
    let graph = try SocialGraph.open(path)
    try fill(graph)
    #expect(throws: KithError.closed) {
      try graph.snapshot { progress in
        if progress == .verifying { #expect(throws: Never.self) { try graph.close() } }
      }
    }
    try expectFree()
    #expect(throws: KithError.closed) { try graph.snapshot() }
  }

  @Test("Cancelled pruning removes nothing")
  func cancelledPruning() throws {
    let graph = try SocialGraph.open(
      path, options: SocialGraph.Options { $0.retention = SocialGraph.Retention(snapshotCount: 10) })
    for number in 0..<4 {
      try graph.addUser("user \(number)")
      try graph.snapshot()
    }
    try graph.close()
    let store = StoreDirectory(path, disk: SystemDisk())
    let lock = try store.openForWriting(creating: false).lock
    let names = try #require(try store.contents()).snapshots
    let before = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    var askCount = 0
    for limit in 0..<100 {
      askCount = 0
      do throws(KithError) {
        try store.prune(restorable: Set(names), holding: lock) { () throws(KithError) in
          askCount += 1
          if askCount > limit { throw .closed }
        }
        #expect(limit > 3)
        return
      } catch {
        #expect(error == .closed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == before)
      }
    }
    Issue.record("pruning never came to its end")
  }
}
