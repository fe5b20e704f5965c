import Synchronization

/// Runs the compactions of one segmented index in the background, so that no writer waits for them.
///
/// A compaction takes the owner's lock twice, briefly: to begin, which takes a snapshot of the index, and to install
/// the new segment. Between the two it reads only its snapshot. What it replaced is freed here, outside the lock.
/// Several workers run in parallel, so that a full memtable does not wait for a large compaction.
///
/// When no compaction is due, the maintainer waits until no entry has been added for a while. It then runs the idle
/// compaction (`SegmentedIndex.idleCompaction`), if there is one.
///
/// The owner is not retained. If the owner is freed, or calls `stop`, a running compaction stops at its next step.
final class IndexMaintainer<Index: SegmentedIndex & ~Copyable>: Sendable {
  /// The owner of the index. It lends the index to `body` under its lock, and does nothing if the owner has been freed.
  ///
  /// This is a function and no protocol because one owner has several indexes, and an associated type cannot be
  /// noncopyable.
  typealias Host = @Sendable (_ body: (inout Index) -> Void) -> Void
  /// Runs `body` after a delay.
  typealias Scheduler = @Sendable (_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) -> Void

  /// A compaction that takes longer than this has taken some dozens of megabytes for its work.
  private static var longNanoseconds: UInt64 { 100_000_000 }

  private struct State: Sendable {
    /// The inputs of running compactions.
    var running: [Range<UInt32>] = []
    var awaitsIdle = false
  }

  private let state = Mutex(State())
  private let isStopped = Atomic(false)
  /// Whether a compaction ran that took much memory, since that was last returned to the system.
  private let hasTakenMemory = Atomic(false)
  private let workers: WorkerPool
  private let workerCount: Int
  private let schedule: Scheduler
  /// The nanoseconds of each compaction that ended.
  private let durations = AtomicHistogram()

  /// - Parameters:
  ///   - workerCount: the number of compactions that run in parallel; at least 2.
  ///   - schedule: starts idle compactions. Tests replace the clock with it.
  init(workerCount: Int, schedule: @escaping Scheduler = IndexMaintainer.afterDelay) {
    self.workerCount = max(2, workerCount)
    self.schedule = schedule
    workers = WorkerPool(maximumWorkerCount: self.workerCount)
  }

  static var afterDelay: Scheduler {
    { milliseconds, body in Threads.post(afterMilliseconds: milliseconds, body) }
  }

  /// Starts a worker, because a compaction may be due.
  /// - Parameter all: starts all workers, because many compactions are due.
  func wake(all: Bool = false, _ host: @escaping Host) {
    for _ in 0..<(all ? workerCount : 1) {
      workers.wake { [self] in
        // The runtime instantiates the metadata of a generic type at its first use, holding a lock. A child forked in
        // between would wait for it for ever.
        Threads.holdingForks {
          let hasRun = run(host) { index, running in index.beginCompaction(besides: running) }
          if !hasRun {
            if hasTakenMemory.exchange(false, ordering: .relaxed) { PagePool.giveBack() }
            awaitIdle(host)
          }
          return hasRun
        }
      }
    }
  }

  /// The compactions that are running, and the nanoseconds that each took that has ended.
  var compactions: (runningCount: Int, durations: LogLinearHistogram) {
    (state.withLock { $0.running.count }, durations.read())
  }

  /// Begins no further compactions, and discards the results of those that are running.
  func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Runs one compaction, while forks are held. False when there was none to begin.
  private func run(
    _ host: @escaping Host, begin: (inout Index, _ running: [Range<UInt32>]) -> Index.Compaction?
  ) -> Bool {
    if isStopped.load(ordering: .relaxed) { return false }
    var begun: Index.Compaction?
    host { index in
      begun = state.withLock { state in
        let compaction = begin(&index, state.running)
        if let compaction { state.running.append(compaction.inputRange) }
        return compaction
      }
    }
    guard let compaction = begun else { return false }
    let began = MonotonicClock.nanoseconds()
    let segment = Threads.lettingForks { compaction.segment { isStopped.load(ordering: .relaxed) } }
    if isStopped.load(ordering: .relaxed) {
      state.withLock { state in state.running.removeAll { $0 == compaction.inputRange } }
      return false
    }
    let duration = MonotonicClock.nanoseconds(since: began)
    durations.record(duration)
    if duration > Self.longNanoseconds { hasTakenMemory.store(true, ordering: .relaxed) }
    var replaced: Index.Replaced?
    host { index in
      replaced = index.install(segment, of: compaction)
      state.withLock { state in state.running.removeAll { $0 == compaction.inputRange } }
    }
    // Freed here, outside the lock: freeing a large index takes a millisecond.
    withExtendedLifetime(replaced) {}
    return true
  }

  /// Runs the idle compaction if no entry is added during its delay, then waits for the next one.
  private func awaitIdle(_ host: @escaping Host) {
    var awaited: IdleCompaction?
    host { index in
      guard let idle = index.idleCompaction else { return }
      awaited = state.withLock { state in
        if state.awaitsIdle || isStopped.load(ordering: .relaxed) { return nil }
        state.awaitsIdle = true
        return idle
      }
    }
    guard let awaited else { return }
    schedule(awaited.idleMilliseconds) { [self] in
      state.withLock { $0.awaitsIdle = false }
      Threads.holdingForks {
        _ = run(host) { index, running in
          guard running.isEmpty, let now = index.idleCompaction, now.version == awaited.version,
            now.idleMilliseconds <= awaited.idleMilliseconds
          else { return nil }
          return index.beginIdleCompaction()
        }
        awaitIdle(host)
      }
    }
  }
}
