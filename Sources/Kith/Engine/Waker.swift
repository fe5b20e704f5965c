import Synchronization

/// Where one task waits to be told to look again. Told twice before it looks is told once.
final class Waker: Sendable {
  private enum State {
    case quiet
    case told
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state: Mutex<State>
  private let next: Waker?

  /// - Parameters:
  ///   - isTold: whether the first wait is over at once.
  ///   - next: is told as well, for a task that waits for several things and wants to know which.
  init(isTold: Bool = false, passingTo next: Waker? = nil) {
    state = Mutex(isTold ? .told : .quiet)
    self.next = next
  }

  /// Lets the task that waits, or will wait, look again. From any thread; it never blocks for long.
  func tell() {
    var wakeups = Wakeups()
    tell(&wakeups)
    wakeups.resume()
  }

  /// The same, but a task that waits goes on only with the others that are told meanwhile.
  func tell(_ wakeups: inout Wakeups) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      switch state {
      case .told: return nil
      case .quiet:
        state = .told
        return nil
      case .waiting(let continuation):
        state = .quiet
        return continuation
      }
    }
    if let continuation { wakeups.add(continuation) }
    next?.tell(&wakeups)
  }

  /// Whether it was told since it last looked; asking is looking.
  func takeTold() -> Bool {
    state.withLock { state in
      guard case .told = state else { return false }
      state = .quiet
      return true
    }
  }

  /// Returns when it was told since it last looked, or when its task is cancelled.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    if takeTold() { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isTold = state.withLock { state in
          if case .told = state {
            state = .quiet
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isTold { continuation.resume() }
      }
    } onCancel: {
      tell()
    }
    // What it was told between its waking and now it is about to see.
    _ = takeTold()
  }
}

/// Tasks that are to go on, once whoever told them has told all.
struct Wakeups: ~Copyable {
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// More than so many are resumed by a task: each resumption may have to wake a thread, which takes microseconds, and
  /// a writer that touched a thousand answers has better things to do.
  private static let directCount = 4

  mutating func add(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

  consuming func resume() {
    if waiting.isEmpty { return }
    if waiting.count <= Self.directCount {
      for continuation in waiting { continuation.resume() }
    } else {
      Task.detached { [waiting] in
        for continuation in waiting { continuation.resume() }
      }
    }
  }
}
