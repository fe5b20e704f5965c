import Dispatch
import Synchronization

/// Parallel loops over all cores, for long work: writing and reading snapshots, building indexes.
///
/// All forms run on the calling thread if there is only one piece, so that small graphs need no thread, and where the
/// system gives no other. All throw the error that is first in order of indices, whichever thread failed first.
enum Parallel {
  /// Runs a few long tasks on up to `workers` threads, each of which may itself be parallel.
  ///
  /// They have threads of their own, so that those that help in loops are free for the loops inside. `body` may only
  /// write state that belongs to its index, as in `forEach`.
  static func together<Failure: Error>(
    _ count: Int, workers: Int, _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    let first = FirstFailure<Failure>()
    let next = Atomic(0)
    Crew.run(min(count, workers), isShared: false) {
      while let index = next.below(count) { first.note(index) { () throws(Failure) in try body(index) } }
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
    let next = Atomic(0)
    Crew.run(count) {
      while let index = next.below(count) { first.note(index) { () throws(Failure) in try body(index) } }
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
    // The assembly line lets one thread at a time call `take`.
    Crew.run(workers) {
      while let task = line.nextTask() {
        do throws(Failure) {
          switch task {
          case .make(let index): line.made(try make(index), index)
          case .take(let index, let value):
            try take(index, value)
            line.taken()
          }
        } catch {
          line.failed(error, task.index)
        }
      }
    }
    if let error = line.failure { throw error }
  }
}

extension Parallel {
  /// Runs `body` on this thread and on those that help in loops, `count` at most: see `Crew.run`.
  static func share(_ count: Int, _ body: () -> Void) { Crew.run(count, body) }
}

extension Atomic<Int> {
  /// The next number, if it is below `count`.
  fileprivate func below(_ count: Int) -> Int? {
    let number = add(1, ordering: .relaxed).oldValue
    return number < count ? number : nil
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

/// A loop that other threads join while it runs. One that comes late finds it over, and is not waited for.
private final class Crew: Sendable {
  private struct State: Sendable {
    /// Nil once the loop is over.
    var body: (@Sendable () -> Void)?
    var insideCount = 0
    var isAwaited = false
  }

  private let state: Mutex<State>
  private let allLeft = DispatchSemaphore(value: 0)

  private init(_ body: @escaping @Sendable () -> Void) { state = Mutex(State(body: body)) }

  /// Runs `body` on this thread, and at the same time on up to `count` - 1 others. Returns when all have returned: no
  /// further one is begun once it has returned here.
  ///
  /// What `body` does is divided among the threads by itself. All of it must be done if only this thread runs it.
  /// - Parameter isShared: whether the others are those that help in all loops; false for threads of their own.
  static func run(_ count: Int, isShared: Bool = true, _ body: () -> Void) {
    if count <= 1 { return body() }
    withoutActuallyEscaping(body) { body in
      // Safety: nothing but this function and those who have joined runs it, and it waits for them.
      nonisolated(unsafe) let body = body
      let crew = Crew { unsafe body() }
      if isShared {
        Threads.help(count - 1) { crew.join() }
      } else {
        for _ in 1..<count where !Threads.run({ crew.join() }) { break }
      }
      crew.join()
      crew.dismiss()
    }
  }

  private func join() {
    let isOpen = state.withLock { state in
      if state.body == nil { return false }
      state.insideCount += 1
      return true
    }
    if !isOpen { return }
    perform()
    let isLast = state.withLock { state in
      state.insideCount -= 1
      return state.insideCount == 0 && state.isAwaited
    }
    if isLast { allLeft.signal() }
  }

  /// A function of its own, not inlined: the closure is released before the thread counts as gone.
  @inline(never)
  private func perform() {
    let body = state.withLock { $0.body }
    body?()
  }

  /// Lets no thread join any more, waits for those inside, and lets go of the closure.
  private func dismiss() {
    let waits = state.withLock { state in
      state.body = nil
      state.isAwaited = state.insideCount > 0
      return state.isAwaited
    }
    if waits { allLeft.wait() }
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
