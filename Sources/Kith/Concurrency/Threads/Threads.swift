import CSupport
import Dispatch
import Synchronization

/// The threads of the library: a thread that has nothing to do waits some seconds for work, then ends.
///
/// They are not those of libdispatch, which ends the process where it gets no descriptor, and waits for ever where it
/// gets no thread. Here a thread that the system does not give is an answer: the caller does the work, or refuses it.
/// The child of a fork begins with none.
package enum Threads {
  package typealias Work = @Sendable () -> Void

  /// Runs work on another thread.
  /// - Parameter isBackground: whether no caller waits for it.
  /// - Returns: false if the system gives no thread. The work is then not done.
  package static func run(isBackground: Bool = false, _ work: @escaping Work) -> Bool {
    ThreadPool.current.run(ThreadPool.Job(isBackground: isBackground, work: work))
  }

  /// Runs work on another thread; if the system gives none, as soon as there is one.
  package static func post(isBackground: Bool = false, _ work: @escaping Work) {
    ThreadPool.current.post(ThreadPool.Job(isBackground: isBackground, work: work))
  }

  /// Runs work on other threads, after a delay.
  package static func post(afterMilliseconds milliseconds: Int, _ work: @escaping Work) {
    ThreadPool.current.post(ThreadPool.Job(isBackground: true, work: work), afterMilliseconds: milliseconds)
  }

  /// Runs a body during which no fork begins, so that no child has half of what it changes. For what the library's own
  /// threads change: a host cannot know when. A fork waits at most a second.
  static func holdingForks<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    kith_hold_forks()
    defer { kith_release_forks() }
    return try body()
  }

  /// Runs a long part of such a body, during which forks may begin.
  static func lettingForks<R: ~Copyable>(_ body: () -> R) -> R {
    kith_release_forks()
    defer { kith_hold_forks() }
    return body()
  }

  /// Has up to `count` other threads join a loop, now or when they are free: as many threads help in loops as there are
  /// further cores. One may come late, or not at all; the caller must not need it.
  static func help(_ count: Int, _ join: @escaping Work) { ThreadPool.current.help(count, join) }
}

/// All threads of a process.
private final class ThreadPool: Sendable {
  struct Job: Sendable {
    let isBackground: Bool
    let work: Threads.Work
  }

  private struct Timer: Sendable {
    /// In nanoseconds of `DispatchTime`.
    let deadline: UInt64
    let job: Job
  }

  private struct State: Sendable {
    /// The threads that wait for work, the last one first.
    var idle: [Seat] = []
    /// Work that no thread could be had for, oldest first.
    var waiting: [Job] = []
    /// The threads that help in loops, and what further ones would join.
    var helperCount = 0
    var loops: [Threads.Work] = []
    /// Work that is not due yet, and whether a thread waits for it.
    var timers: [Timer] = []
    var isTimed = false
  }

  /// Where a thread waits for work.
  private final class Seat: Sendable {
    let job = Mutex<Job?>(nil)
    let isGiven = DispatchSemaphore(value: 0)
  }

  /// How long a thread waits for work before it ends.
  private static let idleSeconds = 5
  private static let nanosecondsPerMillisecond: UInt64 = 1_000_000
  private static let helperLimit = max(0, kith_core_count() - 1)

  private let mark = ProcessMark()
  private let state = Mutex(State())
  /// Raised when there is a timer that is due before the others.
  private let isEarlier = DispatchSemaphore(value: 0)

  // MARK: - One for each process

  private static let address = Atomic<UInt>(0)

  /// The pool of this process. A child makes one of its own, since a thread may have held the lock of its parent's.
  static var current: ThreadPool {
    while true {
      let found = address.load(ordering: .acquiring)
      // Safety: an address that was stored is that of a pool that is never freed.
      if let pointer = unsafe UnsafeRawPointer(bitPattern: found) {
        let pool = unsafe Unmanaged<ThreadPool>.fromOpaque(pointer).takeUnretainedValue()
        if pool.mark.isOwn { return pool }
      }
      let made = unsafe Unmanaged.passRetained(ThreadPool())
      let new = unsafe UInt(bitPattern: made.toOpaque())
      let isFirst = address.compareExchange(expected: found, desired: new, ordering: .acquiringAndReleasing).exchanged
      if !isFirst { unsafe made.release() }
    }
  }

  // MARK: - Work

  func run(_ job: Job) -> Bool {
    if let seat = state.withLock({ $0.idle.popLast() }) {
      seat.job.withLock { $0 = job }
      seat.isGiven.signal()
      return true
    }
    let first = unsafe Unmanaged.passRetained(First(pool: self, job: job))
    let code = unsafe kith_thread_start(
      { context in
        guard let context = unsafe context else { return }
        let first = unsafe Unmanaged<First>.fromOpaque(context).takeRetainedValue()
        first.pool.work(beginningWith: first)
      }, first.toOpaque())
    if code != 0 { unsafe first.release() }
    return code == 0
  }

  func post(_ job: Job) {
    if run(job) { return }
    state.withLock { $0.waiting.append(job) }
  }

  /// What a new thread does first.
  private final class First: Sendable {
    let pool: ThreadPool
    private let job: Mutex<Job?>

    init(pool: ThreadPool, job: Job) {
      self.pool = pool
      self.job = Mutex(job)
    }

    func take() -> Job? { job.withLock { $0.take() } }
  }

  private func work(beginningWith first: First) {
    let seat = Seat()
    var hasWork = perform(first.take())
    while hasWork {
      while perform(state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() })) {}
      startTimer()
      state.withLock { $0.idle.append(seat) }
      if seat.isGiven.wait(timeout: .now() + .seconds(Self.idleSeconds)) == .timedOut {
        let isLeaving = state.withLock { state in
          guard let place = state.idle.firstIndex(where: { $0 === seat }) else { return false }
          state.idle.remove(at: place)
          return true
        }
        if isLeaving { return }
        seat.isGiven.wait()
      }
      hasWork = perform(seat.job.withLock { $0.take() })
    }
  }

  /// A function of its own, not inlined: what the work holds is released before the thread waits.
  @inline(never)
  private func perform(_ job: consuming Job?) -> Bool {
    guard let job else { return false }
    kith_thread_class(job.isBackground)
    job.work()
    return true
  }

  // MARK: - Loops

  func help(_ count: Int, _ join: @escaping Threads.Work) {
    for _ in 0..<min(count, Self.helperLimit) {
      let isStarting = state.withLock { state in
        if state.helperCount == Self.helperLimit {
          state.loops.append(join)
          return false
        }
        state.helperCount += 1
        return true
      }
      if !isStarting { continue }
      let hasThread = run(
        Job(isBackground: false) { [self] in
          join()
          while let next = nextLoop() { next() }
        })
      // Without a thread there is none for the next loop either: those who began the loops do their work.
      if !hasThread { return leaveLoops() }
    }
  }

  private func nextLoop() -> Threads.Work? {
    state.withLock { state in
      if !state.loops.isEmpty { return state.loops.removeFirst() }
      state.helperCount -= 1
      return nil
    }
  }

  private func leaveLoops() {
    state.withLock { state in
      state.helperCount -= 1
      if state.helperCount == 0 { state.loops = [] }
    }
  }

  // MARK: - Timers

  func post(_ job: Job, afterMilliseconds milliseconds: Int) {
    let delay = UInt64(max(0, milliseconds)).multipliedReportingOverflow(by: Self.nanosecondsPerMillisecond)
    let deadline = DispatchTime.now().uptimeNanoseconds.addingReportingOverflow(delay.partialValue)
    let isEndless = delay.overflow || deadline.overflow
    let timer = Timer(deadline: isEndless ? .max : deadline.partialValue, job: job)
    state.withLock { state in
      let place = state.timers.firstIndex { $0.deadline > timer.deadline } ?? state.timers.count
      state.timers.insert(timer, at: place)
    }
    isEarlier.signal()
    startTimer()
  }

  /// Has a thread wait for the first timer, if none does.
  private func startTimer() {
    let isStarting = state.withLock { state in
      if state.isTimed || state.timers.isEmpty { return false }
      state.isTimed = true
      return true
    }
    if isStarting, !run(Job(isBackground: true) { [self] in waitForTimers() }) {
      state.withLock { $0.isTimed = false }
    }
  }

  private func waitForTimers() {
    while true {
      let (deadline, due) = state.withLock { state -> (UInt64?, Job?) in
        guard let first = state.timers.first else {
          state.isTimed = false
          return (nil, nil)
        }
        let isDue = first.deadline <= DispatchTime.now().uptimeNanoseconds
        return isDue ? (nil, state.timers.removeFirst().job) : (first.deadline, nil)
      }
      if let due {
        post(due)
      } else if let deadline {
        _ = isEarlier.wait(timeout: DispatchTime(uptimeNanoseconds: deadline))
      } else {
        return
      }
    }
  }
}
