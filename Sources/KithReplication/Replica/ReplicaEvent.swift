import Kith

/// What a replica reports to its host. Events are given one at a time, in order, on a dedicated thread.
@nonexhaustive
public enum ReplicaEvent: Hashable, Sendable {
  /// The log is reached; the server as the log names it.
  case connected(server: String)
  /// The log is not reached, and the replica tries again.
  case disconnected(reason: String)
  /// Everything that the log held when it was last asked is applied.
  case caughtUp(position: LogPosition)
  /// A snapshot was written for all replicas.
  case snapshotWritten(position: LogPosition, path: String)
  /// A snapshot could not be written, and why.
  case snapshotFailed(reason: String)
  /// The replica began with this snapshot.
  case snapshotTaken(position: LogPosition, path: String)
  /// A snapshot could not be used, and why.
  case snapshotRefused(path: String, reason: String)
  /// Another replica's snapshot was read back and is sound.
  case snapshotVerified(position: LogPosition, path: String)
  /// Records up to this position may be removed from the log.
  case trimmed(through: LogPosition)
  /// A record cannot be applied by this release. The replica stays before it and goes on answering.
  case stopped(before: LogPosition, reason: String)
  /// New rules begin with a record: `ReplicatedGraph.upgrade`.
  case upgraded(rules: Int, position: LogPosition)
  /// A replica differs from the others at this position, as it did before it was rebuilt: the others may be wrong.
  /// Every replica says so. Compare their graphs with the answers that callers have.
  case contested(position: LogPosition)
  /// Something is wrong with the log, with this replica, or with the snapshots that it shares.
  case trouble(ReplicaTrouble)
  /// What was wrong is over.
  case resolved(ReplicaTrouble)
  /// The replica differs from the log or from the others: it answers nothing more. Close it and
  /// open it again: it then begins with a snapshot that another replica has verified.
  case diverged(position: LogPosition, reason: String)
}

/// The state of a replica.
public struct ReplicaStatus: Hashable, Sendable {
  /// The last record that is applied.
  public var position: LogPosition
  /// The time of that record; nil without one.
  public var time: Timestamp?
  /// The newest record of the log that the replica knows of.
  public var newestPosition: LogPosition
  /// The hash over all outcomes up to `position`.
  public var outcomeChain: UInt64
  /// Requests that wait to be sent.
  public var waitingRequestCount: Int
  /// Whether the log is reached.
  public var isConnected: Bool
  /// The server that is reached, without a password.
  public var server: String?
  /// Why the replica applies nothing more, if so; `code` and text of the error.
  public var failure: String?
  /// The version of the rules that it knows.
  public var rules: Int
  /// The last snapshot that it began with or wrote.
  public var snapshotPosition: LogPosition?
  /// What is wrong, as the replica saw it about a second ago.
  public var troubles: [ReplicaTrouble]

  /// The records that are known and not yet applied.
  public var lag: LogPosition { newestPosition - min(position, newestPosition) }
}
