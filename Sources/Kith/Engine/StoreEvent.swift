import Dispatch
import Synchronization

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
  /// The store's disk has less room than `Options.lowDiskByteCount`; told again only after it had more. A full disk
  /// refuses changes before they are acknowledged, and loses nothing.
  case diskLow(freeByteCount: Int64)
}

/// Tells a host of events, one at a time and in order, on a thread of its own: the handler may call the graph.
final class StoreEvents: Sendable {
  private let handler: @Sendable (StoreEvent) -> Void
  private let lowDiskByteCount: Int64
  private let isDiskLow = Mutex(false)
  private let queue = DispatchQueue(label: "kith.events", qos: .utility)

  init(lowDiskByteCount: Int64, _ handler: @escaping @Sendable (StoreEvent) -> Void) {
    self.lowDiskByteCount = lowDiskByteCount
    self.handler = handler
  }

  /// The disk has so much room; nil if nobody knows.
  func noteFree(_ byteCount: Int64?) {
    guard let byteCount else { return }
    let isNews = isDiskLow.withLock { isLow in
      defer { isLow = byteCount < lowDiskByteCount }
      return !isLow && byteCount < lowDiskByteCount
    }
    if isNews { note(.diskLow(freeByteCount: byteCount)) }
  }

  func note(_ event: StoreEvent) { queue.async { [handler] in handler(event) } }
}

/// How far the writing of a snapshot is.
public enum SnapshotProgress: Hashable, Sendable {
  /// So many bytes of columns were written, before compression.
  case writing(byteCount: Int)
  /// All is written and synced; now it is read back and compared.
  case verifying
}
