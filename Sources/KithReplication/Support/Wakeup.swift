import Synchronization

/// Wakes one task that waits: a notification before the wait is not lost, several count as one.
final class Wakeup: Sendable {
  private struct State {
    var isSet = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Returns once `notify` was called after the last return. One task may wait.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isSet = state.withLock { state in
        if state.isSet {
          state.isSet = false
          return true
        }
        precondition(state.waiter == nil, "one task waits for a wakeup")
        state.waiter = continuation
        return false
      }
      if isSet { continuation.resume() }
    }
  }

  func notify() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let waiter = state.waiter else {
        state.isSet = true
        return nil
      }
      state.waiter = nil
      return waiter
    }
    waiter?.resume()
  }
}
