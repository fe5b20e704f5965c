import Dispatch
import Synchronization

/// Serialises the snapshots of a store, and cancels the one in progress when the store is closed.
final class SnapshotTurn: Sendable {
  private let isEnded = Atomic(false)
  /// Signalled when the turn is ended.
  private let ended = DispatchSemaphore(value: 0)
  private let turn = Mutex(())
  /// The turn whose `onProgress` is running in the current task.
  @TaskLocal private static var notifying: ObjectIdentifier?

  /// Runs `body` when no other snapshot is being written.
  /// - Throws: the errors of `body`; `closed` after `end`.
  func take<R: Sendable>(_ body: () throws(KithError) -> R) throws(KithError) -> R {
    try turn.withLock { (_) throws(KithError) -> R in
      try checkGoing()
      return try body()
    }
  }

  /// Called between two steps of the work.
  /// - Throws: `closed` after `end`.
  func checkGoing() throws(KithError) {
    if isEnded.load(ordering: .relaxed) { throw .closed }
  }

  /// Reports a step to the caller of the snapshot.
  /// - Throws: `closed` after `end`.
  func notify(_ body: () -> Void) throws(KithError) {
    try checkGoing()
    Self.$notifying.withValue(ObjectIdentifier(self), operation: body)
    try checkGoing()
  }

  /// Delays a step until a time, or until `end`: after that, `checkGoing` throws.
  func wait(until deadline: DispatchTime) {
    let outcome = ended.wait(timeout: deadline)
    // Passes the signal on to the next waiter.
    if outcome == .success { ended.signal() }
  }

  /// Cancels the snapshot being written, prevents further ones, and runs `body` when it has ended.
  ///
  /// If called from within `notify`, it cannot wait for the end: `body` runs at once.
  func end(_ body: () throws(KithError) -> Void) throws(KithError) {
    isEnded.store(true, ordering: .relaxed)
    ended.signal()
    if Self.notifying == ObjectIdentifier(self) { return try body() }
    try turn.withLock { (_) throws(KithError) in try body() }
  }
}
