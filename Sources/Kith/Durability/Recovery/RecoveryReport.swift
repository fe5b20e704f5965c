/// What recovery found in the files of a store, what it used, and what it dropped and why.
public struct RecoveryReport: Hashable, Sendable {
  /// A snapshot that was skipped because it is damaged. Nothing was lost: the journals replaced it.
  public struct SkippedSnapshot: Hashable, Sendable {
    /// The name of the file.
    public let name: String
    /// The reason.
    public let reason: String
  }

  /// A journal that was read.
  public struct Journal: Hashable, Sendable {
    /// What follows the valid frames.
    @nonexhaustive
    public enum End: Hashable, Sendable {
      /// Nothing.
      case clean
      /// A torn write: this many bytes from an offset on, never acknowledged, were dropped. The count is 0 if the file
      /// merely ends there, without the zeros that its writer always leaves: its end was cut off.
      case torn(offset: Int64, byteCount: Int64)
      /// A torn write that an earlier opening already dropped: the next journal continues where this one ended.
      case superseded(offset: Int64, byteCount: Int64)
      /// A crash came before the first frame: there is no header, and so nothing to read.
      case incomplete(byteCount: Int64)
    }

    /// The name of the file.
    public let name: String
    /// The sequence number of its first change, even if it holds none.
    public internal(set) var firstSequence: UInt64
    /// The number of changes replayed.
    public internal(set) var changeCount: UInt64
    /// The number of frames (writes) with these changes.
    public internal(set) var frameCount: Int
    /// How the journal ends.
    public internal(set) var end: End
  }

  /// The name of the snapshot that the state is built on; nil if built on journals alone.
  public internal(set) var snapshot: String?
  /// The skipped snapshots, newest first.
  public internal(set) var skippedSnapshots: [SkippedSnapshot] = []
  /// The journals, oldest first, without those that the snapshot made unnecessary.
  public internal(set) var journals: [Journal] = []
  /// The sequence number of the last change.
  public internal(set) var sequence: UInt64 = 0
  /// The durable watermark: the lower bound of the acknowledged changes in the file `ACK`; nil without that file.
  public internal(set) var acknowledged: UInt64?
  /// Users whose names are equal after NFC, which earlier releases allowed; by the lower id.
  public internal(set) var sharedNames: [SharedName] = []
  /// What the operator should know about the way to a point in time.
  var targetRemarks: [String] = []
  /// A generation that no file has used.
  public internal(set) var nextGeneration: UInt64 = 1

  /// The number of changes replayed.
  public var changeCount: UInt64 { journals.reduce(0) { $0 + $1.changeCount } }

  /// The number of bytes dropped now: torn by a crash, never acknowledged.
  public var droppedByteCount: Int64 {
    journals.reduce(0) { sum, journal in
      switch journal.end {
      case .clean, .superseded: sum
      case .torn(_, let byteCount), .incomplete(let byteCount): sum + byteCount
      }
    }
  }
}
