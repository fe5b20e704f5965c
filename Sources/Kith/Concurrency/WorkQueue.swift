import Synchronization

/// Work that is done one after the other, in the order of the calls, on another thread: it takes a lock, a disk or a
/// connection, so it must not run on a thread of the cooperative pool.
package final class WorkQueue: Sendable {
  private struct State: Sendable {
    var work: [Threads.Work] = []
    /// Whether a thread does the work, or will.
    var isServed = false
  }

  private let state = Mutex(State())
  private let isBackground: Bool
  private let waitsForThread: Bool

  /// - Parameters:
  ///   - isBackground: whether no caller waits for the work.
  ///   - waitsForThread: what happens where the system gives no thread: true, and the work waits for one; false, and
  ///     the calling thread does it.
  package init(isBackground: Bool = false, waitsForThread: Bool = false) {
    self.isBackground = isBackground
    self.waitsForThread = waitsForThread
  }

  /// Runs `body` on another thread, and suspends the task until it returns.
  /// - Throws: what `body` throws.
  package func run<R: Sendable, E: Error>(
    _ body: @escaping @Sendable () throws(E) -> R
  ) async throws(E) -> R {
    let outcome: Result<R, E> = await withCheckedContinuation { continuation in
      post { continuation.resume(returning: Result { () throws(E) in try body() }) }
    }
    return try outcome.get()
  }

  /// Runs `body` later and does not wait for it.
  package func post(_ body: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.work.append(body)
      defer { state.isServed = true }
      return !state.isServed
    }
    if !isFirst { return }
    if waitsForThread {
      Threads.post(isBackground: isBackground) { self.serve() }
    } else if !Threads.run(isBackground: isBackground, { self.serve() }) {
      serve()
    }
  }

  private func serve() {
    while true {
      let work = state.withLock { state in
        defer { state.work = [] }
        state.isServed = !state.work.isEmpty
        return state.work
      }
      if work.isEmpty { return }
      for body in work { body() }
    }
  }
}
