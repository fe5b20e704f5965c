import Dispatch

/// What happens to a store by itself, and a host may want to log, count or show.
public enum StoreEvent: Equatable, Sendable {
  /// A snapshot began, by itself or by `snapshot()`; it will hold the changes up to `sequence`.
  case snapshotBegan(sequence: UInt64)
  /// It stands, verified.
  case snapshotWritten(SnapshotInfo)
  /// It could not be written. Nothing is lost: the journal holds every change, and the next due snapshot tries again.
  case snapshotFailed(KithError)
  /// The journal could not be written or synced. Changes are refused from now on, questions go on; `snapshot()` heals
  /// it once the disk is well again.
  case journalFailed(KithError)
  /// A snapshot began a new journal in place of the one that failed: changes are taken again.
  case journalHealed(sequence: UInt64)
}

/// Tells a host of events, one at a time and in order, on a thread of its own: the handler may call the graph.
final class StoreEvents: Sendable {
  private let handler: @Sendable (StoreEvent) -> Void
  private let queue = DispatchQueue(label: "kith.events", qos: .utility)

  init(_ handler: @escaping @Sendable (StoreEvent) -> Void) { self.handler = handler }

  func note(_ event: StoreEvent) { queue.async { [handler] in handler(event) } }
}

/// How far the writing of a snapshot is.
public enum SnapshotProgress: Hashable, Sendable {
  /// So many bytes of columns were written, before compression.
  case writing(byteCount: Int)
  /// All is written and synced; now it is read back and compared.
  case verifying
}
