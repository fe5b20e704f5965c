import Dispatch
import Synchronization

/// A pool of background workers. Each repeats a step while there is work, and ends when there is none.
final class WorkerPool: Sendable {
  private struct State: Sendable {
    var workerCount = 0
    /// The number of wake-ups. A worker that found no work tries again if it changed meanwhile.
    var wakeCount = 0
  }

  private let maximumWorkerCount: Int
  private let queue: DispatchQueue
  private let state = Mutex(State())

  init(_ label: String, maximumWorkerCount: Int) {
    self.maximumWorkerCount = maximumWorkerCount
    queue = DispatchQueue(label: label, qos: .utility, attributes: .concurrent)
  }

  /// Starts a worker, unless all are running, because there may be work.
  /// - Parameter step: does one piece of work; returns false if there was none. The same for each call.
  func wake(_ step: @escaping @Sendable () -> Bool) {
    let starts = state.withLock { state in
      state.wakeCount += 1
      if state.workerCount == maximumWorkerCount { return false }
      state.workerCount += 1
      return true
    }
    if starts { queue.async { self.work(step) } }
  }

  private func work(_ step: () -> Bool) {
    while true {
      let wakeCount = state.withLock { $0.wakeCount }
      if step() { continue }
      let ends = state.withLock { state in
        if state.wakeCount != wakeCount { return false }
        state.workerCount -= 1
        return true
      }
      if ends { return }
    }
  }
}
