import Foundation
import Kith
import KithReplication

/// `kith replica status`: the replicas and snapshots that the log knows.
enum ReplicaReportText {
  private struct State: Sendable {
    let identity: LogIdentity
    let newest: LogPosition
    let replicas: [ReplicaReport]
    let snapshots: [LogSnapshot]
    let skipped: [LogPosition]
  }

  static func write(_ url: String, asJSON: Bool) throws(CommandFailure) {
    let state = try ReplicaAccess.withLog(url) { (log) async throws(KithError) in
      State(
        identity: try await log.identity(), newest: try await log.confirmedPosition(),
        replicas: try await log.reports(), snapshots: try await log.snapshots(),
        skipped: try await log.skippedPositions())
    }
    let now = Timestamp(Int64(Date().timeIntervalSince1970 * 1_000))
    if asJSON {
      try Console.writeJSON { write(state, now, to: &$0) }
    } else {
      try Console.write(text(state, now))
    }
  }

  private static func age(_ report: ReplicaReport, _ now: Timestamp) -> Int64 {
    (now.rawValue - min(max(0, report.seen.rawValue), now.rawValue)) / 1_000
  }

  private static func text(_ state: State, _ now: Timestamp) -> String {
    var text = "log \(state.identity.id), newest record \(grouped(Int(state.newest)))\n\n"
    var replicas = Table([.left, .right, .right, .right])
    replicas.addHeading("replica", "applied", "behind", "seen")
    for replica in state.replicas {
      replicas.add(
        replica.name, grouped(Int(replica.applied)),
        grouped(Int(state.newest - min(replica.applied, state.newest))), "\(age(replica, now)) s ago")
    }
    text += replicas.text() + "\n"
    var snapshots = Table([.whole, .right, .right, .left])
    snapshots.addHeading("snapshot", "position", "bytes", "checked by")
    for snapshot in state.snapshots {
      snapshots.add(
        snapshot.place, grouped(Int(snapshot.position)), grouped(Int(snapshot.byteCount)),
        snapshot.verifiers.joined(separator: ", "))
    }
    text += snapshots.text()
    if !state.skipped.isEmpty {
      text += "\npassed over: \(state.skipped.map(String.init).joined(separator: ", "))\n"
    }
    return text
  }

  private static func write(_ state: State, _ now: Timestamp, to writer: inout JSONWriter) {
    writer.member("log", state.identity.id.description)
    writer.member("newest", state.newest)
    writer.objects("replicas", state.replicas) { writer, replica in
      writer.member("name", replica.name)
      writer.member("applied", replica.applied)
      writer.member("seconds", age(replica, now))
    }
    writer.objects("snapshots", state.snapshots) { writer, snapshot in
      writer.member("place", snapshot.place)
      writer.member("position", snapshot.position)
      writer.member("bytes", snapshot.byteCount)
      writer.member("digest", snapshot.digest.hexadecimal)
      writer.strings("verifiers", snapshot.verifiers)
    }
    writer.array("skipped", state.skipped.map { Int($0) }) { $0.integer($1) }
  }
}

extension ReplicaEvent {
  /// The members of a line of `kith replica run`.
  func write(to writer: inout JSONWriter) {
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
    case .diverged(let position, let reason): event("diverged", position: position, reason: reason)
    }
  }
}
