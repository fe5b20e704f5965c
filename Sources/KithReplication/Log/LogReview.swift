import Kith

/// What a log knows at one moment, and what of it an operator should know.
package struct LogReview: Sendable {
  package let health: LogHealth
  package let reports: [ReplicaReport]
  package let snapshots: [LogSnapshot]
  package let dissents: [LogDissent]

  package init(
    health: LogHealth, reports: [ReplicaReport], snapshots: [LogSnapshot], dissents: [LogDissent]
  ) {
    self.health = health
    self.reports = reports
    self.snapshots = snapshots
    self.dissents = dissents
  }

  /// Asks a log. Needs no quorum.
  package init(of log: any ReplicationLog) async throws(KithError) {
    self.init(
      health: try await log.health(), reports: try await log.reports(), snapshots: try await log.snapshots(),
      dissents: try await log.dissents())
  }

  /// How long standbys may take for what the server has written.
  package static let flushSeconds = 2
  private static let lagSeconds = 5
  private static let awaySeconds = 10
  /// How long another replica may take to check a snapshot: this, and a second for so many bytes.
  private static let checkSeconds = 10
  private static let checkedBytesPerSecond: Int64 = 10_000_000
  /// For which part of the retention, and at most how long, records may stay beyond it.
  private static let trimPart = 24
  private static let trimSeconds = 10...3_600

  /// What is wrong.
  /// - Parameter earlier: what the log said `flushSeconds` before, or earlier; nil if it was not asked.
  package func troubles(since earlier: LogHealth? = nil) -> [ReplicaTrouble] {
    var found: [ReplicaTrouble] = []
    if !health.problem.isEmpty { found.append(ReplicaTrouble(kind: .unsafeServer, reason: health.problem)) }
    if let reason = quorumProblem(since: earlier) {
      found.append(ReplicaTrouble(kind: .noQuorum, reason: reason))
    }
    for dissent in dissents {
      found.append(
        ReplicaTrouble(
          kind: .diverged, replica: dissent.replica,
          reason: "it differed from the others at record \(dissent.position), \(seconds(since: dissent.at)) s ago"))
    }
    found += reports.compactMap { trouble(of: $0) } + snapshots.compactMap { trouble(of: $0) }
    if let reason = trimProblem { found.append(ReplicaTrouble(kind: .nothingTrimmed, reason: reason)) }
    return found
  }

  /// How many seconds a replica is behind the log; 0 if it has applied all.
  package func lag(of report: ReplicaReport) -> Int {
    report.behindSince == 0 ? 0 : seconds(since: report.behindSince)
  }

  /// How many seconds ago something was, by the log's clock.
  package func seconds(since time: Timestamp) -> Int { Int(max(0, health.clock.rawValue - time.rawValue) / 1_000) }

  private func quorumProblem(since earlier: LogHealth?) -> String? {
    guard health.isQuorumDemanded else { return nil }
    if health.standbyNames.isEmpty { return "synchronous_standby_names is empty, so a change would be on one server" }
    let names = "synchronous_standby_names = \(health.standbyNames)"
    if health.connectedStandbys < health.neededStandbys {
      return "of \(names) only \(health.connectedStandbys) of \(health.neededStandbys) are connected"
    }
    guard let earlier, health.flushed < earlier.written else { return nil }
    return "the standbys of \(names) have written nothing for \(seconds(since: earlier.clock)) s"
  }

  private func trouble(of report: ReplicaReport) -> ReplicaTrouble? {
    let age = seconds(since: report.seen)
    if age > Self.awaySeconds {
      return ReplicaTrouble(kind: .away, replica: report.name, reason: "it was last seen \(age) s ago")
    }
    let lag = lag(of: report)
    guard lag > Self.lagSeconds else { return nil }
    return ReplicaTrouble(
      kind: .lagging, replica: report.name,
      reason: "it has applied the log up to record \(report.applied) of \(health.newest), \(lag) s behind")
  }

  /// The newest snapshot alone counts: older ones go with time.
  private func trouble(of snapshot: LogSnapshot) -> ReplicaTrouble? {
    let others = reports.filter { $0.name != snapshot.writer && seconds(since: $0.seen) <= Self.awaySeconds }
    let patience = Self.checkSeconds + Int(snapshot.byteCount / Self.checkedBytesPerSecond)
    guard snapshot == snapshots.first, snapshot.position > 0, snapshot.verifiers.isEmpty, !others.isEmpty,
      seconds(since: snapshot.at) > patience
    else { return nil }
    return ReplicaTrouble(
      kind: .snapshots, replica: snapshot.writer,
      reason: "no other replica has checked its snapshot \(snapshot.place) for \(seconds(since: snapshot.at)) s")
  }

  private var trimProblem: String? {
    let allowed = Int(health.retention / .seconds(1)) / Self.trimPart
    let bounds = Self.trimSeconds
    guard health.dueSince > 0,
      seconds(since: health.dueSince) > min(max(allowed, bounds.lowerBound), bounds.upperBound)
    else { return nil }
    let beyond = snapshots.filter { !$0.verifiers.isEmpty && $0.position > health.first }
    if Set(beyond.map(\.position)).count < 2 {
      return "records from \(health.first) on could go, but only \(beyond.count) checked snapshots are beyond them; "
        + "two are needed"
    }
    if let slow = reports.live.min(by: { $0.applied < $1.applied }), slow.applied <= health.first {
      return "records from \(health.first) on could go, but replica \(slow.name) has not applied them"
    }
    return "records from \(health.first) on could go; run kith replica trim"
  }
}
