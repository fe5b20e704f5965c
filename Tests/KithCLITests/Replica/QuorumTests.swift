#if Replication
  import Foundation
  import Kith
  import Testing

  @testable import KithCLI
  @testable import KithReplication

  /// No change is acknowledged that no quorum has, whatever the settings of the server, the database, the role and the
  /// URL are.
  @Suite(.serialized, .enabled(if: TrialCluster.isInstalled, "PostgreSQL 15 or newer, or Python, is not installed"))
  struct QuorumTests {
    /// Settings by which a session could be told nothing, or wait for nothing.
    private static let weak = [
      "client_min_messages = error", "synchronous_commit = off", "synchronous_commit = remote_write",
      "statement_timeout = 300", "default_transaction_isolation = serializable",
    ]
    private static let names = "ANY 1 (n2, n3)"

    /// Runs statements one by one, as the superuser, on the primary.
    private func sql(_ cluster: TrialCluster, _ statements: String..., url: String? = nil) throws {
      let deadline = ContinuousClock.now.advanced(by: .seconds(20))
      let address = try #require(PostgresAddress(try PostgresConnection.options(of: url ?? cluster.url)))
      let text = address.connectionText(to: address.servers[0], application: "test")
      let connection = try PostgresConnection(text, by: deadline) { false }
      for statement in statements { try connection.runScript(statement, by: deadline) }
    }

    private func now() -> Timestamp { Timestamp(Int64(Date().timeIntervalSince1970 * 1_000)) }

    /// Appends while no standby answers, and does something to the waiting append.
    /// - Returns: what the append throws; nil if it is acknowledged.
    private func append(
      to log: PostgresLog, serial: UInt64, _ cluster: TrialCluster, meanwhile: String...
    ) async throws -> KithError? {
      for node in ["n2", "n3"] { try cluster.signal(node, "STOP") }
      let time = now()
      let attempt = Task { () -> KithError? in
        do throws(KithError) {
          _ = try await log.append([1], session: .random(), serial: serial, base: 0, hostTime: time)
          return nil
        } catch {
          return error
        }
      }
      let observer = try PostgresLog(url: cluster.url)
      for _ in 0..<1_000 where try await observer.waitingCount() == 0 { try await Task.sleep(for: .milliseconds(20)) }
      await observer.close()
      for statement in meanwhile { try sql(cluster, statement) }
      let failure = await attempt.value
      for node in ["n2", "n3"] { try cluster.signal(node, "CONT") }
      return failure
    }

    /// What `pg_cancel_backend` does, and what a failover manager does to the primary's names.
    private static let cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

    private func withLog(_ body: (PostgresLog, TrialCluster) async throws -> Void) async throws {
      let cluster = try TrialCluster(count: 3)
      defer { cluster.remove() }
      try sql(
        cluster, "ALTER SYSTEM SET wal_sender_timeout = 0", "SELECT pg_reload_conf()", "CREATE ROLE host LOGIN")
      let log = try PostgresLog(url: cluster.url)
      try await log.create(role: "host")
      try await body(log, cluster)
      await log.close()
    }

    @Test("A cancelled wait is no acknowledgement, whatever a role, the database or the URL says")
    func cancelledWaits() async throws {
      try await withLog { log, cluster async throws in
        for (index, setting) in Self.weak.enumerated() {
          let owner = ["ROLE host", "DATABASE postgres"][index % 2]
          try sql(cluster, "ALTER \(owner) SET \(setting)")
          let parts = setting.split(separator: " ")
          let url = cluster.url.replacing("user=kith", with: "user=host options='-c \(parts[0])=\(parts[2])'")
          let host = try PostgresLog(url: url)
          let failure = try await append(to: host, serial: 1, cluster, meanwhile: Self.cancel)
          #expect(failure?.code == "inDoubt", "\(setting): \(String(describing: failure))")
          try sql(cluster, "ALTER \(owner) RESET ALL")
          await host.close()
        }
        // With the standbys back, all that was in doubt is there and is confirmed.
        #expect(try await log.confirmedPosition() == UInt64(Self.weak.count))
      }
    }

    @Test("Names that are emptied while a change waits, even for a moment, acknowledge nothing")
    func emptiedNames() async throws {
      try await withLog { log, cluster async throws in
        let (empty, reload) = ("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")
        let again = "ALTER SYSTEM SET synchronous_standby_names = '\(Self.names)'"
        let emptied = try await append(to: log, serial: 1, cluster, meanwhile: empty, reload)
        #expect(emptied?.code == "inDoubt")
        let later = await #expect(throws: KithError.self) { try await log.confirmedPosition() }
        #expect(later == .unavailable(.quorumMissing))
        try sql(cluster, again, reload)
        // Each process of the server reads its settings when it comes to it.
        var confirmed: LogPosition?
        for _ in 0..<500 where confirmed == nil {
          confirmed = try? await log.confirmedPosition()
          if confirmed == nil { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(confirmed == 1)
        let restored = try await append(
          to: log, serial: 2, cluster, meanwhile: empty, reload, "SELECT pg_sleep(0.1)", again, reload)
        #expect(restored?.code == "inDoubt")
        // A log that demands no quorum by itself: a server that has one is held to it.
        try sql(cluster, "UPDATE kith.settings SET requires_quorum = false")
        let free = try await append(to: log, serial: 3, cluster, meanwhile: empty, reload)
        #expect(free?.code == "inDoubt", "\(String(describing: free))")
        let repeated = await #expect(throws: KithError.self) { try await log.confirmedPosition() }
        #expect(repeated == .unavailable(.quorumMissing))
      }
    }

    @Test("Rows that are visible and on one server only are not read")
    func phantoms() async throws {
      try await withLog { log, cluster async throws in
        _ = try await log.append([1], session: .random(), serial: 1, base: 0, hostTime: now())
        for node in ["n2", "n3"] { try cluster.signal(node, "STOP") }
        try sql(
          cluster,
          "SET synchronous_commit = local; INSERT INTO kith.record SELECT 2, at, session, 2, chain, payload"
            + " FROM kith.record WHERE position = 1")
        let reader = try PostgresLog(url: cluster.url)
        let unseen = await #expect(throws: KithError.self) {
          try await reader.read(after: 0, byteLimit: 1 << 20, timeout: .zero)
        }
        #expect(unseen?.code == "unavailable" && unseen?.description.contains("synchronous_standby_names") == true)
        for node in ["n2", "n3"] { try cluster.signal(node, "CONT") }
        #expect(try await reader.read(after: 0, byteLimit: 1 << 20, timeout: .zero).count == 2)
        await reader.close()
      }
    }

    @Test("A server whose settings can lose what it acknowledged is refused, and the setting named")
    func unsafeSettings() async throws {
      try await withLog { log, cluster async throws in
        let plain = try PostgresLog(url: cluster.url)
        for setting in ["fsync", "full_page_writes"] {
          try sql(cluster, "ALTER SYSTEM SET \(setting) = off", "SELECT pg_reload_conf()")
          try await Task.sleep(for: .milliseconds(300))
          let refusal = await #expect(throws: KithError.self) {
            try await log.append([1], session: .random(), serial: 1, base: 0, hostTime: now())
          }
          #expect(refusal?.code == "unavailable" && refusal?.description.contains("\(setting) = off") == true)
          let troubles = try await LogReview(of: plain).troubles()
          #expect(troubles.first?.kind == .unsafeServer && troubles.first?.reason.contains(setting) == true)
          try sql(cluster, "ALTER SYSTEM RESET \(setting)", "SELECT pg_reload_conf()")
          try await Task.sleep(for: .milliseconds(300))
        }
        // An owner that may not see what the standbys have cannot promise anything.
        try sql(
          cluster, "CREATE ROLE plain LOGIN", "CREATE DATABASE other OWNER plain")
        let other = try PostgresLog(
          url: cluster.url.replacing("dbname=postgres", with: "dbname=other").replacing("user=kith", with: "user=plain")
        )
        let refusal = await #expect(throws: KithError.self) { try await other.create() }
        #expect(refusal?.description.contains("GRANT pg_read_all_stats TO plain") == true)
        try sql(cluster, "GRANT pg_read_all_stats TO plain")
        try await other.create()
        #expect(try await other.append([1], session: .random(), serial: 1, base: 0, hostTime: now()) == 1)
        await other.close()
        await plain.close()
      }
    }

    @Test("A link that gives up a session that waits ends it when it comes back, so sessions do not pile up")
    func sessions() async throws {
      try await withLog { log, cluster async throws in
        for node in ["n2", "n3"] { try cluster.signal(node, "STOP") }
        for serial in 1...3 as ClosedRange<UInt64> {
          let failure = await #expect(throws: KithError.self) {
            try await log.append([1], session: .random(), serial: serial, base: 0, hostTime: now())
          }
          #expect(failure?.code == "inDoubt")
        }
        #expect(try await log.waitingCount() <= 1)
        for node in ["n2", "n3"] { try cluster.signal(node, "CONT") }
        // A standby that was away for long has been disconnected, and connects again.
        var position: LogPosition?
        for _ in 0..<300 where position == nil {
          position = try? await log.confirmedPosition()
          if position == nil { try await Task.sleep(for: .milliseconds(200)) }
        }
        #expect(position == 3)
      }
    }
  }

  extension PostgresLog {
    /// How many sessions wait for standbys.
    fileprivate func waitingCount() async throws(KithError) -> UInt64 {
      try await call(control) { connection, deadline throws(PostgresFailure) in
        let statement = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        var row = PostgresRow(try connection.run(statement, by: deadline))
        return row.unsigned()
      }
    }
  }
#endif
