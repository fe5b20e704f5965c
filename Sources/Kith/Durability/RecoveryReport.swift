/// What was found in the files of a store when it was opened, what was used, and what was dropped, with the reason.
public struct RecoveryReport: Hashable, Sendable {
  /// A snapshot that was passed over because it is damaged. Nothing was lost: the journals made up for it.
  public struct SkippedSnapshot: Hashable, Sendable {
    /// The name of its file.
    public let name: String
    /// What is wrong with it.
    public let reason: String
  }

  /// A journal that was read.
  public struct Journal: Hashable, Sendable {
    /// What follows the frames that count.
    public enum End: Hashable, Sendable {
      /// Nothing.
      case clean
      /// So many bytes from an offset on that a crash had torn, never acknowledged; they were dropped. None when the
      /// file merely ends there, where its writer always leaves room: its end was cut off, with whatever stood there.
      case torn(offset: Int64, byteCount: Int64)
      /// What was torn was found and dropped at an earlier opening: the next journal goes on where this one ended.
      case superseded(offset: Int64, byteCount: Int64)
      /// The crash came before the first frame: there is no header, and so nothing to read.
      case unborn(byteCount: Int64)
    }

    /// The name of its file.
    public let name: String
    /// The number of its first change, also when it holds none.
    public internal(set) var firstSequence: UInt64
    /// How many changes were replayed.
    public internal(set) var changeCount: UInt64
    /// How many writes they came in.
    public internal(set) var frameCount: Int
    /// How it ends.
    public internal(set) var end: End
  }

  /// The name of the snapshot that the state is built on; nil when it is built on journals alone.
  public internal(set) var snapshot: String?
  /// Newest first.
  public internal(set) var skippedSnapshots: [SkippedSnapshot] = []
  /// Oldest first; those that the snapshot made unnecessary are not among them.
  public internal(set) var journals: [Journal] = []
  /// The number of the last change.
  public internal(set) var sequence: UInt64 = 0
  /// The lower bound of what was acknowledged, as the file `ACK` has it; nil without that file.
  public internal(set) var acknowledged: UInt64?
  /// A generation that no file has had.
  public internal(set) var nextGeneration: UInt64 = 1

  /// How many changes were replayed.
  public var changeCount: UInt64 { journals.reduce(0) { $0 + $1.changeCount } }

  /// How many bytes were dropped now: torn by a crash, never acknowledged.
  public var droppedByteCount: Int64 {
    journals.reduce(0) { sum, journal in
      switch journal.end {
      case .clean, .superseded: sum
      case .torn(_, let byteCount), .unborn(let byteCount): sum + byteCount
      }
    }
  }
}
