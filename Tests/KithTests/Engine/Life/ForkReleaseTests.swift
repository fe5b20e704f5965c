import Foundation
import Synchronization
import Testing

@testable import Kith

/// The child of a fork that only lets go of what its parent made, while the parent's other threads hold every lock now
/// and then: the end of an interpreter does just that.
@Suite struct ForkReleaseTests {
  @Test("A child lets go of observers, live queries, sessions, pins, pages and the graph, and ends")
  func release() async {
    await #expect(processExitsWith: .success) { try await ForkReleaseStory.run() }
  }

  @Test("A child that was forked in the middle of a change closes the graph")
  func torn() async {
    await #expect(processExitsWith: .success) { try ForkReleaseStory.tearing() }
  }

  @Test("What a child makes itself is counted and notified there")
  func own() async {
    await #expect(processExitsWith: .success) { try ForkReleaseStory.observing() }
  }
}

/// MARK: - Processes
private enum ForkReleaseStory {
  private static let childCount = 150

  /// Everything that a host can hold.
  private final class Holdings: @unchecked Sendable {
    // Safety: one thread uses it.
    private var objects: [Any] = []
    private var reader: ChangeReader?
    private var subscription: LiveSubscription<Page<User>, KithError>?

    init(_ graph: SocialGraph) async throws {
      reader = ChangeReader(graph, from: nil, telling: AsyncSignal())
      _ = reader?.next()
      let live = LiveSubscription(graph, .searchUsers("a"))
      _ = try live.ask()
      subscription = live
      let session = SearchSession(graph, .users(), debounce: .zero)
      var results = session.makeAsyncIterator()
      _ = await results.next()
      session.type("an")
      var values = graph.values(of: .counts).makeAsyncIterator()
      _ = try await values.next()
      let token = graph.observe(.counts) { _ in usleep(10) }
      objects = [
        graph.changes(), session, results, values, token, graph.pin(), try graph.read { try $0.searchUsers("a") },
        await LiveModel(graph, .counts), await SearchModel(graph, .users(), debounce: .zero),
      ]
    }

    func letGo() {
      reader = nil
      subscription = nil
      objects = []
    }
  }

  static func run() async throws {
    let graph = SocialGraph()
    let author = try await graph.addUser("ann")
    try fork(graph, author, try await Holdings(graph))
    try await graph.close()
  }

  private static func fork(_ graph: SocialGraph, _ author: UserID, _ holdings: Holdings) throws {
    let stops = Atomic(false)
    let ended = DispatchGroup()
    for _ in 0..<2 {
      ended.enter()
      Thread {
        while !stops.load(ordering: .relaxed) {
          _ = try? graph.addPost("text", by: author)
          _ = graph.pin()
          _ = try? LiveSubscription(graph, .searchUsers("a")).ask()
        }
        ended.leave()
      }.start()
    }
    usleep(50_000)
    for number in 0..<childCount {
      let status = ForkedProcess.run {
        holdings.letGo()
        return (try? graph.close()) == nil ? 1 : 0
      }
      #expect(status == 0, "child \(number)")
      if status != 0 { break }
    }
    stops.store(true, ordering: .relaxed)
    ended.wait()
    holdings.letGo()
  }

  static func tearing() throws {
    let directory = try TemporaryDirectory()
    let graph = try SocialGraph.open(directory.file("store"))
    let (isInside, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let ended = DispatchGroup()
    ended.enter()
    Thread {
      graph.withWriterLock { _ in
        isInside.signal()
        goesOn.wait()
      }
      ended.leave()
    }.start()
    isInside.wait()
    let status = ForkedProcess.run {
      (try? graph.close()) != nil && (try? graph.close()) != nil ? 0 : 1
    }
    #expect(status == 0)
    goesOn.signal()
    ended.wait()
    try graph.addUser("ann")
    try graph.close()
  }

  static func observing() throws {
    let graph = SocialGraph()
    try graph.addUser("ann")
    let parents = LiveSubscription(graph, .counts)
    _ = try parents.ask()
    let status = ForkedProcess.run {
      let own = LiveSubscription(graph, .counts)
      guard let first = try? own.ask(), first.users == 1 else { return 1 }
      let pin = graph.pin()
      guard (try? graph.addUser("bob")) != nil else { return 2 }
      guard let second = try? own.askIfTold(), second.users == 2 else { return 3 }
      return pin.view.counts.users == 1 ? 0 : 4
    }
    #expect(status == 0)
    try graph.addUser("cid")
    #expect(try parents.askIfTold()?.users == 2)
  }
}
