import Synchronization

/// A pool of background workers. Each repeats a step while there is work, and ends when there is none.
///
/// Each has a thread of its own. Were there as many as cores for the whole process, the short compactions of one index
/// would wait for the long ones of another. Where the system gives no thread, the next wake-up tries again.
final class WorkerPool: Sendable {
  private struct State: Sendable {
    /// How many workers have ended or not begun.
    var idleCount: Int
    /// The number of wake-ups. A worker that found no work tries again if it changed meanwhile.
    var wakeCount = 0
  }

  private let state: Mutex<State>

  init(maximumWorkerCount: Int) { state = Mutex(State(idleCount: maximumWorkerCount)) }

  /// Starts a worker, unless all are running, because there may be work.
  /// - Parameter step: does one piece of work; returns false if there was none. The same for each call.
  func wake(_ step: @escaping @Sendable () -> Bool) {
    let isStarting = state.withLock { state in
      state.wakeCount += 1
      if state.idleCount == 0 { return false }
      state.idleCount -= 1
      return true
    }
    if isStarting, !Threads.run(isBackground: true, { self.work(step) }) { state.withLock { $0.idleCount += 1 } }
  }

  private func work(_ step: () -> Bool) {
    while true {
      let wakeCount = state.withLock { $0.wakeCount }
      if step() { continue }
      let ends = state.withLock { state in
        if state.wakeCount != wakeCount { return false }
        state.idleCount += 1
        return true
      }
      if ends { return }
    }
  }
}
