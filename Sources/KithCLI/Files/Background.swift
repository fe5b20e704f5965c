import Dispatch
import Kith
import Synchronization

/// Work on another thread, whose result is waited for. One after the other, in order of their creation; on the calling
/// thread if the system gives no other.
final class Background<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(on queue: WorkQueue, _ work: @escaping @Sendable () -> Value) {
    queue.post { [self] in
      let made = work()
      value.withLock { $0 = made }
      done.signal()
    }
  }

  /// Waits for the result, and hands it over. Call it once.
  func wait() -> Value {
    done.wait()
    guard let value = value.withLock({ value in value.take() }) else { preconditionFailure("a result is taken once") }
    return value
  }
}
