import Foundation
import Synchronization
import Testing

@testable import Kith

/// A graph that gives its store up for a while: what it refuses, who may have the store meanwhile, and when it is taken
/// again.
@Suite struct SuspensionTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file("store") }

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ mode: SocialGraph.Durability = .synced) throws -> SocialGraph {
    try SocialGraph.open(path, options: SocialGraph.Options { $0.durability = mode })
  }

  private func refusal(_ body: () throws(KithError) -> Any) -> KithError? {
    do throws(KithError) {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "A suspended graph answers, refuses changes and snapshots, and goes on after it is resumed",
    arguments: [SocialGraph.Durability.synced, .flushed, .memory])
  func turns(mode: SocialGraph.Durability) throws {
    let graph = try open(mode)
    for turn in 0..<4 {
      // A turn without a change, too: its journal was never made.
      if turn != 2 { try graph.addUser("user\(turn)") }
      let count = graph.read { $0.counts.users }
      try graph.suspend()
      try graph.suspend()
      #expect(refusal { () throws(KithError) in try graph.addUser("no") } == .invalidRequest(.suspended))
      #expect(refusal { () throws(KithError) in try graph.snapshot() } == .invalidRequest(.suspended))
      let batch = refusal { () throws(KithError) in
        try graph.batch { (batch) throws(KithError) in try batch.addUser("no") }
      }
      #expect(batch == .invalidRequest(.suspended))
      #expect(graph.read { $0.counts.users } == count)
      // Nobody has the lock, and everything promised is in the files.
      if mode != .memory {
        #expect(try SocialGraph.open(path, access: .readOnly).read { $0.counts.users } == count)
      }
      try withExtendedLifetime(StoreDirectory(path, disk: SystemDisk()).openForWriting(creating: false)) {}
      try graph.resume()
      try graph.resume()
      #expect(throws: KithError.self) { try SocialGraph.open(path) }
    }
    try graph.snapshot()
    try graph.addUser("last")
    try graph.suspend()
    try graph.close()
    try graph.close()
    #expect(refusal { () throws(KithError) in try graph.suspend() } == .closed)
    #expect(refusal { () throws(KithError) in try graph.resume() } == .closed)
    #expect(try Verification(of: path, .deep).problems == [])
    #expect(try open().read { $0.counts.users } == (mode == .memory ? 3 : 4))
  }

  @Test("A second process may have the store meanwhile; if it wrote, the graph stays suspended and is opened again")
  func secondProcess() async {
    await #expect(processExitsWith: .success) { try SuspensionStory.sharing() }
  }

  @Test("A change of the files is seen, whichever it is", arguments: ["open", "change", "snapshot", "remove"])
  func changed(by what: String) throws {
    let graph = try open()
    try graph.addUser("ann")
    try graph.snapshot()
    try graph.addUser("bob")
    try graph.suspend()
    if what == "remove" {
      let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("wal-") }
      try FileManager.default.removeItem(atPath: "\(path)/\(try #require(names.max()))")
    } else {
      let other = try open()
      if what == "change" { try other.addUser("cid") }
      if what == "snapshot" { try other.snapshot() }
      try other.close()
    }
    let stale = KithError.invalidRequest(.changedWhileSuspended(path: path))
    for _ in 0..<2 { #expect(refusal { () throws(KithError) in try graph.resume() } == stale) }
    #expect(refusal { () throws(KithError) in try graph.addUser("no") } == stale)
    #expect(graph.read { $0.counts.users } == 2)
    // The lock was given up again.
    if what != "remove" { try open().close() }
    try graph.close()
  }

  @Test("Writers beside it: what was acknowledged is in the files, and the rest was refused")
  func besideWriters() throws {
    let graph = try open()
    let author = try graph.addUser("ann")
    let acknowledged = Atomic(0)
    let ended = DispatchGroup()
    for thread in 0..<3 {
      ended.enter()
      Thread {
        while (try? graph.addPost("by \(thread)", by: author)) != nil {
          acknowledged.add(1, ordering: .sequentiallyConsistent)
        }
        ended.leave()
      }.start()
    }
    while acknowledged.load(ordering: .sequentiallyConsistent) < 20 { usleep(1_000) }
    try graph.suspend()
    ended.wait()
    let count = acknowledged.load(ordering: .sequentiallyConsistent)
    #expect(graph.read { $0.counts.posts } == count)
    #expect(try SocialGraph.open(path, access: .readOnly).read { $0.counts.posts } == count)
    try graph.resume()
    try graph.addPost("after", by: author)
    try graph.close()
    #expect(try open().read { $0.counts.posts } == count + 1)
  }

  @Test("A snapshot being written is cancelled, also by its own progress, and one after resuming is written")
  func duringASnapshot() throws {
    let events = Mutex<[StoreEvent]>([])
    let graph = try SocialGraph.open(path) { event in events.withLock { $0.append(event) } }
    try graph.addUser("ann")
    let cancelled = refusal { () throws(KithError) in
      try graph.snapshot { _ in try? graph.suspend() }
    }
    #expect(cancelled == .invalidRequest(.suspended))
    #expect(try SocialGraph.open(path, access: .readOnly).read { $0.counts.users } == 1)
    try graph.resume()
    try graph.snapshot()
    try graph.close()
    #expect(!events.withLock { $0.contains(where: \.isFailure) })
    #expect(try Verification(of: path, .deep).problems == [])
  }

  @Test("The async forms do the same, and a graph without a lock has nothing to give up")
  func asyncForms() async throws {
    let graph = try await SocialGraph.open(path)
    try await graph.addUser("ann")
    try await graph.suspend()
    await #expect(throws: KithError.invalidRequest(.suspended)) { try await graph.addUser("no") }
    try await graph.resume()
    try await graph.addUser("bob")
    try await graph.close()
    await #expect(throws: KithError.closed) { try await graph.suspend() }
    let memory = SocialGraph()
    try await memory.suspend()
    try await memory.addUser("ann")
    try await memory.resume()
  }
}

/// MARK: - Processes
private enum SuspensionStory {
  static func sharing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("store")
    let graph = try SocialGraph.open(path)
    try graph.addUser("ann")
    try graph.suspend()
    // One that only holds the lock: it can be waited for.
    let isHeld = Pipe(), goesOn = Pipe()
    let holder = ForkedProcess.fork()
    if holder == 0 {
      guard let held = try? StoreDirectory(path, disk: SystemDisk()).openForWriting(creating: false) else { _exit(1) }
      try? isHeld.fileHandleForWriting.write(contentsOf: Data([1]))
      _ = try? goesOn.fileHandleForReading.read(upToCount: 1)
      withExtendedLifetime(held) { _exit(0) }
    }
    _ = try isHeld.fileHandleForReading.read(upToCount: 1)
    #expect(throws: KithError.storeInUse(by: holder, path: path)) { try graph.resume() }
    #expect(throws: KithError.invalidRequest(.suspended)) { try graph.addUser("no") }
    try goesOn.fileHandleForWriting.write(contentsOf: Data([1]))
    #expect(ForkedProcess.wait(for: holder) == 0)
    try graph.resume()
    try graph.addUser("bob")
    try graph.suspend()
    let status = ForkedProcess.run {
      do throws(KithError) {
        let other = try SocialGraph.open(path)
        try other.addUser("cid")
        try other.close()
        return 0
      } catch {
        return 1
      }
    }
    #expect(status == 0)
    #expect(throws: KithError.invalidRequest(.changedWhileSuspended(path: path))) { try graph.resume() }
    #expect(graph.read { $0.counts.users } == 2)
    try graph.close()
    #expect(try SocialGraph.open(path).read { $0.counts.users } == 3)
    #expect(try Verification(of: path, .deep).problems == [])
  }
}
