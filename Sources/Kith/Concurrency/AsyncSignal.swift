import Synchronization

/// A single-waiter async signal that coalesces notifications: several before the task checks again count as one.
package final class AsyncSignal: Sendable {
  private enum State {
    case idle
    case notified
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state: Mutex<State>
  private let next: AsyncSignal?

  /// - Parameters:
  ///   - isNotified: whether the signal is initially set, so that the first wait returns at once.
  ///   - next: also notified, for a task that waits for several signals and checks which one was set.
  package init(isNotified: Bool = false, passingTo next: AsyncSignal? = nil) {
    state = Mutex(isNotified ? .notified : .idle)
    self.next = next
  }

  /// Sets the signal and wakes the waiting task. Callable from any thread; never blocks for long.
  package func notify() {
    var wakeups = PendingWakeups()
    notify(&wakeups)
    wakeups.resume()
  }

  /// Sets the signal, but leaves the waking of the task to `wakeups`.
  func notify(_ wakeups: inout PendingWakeups) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      switch state {
      case .notified: return nil
      case .idle:
        state = .notified
        return nil
      case .waiting(let continuation):
        state = .idle
        return continuation
      }
    }
    if let continuation { wakeups.add(continuation) }
    next?.notify(&wakeups)
  }

  /// Whether the signal was set since the last check. Resets it.
  func takeNotification() -> Bool {
    state.withLock { state in
      guard case .notified = state else { return false }
      state = .idle
      return true
    }
  }

  /// Returns when the signal is set, or when the task is cancelled. Resets the signal.
  package func wait(isolation: isolated (any Actor)? = #isolation) async {
    if takeNotification() { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isNotified = state.withLock { state in
          if case .notified = state {
            state = .idle
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isNotified { continuation.resume() }
      }
    } onCancel: {
      notify()
    }
    // A notification between the waking and now is covered by the caller's next check.
    _ = takeNotification()
  }
}

/// Tasks to resume after all notifications were made.
struct PendingWakeups: ~Copyable {
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// More tasks than this are resumed by another task. A resumption may have to wake a thread, which takes
  /// microseconds, and a writer may notify a thousand observers.
  private static let directCount = 4

  mutating func add(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

  consuming func resume() {
    if waiting.isEmpty { return }
    if waiting.count <= Self.directCount {
      for continuation in waiting { continuation.resume() }
    } else {
      Task.detached(executorPreference: ThreadExecutor.shared) { [waiting] in
        for continuation in waiting { continuation.resume() }
      }
    }
  }
}
