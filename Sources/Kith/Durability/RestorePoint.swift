/// An instant in the life of a store, to go back to.
package enum RestorePoint: Hashable, Sendable {
  /// As far as the files lead.
  case newest
  /// After the change of this number; where it stands in the midst of a write, which may be a batch, before that write.
  case sequence(UInt64)
  /// After the last write that the writing machine's clock put at this time or before.
  case time(Timestamp)
}

extension RestorePoint {
  /// Whether a snapshot holds changes beyond the instant, going by its name alone; by its header where that is given.
  func precedes(_ name: SnapshotName, _ header: SnapshotHeader? = nil) -> Bool {
    switch self {
    case .newest: false
    case .sequence(let sequence): sequence < name.sequence
    case .time(let time): header.map { time.rawValue < $0.writtenAt } ?? false
    }
  }

  /// Whether a journal holds nothing up to the instant.
  func precedes(_ journal: JournalHeader) -> Bool {
    switch self {
    case .newest: false
    case .sequence(let sequence): sequence < journal.firstSequence
    case .time(let time): time.rawValue < journal.writtenAt
    }
  }

  /// Whether a frame ends beyond the instant: of a frame all is made or nothing, since it may be one batch.
  func precedes(endOf frame: StoredFrame) -> Bool {
    switch self {
    case .newest: false
    case .sequence(let sequence): sequence < frame.lastSequence
    case .time(let time): time < frame.writtenAt
    }
  }

  /// Whether a state of this number cannot be followed by another change up to the instant.
  func isReached(at sequence: UInt64) -> Bool { self == .sequence(sequence) }

  /// That no files lead there.
  func unreachable(in path: String) -> KithError {
    let what =
      switch self {
      case .newest: "the newest state"
      case .sequence(let sequence): "change \(sequence)"
      case .time: "that time"
      }
    return .invalidRequest(
      reason: "\(path): no snapshot and its journals lead to \(what); kith list \(path) tells what can be restored")
  }
}
