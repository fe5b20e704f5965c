import Foundation
import Kith
import KithReplication

/// `kith replica status`: the replicas and snapshots that the log knows, and what is wrong.
enum ReplicaReportText {
  private struct State: Sendable {
    let identity: LogIdentity
    let review: LogReview
    let skipped: [LogPosition]
    let troubles: [ReplicaTrouble]

    /// Asks the log, and again a moment later if the standbys lack something, and each of its servers.
    init(of log: any ReplicationLog) async throws(KithError) {
      identity = try await log.identity()
      skipped = try await log.skippedPositions()
      let first = try await LogReview(of: log)
      var last = first
      if first.health.flushed < first.health.written {
        try? await Task.sleep(for: .seconds(LogReview.flushSeconds))
        last = try await LogReview(of: log)
      }
      review = last
      troubles = last.troubles(since: first.health) + (await log.serverTroubles())
    }
  }

  /// How a monitor reads the exit code.
  private enum Verdict: Int32 {
    case good = 0
    case warning = 1
    case critical = 2

    init(_ troubles: [ReplicaTrouble]) {
      self = troubles.isEmpty ? .good : troubles.contains(where: \.kind.isCritical) ? .critical : .warning
    }
  }

  static func write(_ url: String, asJSON: Bool) throws(CommandFailure) {
    let state = try ReplicaAccess.withLog(url) { (log) async throws(KithError) in try await State(of: log) }
    if asJSON {
      try Console.writeJSON { write(state, to: &$0) }
    } else {
      try Console.write(text(state))
    }
  }

  /// Writes what is wrong, a line each.
  /// - Returns: 0 if nothing is, 1 if it can wait, 2 if changes are not taken or answers may be wrong.
  static func check(_ url: String, asJSON: Bool) throws(CommandFailure) -> Int32 {
    var troubles: [ReplicaTrouble]
    do throws(CommandFailure) {
      troubles = try ReplicaAccess.withLog(url) { (log) async throws(KithError) in try await State(of: log).troubles }
    } catch {
      troubles = [ReplicaTrouble(kind: .noLog, reason: error.message)]
    }
    let verdict = Verdict(troubles)
    if asJSON {
      try Console.writeJSON { writer in
        writer.member("level", verdict.rawValue)
        writer.objects("troubles", troubles) { $1.write(to: &$0) }
      }
    } else {
      try Console.write(troubles.isEmpty ? "ok\n" : troubles.map(line).joined())
    }
    return verdict.rawValue
  }

  private static func line(_ trouble: ReplicaTrouble) -> String {
    let about = trouble.replica.map { " \($0)" } ?? ""
    return "\(trouble.kind.isCritical ? "critical" : "warning") \(trouble.kind.rawValue)\(about): \(trouble.reason)\n"
  }

  private static func text(_ state: State) -> String {
    let (review, health) = (state.review, state.review.health)
    var text = "log \(state.identity.id), newest record \(grouped(Int(health.newest)))"
    if health.first > 0 { text += ", oldest \(grouped(Int(health.first)))" }
    text += "\n"
    if health.isQuorumDemanded {
      text +=
        "standbys \(health.standbyNames): \(health.connectedStandbys) connected, \(health.neededStandbys) needed\n"
    }
    var replicas = Table([.left, .right, .right, .right, .right])
    replicas.addHeading("replica", "applied", "behind", "for", "seen")
    for replica in review.reports {
      replicas.add(
        replica.name, grouped(Int(replica.applied)),
        grouped(Int(health.newest - min(replica.applied, health.newest))), "\(review.lag(of: replica)) s",
        "\(review.seconds(since: replica.seen)) s ago")
    }
    text += "\n" + replicas.text() + "\n"
    var snapshots = Table([.whole, .right, .right, .left])
    snapshots.addHeading("snapshot", "position", "bytes", "checked by")
    for snapshot in review.snapshots {
      snapshots.add(
        snapshot.place, grouped(Int(snapshot.position)), grouped(Int(snapshot.byteCount)),
        snapshot.verifiers.joined(separator: ", "))
    }
    text += snapshots.text()
    if !state.skipped.isEmpty {
      text += "\npassed over: \(state.skipped.map(String.init).joined(separator: ", "))\n"
    }
    return text + (state.troubles.isEmpty ? "" : "\n" + state.troubles.map(line).joined())
  }

  private static func write(_ state: State, to writer: inout JSONWriter) {
    let (review, health) = (state.review, state.review.health)
    writer.member("log", state.identity.id.description)
    writer.member("newest", health.newest)
    writer.member("oldest", health.first)
    writer.object("quorum") { writer in
      writer.member("demanded", health.isQuorumDemanded)
      writer.member("names", health.standbyNames)
      writer.member("needed", health.neededStandbys)
      writer.member("connected", health.connectedStandbys)
      writer.member("missingBytes", health.written - min(health.flushed, health.written))
    }
    writer.objects("replicas", review.reports) { writer, replica in
      writer.member("name", replica.name)
      writer.member("applied", replica.applied)
      writer.member("lagSeconds", review.lag(of: replica))
      writer.member("seconds", review.seconds(since: replica.seen))
      writer.member("rules", replica.rules)
    }
    writer.objects("snapshots", review.snapshots) { writer, snapshot in
      writer.member("place", snapshot.place)
      writer.member("position", snapshot.position)
      writer.member("bytes", snapshot.byteCount)
      writer.member("digest", snapshot.digest.hexadecimal)
      writer.member("writer", snapshot.writer)
      writer.strings("verifiers", snapshot.verifiers)
    }
    writer.array("skipped", state.skipped.map { Int($0) }) { $0.integer($1) }
    writer.objects("troubles", state.troubles) { $1.write(to: &$0) }
  }
}

extension ReplicaEvent {
  /// The members of a line of `kith replica run`.
  func write(to writer: inout JSONWriter) {
    writer.member("at", Int64(Date().timeIntervalSince1970 * 1_000))
    func event(_ name: String, position: UInt64? = nil, path: String? = nil, reason: String? = nil) {
      writer.member("event", name)
      if let position { writer.member("position", position) }
      if let path { writer.member("path", path) }
      if let reason { writer.member("reason", reason) }
    }
    switch self {
    case .connected(let server): event("connected", reason: server)
    case .disconnected(let reason): event("disconnected", reason: reason)
    case .caughtUp(let position): event("caughtUp", position: position)
    case .snapshotWritten(let position, let path): event("snapshotWritten", position: position, path: path)
    case .snapshotFailed(let reason): event("snapshotFailed", reason: reason)
    case .snapshotTaken(let position, let path): event("snapshotTaken", position: position, path: path)
    case .snapshotRefused(let path, let reason): event("snapshotRefused", path: path, reason: reason)
    case .snapshotVerified(let position, let path): event("snapshotVerified", position: position, path: path)
    case .trimmed(let position): event("trimmed", position: position)
    case .stopped(let position, let reason): event("stopped", position: position, reason: reason)
    case .upgraded(let rules, let position): event("upgraded", position: position, reason: "rules \(rules)")
    case .contested(let position): event("contested", position: position)
    case .trouble(let trouble):
      event("trouble")
      trouble.write(to: &writer)
    case .resolved(let trouble):
      event("resolved")
      trouble.write(to: &writer)
    case .diverged(let position, let reason): event("diverged", position: position, reason: reason)
    }
  }
}

extension ReplicaTrouble {
  func write(to writer: inout JSONWriter) {
    writer.member("kind", kind.rawValue)
    if let replica { writer.member("replica", replica) }
    writer.member("reason", reason)
  }
}
