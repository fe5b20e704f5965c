import Synchronization

/// An event of a store, for a host to log, count or show.
@nonexhaustive
public enum StoreEvent: Equatable, Sendable {
  /// A snapshot began, automatically or by `snapshot()`. It will hold the changes up to `sequence`.
  case snapshotBegan(sequence: UInt64)
  /// The snapshot was written and verified.
  case snapshotWritten(SnapshotInfo)
  /// The snapshot could not be written, or was cancelled by `close` (`closed`) or `suspend` (`invalidRequest`). Nothing
  /// is lost: the journal holds every change, and the next due snapshot tries again.
  case snapshotFailed(KithError)
  /// The journal could not be written or synced. Changes are rejected from now on; queries continue. `snapshot()`
  /// recovers once the disk works again.
  case journalFailed(KithError)
  /// A snapshot began a new journal in place of the failed one: changes are accepted again.
  case journalRecovered(sequence: UInt64)
  /// The store's disk has less free space than `SocialGraph.Options.lowDiskByteCount`. Reported again only after the
  /// space has risen above it. A full disk rejects changes before they are acknowledged, and loses nothing.
  case diskLow(freeByteCount: Int64)
}

/// What a log line needs.
///
/// ```swift
/// let graph = try await SocialGraph.open(path) { event in
///   logger.log(level: event.isFailure ? .error : .info, "\(event.name)", metadata: event.fields.mapValues { "\($0)" })
/// }
/// ```
extension StoreEvent {
  /// The name of the case.
  public var name: String {
    switch self {
    case .snapshotBegan: "snapshotBegan"
    case .snapshotWritten: "snapshotWritten"
    case .snapshotFailed: "snapshotFailed"
    case .journalFailed: "journalFailed"
    case .journalRecovered: "journalRecovered"
    case .diskLow: "diskLow"
    }
  }

  /// Whether an operator should be alerted.
  public var isFailure: Bool {
    switch self {
    case .snapshotBegan, .snapshotWritten, .snapshotFailed(.closed), .journalRecovered: false
    case .snapshotFailed(.invalidRequest(.suspended)): false
    case .snapshotFailed, .journalFailed, .diskLow: true
    }
  }

  /// What happened, in one sentence, and what to do where something can be done.
  public var sentence: String {
    switch self {
    case .snapshotBegan(let sequence): "a snapshot of change \(sequence) began"
    case .snapshotWritten(let info): "a snapshot of change \(info.sequence) was written, \(info.byteCount) bytes"
    case .snapshotFailed(let error):
      "a snapshot could not be written: \(error); nothing is lost, and the next one that is due tries again"
    case .journalFailed(let error):
      "the journal could not be written: \(error); changes are refused until a snapshot is written, which is tried "
        + "by itself"
    case .journalRecovered(let sequence): "the journal is repaired: changes after \(sequence) are accepted"
    case .diskLow(let freeByteCount):
      "the disk is nearly full: \(freeByteCount) bytes are free; when it is full, changes are refused"
    }
  }

  /// What it carries, by name: for the metadata of a log.
  public var fields: [String: String] {
    switch self {
    case .snapshotBegan(let sequence), .journalRecovered(let sequence): ["sequence": "\(sequence)"]
    case .snapshotWritten(let info):
      ["path": info.path, "sequence": "\(info.sequence)", "bytes": "\(info.byteCount)"]
    case .snapshotFailed(let error), .journalFailed(let error): ["error": "\(error)"]
    case .diskLow(let freeByteCount): ["bytes": "\(freeByteCount)"]
    }
  }
}

/// Counts the events of a store, and reports them to a host, if it has a handler: one at a time and in order, on a
/// dedicated thread, so that the handler may call the graph.
final class StoreEvents: Sendable {
  /// What is counted always.
  private struct Counted: Sendable {
    var snapshots = SocialGraph.Statistics.Snapshots()
    /// When the snapshot that is being written began.
    var began: UInt64 = 0
    var lastFailure: SocialGraph.Statistics.Failure?

    /// What this event says about the last failure.
    mutating func noteFailure(_ event: StoreEvent) {
      if event.isFailure { lastFailure = SocialGraph.Statistics.Failure(event: event, time: .now()) }
      switch event {
      case .snapshotWritten: endFailure("snapshotFailed")
      case .journalRecovered: endFailure("journalFailed")
      case .snapshotBegan, .snapshotFailed, .journalFailed, .diskLow: break
      }
    }

    mutating func endFailure(_ name: String) {
      if lastFailure?.name == name { lastFailure?.isOver = true }
    }
  }

  private let handler: (@Sendable (StoreEvent) -> Void)?
  private let lowDiskByteCount: Int64
  private let counted = Mutex(Counted())
  private let snapshotDurations = AtomicHistogram()
  /// The changes of each group that was written together.
  let groupSizes = AtomicHistogram()
  /// The nanoseconds that writing and syncing each group took.
  let syncDurations = AtomicHistogram()
  private let isDiskLow = Mutex(false)
  private let queue = WorkQueue(isBackground: true, waitsForThread: true)

  init(lowDiskByteCount: Int64 = 0, _ handler: (@Sendable (StoreEvent) -> Void)? = nil) {
    self.lowDiskByteCount = lowDiskByteCount
    self.handler = handler
  }

  /// Records the free bytes of the disk; nil if unknown.
  func noteFree(_ byteCount: @autoclosure () -> Int64?) {
    guard hasHandler, let byteCount = byteCount() else { return }
    let (isNews, isOver) = isDiskLow.withLock { wasLow in
      let isLow = byteCount < lowDiskByteCount
      defer { wasLow = isLow }
      return (!wasLow && isLow, wasLow && !isLow)
    }
    if isOver { counted.withLock { $0.endFailure("diskLow") } }
    if isNews { note(.diskLow(freeByteCount: byteCount)) }
  }

  /// Whether the host receives events.
  var hasHandler: Bool { handler != nil }

  func note(_ event: StoreEvent) {
    count(event)
    if let handler { queue.post { handler(event) } }
  }

  private func count(_ event: StoreEvent) {
    counted.withLock { counted in
      counted.noteFailure(event)
      switch event {
      case .snapshotBegan: counted.began = MonotonicClock.nanoseconds()
      case .snapshotWritten(let info):
        snapshotDurations.record(MonotonicClock.nanoseconds(since: counted.began))
        counted.snapshots.byteCount += info.byteCount
        counted.snapshots.last = info
      case .snapshotFailed: counted.snapshots.failureCount += 1
      case .journalFailed, .journalRecovered, .diskLow: break
      }
    }
  }

  /// The last event that is a failure.
  var lastFailure: SocialGraph.Statistics.Failure? { counted.withLock { $0.lastFailure } }

  /// The snapshots so far.
  var snapshots: SocialGraph.Statistics.Snapshots {
    var snapshots = counted.withLock { $0.snapshots }
    snapshots.nanoseconds = snapshotDurations.read()
    return snapshots
  }

  /// Writes a group of changes, and counts it.
  func writeGroup(
    of frame: borrowing JournalFrame, syncing: Bool, _ write: (_ syncing: Bool) throws(KithError) -> Void
  ) throws(KithError) {
    let began = syncing ? MonotonicClock.nanoseconds() : 0
    try write(syncing)
    groupSizes.record(frame.nextSequence - frame.firstSequence)
    if syncing { syncDurations.record(MonotonicClock.nanoseconds(since: began)) }
  }
}

extension SnapshotInfo {
  /// The progress of writing a snapshot.
  @nonexhaustive
  public enum Progress: Hashable, Sendable {
    /// This many bytes of columns were written, before compression.
    case writing(byteCount: Int)
    /// All is written and synced; the snapshot is read back and compared.
    case verifying
  }
}
