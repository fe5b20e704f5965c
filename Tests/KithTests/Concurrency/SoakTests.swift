import Foundation
import Synchronization
import Testing

@testable import Kith

/// Everything a store supports, concurrently: single changes, batches, async changes, queries, pins, snapshots on
/// request and in the background, and readers of the files without the lock.
///
/// `KITH_SOAK_SECONDS=3600` for a long run, best with `--sanitize thread`.
@Suite struct SoakTests {
  @Test("Many writers and readers find every acknowledged change, before and after reopening")
  func acknowledgedChangesAreFound()
    async throws
  {
    let directory = try TemporaryDirectory()
    let soak = try Soak(directory.file("store"), seconds: CrashEnvironment.number("KITH_SOAK_SECONDS") ?? 1)
    await soak.run()
    #expect(soak.faults.withLock { $0.prefix(5) } == [])
    let changeCount = soak.changeCount.load(ordering: .relaxed)
    #expect(soak.graph.read { $0.sequence } == UInt64(changeCount), "each change has a number")
    let digest = GraphDigest.of(soak.graph.pin().view.state)
    try await soak.graph.close()
    let again = try await SocialGraph.open(soak.path)
    #expect(GraphDigest.of(again.pin().view.state) == digest)
    try await again.close()
    #expect(try Verification(of: soak.path, .deep).problems == [])
    print(
      "Soak: \(changeCount) changes, \(soak.questionCount.load(ordering: .relaxed)) questions, "
        + "\(soak.openingCount.load(ordering: .relaxed)) openings by readers, "
        + "\(soak.snapshotCount.load(ordering: .relaxed)) snapshots by hand")
  }
}

/// The store, its users, and their findings.
private final class Soak: Sendable {
  let path: String
  let graph: SocialGraph
  let faults = Mutex<[String]>([])
  let changeCount = Atomic(0)
  let questionCount = Atomic(0)
  let openingCount = Atomic(0)
  let snapshotCount = Atomic(0)
  /// An acknowledged number.
  private let acknowledged = Atomic<UInt64>(0)
  private let end: ContinuousClock.Instant

  init(_ path: String, seconds: Int) throws {
    self.path = path
    graph = try SocialGraph.open(path, options: SocialGraph.Options { $0.snapshotAfterChangeCount = 400 })
    end = .now + .seconds(seconds)
  }

  func run() async {
    let group = DispatchGroup()
    for writer: Int64 in 1...3 {
      start(group) { step throws(KithError) in try self.write(writer * 1_000_000 + 2 * step) }
    }
    start(group) { step throws(KithError) in try self.batch(10_000_000 + 10 * step) }
    for _ in 0..<2 { start(group) { _ throws(KithError) in try self.ask() } }
    start(group) { _ throws(KithError) in try self.readFiles() }
    start(group) { _ throws(KithError) in
      try self.graph.snapshot()
      self.snapshotCount.add(1, ordering: .relaxed)
    }
    await withTaskGroup { tasks in
      for task: Int64 in 4...5 {
        tasks.addTask {
          var step: Int64 = 0
          while .now < self.end {
            step += 1
            await self.submit(task * 1_000_000 + step)
          }
        }
      }
    }
    await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
  }

  /// A thread that repeats one action until the end or until it fails.
  private func start(_ group: DispatchGroup, _ body: @escaping @Sendable (Int64) throws(KithError) -> Void) {
    group.enter()
    Thread.detachNewThread {
      var step: Int64 = 0
      do throws(KithError) {
        while .now < self.end {
          step += 1
          try body(step)
        }
      } catch {
        self.report(error.description)
      }
      group.leave()
    }
  }

  private func report(_ fault: String) { faults.withLock { $0.append(fault) } }

  private func note(_ applied: ChangeResult) {
    changeCount.add(1, ordering: .relaxed)
    acknowledged.max(applied.sequence, ordering: .acquiringAndReleasing)
  }

  // MARK: - Actions

  private func write(_ id: Int64) throws(KithError) {
    let (user, other) = (UserID(id), UserID(id + 1))
    note(try graph.apply(.addUser(id: user, username: "user \(id)")))
    note(try graph.apply(.addUser(id: other, username: "other \(id)")))
    note(try graph.apply(.follow(as: user, target: other, at: 1)))
    note(try graph.apply(.addPost(id: PostID(id), by: other, text: "a post by \(id)", createdAt: 2)))
    let found = try graph.read { (view) throws(KithError) in try view.timeline(of: user).items.map(\.id) }
    if found != [PostID(id)] { report("\(user) follows the author of a post, and finds \(found)") }
  }

  private func batch(_ id: Int64) throws(KithError) {
    let last = try graph.batch { batch throws(KithError) in
      for next in id..<id + 9 { try batch.apply(.addUser(id: UserID(next), username: "batch \(next)")) }
      return try batch.apply(.addUser(id: UserID(id + 9), username: "batch \(id + 9)"))
    }
    changeCount.add(9, ordering: .relaxed)
    note(last)
  }

  private func submit(_ id: Int64) async {
    do throws(KithError) {
      note(try await graph.apply(.addUser(id: UserID(id), username: "task \(id)")))
    } catch {
      report(error.description)
    }
  }

  private func ask() throws(KithError) {
    let before = acknowledged.load(ordering: .acquiring)
    let pin = graph.pin()
    if pin.view.sequence < before { report("change \(before) was acknowledged, a pin has \(pin.view.sequence)") }
    let found = try pin.view.searchUsers("batch", UserQuery(match: .prefix, countsMatches: true, limit: 1))
    if (found.total ?? 0) % 10 != 0 { report("\(found.total ?? 0) users of batches of ten") }
    questionCount.add(1, ordering: .relaxed)
  }

  /// Reads the files beside the writer, like another process.
  private func readFiles() throws(KithError) {
    let before = acknowledged.load(ordering: .acquiring)
    let reader = try SocialGraph.open(path, access: .readOnly)
    let sequence = reader.read { $0.sequence }
    if sequence < before { report("change \(before) was acknowledged, a reader of the files finds \(sequence)") }
    openingCount.add(1, ordering: .relaxed)
  }
}
