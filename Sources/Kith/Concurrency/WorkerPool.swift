import Dispatch
import Synchronization

/// A pool of background workers. Each repeats a step while there is work, and ends when there is none.
///
/// Each has a serial queue, which has a thread of its own. The threads of concurrent queues of one priority are as many
/// as processors, for the whole process: there, the short compactions of one index would wait for the long ones of
/// another.
final class WorkerPool: Sendable {
  private struct State: Sendable {
    /// The workers that have ended or not begun.
    var idle: [Int]
    /// The number of wake-ups. A worker that found no work tries again if it changed meanwhile.
    var wakeCount = 0
  }

  private let queues: [DispatchQueue]
  private let state: Mutex<State>

  init(_ label: String, maximumWorkerCount: Int) {
    queues = (0..<maximumWorkerCount).map { DispatchQueue(label: "\(label).\($0)", qos: .utility) }
    state = Mutex(State(idle: Array(queues.indices)))
  }

  /// Starts a worker, unless all are running, because there may be work.
  /// - Parameter step: does one piece of work; returns false if there was none. The same for each call.
  func wake(_ step: @escaping @Sendable () -> Bool) {
    let worker = state.withLock { state in
      state.wakeCount += 1
      return state.idle.popLast()
    }
    if let worker { queues[worker].async { self.work(worker, step) } }
  }

  private func work(_ worker: Int, _ step: () -> Bool) {
    while true {
      let wakeCount = state.withLock { $0.wakeCount }
      if step() { continue }
      let ends = state.withLock { state in
        if state.wakeCount != wakeCount { return false }
        state.idle.append(worker)
        return true
      }
      if ends { return }
    }
  }
}
