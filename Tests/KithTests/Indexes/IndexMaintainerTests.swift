import Dispatch
import Synchronization
import Testing

@testable import Kith

/// Background compaction of an index that records its calls.
@Suite struct IndexMaintainerTests {
  @Test("Concurrent compactions share no input, and each is installed once")
  func running() {
    let otherDone = DispatchSemaphore(value: 0)
    let owner = Owner(due: [0..<4, 0..<4, 4..<8]) { rows, _ in
      // The first waits for the other worker, whose only free input is the third.
      if rows == 0..<4 { #expect(otherDone.wait(timeout: .now() + 20) == .success) }
      return rows.count
    }
    owner.onInstall = { rows in
      if rows == 4..<8 { for _ in 0..<2 { otherDone.signal() } }
    }
    owner.wake(all: true)
    #expect(owner.awaitInstalls(3))
    #expect(owner.installed == [4..<8, 0..<4, 0..<4])
  }

  @Test("A segment is built and its inputs are freed outside the owner's lock")
  func locking() {
    let owner = Owner(due: [0..<4]) { rows, _ in rows.count }
    owner.wake()
    #expect(owner.awaitInstalls(1) && owner.freed.wait(timeout: .now() + 20) == .success)
    #expect(owner.faults.withLock { $0 } == [])
  }

  @Test("After a stop no segment is installed and no compaction begins")
  func stopping() {
    let (begun, goOn, ended) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let owner = Owner(due: [0..<4, 4..<8]) { rows, isStopped in
      begun.signal()
      goOn.wait()
      defer { ended.signal() }
      return isStopped() ? nil : rows.count
    }
    owner.wake()
    #expect(begun.wait(timeout: .now() + 20) == .success)
    owner.maintainer.stop()
    goOn.signal()
    #expect(ended.wait(timeout: .now() + 20) == .success)
    owner.wake()
    #expect(begun.wait(timeout: .now() + 0.2) == .timedOut && owner.installed == [])
  }

  @Test("A build does not keep its owner alive")
  func goneOwner() {
    let (begun, goOn, gone) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    var owner: Owner? = Owner(due: [0..<4]) { rows, _ in
      begun.signal()
      goOn.wait()
      return rows.count
    }
    owner?.onDeinit = { gone.signal() }
    owner?.wake()
    #expect(begun.wait(timeout: .now() + 20) == .success)
    owner = nil
    #expect(gone.wait(timeout: .now() + 20) == .success)
    goOn.signal()
  }

  @Test("An idle compaction runs only if no entry came while it waited")
  func idle() throws {
    let owner = Owner(due: []) { rows, _ in rows.count }
    owner.withIndex { $0.idleRows = 0..<8 }
    owner.wake()
    let first = try #require(owner.nextDelay())
    owner.withIndex { $0.version += 1 }
    first()
    #expect(owner.installed == [])
    let second = try #require(owner.nextDelay())
    second()
    #expect(owner.installed == [0..<8])
  }
}

/// Keeps an index behind a lock, and records violations of the rules.
private final class Owner: @unchecked Sendable {
  // Safety: the two closures are set before the maintainer is woken; the lock guards the rest.
  var onInstall: @Sendable (Range<UInt32>) -> Void = { _ in }
  var onDeinit: @Sendable () -> Void = {}
  let faults = Mutex<[String]>([])
  let freed = DispatchSemaphore(value: 0)
  let maintainer: IndexMaintainer<FakeIndex>
  private let index: LockedIndex
  private let installs = DispatchSemaphore(value: 0)
  private let delays: Delays

  init(due: [Range<UInt32>], build: @escaping FakeCompaction.Build) {
    let (index, delays) = (LockedIndex(due), Delays())
    (self.index, self.delays) = (index, delays)
    maintainer = IndexMaintainer(workerCount: 2) { _, body in delays.append(body) }
    index.mutex.withLock { index in
      index.build = { [weak self] rows, isStopped in
        self?.expectUnlocked("built")
        return build(rows, isStopped)
      }
      index.onFree = { [weak self] in
        self?.expectUnlocked("freed")
        self?.freed.signal()
      }
    }
  }

  deinit { onDeinit() }

  func wake(all: Bool = false) {
    maintainer.wake(all: all) { [weak self] body in
      self?.withIndex { index in
        let count = index.installed.count
        body(&index)
        for rows in index.installed[count...] {
          self?.onInstall(rows)
          self?.installs.signal()
        }
      }
    }
  }

  func withIndex(_ body: (inout FakeIndex) -> Void) { index.mutex.withLock { body(&$0) } }

  var installed: [Range<UInt32>] { index.mutex.withLock { $0.installed } }

  func awaitInstalls(_ count: Int) -> Bool {
    (0..<count).allSatisfy { _ in installs.wait(timeout: .now() + 20) == .success }
  }

  /// The scheduled work; nil if there is none.
  func nextDelay() -> (@Sendable () -> Void)? { delays.next() }

  /// Only one worker runs in the tests that read `faults`, so no other thread holds the lock.
  private func expectUnlocked(_ what: String) {
    let isFree = index.mutex.withLockIfAvailable { _ in true } ?? false
    if !isFree { faults.withLock { $0.append("\(what) inside the lock") } }
  }
}

private final class LockedIndex: Sendable {
  let mutex: Mutex<FakeIndex>

  init(_ due: [Range<UInt32>]) { mutex = Mutex(FakeIndex(due: due)) }
}

private final class Delays: Sendable {
  private let bodies = Mutex<[@Sendable () -> Void]>([])
  private let count = DispatchSemaphore(value: 0)

  func append(_ body: @escaping @Sendable () -> Void) {
    bodies.withLock { $0.append(body) }
    count.signal()
  }

  func next() -> (@Sendable () -> Void)? {
    count.wait(timeout: .now() + 20) == .success ? bodies.withLock { $0.removeFirst() } : nil
  }
}

private struct FakeIndex: ~Copyable, SegmentedIndex, Sendable {
  var due: [Range<UInt32>]
  var installed: [Range<UInt32>] = []
  var idleRows: Range<UInt32>?
  var version: UInt64 = 0
  var build: FakeCompaction.Build = { rows, _ in rows.count }
  var onFree: @Sendable () -> Void = {}

  init(due: [Range<UInt32>]) { self.due = due }

  mutating func beginCompaction(besides running: [Range<UInt32>]) -> FakeCompaction? {
    guard let next = due.firstIndex(where: { rows in !running.contains { $0.overlaps(rows) } }) else { return nil }
    return FakeCompaction(due.remove(at: next), build)
  }

  mutating func install(_ segment: Int?, of compaction: FakeCompaction) -> OnFree {
    installed.append(compaction.inputRange)
    return OnFree(onFree)
  }

  var idleCompaction: IdleCompaction? {
    idleRows.map { _ in IdleCompaction(idleMilliseconds: 1, version: version) }
  }

  mutating func beginIdleCompaction() -> FakeCompaction? { idleRows.take().map { FakeCompaction($0, build) } }
}

private final class FakeCompaction: IndexCompaction {
  typealias Build = @Sendable (_ rows: Range<UInt32>, _ isStopped: () -> Bool) -> Int?

  let inputRange: Range<UInt32>
  private let build: Build

  init(_ inputRange: Range<UInt32>, _ build: @escaping Build) {
    self.inputRange = inputRange
    self.build = build
  }

  func segment(unless isStopped: () -> Bool) -> Int? { build(inputRange, isStopped) }
}

/// Reports when it is freed.
private final class OnFree: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
