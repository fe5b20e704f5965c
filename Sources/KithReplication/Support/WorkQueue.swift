import Dispatch
import Kith

/// A thread for work that blocks: it takes the writer lock or the disk, so it must not run on a thread of the
/// cooperative pool. The work runs in the order of the calls.
struct WorkQueue: Sendable {
  private let queue: DispatchQueue

  init(_ name: String, isBackground: Bool = false) {
    queue = DispatchQueue(label: name, qos: isBackground ? .utility : .userInitiated)
  }

  func run<R: Sendable>(_ body: @escaping @Sendable () throws(KithError) -> R) async throws(KithError) -> R {
    let outcome: Result<R, KithError> = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(returning: Result { () throws(KithError) in try body() })
      }
    }
    return try outcome.get()
  }

  /// Runs `body` later and does not wait for it.
  func post(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
