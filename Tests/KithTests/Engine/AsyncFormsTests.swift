import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Kith

/// The async forms: which form is chosen, that a hanging disk blocks no task, and what cancellation does.
@Suite struct AsyncFormsTests {
  private struct HostError: Error, Equatable {}

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A graph on a disk that hangs until `goesOn` is signalled: the clock is read right before a frame is written.
  private func hangingGraph(_ goesOn: DispatchSemaphore, _ isHung: Flag) throws -> SocialGraph {
    var opened = try Store.open(
      directory.file("store"), mode: .synced, disk: SystemDisk(),
      clock: {
        isHung.set()
        goesOn.wait()
        goesOn.signal()
        return .now()
      })
    let (store, report) = (opened.store, opened.report)
    return SocialGraph(opened.state.pin(), store: store, recovery: report, isReadOnly: false)
  }

  @Test("While the disk hangs, more async calls than there are threads wait, and other tasks continue")
  func hangingDisk() async throws {
    let goesOn = DispatchSemaphore(value: 0), isHung = Flag()
    let graph = try hangingGraph(goesOn, isHung)
    let count = 4 * ProcessInfo.processInfo.activeProcessorCount + 4
    let changes = (0..<count).map { number in
      Task {
        if number % 2 == 0 { return try await graph.addUser("user \(number)") }
        return try await graph.batch { batch in try batch.addUser("user \(number)") }
      }
    }
    while !isHung.isSet || graph.read({ $0.counts.users }) < count { try await Task.sleep(for: .milliseconds(1)) }
    goesOn.signal()
    var ids: Set<UserID> = []
    for change in changes { ids.insert(try await change.value) }
    #expect(ids.count == count)
    try await graph.close()
  }

  @Test("Async code gets the async forms, a synchronous closure the synchronous ones")
  func chosenForms() async throws {
    // Warnings are errors here: so each `await` is of an async form, and each call without one of a synchronous form.
    let path = directory.file("store")
    let graph = try await SocialGraph.open(path)
    let ann = try await graph.addUser("ann")
    let bob = try { try graph.addUser("bob") }()
    #expect(try await graph.follow(bob, as: ann))
    let carol = try await graph.batch { batch in
      let carol = try batch.addUser("carol")
      try batch.follow(ann, as: carol)
      return carol
    }
    await #expect(throws: HostError.self) {
      try await graph.batch { batch in
        try batch.removeUser(carol)
        throw HostError()
      }
    }
    #expect(try await graph.snapshot().sequence == 5)
    try await graph.close()
    await #expect(throws: KithError.closed) { try await graph.unfollow(bob, as: ann) }
    let again = try await SocialGraph.open(path, access: .readOnly)
    #expect(again.read { $0.counts.users } == 3)
  }

  @Test("A task that is cancelled before it hands its work over changes nothing")
  func earlyCancellation() async throws {
    let graph = try await SocialGraph.open(directory.file("store"))
    let path = directory.file("another")
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await SocialGraph.open(path) }, { _ = try await graph.addUser("early") },
      { _ = try await graph.apply(.addUser(username: "early")) },
      { _ = try await graph.batch { batch in try batch.addUser("early") } }, { _ = try await graph.snapshot() },
    ]
    for call in calls {
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        try await call()
      }
      task.cancel()
      await #expect(throws: KithError.cancelled) { try await task.value }
    }
    #expect(graph.read { $0.sequence } == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
    try await graph.close()
  }

  @Test("Work that was handed over is done although its task is cancelled, and close always closes")
  func lateCancellation() async throws {
    let goesOn = DispatchSemaphore(value: 0), isHung = Flag()
    let graph = try hangingGraph(goesOn, isHung)
    let late = Task { try await graph.addUser("late") }
    while !isHung.isSet { try await Task.sleep(for: .milliseconds(1)) }
    late.cancel()
    goesOn.signal()
    #expect(try await late.value == UserID(1))
    let closing = Task {
      while !Task.isCancelled { await Task.yield() }
      try await graph.close()
    }
    closing.cancel()
    try await closing.value
    #expect(graph.isClosed)
  }
}
