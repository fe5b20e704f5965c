import Kith

/// An ordered, durable log of records that all replicas share.
///
/// Positions begin at 1, are dense and ascend in the order of the commits. A record is on a quorum before `append`
/// returns and before `read` shows it. Every call is one attempt: it answers within a time of the log's own, retries
/// nothing, and reconnects by itself. Calls may run at the same time; a replica has at most one `append` under way.
///
/// Errors that a log throws, and what a replica does then:
/// - `unavailable`: nothing was written, and the call may be repeated later.
/// - `inDoubt`: only from `append`: it may have been written. The replica repeats it with the same serial.
/// - `unsupportedVersion`, `corrupt`: the log is not one that this release can read. The replica stops.
package protocol ReplicationLog: Sendable {
  /// The identity of this log, made when it was created, and what it demands of its readers.
  func identity() async throws(KithError) -> LogIdentity

  /// Appends a record once: if a record of this session and serial is among those after `base`, nothing is appended.
  ///
  /// The record's time is the greater of the previous record's and the log's clock.
  /// - Parameters:
  ///   - payload: 1 to `LogRecord.payloadByteLimit` bytes.
  ///   - base: a position up to which the caller has applied everything, so that it knows its own records there.
  ///   - hostTime: the caller's clock. Refused with `clockSkew` if it is more than a minute from the log's.
  /// - Returns: the position of the record, appended now or before, once it is on a quorum.
  /// - Throws: `unavailable`, `inDoubt`.
  func append(
    _ payload: [UInt8], session: SessionID, serial: UInt64, base: LogPosition, hostTime: Timestamp
  ) async throws(KithError) -> LogPosition

  /// The records after a position, in order: at least one if there is any, then as many as fit `byteLimit`.
  ///
  /// If there is none, waits up to `timeout` for the next. Never returns a record that a failover could take back.
  /// Old records may have been trimmed: the first one returned then is not the next one. The newest always remains.
  /// - Throws: `unavailable`, `corrupt`; `diverged` if the log ends before `position`.
  func read(after position: LogPosition, byteLimit: Int, timeout: Duration) async throws(KithError) -> [LogRecord]

  /// The position of the newest record, confirmed by a commit on a quorum that began during this call; 0 if there is
  /// none.
  /// - Throws: `unavailable`.
  func confirmedPosition() async throws(KithError) -> LogPosition

  /// Stores the newest report of a replica, by name.
  /// - Returns: the newest position whose digest is contested: a replica that differed there had been rebuilt
  ///   within a day, because it had differed before; 0 for none.
  @discardableResult
  func report(_ report: ReplicaReport) async throws(KithError) -> LogPosition
  /// The newest report of every replica, by name. The log sets `seen`.
  func reports() async throws(KithError) -> [ReplicaReport]
  /// Forgets a replica that will not return, so that `trim` does not wait for it, and its dissents.
  func forgetReplica(_ name: String) async throws(KithError)

  /// Stores a digest of a replica; one of the same position, kind and replica is replaced. The log sets `at`.
  func vote(_ digest: LogDigest) async throws(KithError)
  /// The digests of the newest few positions at which replicas differ.
  func votes() async throws(KithError) -> [LogDigest]

  /// Stores that a session of a replica has ended because it differs.
  func dissent(_ digest: LogDigest) async throws(KithError)
  /// The dissents of the last day.
  func dissents() async throws(KithError) -> [LogDissent]

  /// What the log says of itself, without a commit and without waiting for others.
  func health() async throws(KithError) -> LogHealth
  /// What is wrong with the log's servers one by one: those that do not answer, and those whose settings can lose what
  /// they say they have.
  func serverTroubles() async -> [ReplicaTrouble]

  /// Stores a part of a snapshot that the log itself holds. Parts of a snapshot that was never recorded are removed
  /// after a day.
  /// - Parameters:
  ///   - place: `LogSnapshot.place` of the snapshot, recorded after its last part.
  ///   - index: 0, 1, 2, …; with part 0 the other parts that the place has are removed.
  func storeSnapshotPart(_ bytes: [UInt8], of place: String, at index: Int) async throws(KithError)
  /// A part of a snapshot; nil if there is none.
  func snapshotPart(of place: String, at index: Int) async throws(KithError) -> [UInt8]?
  /// Removes a snapshot that the log itself holds. That of position 0 stays in the list: no replica may begin empty.
  func removeSnapshot(_ place: String) async throws(KithError)

  /// Stores a snapshot; one with the same position and place is replaced. Its verifiers are added to those stored.
  func recordSnapshot(_ snapshot: LogSnapshot) async throws(KithError)
  /// All snapshots, the newest position first.
  func snapshots() async throws(KithError) -> [LogSnapshot]

  /// Makes all replicas pass over a record that none of them could apply: the last resort.
  /// - Throws: `unavailable` if a replica has reported that it applied the record, or if there is no such record.
  func skip(_ position: LogPosition) async throws(KithError)
  /// The records to pass over, ascending.
  func skippedPositions() async throws(KithError) -> [LogPosition]

  /// Removes records up to a position, or fewer: the newest always remains, and a log may keep what is young.
  func trim(through position: LogPosition) async throws(KithError)

  /// What `ReplicaStatus` says of the connection; it may be old, and the call does not wait.
  var connection: LogConnection { get }

  /// Frees connections. Calls under way end with `closed`.
  func close() async
}

/// The state of the connection to a log.
package struct LogConnection: Hashable, Sendable {
  /// The server, without a password; nil without a connection.
  package var server: String?
  /// Why there is none.
  package var failure: KithError?

  package init(server: String? = nil, failure: KithError? = nil) {
    self.server = server
    self.failure = failure
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.server == right.server && left.failure == right.failure
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(server) }
}
