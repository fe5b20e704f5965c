import Kith

/// What a log says of itself at one moment.
package struct LogHealth: Hashable, Sendable {
  /// The log's clock.
  package var clock: Timestamp
  /// The newest record, which may not be on a quorum yet, and its time; 0 for none.
  package var newest: LogPosition
  package var newestAt: Timestamp
  /// The oldest record that the log still has; 0 for none.
  package var first: LogPosition
  /// How long records stay.
  package var retention: Duration
  /// Since when the oldest records are old enough to be removed; 0 if they are not.
  package var dueSince: Timestamp
  /// The server's `synchronous_standby_names`.
  package var standbyNames: String
  package var isQuorumDemanded: Bool
  /// The standbys that a commit must be on, and how many of those that count are connected.
  package var neededStandbys: Int
  package var connectedStandbys: Int
  /// How far the server has its write-ahead log on its disk, and how far as many standbys as are needed, in bytes.
  package var written: UInt64
  package var flushed: UInt64
  /// Why the server's settings cannot keep what is promised; empty if they can.
  package var problem: String

  package init(
    clock: Timestamp, newest: LogPosition, newestAt: Timestamp, first: LogPosition, retention: Duration,
    dueSince: Timestamp, standbyNames: String, isQuorumDemanded: Bool, neededStandbys: Int, connectedStandbys: Int,
    written: UInt64, flushed: UInt64, problem: String
  ) {
    self.clock = clock
    self.newest = newest
    self.newestAt = newestAt
    self.first = first
    self.retention = retention
    self.dueSince = dueSince
    self.standbyNames = standbyNames
    self.isQuorumDemanded = isQuorumDemanded
    self.neededStandbys = neededStandbys
    self.connectedStandbys = connectedStandbys
    self.written = written
    self.flushed = flushed
    self.problem = problem
  }
}
