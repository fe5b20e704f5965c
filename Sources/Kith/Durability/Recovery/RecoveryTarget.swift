/// The target of a point-in-time recovery: the newest state, a sequence number or a time.
package enum RecoveryTarget: Hashable, Sendable {
  /// The newest state that the files lead to.
  case newest
  /// The state after this change. If the change is in the middle of a frame, which may be one batch, the state before
  /// it.
  case sequence(UInt64)
  /// The state after the last frame written at this time or before, by the clock of the writing machine.
  case time(Timestamp)
}

extension RecoveryTarget {
  /// Whether a snapshot holds changes beyond the target, by its name, or by its header if given.
  func precedes(_ name: SnapshotName, _ header: SnapshotHeader? = nil) -> Bool {
    switch self {
    case .newest: false
    case .sequence(let sequence): sequence < name.sequence
    case .time(let time): header.map { time.rawValue < $0.writtenAt } ?? false
    }
  }

  /// Whether a journal holds nothing up to the target.
  func precedes(_ journal: JournalHeader) -> Bool {
    switch self {
    case .newest: false
    case .sequence(let sequence): sequence < journal.firstSequence
    case .time(let time): time.rawValue < journal.writtenAt
    }
  }

  /// Whether a frame ends beyond the target. A frame is applied as a whole or not at all, since it may be one batch.
  func precedes(endOf frame: StoredFrame) -> Bool {
    switch self {
    case .newest: false
    case .sequence(let sequence): sequence < frame.lastSequence
    case .time(let time): time < frame.writtenAt
    }
  }

  /// Whether no further change can be part of the target.
  func isReached(at sequence: UInt64) -> Bool { self == .sequence(sequence) }

  /// The error that no files lead to the target.
  func unreachable(in path: String) -> KithError {
    switch self {
    case .newest: .invalidRequest(.unreachable(path: path))
    case .sequence(let sequence): .invalidRequest(.unreachableSequence(sequence, path: path))
    case .time(let time): .invalidRequest(.unreachableTime(time, path: path))
    }
  }
}
