#if Replication
  import Foundation
  import Kith
  import Testing

  @testable import KithCLI
  @testable import KithReplication

  /// The log in PostgreSQL against a server that the suite starts and removes.
  @Suite(.enabled(if: TrialCluster.isInstalled, "PostgreSQL 15 or newer, or Python, is not installed"))
  struct PostgresLogTests {
    private static let partitionSize = 16

    /// A new log on a server of its own.
    private func withLog(
      standbys: Bool = false, requiresQuorum: Bool? = nil,
      _ body: (PostgresLog, TrialCluster) async throws -> Void
    ) async throws {
      let cluster = try TrialCluster(count: standbys ? 3 : 1)
      defer { cluster.remove() }
      let log = try PostgresLog(url: cluster.url)
      try await log.create(
        requiresQuorum: requiresQuorum ?? standbys, partitionSize: Self.partitionSize,
        retention: .zero)
      try await body(log, cluster)
      await log.close()
    }

    /// What a call throws; nil if it returns.
    private func failure(_ call: () async throws -> Void) async -> KithError? {
      do { try await call() } catch { return error as? KithError }
      return nil
    }

    private func now() -> Timestamp { Timestamp(Int64(Date().timeIntervalSince1970 * 1_000)) }

    @Test("Records are dense, chained and in the order of their appends; partitions follow")
    func order() async throws {
      try await withLog { log, _ async throws in
        let identity = try await log.identity()
        let sessions = [LogID.random(), .random(), .random()]
        let count = 3 * Self.partitionSize
        for index in 0..<count {
          let payload = [UInt8](repeating: UInt8(index), count: 1 + index * 100)
          let position = try await log.append(
            payload, session: sessions[index % 3], serial: UInt64(index / 3 + 1), base: 0, hostTime: now())
          #expect(position == UInt64(index + 1))
        }
        var records: [LogRecord] = []
        while records.count < count {
          let next = try await log.read(after: UInt64(records.count), byteLimit: 5_000, timeout: .seconds(1))
          #expect(next.count == 1 || next.reduce(0) { $0 + $1.payload.count } <= 5_000)
          records += next
          try #require(!next.isEmpty)
        }
        var chain = LogChain.beginning(of: identity.id)
        var time: Timestamp = 0
        for (index, record) in records.enumerated() {
          #expect(record.position == UInt64(index + 1))
          #expect(record.session == sessions[index % 3] && record.serial == UInt64(index / 3 + 1))
          #expect(record.payload == [UInt8](repeating: UInt8(index), count: 1 + index * 100))
          #expect(record.at >= time)
          chain = LogChain.next(
            after: chain, session: record.session, serial: record.serial, at: record.at, payload: record.payload)
          #expect(record.chain == chain)
          time = record.at
        }
        #expect(try await log.confirmedPosition() == UInt64(count))
        #expect(try await log.read(after: UInt64(count), byteLimit: 1, timeout: .milliseconds(10)).isEmpty)
      }
    }

    @Test("A repeated append finds its record; one that comes after a later one is refused")
    func exactlyOnce() async throws {
      try await withLog { log, _ async throws in
        let session = LogID.random()
        #expect(try await log.append([1], session: session, serial: 1, base: 0, hostTime: now()) == 1)
        #expect(try await log.append([1], session: session, serial: 1, base: 0, hostTime: now()) == 1)
        #expect(try await log.append([2], session: session, serial: 2, base: 1, hostTime: now()) == 2)
        #expect(try await log.append([2], session: session, serial: 2, base: 1, hostTime: now()) == 2)
        let late = await failure {
          _ = try await log.append([1], session: session, serial: 1, base: 1, hostTime: now())
        }
        #expect(late?.code == "unavailable")
        // A late first attempt whose serial is not in the log, after a later one.
        #expect(try await log.append([4], session: session, serial: 4, base: 2, hostTime: now()) == 3)
        let stale = await failure {
          _ = try await log.append([3], session: session, serial: 3, base: 2, hostTime: now())
        }
        #expect(stale?.code == "unavailable")
        #expect(try await log.confirmedPosition() == 3)
      }
    }

    @Test("Hosts that append at once get positions without gap or doubling, and a waiting reader gets them")
    func concurrentHosts() async throws {
      try await withLog { log, cluster async throws in
        let (hosts, appends) = (4, 25)
        let url = cluster.url
        let reader = Task { () throws in
          var records: [LogRecord] = []
          while records.count < hosts * appends {
            records += try await log.read(after: UInt64(records.count), byteLimit: 1 << 20, timeout: .seconds(5))
          }
          return records
        }
        let positions = try await withThrowingTaskGroup(of: [LogPosition].self) { group in
          for _ in 0..<hosts {
            group.addTask {
              let own = try PostgresLog(url: url)
              let session = LogID.random()
              var positions: [LogPosition] = []
              for serial in 1...UInt64(appends) {
                let time = Timestamp(Int64(Date().timeIntervalSince1970 * 1_000))
                positions.append(
                  try await own.append(
                    [UInt8(serial)], session: session, serial: serial, base: positions.last ?? 0, hostTime: time))
              }
              await own.close()
              #expect(positions == positions.sorted())
              return positions
            }
          }
          return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(positions.sorted() == (1...UInt64(hosts * appends)).map { $0 })
        let records = try await reader.value
        #expect(records.map(\.position) == positions.sorted())
      }
    }

    @Test("A log without its first graph is refused until it is finished, and replaced by the next init")
    func unfinished() async throws {
      let directory = try TemporaryDirectory.make("cluster")
      defer { TemporaryDirectory.remove(directory) }
      let cluster = try TrialCluster(count: 1)
      defer { cluster.remove() }
      let log = try PostgresLog(url: cluster.url)
      try await log.create(requiresQuorum: false, isUnfinished: true)
      let first = try await log.identity(evenUnfinished: true)
      let refusal = await failure { _ = try await log.identity() }
      #expect(refusal == .unavailable(.unfinished))
      let replica = await failure {
        _ = try await ReplicatedGraph.open(
          log: cluster.url, directory: directory + "/replica", options: ReplicaOptions(name: "one"))
      }
      #expect(replica == .unavailable(.unfinished))
      try await log.create(requiresQuorum: false, isUnfinished: true)
      let second = try await log.identity(evenUnfinished: true)
      #expect(first.id != second.id)
      try await log.finish(first)
      #expect(await failure { _ = try await log.identity() } != nil, "that was another log")
      try await log.finish(second)
      #expect(try await log.identity().id == second.id)
      let again = await failure { try await log.create() }
      #expect(again?.description.contains("already") == true)
      await log.close()
    }

    @Test("A log of the version before is refused with what to do, and goes on after its tables are migrated")
    func migration() async throws {
      try await withLog { log, cluster async throws in
        let session = LogID.random()
        #expect(try await log.append([1], session: session, serial: 1, base: 0, hostTime: now()) == 1)
        let identity = try await log.identity()
        // The tables of version 2; a role that may use the log.
        let (deadline, text) = (ContinuousClock.now.advanced(by: .seconds(20)), cluster.url)
        try PostgresConnection(text, by: deadline) { false }.runScript(
          """
          DROP FUNCTION kith.votes(); DROP FUNCTION kith.await_quorum(); DROP TABLE kith.digest;
          ALTER TABLE kith.snapshot DROP COLUMN at;
          CREATE TABLE kith.digest (
            position bigint, kind int, value bigint NOT NULL, replica text NOT NULL, PRIMARY KEY (position, kind));
          INSERT INTO kith.digest VALUES (1, 1, 1, 'a');
          CREATE ROLE host LOGIN; GRANT USAGE ON SCHEMA kith TO host; UPDATE kith.settings SET schema = 2;
          """, by: deadline)
        let refusal = await failure { _ = try await log.identity() }
        #expect(refusal?.description.contains("kith replica migrate") == true)
        try await log.migrate()
        #expect(try await log.identity() == identity)
        #expect(try await log.votes().isEmpty)
        let host = try PostgresLog(url: cluster.url.replacing("user=kith", with: "user=host"))
        #expect(try await host.append([2], session: session, serial: 2, base: 1, hostTime: now()) == 2)
        #expect(try await host.read(after: 0, byteLimit: 1 << 20, timeout: .zero).map(\.payload) == [[1], [2]])
        let again = await failure { try await log.migrate() }
        #expect(again?.description.contains("version 3") == true)
        await host.close()
      }
    }

    @Test("Clocks that differ, a missing quorum, a missing log and a wrong URL have errors of their own")
    func refusals() async throws {
      try await withLog(requiresQuorum: true) { log, cluster async throws in
        let append = await failure {
          _ = try await log.append([1], session: .random(), serial: 1, base: 0, hostTime: now())
        }
        #expect(append == .unavailable(.quorumMissing))
        let position = await failure { _ = try await log.confirmedPosition() }
        #expect(position == .unavailable(.quorumMissing))
        let second = await failure { try await log.create() }
        #expect(second?.description.contains("already") == true)
        let other = try PostgresLog(url: cluster.url.replacing("dbname=postgres", with: "dbname=template1"))
        let missing = await failure { _ = try await other.identity() }
        #expect(missing == .unavailable(.missing))
        await other.close()
        let wrong = await failure { _ = try PostgresLog(url: "postgres://user:secret@[") }
        #expect(wrong?.code == "invalidRequest" && wrong?.description.contains("secret") == false)
      }
      try await withLog { log, _ async throws in
        let skewed = await failure {
          _ = try await log.append([1], session: .random(), serial: 1, base: 0, hostTime: 0)
        }
        guard case .unavailable(.clockSkew(let milliseconds)) = skewed else { throw skewed ?? .cancelled }
        #expect(milliseconds > 1_000_000)
      }
    }

    @Test("Reports, digests, snapshots and skips come back as they were given; trimming drops whole partitions")
    func shared() async throws {
      try await withLog { log, _ async throws in
        let report = ReplicaReport(name: "é'\"", session: .random(), applied: 7, outcomeChain: .max)
        #expect(try await log.report(report) == 0)
        #expect(try await log.report(report) == 0)
        var stored = try await log.reports()
        #expect(stored.count == 1 && stored[0].seen > 0)
        stored[0].seen = 0
        #expect(stored == [report], "there is no record that it could be behind of")
        try await log.forgetReplica(report.name)
        #expect(try await log.reports().isEmpty)

        let session = LogID.random()
        var votes: [LogDigest] = []
        for (position, replica, value) in [(4_096, "a", .max), (8_192, "a", 7), (4_096, "b", 1), (8_192, "b", 7)]
          as [(LogPosition, String, UInt64)]
        {
          votes.append(
            LogDigest(position: position, kind: .outcomes, value: value, replica: replica, session: session))
          try await log.vote(votes[votes.count - 1])
        }
        var contested = try await log.votes()
        #expect(contested.allSatisfy { $0.at > 0 })
        for index in contested.indices { contested[index].at = 0 }
        #expect(contested == [votes[0], votes[2]])

        var snapshot = LogSnapshot(
          position: 9, sequence: 8, chain: [1, 2], outcomeChain: 3, digest: 4, byteCount: 5, place: "p", writer: "a")
        try await log.recordSnapshot(snapshot)
        snapshot.verifiers = ["b", "c d"]
        try await log.recordSnapshot(snapshot)
        var snapshots = try await log.snapshots()
        #expect(snapshots.count == 1 && snapshots[0].at > 0)
        snapshots[0].at = 0
        #expect(snapshots == [snapshot])

        for serial in 1...40 as ClosedRange<UInt64> {
          _ = try await log.append([1], session: session, serial: serial, base: serial - 1, hostTime: now())
        }
        // What a replica has applied, and what is not there, is not passed over.
        var ahead = report
        ahead.applied = 7
        try await log.report(ahead)
        for position in [7, 41] as [LogPosition] {
          #expect(await failure { try await log.skip(position) }?.code == "unavailable")
        }
        #expect(await failure { try await log.skip(7) }?.description.contains(report.name) == true)
        try await log.skip(9)
        try await log.skip(8)
        #expect(try await log.skippedPositions() == [8, 9])
        #expect(try await log.reports()[0].behindSince > 0)
        try await log.forgetReplica(report.name)

        try await log.trim(through: 30)
        #expect(try await log.read(after: 0, byteLimit: 1, timeout: .zero).map(\.position) == [16])
        try await log.trim(through: 1_000)
        #expect(try await log.read(after: 0, byteLimit: 1, timeout: .zero).map(\.position) == [32])
        #expect(try await log.append([1], session: session, serial: 41, base: 40, hostTime: now()) == 41)
        let trimmed = await failure {
          _ = try await log.append([1], session: session, serial: 42, base: 1, hostTime: now())
        }
        #expect(trimmed?.code == "unavailable")
      }
    }

    @Test("All replicas hear of contested digests; parts of snapshots come back, and go with their snapshot")
    func dissentsAndParts() async throws {
      try await withLog { log, _ async throws in
        let report = ReplicaReport(name: "a", session: .random(), applied: 7, outcomeChain: 1)
        // A replica that differs in two sessions has the newer digest contested, until it is forgotten.
        let session = LogID.random()
        for (position, id) in [(4_096, session), (4_096, session), (8_192, .random())] as [(LogPosition, LogID)] {
          #expect(try await log.report(report) == 0)
          try await log.dissent(
            LogDigest(position: position, kind: .state, value: 1, replica: report.name, session: id))
        }
        #expect(try await log.report(report) == 8_192)
        try await log.forgetReplica(report.name)
        #expect(try await log.report(report) == 0)

        let part = [UInt8](repeating: 7, count: SnapshotExchange.partByteCount)
        for index in [0, 1, 1] { try await log.storeSnapshotPart(part, of: "log/p", at: index) }
        #expect(try await log.snapshotPart(of: "log/p", at: 1) == part)
        #expect(try await log.snapshotPart(of: "log/p", at: 2) == nil)
        // A new beginning removes the rest of an attempt that failed.
        try await log.storeSnapshotPart([1], of: "log/p", at: 0)
        #expect(try await log.snapshotPart(of: "log/p", at: 0) == [1])
        #expect(try await log.snapshotPart(of: "log/p", at: 1) == nil)
        for (position, place) in [(0, "log/begin"), (5, "log/p")] as [(LogPosition, String)] {
          try await log.recordSnapshot(
            LogSnapshot(
              position: position, sequence: 8, chain: [1], outcomeChain: 3, digest: 4, byteCount: 1, place: place,
              writer: "a"))
          try await log.removeSnapshot(place)
        }
        #expect(try await log.snapshots().map(\.position) == [0])
        #expect(try await log.snapshotPart(of: "log/p", at: 0) == nil)
      }
    }

    @Test("Records up to an append of its own are read without a quorum; for others a reader waits for one")
    func readingOwn() async throws {
      try await withLog(standbys: true) { log, cluster async throws in
        let other = try PostgresLog(url: cluster.url)
        let session = LogID.random()
        for serial in 1...3 as ClosedRange<UInt64> {
          _ = try await log.append([1], session: session, serial: serial, base: 0, hostTime: now())
        }
        #expect(try await other.append([2], session: .random(), serial: 1, base: 0, hostTime: now()) == 4)
        for node in cluster.nodes where node != cluster.primary { try cluster.kill(node) }
        let records = try await log.read(after: 0, byteLimit: 1 << 20, timeout: .zero)
        #expect(records.map(\.position) == [1, 2, 3])
        #expect(try await other.read(after: 0, byteLimit: 1 << 20, timeout: .zero).count == 4)
        let beyond = await failure { _ = try await log.read(after: 3, byteLimit: 1 << 20, timeout: .zero) }
        #expect(beyond?.code == "unavailable")
        await other.close()
      }
    }

    @Test("A reader whose newest append was trimmed sees that records are missing")
    func readingAfterTrim() async throws {
      try await withLog { log, cluster async throws in
        let other = try PostgresLog(url: cluster.url)
        let session = LogID.random()
        for serial in 1...10 as ClosedRange<UInt64> {
          _ = try await log.append([1], session: session, serial: serial, base: 0, hostTime: now())
        }
        for serial in 1...30 as ClosedRange<UInt64> {
          _ = try await other.append([2], session: session, serial: 10 + serial, base: 0, hostTime: now())
        }
        try await other.trim(through: 40)
        #expect(try await log.read(after: 3, byteLimit: 1, timeout: .zero).map(\.position) == [32])
        await other.close()
      }
    }

    @Test("After the primary's end and a promotion everything acknowledged is there, and appends go on")
    func failover() async throws {
      try await withLog(standbys: true) { log, cluster async throws in
        let session = LogID.random()
        for serial in 1...20 as ClosedRange<UInt64> {
          #expect(
            try await log.append([UInt8(serial)], session: session, serial: serial, base: 0, hostTime: now()) == serial)
        }
        try cluster.kill(cluster.primary)
        let lost = await failure {
          _ = try await log.append([21], session: session, serial: 21, base: 20, hostTime: now())
        }
        #expect(["unavailable", "inDoubt"].contains(lost?.code))
        try cluster.promote()
        var position: LogPosition?
        for _ in 0..<20 where position == nil {
          position = try? await log.append([21], session: session, serial: 21, base: 20, hostTime: now())
        }
        #expect(position == 21)
        let records = try await log.read(after: 0, byteLimit: 1 << 20, timeout: .seconds(5))
        #expect(records.map(\.payload) == (1...21).map { [UInt8($0)] })
      }
    }
  }
#endif
