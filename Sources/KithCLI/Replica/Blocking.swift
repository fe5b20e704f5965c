import Dispatch
import Kith
import Synchronization

/// Waits on this thread for an async call. Not for threads of the cooperative pool.
func blocking<R: Sendable>(_ body: @escaping @Sendable () async throws(KithError) -> R) throws(KithError) -> R {
  let box = Outcome<R>()
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    do throws(KithError) { box.set(.success(try await body())) } catch { box.set(.failure(error)) }
    done.signal()
  }
  done.wait()
  guard let result = box.value else { preconditionFailure("the call has ended") }
  return try result.get()
}

private final class Outcome<R: Sendable>: Sendable {
  private let result = Mutex<Result<R, KithError>?>(nil)

  var value: Result<R, KithError>? { result.withLock { $0 } }
  func set(_ value: Result<R, KithError>) { result.withLock { $0 = value } }
}
