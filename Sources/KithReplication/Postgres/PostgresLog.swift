#if Replication
  import Kith
  import Synchronization

  /// The log in PostgreSQL 15 or newer with synchronous standbys: tables and functions of the schema `kith`.
  ///
  /// One connection appends, one reads and listens, one does the rest, so that none waits for another.
  package final class PostgresLog: ReplicationLog {
    /// How long a call may take; then its connection is given up.
    private static let answerTime = Duration.seconds(5)
    /// How long reading waits for a notification before it asks anyway.
    private static let pollTime = Duration.milliseconds(100)
    /// How long reading waits for an append under way: its answer confirms all records before it, without a commit of
    /// the reader's own, which others would wait for.
    private static let appendTime = Duration.milliseconds(20)

    /// The newest record of an own append that the server has acknowledged: it and all before it are on a quorum.
    private struct Acknowledged {
      var position: LogPosition = 0
      var chain: [UInt8] = []
      /// Whether an append is under way.
      var isAppending = false
    }

    let address: PostgresAddress
    private let appending: PostgresLink
    private let reading: PostgresLink
    let control: PostgresLink
    private let acknowledged = Mutex(Acknowledged())
    /// Whether the server was seen to have standbys that commits wait for: from then on it must, whatever the log says.
    let demandsQuorum = Mutex(false)

    /// The log at a URL; connects with the first call.
    /// - Parameter name: of the replica, shown by the server among its sessions.
    /// - Throws: `invalidRequest` if the URL is none.
    package init(url: String, name: String = "kith") throws(KithError) {
      address = try Self.address(of: url)
      appending = PostgresLink(address, application: "\(name) appends")
      reading = PostgresLink(address, application: "\(name) reads", beginning: "LISTEN kith;")
      control = PostgresLink(address, application: name)
    }

    private static func address(of url: String) throws(KithError) -> PostgresAddress {
      do throws(PostgresFailure) {
        if let address = PostgresAddress(try PostgresConnection.options(of: url)) { return address }
      } catch {
        throw .invalidRequest(.logURL(reason: error.reason))
      }
      throw .invalidRequest(.logURL(reason: "the log's URL has lists of hosts and ports that differ in length"))
    }

    package var connection: LogConnection {
      let states = [appending.connection, reading.connection, control.connection]
      return states.first { $0.server != nil } ?? states.first { $0.failure != nil } ?? LogConnection()
    }

    package func close() async {
      await appending.close()
      await reading.close()
      await control.close()
    }

    // MARK: Records

    package func append(
      _ payload: [UInt8], session: SessionID, serial: UInt64, base: LogPosition, hostTime: Timestamp
    ) async throws(KithError) -> LogPosition {
      let parameters: [PostgresConnection.Value] = [
        session.bytes, serial.bigEndianBytes, base.bigEndianBytes, hostTime.bigEndianBytes, payload, demand,
      ]
      let statement = """
        SELECT o_position, o_chain, o_demanded
          FROM kith.append($1::uuid, $2::bigint, $3::bigint, $4::bigint, $5::bytea, $6::boolean)
        """
      acknowledged.withLock { $0.isAppending = true }
      defer { acknowledged.withLock { $0.isAppending = false } }
      do throws(PostgresFailure) {
        return try await appending.run(within: Self.answerTime) { connection, deadline throws(PostgresFailure) in
          var row = PostgresRow(try connection.run(statement, parameters, by: deadline))
          let (position, chain) = (row.unsigned(), row.bytes())
          try self.awaitQuorum(isDemanded: row.unsigned() == 1, connection, by: deadline)
          self.acknowledged.withLock { known in
            if position > known.position { (known.position, known.chain) = (position, chain) }
          }
          return position
        }
      } catch {
        if case .unanswered = error { throw .inDoubt(ticket: serial, cause: error.problem) }
        throw error.problem
      }
    }

    /// What a statement learns of the quorum.
    private var demand: [UInt8] { [demandsQuorum.withLock { $0 } ? 1 : 0] }

    /// Sees to it that what a statement has committed is on a quorum, whatever the session's settings are and whatever
    /// became of the wait of the commit.
    /// - Throws: `unanswered` if it may not be.
    private func awaitQuorum(
      isDemanded: Bool, _ connection: PostgresConnection, by deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
      if !isDemanded { return }
      demandsQuorum.withLock { $0 = true }
      do throws(PostgresFailure) {
        _ = try connection.run("SELECT kith.await_quorum()", by: deadline)
      } catch {
        if case .closed = error { throw error }
        throw .unanswered(reason: error.problem.description)
      }
    }

    package func read(
      after position: LogPosition, byteLimit: Int, timeout: Duration
    ) async throws(KithError) -> [LogRecord] {
      let ending = ContinuousClock.now.advanced(by: timeout)
      return try await call(reading, within: timeout + Self.answerTime) { connection, _ throws(PostgresFailure) in
        while true {
          try self.waitForAppend(after: position, connection)
          let records = try self.confirmedRecords(after: position, byteLimit, connection)
          if !records.isEmpty || ContinuousClock.now >= ending { return records }
          let wakeup = min(ending, ContinuousClock.now.advanced(by: Self.pollTime))
          _ = try connection.waitForNotification(by: wakeup)
        }
      }
    }

    /// Waits for the answer to an append under way, unless records after the position are known to be on a quorum.
    private func waitForAppend(
      after position: LogPosition, _ connection: PostgresConnection
    ) throws(PostgresFailure) {
      let isOver = { self.acknowledged.withLock { !$0.isAppending || $0.position > position } }
      if !isOver() { try connection.wait(for: Self.appendTime, until: isOver) }
    }

    private func confirmedRecords(
      after position: LogPosition, _ byteLimit: Int, _ connection: PostgresConnection
    ) throws(PostgresFailure) -> [LogRecord] {
      let statement = """
        SELECT o_position, o_at, o_session, o_serial, o_chain, o_payload
          FROM kith.read($1::bigint, $2::bigint, $3::bigint, $4::bytea, $5::boolean)
        """
      let known = acknowledged.withLock { $0 }
      let limit = UInt64(max(byteLimit, 0))
      let rows = try connection.run(
        statement,
        [position.bigEndianBytes, limit.bigEndianBytes, known.position.bigEndianBytes, known.chain, demand],
        by: .now.advanced(by: Self.answerTime))
      return (0..<rows.count).map { index in
        var row = PostgresRow(rows, index)
        return LogRecord(
          position: row.unsigned(), at: row.time(), session: row.id(), serial: row.unsigned(), chain: row.bytes(),
          payload: row.bytes())
      }
    }

    package func confirmedPosition() async throws(KithError) -> LogPosition {
      try await call(control) { connection, deadline throws(PostgresFailure) in
        let statement = "SELECT o_newest, o_demanded FROM kith.confirmed($1::boolean)"
        var row = PostgresRow(try connection.run(statement, [self.demand], by: deadline))
        let newest = row.unsigned()
        try self.awaitQuorum(isDemanded: row.unsigned() == 1, connection, by: deadline)
        return newest
      }
    }

    // MARK: Calls

    /// Runs statements that may run twice: again on another connection if one breaks, while there is time.
    func call<R: Sendable>(
      _ link: PostgresLink, within time: Duration = answerTime,
      _ body: @escaping @Sendable (PostgresConnection, ContinuousClock.Instant) throws(PostgresFailure) -> R
    ) async throws(KithError) -> R {
      let deadline = ContinuousClock.now.advanced(by: time)
      while true {
        let left = ContinuousClock.now.duration(to: deadline)
        do throws(PostgresFailure) {
          return try await link.run(within: left, body)
        } catch {
          if case .closed = error { throw .closed }
          if error.keepsConnection || ContinuousClock.now >= deadline { throw error.problem }
        }
      }
    }

    /// Runs one statement without a result.
    func run(_ statement: String, _ parameters: [PostgresConnection.Value]) async throws(KithError) {
      try await call(control) { connection, deadline throws(PostgresFailure) in
        _ = try connection.run(statement, parameters, by: deadline)
      }
    }
  }

  extension PostgresFailure {
    /// The failure as the error of a replica.
    var problem: KithError {
      switch self {
      case .closed: .closed
      case .notSent(let reason), .unanswered(let reason): .unavailable(.unreachable(reason: reason))
      case .refused(PostgresSchema.State.quorumMissing, _): .unavailable(.quorumMissing)
      case .refused(PostgresSchema.State.quorumAway, let message): .unavailable(.unreachable(reason: message))
      case .refused(PostgresSchema.State.clockSkew, let milliseconds):
        .unavailable(.clockSkew(milliseconds: Int64(milliseconds) ?? .max))
      case .refused(PostgresSchema.State.endsBefore, let newest):
        .diverged(position: UInt64(newest) ?? 0, reason: "the log ends there, and was longer before")
      // The schema or a function of it is missing.
      case .refused("3F000", _), .refused("42883", _), .refused("42P01", _):
        .unavailable(.missing)
      case .refused(_, let message): .unavailable(.refused(reason: message))
      }
    }
  }

  /// The values of one row, read from left to right. A value that is missing or has another type is zero or empty.
  struct PostgresRow {
    private let rows: PostgresRows
    private let index: Int
    private var column = 0

    init(_ rows: PostgresRows, _ index: Int = 0) {
      self.rows = rows
      self.index = index
    }

    mutating func bytes() -> [UInt8] {
      defer { column += 1 }
      return rows.bytes(index, column) ?? []
    }

    mutating func unsigned() -> UInt64 { bytes().reduce(0) { $0 << 8 | UInt64($1) } }
    /// A `bigint`; for an `int`, `int()`.
    mutating func signed() -> Int64 { Int64(bitPattern: unsigned()) }
    mutating func int() -> Int { Int(Int32(truncatingIfNeeded: unsigned())) }
    mutating func time() -> Timestamp { Timestamp(signed()) }
    mutating func id() -> LogID { LogID(bytes: bytes()) ?? LogID(high: 0, low: 0) }
    mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }
  }

  extension Timestamp {
    var bigEndianBytes: [UInt8] { UInt64(bitPattern: rawValue).bigEndianBytes }
  }
#endif
