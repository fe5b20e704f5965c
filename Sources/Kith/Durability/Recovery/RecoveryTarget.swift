/// The target of a point-in-time recovery: the newest state, a sequence number or a time.
package enum RecoveryTarget: Hashable, Sendable {
  /// The newest state that the files lead to.
  case newest
  /// The state after this change. If the change is in the middle of a frame, which may be one batch, the state before
  /// it.
  case sequence(UInt64)
  /// The state of the longest history whose last frame was written at this time or before, by the clock of the writing
  /// machine, whatever came in between.
  case time(Timestamp)
}

extension RecoveryTarget {
  /// The error that no files lead to the target.
  func unreachable(in path: String) -> KithError {
    switch self {
    case .newest: .invalidRequest(.unreachable(path: path))
    case .sequence(let sequence): .invalidRequest(.unreachableSequence(sequence, path: path))
    case .time(let time): .invalidRequest(.unreachableTime(time, path: path))
    }
  }
}

/// Where a recovery ends: the number of the last change that is applied; nil for the newest.
struct RecoveryEnd {
  let sequence: UInt64?
  /// Whether the files lead no further: then they must hold all that was acknowledged.
  var isNewest = false

  /// Whether a snapshot holds changes beyond the end, by its name.
  func precedes(_ name: SnapshotName) -> Bool { sequence.map { $0 < name.sequence } ?? false }

  /// Whether a journal holds nothing up to the end.
  func precedes(_ journal: JournalHeader) -> Bool { sequence.map { $0 < journal.firstSequence } ?? false }

  /// Whether a frame ends beyond the end. A frame is applied as a whole or not at all, since it may be one batch.
  func precedes(endOf frame: StoredFrame) -> Bool { sequence.map { $0 < frame.lastSequence } ?? false }

  /// Whether no further change is applied.
  func isReached(at sequence: UInt64) -> Bool { !isNewest && self.sequence == sequence }
}
