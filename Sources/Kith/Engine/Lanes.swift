import Dispatch
import Synchronization

/// Work that goes on in the background while there is any: a few steps at a time, each on a lane of its own.
final class Lanes: Sendable {
  private struct State: Sendable {
    var laneCount = 0
    /// How often it was woken: a lane that found nothing looks again if that changed meanwhile.
    var wakeCount = 0
  }

  private let maximumLaneCount: Int
  private let queue: DispatchQueue
  private let state = Mutex(State())

  init(_ label: String, maximumLaneCount: Int) {
    self.maximumLaneCount = maximumLaneCount
    queue = DispatchQueue(label: label, qos: .utility, attributes: .concurrent)
  }

  /// There may be something to do.
  /// - Parameter step: does one thing; false when there was none. The same each time.
  func wake(_ step: @escaping @Sendable () -> Bool) {
    let starts = state.withLock { state in
      state.wakeCount += 1
      if state.laneCount == maximumLaneCount { return false }
      state.laneCount += 1
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
        state.laneCount -= 1
        return true
      }
      if ends { return }
    }
  }
}
