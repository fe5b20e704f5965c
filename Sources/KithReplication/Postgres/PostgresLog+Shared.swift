#if Replication
  import Kith

  /// What replicas tell each other through the log's tables.
  extension PostgresLog {
    package func identity() async throws(KithError) -> LogIdentity { try await identity(evenUnfinished: false) }

    /// - Parameter evenUnfinished: whether a log whose first graph is not in it yet is no error.
    package func identity(evenUnfinished: Bool) async throws(KithError) -> LogIdentity {
      let statement = """
        SELECT o_id, o_schema, o_format, o_rules, o_server FROM kith.identity()
        """
      let found = try await call(control) { connection, deadline throws(PostgresFailure) in
        let rows = try connection.run(statement, by: deadline)
        var row = PostgresRow(rows)
        let (id, schema, format, rules) = (row.id(), row.int(), row.int(), row.int())
        let server = row.int()
        if rows.count == 0 { throw .refused(state: "3F000", message: "no settings") }
        return (LogIdentity(id: id, format: format, rules: rules), schema, server)
      }
      let (identity, schema, server) = found
      guard schema != PostgresSchema.unfinishedVersion || evenUnfinished else {
        throw .unavailable(.unfinished)
      }
      guard schema.magnitude == PostgresSchema.version else {
        let isOld = PostgresSchema.oldestVersion..<PostgresSchema.version ~= Int(schema.magnitude)
        throw .unsupportedVersion(
          found: "\(schema) of the log's tables",
          readable: "\(PostgresSchema.version); \(isOld ? "run kith replica migrate" : "update this host")")
      }
      guard server >= PostgresSchema.oldestServer else {
        throw .unavailable(.refused(reason: "the server is \(server / 10_000), PostgreSQL 15 or newer is needed"))
      }
      return identity
    }

    @discardableResult
    package func report(_ report: ReplicaReport) async throws(KithError) -> LogPosition {
      try await rows(
        "SELECT kith.report($1::text, $2::uuid, $3::bigint, $4::bigint, $5::int)",
        [
          Array(report.name.utf8), report.session.bytes, report.applied.bigEndianBytes,
          report.outcomeChain.bigEndianBytes, UInt32(report.rules).bigEndianBytes,
        ]
      ) { row in row.unsigned() }.first ?? 0
    }

    package func reports() async throws(KithError) -> [ReplicaReport] {
      try await rows(
        "SELECT o_name, o_session, o_applied, o_outcome, o_rules, o_seen, o_behind FROM kith.reports()"
      ) { row in
        ReplicaReport(
          name: row.text(), session: row.id(), applied: row.unsigned(), outcomeChain: row.unsigned(), rules: row.int(),
          seen: row.time(), behindSince: row.time())
      }
    }

    package func forgetReplica(_ name: String) async throws(KithError) {
      try await run("SELECT kith.forget($1::text)", [Array(name.utf8)])
    }

    package func vote(_ digest: LogDigest) async throws(KithError) {
      try await run(
        "SELECT kith.vote($1::bigint, $2::int, $3::bigint, $4::text, $5::uuid)", parameters(of: digest))
    }

    package func votes() async throws(KithError) -> [LogDigest] {
      try await rows("SELECT position, kind, value, replica, session, at FROM kith.votes()") { row in
        LogDigest(
          position: row.unsigned(), kind: LogDigest.Kind(rawValue: row.int()) ?? .state, value: row.unsigned(),
          replica: row.text(), session: row.id(), at: row.time())
      }
    }

    private func parameters(of digest: LogDigest) -> [PostgresConnection.Value] {
      [
        digest.position.bigEndianBytes, UInt32(digest.kind.rawValue).bigEndianBytes, digest.value.bigEndianBytes,
        Array(digest.replica.utf8), digest.session.bytes,
      ]
    }

    package func dissent(_ digest: LogDigest) async throws(KithError) {
      try await run(
        "SELECT kith.dissent($1::bigint, $2::int, $3::bigint, $4::text, $5::uuid)", parameters(of: digest))
    }

    package func dissents() async throws(KithError) -> [LogDissent] {
      try await rows("SELECT o_replica, o_position, o_at FROM kith.dissents()") { row in
        LogDissent(replica: row.text(), position: row.unsigned(), at: row.time())
      }
    }

    package func health() async throws(KithError) -> LogHealth {
      let found = try await rows(
        """
        SELECT o_clock, o_newest, o_newest_at, o_first, o_retention, o_due, o_names, o_is_demanded, o_needed,
          o_connected, o_written, o_flushed, o_problem FROM kith.health()
        """
      ) { row in
        LogHealth(
          clock: row.time(), newest: row.unsigned(), newestAt: row.time(), first: row.unsigned(),
          retention: .milliseconds(row.signed()), dueSince: row.time(), standbyNames: row.text(),
          isQuorumDemanded: row.unsigned() == 1, neededStandbys: Int(row.signed()),
          connectedStandbys: Int(row.signed()), written: row.unsigned(), flushed: row.unsigned(), problem: row.text())
      }
      guard let health = found.first else { throw .unavailable(.missing) }
      if health.isQuorumDemanded { demandsQuorum.withLock { $0 = true } }
      return health
    }

    package func storeSnapshotPart(_ bytes: [UInt8], of place: String, at index: Int) async throws(KithError) {
      try await run(
        "SELECT kith.store_part($1::text, $2::int, $3::bytea)",
        [Array(place.utf8), UInt32(index).bigEndianBytes, bytes])
    }

    package func snapshotPart(of place: String, at index: Int) async throws(KithError) -> [UInt8]? {
      let found = try await rows(
        "SELECT kith.part($1::text, $2::int)", [Array(place.utf8), UInt32(index).bigEndianBytes]
      ) { row in row.bytes() }
      return found.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    package func removeSnapshot(_ place: String) async throws(KithError) {
      try await run("SELECT kith.remove_snapshot($1::text)", [Array(place.utf8)])
    }

    package func recordSnapshot(_ snapshot: LogSnapshot) async throws(KithError) {
      try await run(
        """
        SELECT kith.record_snapshot($1::bigint, $2::text, $3::bigint, $4::bytea, $5::bigint, $6::bigint, $7::bigint,
          $8::text, string_to_array($9::text, chr(10)))
        """,
        [
          snapshot.position.bigEndianBytes, Array(snapshot.place.utf8), snapshot.sequence.bigEndianBytes,
          snapshot.chain, snapshot.outcomeChain.bigEndianBytes, snapshot.digest.bigEndianBytes,
          UInt64(bitPattern: snapshot.byteCount).bigEndianBytes, Array(snapshot.writer.utf8),
          Array(snapshot.verifiers.joined(separator: "\n").utf8),
        ])
    }

    package func snapshots() async throws(KithError) -> [LogSnapshot] {
      try await rows(
        """
        SELECT position, place, sequence, chain, outcome, digest, bytes, writer, array_to_string(verifiers, chr(10)), at
          FROM kith.snapshots()
        """
      ) { row in
        let (position, place) = (row.unsigned(), row.text())
        return LogSnapshot(
          position: position, sequence: row.unsigned(), chain: row.bytes(), outcomeChain: row.unsigned(),
          digest: row.unsigned(), byteCount: row.signed(), place: place, writer: row.text(),
          verifiers: row.text().split(separator: "\n").map(String.init), at: row.time())
      }
    }

    package func skip(_ position: LogPosition) async throws(KithError) {
      try await run("SELECT kith.pass_over($1::bigint)", [position.bigEndianBytes])
    }

    package func skippedPositions() async throws(KithError) -> [LogPosition] {
      try await rows("SELECT kith.passed_over()") { row in row.unsigned() }
    }

    package func trim(through position: LogPosition) async throws(KithError) {
      try await run("SELECT kith.trim($1::bigint)", [position.bigEndianBytes])
    }

    private func rows<R: Sendable>(
      _ statement: String, _ parameters: [PostgresConnection.Value] = [],
      _ make: @escaping @Sendable (inout PostgresRow) -> R
    ) async throws(KithError) -> [R] {
      try await call(control) { connection, deadline throws(PostgresFailure) in
        let rows = try connection.run(statement, parameters, by: deadline)
        return (0..<rows.count).map { index in
          var row = PostgresRow(rows, index)
          return make(&row)
        }
      }
    }

    // MARK: Creating

    /// How long creating a log may take.
    private static let creationTime = Duration.seconds(30)

    /// Creates the tables and functions of a new log in the database of the URL.
    /// - Parameters:
    ///   - requiresQuorum: whether records are refused while no standby is synchronous; false only where the server's
    ///     storage itself is replicated.
    ///   - retention: how long a record stays at least.
    ///   - role: an existing role that may use the log beside the one that creates it.
    ///   - isUnfinished: whether replicas may not open it before `finish`. One that was left so is replaced.
    /// - Throws: `unavailable`, `refused` if there is a log.
    package func create(
      requiresQuorum: Bool = true, partitionSize: Int = PostgresSchema.partitionSize,
      retention: Duration = PostgresSchema.retention, role: String? = nil, isUnfinished: Bool = false
    ) async throws(KithError) {
      let script = PostgresSchema.script(
        id: .random(), requiresQuorum: requiresQuorum, partitionSize: partitionSize, retention: retention,
        role: role, isUnfinished: isUnfinished)
      do throws(PostgresFailure) {
        try await runWhole(script)
      } catch {
        if case .refused("42P06", _) = error {
          throw .unavailable(.refused(reason: "the database has a log (schema kith) already"))
        }
        throw error.problem
      }
    }

    /// Runs a script that is one transaction.
    private func runWhole(_ script: String) async throws(PostgresFailure) {
      try await control.run(within: Self.creationTime) { connection, deadline throws(PostgresFailure) in
        do throws(PostgresFailure) {
          try connection.runScript(script, by: deadline)
        } catch {
          try? connection.runScript("ROLLBACK", by: deadline)
          throw error
        }
      }
    }

    /// Brings the tables and functions of a log that an older release made to this release's version.
    /// - Throws: `unavailable`, `refused` if they have this version, or one that this release does not know.
    package func migrate() async throws(KithError) {
      do throws(PostgresFailure) { try await runWhole(PostgresSchema.migration) } catch { throw error.problem }
    }

    /// Says that the first graph is in the log, so that replicas may open it.
    package func finish(_ identity: LogIdentity) async throws(KithError) {
      let script =
        "UPDATE kith.settings SET schema = \(PostgresSchema.version) WHERE id = '\(identity.id)'"
      do throws(PostgresFailure) {
        try await control.run(within: Self.creationTime) { connection, deadline throws(PostgresFailure) in
          try connection.runScript(script, by: deadline)
        }
      } catch {
        throw error.problem
      }
    }
  }
#endif
