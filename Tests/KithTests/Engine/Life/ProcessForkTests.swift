import Foundation
import Testing

@testable import Kith

/// A process that forks while it has a store open: the store stays the parent's, whatever the child does.
///
/// Each test runs in a process of its own, because the child of a process with many threads can do little.
@Suite struct ProcessForkTests {
  @Test("A change in a child is refused and names the parent")
  func change() async {
    await #expect(processExitsWith: .success) { try ForkStory.appending() }
  }

  @Test("A close in a child releases neither the store nor the lock")
  func close() async {
    await #expect(processExitsWith: .success) { try ForkStory.closing() }
  }

  @Test("A release in a child releases neither the store nor the lock")
  func release() async {
    await #expect(processExitsWith: .success) { try ForkStory.lettingGo() }
  }

  @Test("A child changes only its own memory, and writes no snapshot of it")
  func ownMemory() async {
    await #expect(processExitsWith: .success) { try ForkStory.remembering() }
  }

  @Test("A child forked during a snapshot does not continue it")
  func duringASnapshot() async {
    await #expect(processExitsWith: .success) { try ForkStory.snapshotting() }
  }

  @Test("A child is refused at once where a thread of its parent writes to the disk")
  func duringAWrite() async {
    await #expect(processExitsWith: .success) { try ForkStory.meeting() }
  }

  #if os(Linux)
    @Test("A child changes its memory where a thread of its parent read, or waited to write")
    func duringARead() async {
      await #expect(processExitsWith: .success) { try ForkStory.interrupting() }
    }
  #endif

  @Test("Async calls in a child are refused as synchronous ones are, without waiting for a missing thread")
  func asyncCalls() async {
    await #expect(processExitsWith: .success) { try await ForkStory.callingAsync() }
  }

  @Test("Async calls in a child change its own memory and its own stores")
  func asyncOwnMemory() async {
    await #expect(processExitsWith: .success) { try await ForkStory.rememberingAsync() }
  }

  @Test("A child can read, and open stores that no process holds")
  func reads() async {
    await #expect(processExitsWith: .success) { try ForkStory.reading() }
  }

  @Test("A fork waits until a thread of the library has made its change, so that the child can read")
  func duringMaintenance() async {
    await #expect(processExitsWith: .success) { try ForkStory.maintaining() }
  }
}

/// MARK: - Processes
private enum ForkStory {
  static func appending() throws {
    for mode in [SocialGraph.Durability.synced, .flushed] {
      let family = try Family(mode)
      let before = try family.contents()
      let status = ForkedProcess.run {
        guard family.isRefused({ () throws(KithError) in try family.post("child") }) else { return 1 }
        let sequence = family.graph.read { $0.sequence }
        // The frame of the first change is in the child's memory, and must not be extended.
        guard family.isRefused({ () throws(KithError) in try family.post("child") }) else { return 2 }
        let isBatchRefused = family.isRefused { () throws(KithError) in
          try family.graph.batch { (batch) throws(KithError) in try batch.apply(.addUser(id: nil, username: "bob")) }
        }
        guard isBatchRefused, family.graph.read({ $0.sequence }) == sequence else { return 3 }
        return family.isRefused { () throws(KithError) in try family.graph.snapshot() } ? 0 : 4
      }
      #expect(status == 0)
      #expect(try family.contents() == before)
      try family.goOn()
    }
  }

  static func closing() throws {
    for mode in [SocialGraph.Durability.synced, .flushed, .memory] {
      let family = try Family(mode)
      let child = ForkedProcess {
        do throws(KithError) {
          try family.graph.close()
          try family.graph.close()
        } catch {
          return 1
        }
        return family.isRefused(by: .closed) { () throws(KithError) in try family.post("child") } ? 0 : 2
      }
      for number in 0..<20 { try family.post("parent \(number)") }
      let before = try family.contents()
      #expect(child.run() == 0)
      #expect(try family.contents() == before)
      try family.goOn()
    }
  }

  static func lettingGo() throws {
    let family = try Family(.synced)
    let child = ForkedProcess {
      weak let graph = family.graph
      family.letGo()
      return graph == nil ? 0 : 1
    }
    for number in 0..<20 { try family.post("parent \(number)") }
    let before = try family.contents()
    #expect(child.run() == 0)
    #expect(try family.contents() == before)
    try family.goOn()
  }

  static func remembering() throws {
    let family = try Family(.memory)
    let before = try family.contents()
    let status = ForkedProcess.run {
      guard (try? family.post("child")) != nil else { return 1 }
      return family.isRefused { () throws(KithError) in try family.graph.snapshot() } ? 0 : 2
    }
    #expect(status == 0)
    #expect(try family.contents() == before)
    try family.goOn()
  }

  static func snapshotting() throws {
    let family = try Family(.synced)
    let parent = getpid()
    var child: Int32?
    var before: [String: [UInt8]] = [:]
    var isRefused = false
    // The child also continues after `body` here: so it is forked by hand.
    do throws(KithError) {
      try family.graph.snapshot(coreCount: 1) { _ in
        if child != nil { return }
        before = (try? family.contents()) ?? [:]
        child = ForkedProcess.fork()
        if let child, child > 0 { #expect(ForkedProcess.wait(for: child) == 0) }
      }
    } catch {
      if case .storeInUse(by: parent, _) = error { isRefused = true }
    }
    if child == 0 { _exit(isRefused && (try? family.contents()) == before ? 0 : 1) }
    #expect(!isRefused && before.keys.contains { $0.hasSuffix(".tmp") })
    #expect(try family.contents().keys.contains { SnapshotName($0) != nil })
    try family.goOn()
  }

  static func meeting() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("store")
    // The clock is read right before a frame is written, under the lock of the files.
    let isThere = DispatchSemaphore(value: 0), goesOn = DispatchSemaphore(value: 0)
    var opened = try Store.open(
      path, mode: .synced, disk: SystemDisk(),
      clock: {
        isThere.signal()
        goesOn.wait()
        goesOn.signal()
        return .now()
      })
    let graph = SocialGraph(opened.state.pin(), store: opened.store, isReadOnly: false)
    let isThrough = DispatchSemaphore(value: 0)
    let thread = Thread {
      #expect(throws: Never.self) { try graph.addUser("ann") }
      isThrough.signal()
    }
    thread.start()
    isThere.wait()
    let parent = getpid()
    let status = ForkedProcess.run {
      do throws(KithError) {
        try graph.addUser("bob")
        return 1
      } catch {
        guard error == .storeInUse(by: parent, path: path) else { return 2 }
      }
      return (try? graph.close()) == nil ? 3 : 0
    }
    #expect(status == 0)
    goesOn.signal()
    isThrough.wait()
    try graph.addUser("cid")
    try graph.close()
    #expect(try SocialGraph.open(path).read { $0.counts.users } == 2)
  }

  static func interrupting() throws {
    let graph = SocialGraph()
    try graph.addUser("ann")
    let (isInside, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let ended = DispatchGroup()
    for isWriter in [false, true] {
      ended.enter()
      Thread {
        if isWriter {
          // Serially, until the reader leaves.
          graph.lock.serially {
            isInside.signal()
            goesOn.wait()
          }
        } else {
          graph.read { _ in
            isInside.signal()
            goesOn.wait()
          }
        }
        ended.leave()
      }.start()
      isInside.wait()
    }
    let status = ForkedProcess.run {
      guard (try? graph.addUser("bob")) != nil, graph.pin().view.counts.users == 2 else { return 1 }
      return (try? graph.close()) == nil ? 2 : 0
    }
    #expect(status == 0)
    goesOn.signal()
    goesOn.signal()
    ended.wait()
    try graph.addUser("cid")
    #expect(graph.read { $0.counts.users } == 2)
  }

  /// The status of a child whose async calls returned. It is not 0: a child ends with 0 if its last thread ends while a
  /// task waits for a missing thread.
  private static let isDone: Int32 = 42

  static func callingAsync() async throws {
    for mode in [SocialGraph.Durability.synced, .flushed] {
      let family = try Family(mode)
      // The queues of the graph have threads, which the child lacks.
      try await family.graph.addUser("before the fork")
      try await family.graph.snapshot()
      let before = try family.contents()
      let child = ForkedProcess.fork()
      if child == 0 { _exit(await family.refusedAsyncCalls() == 4 ? isDone : 1) }
      #expect(ForkedProcess.wait(for: child) == isDone)
      #expect(try family.contents() == before)
      try family.goOn()
    }
  }

  static func rememberingAsync() async throws {
    let family = try Family(.memory)
    let alone = SocialGraph()
    for graph in [family.graph, alone] { try await graph.addUser("before the fork") }
    let child = ForkedProcess.fork()
    if child == 0 {
      for graph in [family.graph, alone] {
        guard (try? await graph.addUser("child")) != nil else { _exit(1) }
        guard (try? await graph.batch { try $0.addUser("of a batch") }) != nil else { _exit(2) }
      }
      guard let own = try? await SocialGraph.open(family.path + " of the child") else { _exit(3) }
      guard (try? await own.addUser("child")) != nil, (try? await own.close()) != nil else { _exit(4) }
      _exit((try? await family.graph.close()) == nil ? 5 : isDone)
    }
    #expect(ForkedProcess.wait(for: child) == isDone)
    #expect(try await SocialGraph.open(family.path + " of the child").read { $0.counts.users } == 1)
    #expect(alone.read { $0.counts.users } == 1)
    try family.goOn()
  }

  static func maintaining() throws {
    let (graph, isInside) = (SocialGraph(), DispatchSemaphore(value: 0))
    try graph.addUser("ann")
    Thread {
      graph.withNames { _ in
        isInside.signal()
        usleep(30_000)
      }
    }.start()
    isInside.wait()
    #expect(ForkedProcess.run { graph.read { $0.counts.users } == 1 ? 0 : 1 } == 0)
  }

  static func reading() throws {
    let family = try Family(.synced)
    let path = family.path
    let reader = try SocialGraph.open(path, access: .readOnly)
    let other = path + " of the child"
    let status = ForkedProcess.run {
      guard reader.read({ $0.counts.posts }) == family.texts.count else { return 1 }
      guard (try? SocialGraph.open(path, access: .readOnly))?.read({ $0.counts.posts }) == family.texts.count
      else { return 2 }
      do throws(KithError) {
        let own = try SocialGraph.open(other)
        try own.addUser("bob")
        try own.close()
      } catch {
        return 3
      }
      return 0
    }
    #expect(status == 0)
    #expect(try SocialGraph.open(other).read { $0.counts.users } == 1)
    try family.goOn()
  }
}

/// A parent with an open store, and its expected content.
private final class Family: @unchecked Sendable {
  // Safety: parent and child have one thread each that uses it.
  let path: String
  private(set) var texts: [String] = []
  private var held: SocialGraph?
  private let directory: TemporaryDirectory
  private let mode: SocialGraph.Durability
  private let author: UserID
  private let parent = getpid()

  init(_ mode: SocialGraph.Durability) throws {
    directory = try TemporaryDirectory()
    path = directory.file("store")
    self.mode = mode
    let graph = try SocialGraph.open(path, options: SocialGraph.Options { $0.durability = mode })
    author = try graph.addUser("ann")
    held = graph
    try post("before the fork")
  }

  var graph: SocialGraph {
    guard let held else { preconditionFailure("the graph was released") }
    return held
  }

  func letGo() { held = nil }

  func post(_ text: String) throws(KithError) {
    try graph.addPost(text, by: author)
    texts.append(text)
  }

  /// Whether a call fails as it must in a child.
  func isRefused(by expected: KithError? = nil, _ body: () throws(KithError) -> Any) -> Bool {
    do throws(KithError) {
      _ = try body()
      return false
    } catch {
      return error == expected ?? .storeInUse(by: parent, path: path)
    }
  }

  /// How many of the async calls fail as they must in a child.
  func refusedAsyncCalls() async -> Int {
    var count = 0
    func note(_ body: () async throws(KithError) -> Any) async {
      do throws(KithError) { _ = try await body() } catch {
        if error == .storeInUse(by: parent, path: path) { count += 1 }
      }
    }
    await note { () async throws(KithError) in try await graph.addUser("child") }
    await note { () async throws(KithError) in try await graph.apply(.addUser(username: "child")) }
    await note { () async throws(KithError) in
      try await graph.batch { (batch) throws(KithError) in try batch.addUser("of a batch") }
    }
    await note { () async throws(KithError) in try await graph.snapshot() }
    return count
  }

  /// All bytes of all files of the store, by name.
  func contents() throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      contents[name] = try directory.read("store/\(name)")
    }
    return contents
  }

  /// The parent still owns the store and continues; all its changes are there in the end.
  func goOn() throws {
    let status = ForkedProcess.run { isRefused { () throws(KithError) in try SocialGraph.open(path) } ? 0 : 1 }
    #expect(status == 0, "a second process must be refused")
    for number in 0..<5 { try post("after the fork \(number)") }
    if mode == .memory { try graph.snapshot() }
    try graph.close()
    #expect(try Verification(of: path, .deep).problems == [])
    let again = try SocialGraph.open(path)
    let found = try again.read { view in
      try view.timeline(of: author, TimelineQuery(includesOwnPosts: true, limit: 1_000)).map(\.text)
    }
    #expect(found.sorted() == texts.sorted())
    try again.close()
  }
}
