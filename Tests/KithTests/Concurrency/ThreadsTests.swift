import Foundation
import Synchronization
import Testing

@testable import Kith

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Threads of the library: what is done where the system gives none.
@Suite struct ThreadsTests {
  @Test("Without a further thread the calling one does the work, and what can wait is done once there is one")
  func withoutThreads() async {
    await #expect(processExitsWith: .success) { try ThreadStory.run() }
  }

  @Test("Work of a queue is done in order, on one thread at a time")
  func queue() async {
    let queue = WorkQueue()
    let done = Mutex<[Int]>([])
    let inside = Atomic(0)
    for number in 0..<1_000 {
      queue.post {
        #expect(inside.add(1, ordering: .sequentiallyConsistent).newValue == 1)
        done.withLock { $0.append(number) }
        inside.subtract(1, ordering: .sequentiallyConsistent)
      }
    }
    #expect(await queue.run { done.withLock { $0 } } == Array(0..<1_000))
  }

  @Test("Timers end in the order of their delays, an earlier one that comes later first")
  func timers() async {
    let order = Mutex<[Int]>([])
    let ended = DispatchSemaphore(value: 0)
    for milliseconds in [400, 1, 200] {
      Threads.post(afterMilliseconds: milliseconds) {
        order.withLock { $0.append(milliseconds) }
        ended.signal()
      }
    }
    await WorkQueue().run { for _ in 0..<3 { ended.wait() } }
    #expect(order.withLock { $0 } == [1, 200, 400])
  }

  @Test("Tasks of the library run on its own threads")
  func executor() async {
    let sum = await Task.detached(executorPreference: ThreadExecutor.shared) {
      await withTaskGroup(of: Int.self) { group in
        for number in 1...100 { group.addTask { number } }
        return await group.reduce(0, +)
      }
    }.value
    #expect(sum == 5_050)
  }
}

/// MARK: - Processes
private enum ThreadStory {
  /// An id that no user has: root may have any number of threads.
  private static let nobody: uid_t = 64_321

  /// Sets how many threads the user of this process may have, for a while.
  private static func limitThreads(_ count: rlim_t) {
    var limit = rlimit()
    #if canImport(Darwin)
      let resource = RLIMIT_NPROC
    #else
      let resource = __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
    #endif
    // Unsafe: the address of a local that outlives the call.
    unsafe getrlimit(resource, &limit)
    limit.rlim_cur = min(count, limit.rlim_max)
    #expect(unsafe setrlimit(resource, &limit) == 0)
  }

  static func run() throws {
    if geteuid() == 0 { #expect(setuid(nobody) == 0) }
    limitThreads(1)
    #expect(!Threads.run {})
    // What waits for a thread.
    let waited = DispatchSemaphore(value: 0)
    Threads.post { waited.signal() }
    Threads.post(afterMilliseconds: 1) { waited.signal() }
    #expect(waited.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    // Loops, and queues whose caller does the work.
    let sum = Atomic(0)
    Parallel.forEach(100) { (index) throws(Never) in sum.add(index, ordering: .relaxed) }
    Parallel.together(100, workers: 4) { (index) throws(Never) in sum.add(index, ordering: .relaxed) }
    var taken: [Int] = []
    Parallel.inOrder(100, workers: 4) { (index) throws(Never) in
      index
    } take: { (_, value) throws(Never) in
      taken.append(value)
    }
    let isDone = Mutex(false)
    WorkQueue().post { isDone.withLock { $0 = true } }
    #expect(isDone.withLock { $0 })
    #expect(sum.load(ordering: .relaxed) == 2 * 4_950 && taken == Array(0..<100))
    try useStore()
    limitThreads(.max)
    let isBack = DispatchSemaphore(value: 0)
    #expect(Threads.run { isBack.signal() })
    isBack.wait()
    for _ in 0..<2 { #expect(waited.wait(timeout: .now() + .seconds(30)) == .success) }
  }

  /// A store is made, filled, saved, opened and searched.
  private static func useStore() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("store")
    var options = SocialGraph.Options()
    options.snapshotAfterChangeCount = 500
    options.durability = .flushed
    let graph = try SocialGraph.open(path, options: options)
    let ann = try graph.addUser("ann")
    for number in 0..<2_000 { try graph.addPost("post \(number)", by: ann) }
    try graph.snapshot()
    try graph.close()
    let again = try SocialGraph.open(path)
    #expect(try again.read { try $0.searchPosts("1999").count } == 1)
    _ = try again.pin().pageRank()
    try again.close()
    #expect(try Verification(of: path, .deep).problems == [])
  }
}
