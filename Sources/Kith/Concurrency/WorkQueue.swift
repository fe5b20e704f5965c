import Dispatch

/// A thread for work that blocks: it takes a lock, a disk or a connection, so it must not run on a thread of the
/// cooperative pool. The work runs in the order of the calls.
package struct WorkQueue: Sendable {
  private let queue: DispatchQueue

  package init(_ name: String, isBackground: Bool = false) {
    queue = DispatchQueue(label: name, qos: isBackground ? .utility : .userInitiated)
  }

  /// Runs `body` on the thread, and suspends the task until it returns.
  /// - Throws: what `body` throws.
  package func run<R: Sendable, E: Error>(
    _ body: @escaping @Sendable () throws(E) -> R
  ) async throws(E) -> R {
    let outcome: Result<R, E> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result { () throws(E) in try body() }) }
    }
    return try outcome.get()
  }

  /// Runs `body` later and does not wait for it.
  package func post(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
