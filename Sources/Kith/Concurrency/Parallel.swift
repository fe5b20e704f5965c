import Dispatch
import Synchronization

/// Parallel loops over all cores, for long work: writing and reading snapshots, building indexes.
///
/// All forms run on the calling thread if there is only one piece, so that small graphs need no thread. All throw the
/// error that is first in order of indices, whichever thread failed first.
enum Parallel {
  /// Runs a few long tasks on up to `workers` threads, each of which may itself be parallel.
  ///
  /// `concurrentPerform` divides the cores among nested calls: inside of the other forms, each task would have one
  /// core, even when the others have ended. `body` may only write state that belongs to its index, as in `forEach`.
  static func together<Failure: Error>(
    _ count: Int, workers: Int, _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    let first = FirstFailure<Failure>()
    withoutActuallyEscaping(body) { body in
      // Safety: as documented above.
      nonisolated(unsafe) let body = body
      let tasks = TaskList(count) { index in first.note(index) { () throws(Failure) in try unsafe body(index) } }
      for _ in 1..<max(min(count, workers), 1) { DispatchQueue.global().async { tasks.work() } }
      tasks.work()
      tasks.waitForAll()
    }
    try first.rethrow()
  }

  /// Runs `body` for every index below `count`, in any order.
  ///
  /// `body` may only write state that belongs to its index. The compiler does not check this.
  static func forEach<Failure: Error>(
    _ count: Int, _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    if count <= 1 {
      for index in 0..<count { try body(index) }
      return
    }
    let first = FirstFailure<Failure>()
    withoutActuallyEscaping(body) { body in
      // Safety: as documented above.
      nonisolated(unsafe) let body = body
      DispatchQueue.concurrentPerform(iterations: count) { index in
        first.note(index) { () throws(Failure) in try unsafe body(index) }
      }
    }
    try first.rethrow()
  }

  /// Creates a value for every index below `count` on up to `workers` threads, and passes the values to `take` one at a
  /// time, in order. At most twice as many values as workers are created ahead.
  static func inOrder<Value: Sendable, Failure: Error>(
    _ count: Int, workers: Int, make: @Sendable (Int) throws(Failure) -> Value,
    take: (Int, Value) throws(Failure) -> Void
  ) throws(Failure) {
    let workers = min(workers, count)
    if workers <= 1 {
      for index in 0..<count { try take(index, make(index)) }
      return
    }
    let line = AssemblyLine<Value, Failure>(count: count, window: 2 * workers)
    withoutActuallyEscaping(take) { take in
      // Safety: the assembly line lets one thread at a time call `take`.
      nonisolated(unsafe) let take = take
      DispatchQueue.concurrentPerform(iterations: workers) { _ in
        while let task = line.nextTask() {
          do throws(Failure) {
            switch task {
            case .make(let index): line.made(try make(index), index)
            case .take(let index, let value):
              try unsafe take(index, value)
              line.taken()
            }
          } catch {
            line.failed(error, task.index)
          }
        }
      }
    }
    if let error = line.failure { throw error }
  }
}

/// The failure that is first in order of indices.
private final class FirstFailure<Failure: Error>: Sendable {
  private let found = Mutex<(index: Int, error: Failure)?>(nil)

  /// Runs the work of an index, and keeps its failure.
  func note(_ index: Int, _ work: () throws(Failure) -> Void) {
    do throws(Failure) {
      try work()
    } catch {
      found.withLock { first in
        if first.map({ index < $0.index }) ?? true { first = (index, error) }
      }
    }
  }

  func rethrow() throws(Failure) {
    if let found = found.withLock({ $0 }) { throw found.error }
  }
}

/// Tasks that threads take one after the other. A thread that comes late finds none left, and is not waited for.
private final class TaskList: Sendable {
  private struct State: Sendable {
    var next = 0
    var endedCount = 0
    /// Nil once all tasks have ended.
    var body: (@Sendable (Int) -> Void)?
  }

  private let count: Int
  private let state: Mutex<State>
  private let allEnded = DispatchSemaphore(value: 0)

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    state = Mutex(State(body: body))
  }

  /// Takes and runs tasks until there are none.
  func work() {
    while true {
      let index = state.withLock { state in
        state.next += 1
        return state.next - 1
      }
      if index >= count { return }
      run(index)
      let isLast = state.withLock { state in
        state.endedCount += 1
        return state.endedCount == count
      }
      if isLast { allEnded.signal() }
    }
  }

  /// A function of its own, not inlined: the closure is released before the task counts as ended.
  @inline(never)
  private func run(_ index: Int) {
    let body = state.withLock { $0.body }
    body?(index)
  }

  /// Waits until all tasks have ended, and lets go of the closure, which threads that come late would keep.
  func waitForAll() {
    if count > 0 { allEnded.wait() }
    state.withLock { $0.body = nil }
  }
}

/// Schedules the work of many producers whose values are taken in order, one at a time.
private final class AssemblyLine<Value: Sendable, Failure: Error>: Sendable {
  enum Task {
    case make(Int)
    case take(Int, Value)

    var index: Int {
      switch self {
      case .make(let index), .take(let index, _): index
      }
    }
  }

  private struct State: Sendable {
    var nextToMake = 0
    var nextToTake = 0
    var isTaking = false
    /// Values created and not yet taken, by index modulo the window.
    var ready: [Value?]
    /// No value from this index on is created.
    var end: Int
    var failure: Failure?
    var idleCount = 0
  }

  private let state: Mutex<State>
  private let wakeUp = DispatchSemaphore(value: 0)

  init(count: Int, window: Int) {
    state = Mutex(State(ready: [Value?](repeating: nil, count: window), end: count))
  }

  var failure: Failure? { state.withLock { $0.failure } }

  /// Waits for the next task; nil when all work is done.
  func nextTask() -> Task? {
    while true {
      let (task, isDone) = state.withLock { state -> (Task?, Bool) in
        let slot = state.nextToTake % state.ready.count
        if state.nextToTake >= state.end && !state.isTaking { return (nil, true) }
        if !state.isTaking, let value = state.ready[slot] {
          state.isTaking = true
          state.ready[slot] = nil
          return (.take(state.nextToTake, value), false)
        }
        if state.nextToMake < min(state.end, state.nextToTake + state.ready.count) {
          state.nextToMake += 1
          return (.make(state.nextToMake - 1), false)
        }
        state.idleCount += 1
        return (nil, false)
      }
      if isDone { return nil }
      if let task { return task }
      wakeUp.wait()
    }
  }

  func made(_ value: Value, _ index: Int) {
    state.withLock { $0.ready[index % $0.ready.count] = value }
    wakeAll()
  }

  func taken() {
    state.withLock { state in
      state.isTaking = false
      state.nextToTake += 1
    }
    wakeAll()
  }

  /// Work on lower indices continues, so that the first failure in order is the one reported.
  func failed(_ error: Failure, _ index: Int) {
    state.withLock { state in
      if index < state.end {
        state.end = index
        state.failure = error
      }
      if state.nextToTake >= index { state.isTaking = false }
    }
    wakeAll()
  }

  private func wakeAll() {
    let count = state.withLock { state in
      defer { state.idleCount = 0 }
      return state.idleCount
    }
    for _ in 0..<count { wakeUp.signal() }
  }
}
