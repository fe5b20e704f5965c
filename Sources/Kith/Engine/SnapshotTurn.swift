import Dispatch
import Synchronization

/// Serialises the snapshots of a store, and cancels the one in progress when the store is closed or suspended.
final class SnapshotTurn: Sendable {
  /// Why no snapshot is written.
  enum End: UInt8 {
    case suspended = 1
    case closed
  }

  /// The raw value of the `End`; 0 while snapshots are written.
  private let reason = Atomic<UInt8>(0)
  /// Signalled when the turn is ended.
  private let ended = DispatchSemaphore(value: 0)
  private let turn = Mutex(())
  /// The turn whose `onProgress` is running in the current task.
  @TaskLocal private static var notifying: ObjectIdentifier?

  /// Runs `body` when no other snapshot is being written.
  /// - Throws: the errors of `body`; as `checkGoing`.
  func take<R: Sendable>(_ body: () throws(KithError) -> R) throws(KithError) -> R {
    try turn.withLock { (_) throws(KithError) -> R in
      try checkGoing()
      return try body()
    }
  }

  /// Called between two steps of the work.
  /// - Throws: `closed` or `invalidRequest` after `end`.
  func checkGoing() throws(KithError) {
    switch End(rawValue: reason.load(ordering: .relaxed)) {
    case nil: return
    case .suspended: throw .invalidRequest(.suspended)
    case .closed: throw .closed
    }
  }

  /// Reports a step to the caller of the snapshot.
  /// - Throws: as `checkGoing`.
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

  /// Cancels the snapshot being written, and prevents further ones.
  func refuse(_ end: End) {
    let old = reason.max(end.rawValue, ordering: .acquiringAndReleasing).oldValue
    if old == 0 { ended.signal() }
  }

  /// Allows snapshots again, unless the store was closed.
  func goOn() {
    let isSuspended = reason.compareExchange(
      expected: End.suspended.rawValue, desired: 0, ordering: .acquiringAndReleasing
    ).exchanged
    if isSuspended { _ = ended.wait(timeout: .now()) }
  }

  /// Cancels the snapshot being written, prevents further ones, and runs `body` when it has ended.
  ///
  /// If called from within `notify`, it cannot wait for the end: `body` runs at once.
  func end(_ end: End, _ body: () throws(KithError) -> Void) throws(KithError) {
    refuse(end)
    if Self.notifying == ObjectIdentifier(self) { return try body() }
    try turn.withLock { (_) throws(KithError) in try body() }
  }
}
