import Kith

/// Whether the replicas of a log find each other's snapshots: each leaves a sign in its directories, with its session,
/// and looks for those of the others where all are to share one.
struct SharedPlace: Sendable {
  /// What was seen of the sessions of others.
  struct Seen: Sendable {
    fileprivate var sharing: Set<SessionID> = []
    fileprivate var missingSince: [SessionID: ContinuousClock.Instant] = [:]
  }

  let directory: String
  let log: StoreID
  let name: String
  /// How long another replica may take to leave its sign.
  private static let patience = Duration.seconds(5)

  /// A replica's name as a part of the names of files.
  static func fileName(of replica: String) -> String {
    Array(SHA256.hash(Array(replica.utf8)).prefix(16)).hexadecimal
  }

  /// The first replica that runs and does not share the directory; nil if there is none.
  func problem(_ reports: [ReplicaReport], clock: Timestamp, _ seen: inout Seen) -> ReplicaTrouble? {
    let sessions = Set(reports.map(\.session))
    seen.sharing.formIntersection(sessions)
    seen.missingSince = seen.missingSince.filter { sessions.contains($0.key) }
    var stranger: ReplicaReport?
    for report in reports where report.name != name && report.isRecent(at: clock) {
      if seen.sharing.contains(report.session) { continue }
      if ReplicaSnapshot.sign(of: Self.fileName(of: report.name), for: log, in: directory) == report.session.bytes {
        seen.sharing.insert(report.session)
        continue
      }
      let since = seen.missingSince[report.session] ?? .now
      seen.missingSince[report.session] = since
      if stranger == nil, ContinuousClock.now - since > Self.patience { stranger = report }
    }
    return stranger.map { report in
      ReplicaTrouble(
        kind: .snapshots, replica: report.name,
        reason: "it does not keep snapshots in \(directory), or this host may not read them there: give all hosts one "
          + "directory and one user")
    }
  }
}
