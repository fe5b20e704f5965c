import Synchronization

/// Serialises the snapshots of a store, and cancels the one in progress when the store is closed.
final class SnapshotTurn: Sendable {
  private let isEnded = Atomic(false)
  private let turn = Mutex(())
  /// The turn whose `onProgress` is running in the current task.
  @TaskLocal private static var notifying: ObjectIdentifier?

  /// Runs `body` when no other snapshot is being written.
  /// - Throws: the errors of `body`; `closed` after `cancel` or `end`.
  func take<R: Sendable>(_ body: () throws(KithError) -> R) throws(KithError) -> R {
    try turn.withLock { (_) throws(KithError) -> R in
      try checkGoing()
      return try body()
    }
  }

  /// Called between two steps of the work.
  /// - Throws: `closed` after `cancel` or `end`.
  func checkGoing() throws(KithError) {
    if isEnded.load(ordering: .acquiring) { throw .closed }
  }

  /// Reports a step to the caller of the snapshot.
  /// - Throws: `closed` after `cancel` or `end`.
  func notify(_ body: () -> Void) throws(KithError) {
    try checkGoing()
    Self.$notifying.withValue(ObjectIdentifier(self), operation: body)
    try checkGoing()
  }

  /// Cancels the snapshot being written, and prevents further ones.
  func cancel() { isEnded.store(true, ordering: .releasing) }

  /// Cancels the snapshot being written, prevents further ones, and runs `body` when it has ended.
  ///
  /// If called from within `notify`, it cannot wait for the end: `body` runs at once.
  func end(_ body: () throws(KithError) -> Void) throws(KithError) {
    cancel()
    if Self.notifying == ObjectIdentifier(self) { return try body() }
    try turn.withLock { (_) throws(KithError) in try body() }
  }
}
