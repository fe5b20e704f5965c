import Kith

/// Options of a replica.
public struct ReplicaOptions: Hashable, Sendable {
  /// The name by which the other replicas and operators know it. Two replicas with the same name count as one.
  public var name: String
  /// Where snapshots for other replicas are.
  public var snapshots: SnapshotPlace
  /// Indexes, statistics and limits of the graph. What concerns files has no meaning, nor has `uniqueNames`: names are
  /// unique by exact text. Limits are checked when a request is submitted, a batch as a whole, never when it is applied
  /// or restored from a snapshot. So they may be exceeded by what is under way and by what other hosts allow.
  public var graph: SocialGraph.Options
  /// After how long without the log a request that was not sent is refused with `unavailable`.
  public var unavailableAfter: Duration
  /// After how long a request that may have been sent is answered with `inDoubt`.
  public var resolveWithin: Duration
  /// Writes a snapshot for all replicas after this many bytes of records; nil for never.
  public var snapshotAfterByteCount: Int?
  /// Whether `open` returns at once, and not only when the replica has applied what the log held at the start.
  public var answersAtOnce: Bool
  /// The positions between two comparisons of outcomes with the other replicas; 1 or more, and equal for all replicas
  /// that are to be compared.
  var digestInterval: LogPosition = 4_096
  /// The newest rules that this replica knows; a test may pretend to be another release.
  var knownRules = LogIdentity.rules
  /// How long one call waits for the next record. A log that notifies answers earlier.
  var readTimeout: Duration = .seconds(1)
  /// The most changes, and the most bytes, of requests that wait to be sent; `submit` suspends beyond.
  var waitingChangeLimit = 1_000_000
  var waitingByteLimit = 64 << 20
  /// The first and the longest pause between two attempts to reach the log.
  var firstPause: Duration = .milliseconds(20)
  var longestPause: Duration = .milliseconds(500)

  /// The defaults: requests are refused after 5 seconds without the log, and answered with `inDoubt` after 30. A
  /// snapshot is written after a gibibyte of records.
  public init(
    name: String, snapshots: SnapshotPlace = .none, graph: SocialGraph.Options = SocialGraph.Options(),
    unavailableAfter: Duration = .seconds(5), resolveWithin: Duration = .seconds(30),
    snapshotAfterByteCount: Int? = 1 << 30, answersAtOnce: Bool = false
  ) {
    self.name = name
    self.snapshots = snapshots
    self.graph = graph
    self.unavailableAfter = unavailableAfter
    self.resolveWithin = resolveWithin
    self.snapshotAfterByteCount = snapshotAfterByteCount
    self.answersAtOnce = answersAtOnce
  }

  /// Where snapshots for other replicas are.
  @nonexhaustive
  public enum SnapshotPlace: Hashable, Sendable {
    /// In the replica's own directory, which others do not see.
    case none
    /// In a directory that all hosts share. It must exist.
    case directory(String)
    /// In the log, up to 2 GiB each. The replica needs a directory of its own, where they become files.
    case log
  }

  /// The most records of one's own that are appended and not yet applied.
  static let unappliedRecordLimit = 64
  /// The bytes of records that are read at once.
  static let readByteLimit = 4 << 20
  /// From how many records behind on `open` builds the lists of followers and likers at the end.
  static let deferringLag: LogPosition = 1_024
  /// The outcomes kept for `ReplicatedGraph.outcome(of:)`.
  static let doubtLimit = 10_000
  /// How often the replica looks for requests and waiters whose time is up.
  static let tick = Duration.milliseconds(100)
  /// How often it reports itself, and looks what is wrong.
  static let reportTime = Duration.seconds(1)
  /// The snapshots kept in a directory or in the log, and how many of those that another replica has verified.
  static let keptSnapshotCount = 3
  static let keptVerifiedCount = 2
}
