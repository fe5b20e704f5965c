import Dispatch
import Foundation
import Kith
import Synchronization

/// Waits on this thread for an async call. Not for threads of the cooperative pool.
/// - Throws: what `body` throws; `system` or `limitExceeded` if the process has no room for the threads of tasks, which
///   end it, or wait for ever, where they find none.
func blocking<R: Sendable>(_ body: @escaping @Sendable () async throws(KithError) -> R) throws(KithError) -> R {
  try TaskRoom.check()
  let box = Outcome<R>()
  let done = DispatchSemaphore(value: 0)
  Task.detached(executorPreference: ThreadExecutor.shared) {
    do throws(KithError) { box.set(.success(try await body())) } catch { box.set(.failure(error)) }
    done.signal()
  }
  done.wait()
  guard let result = box.value else { preconditionFailure("the call has ended") }
  return try result.get()
}

/// What tasks of the language take of the system when the first of them begins.
private enum TaskRoom {
  /// The descriptors that libdispatch opens, and some more for those who open others meanwhile.
  private static let descriptorCount = 8
  private static let isChecked = Atomic(false)

  /// Asks for the same, and gives it back.
  static func check() throws(KithError) {
    if isChecked.load(ordering: .relaxed) { return }
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    for _ in 0..<descriptorCount {
      // Safe because a path becomes a C string that is valid for the call.
      let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system(errno: errno, call: "open", path: "/dev/null") }
      descriptors.append(descriptor)
    }
    if !Threads.run({}) { throw .limitExceeded(.threads) }
    isChecked.store(true, ordering: .relaxed)
  }
}

private final class Outcome<R: Sendable>: Sendable {
  private let result = Mutex<Result<R, KithError>?>(nil)

  var value: Result<R, KithError>? { result.withLock { $0 } }
  func set(_ value: Result<R, KithError>) { result.withLock { $0 = value } }
}
