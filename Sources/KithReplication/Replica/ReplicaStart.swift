import Kith

/// How a replica begins: from the newest snapshot whose history the log has, or before the first record. While the log
/// cannot be reached, from the newest snapshot that it finds.
struct ReplicaStart: Sendable {
  let log: any ReplicationLog
  let directory: String?
  let options: ReplicaOptions
  let events: ReplicaEvents

  struct Beginning: Sendable {
    let graph: SocialGraph
    let place: LogPlace
    var tokens = LoggedTokens()
    /// Whether it comes from a snapshot.
    let isRestored: Bool
    /// Why the log could not be asked whether it has the history of the snapshot; nil if it has.
    var failure: KithError?
  }

  /// - Throws: `unavailable`; `noStore` if neither a snapshot nor the log leads to a state; `unsupportedVersion`.
  func begin() async throws(KithError) -> Beginning {
    let identity: LogIdentity
    do throws(KithError) {
      identity = try await log.identity()
    } catch {
      guard case .unavailable(.unreachable) = error, var beginning = try await beginAlone() else { throw error }
      beginning.failure = error
      return beginning
    }
    try Self.check(identity, options)
    if let directory { try ReplicaSnapshot.makeDirectory(directory) }
    for candidate in try await candidates(of: identity.id.storeID, inLog: options.snapshots == .log) {
      if let beginning = try await restore(candidate, isProven: true) { return beginning }
    }
    return try await beginEmpty(identity)
  }

  /// - Throws: `unsupportedVersion` for a log that this release cannot read.
  static func check(_ identity: LogIdentity, _ options: ReplicaOptions) throws(KithError) {
    guard identity.format <= LogIdentity.format, identity.rules <= options.knownRules else {
      throw .unsupportedVersion(
        found: "log \(identity.format), rules \(identity.rules)",
        readable: "up to \(LogIdentity.format), rules \(options.knownRules)")
    }
  }

  /// Begins with the newest snapshot of the log that this replica had before; nil if there is none.
  private func beginAlone() async throws(KithError) -> Beginning? {
    let host = SharedPlace.fileName(of: options.name)
    for directory in directories {
      guard let text = try ReplicaSnapshot.signedLogs(by: host, in: directory).only, let log = LogID(text) else {
        continue
      }
      for candidate in try await candidates(of: log.storeID, inLog: false) {
        if let beginning = try await restore(candidate, isProven: false) { return beginning }
      }
      return nil
    }
    return nil
  }

  /// Leaves the signs by which others find that they share a directory, and by which this replica finds its snapshots
  /// while the log is away.
  func leaveSigns(_ session: SessionID, for log: StoreID) throws(KithError) {
    let host = SharedPlace.fileName(of: options.name)
    for directory in directories {
      try ReplicaSnapshot.leaveSign(of: host, session.bytes, for: log, in: directory)
    }
  }

  /// Where snapshots are files: the replica's own directory, then the one that all share.
  private var directories: [String] {
    var directories = directory.map { [$0] } ?? []
    if case .directory(let path) = options.snapshots { directories.append(path) }
    return directories
  }

  /// A snapshot that this host can read: a file, or one that the log holds and that becomes a file.
  private struct Candidate {
    let name: String
    var directory: String?
    var inLog: LogSnapshot?
  }

  /// The snapshots that this host can read, the newest first; of the same one, a file first.
  private func candidates(of log: StoreID, inLog: Bool) async throws(KithError) -> [Candidate] {
    var found: [Candidate] = []
    for directory in directories {
      for name in try ReplicaSnapshot.names(in: directory, of: log) {
        found.append(Candidate(name: name, directory: directory))
      }
    }
    if inLog {
      for snapshot in try await exchange.shared() where !found.contains(where: { $0.name == snapshot.name }) {
        found.append(Candidate(name: snapshot.name, inLog: snapshot))
      }
    }
    return found.sorted { $0.name > $1.name }
  }

  private var exchange: SnapshotExchange {
    SnapshotExchange(
      log: log, place: options.snapshots, directory: directory, queue: WorkQueue())
  }

  /// Restores a snapshot; nil if it is damaged, or if the log has another history or no longer continues it.
  /// - Parameter isProven: whether the log is asked.
  private func restore(_ candidate: Candidate, isProven: Bool) async throws(KithError) -> Beginning? {
    let (graphOptions, name) = (options.graph, candidate.name)
    let restored: Beginning
    var directory = candidate.directory ?? LogSnapshot.inLogPrefix
    do throws(KithError) {
      if let snapshot = candidate.inLog { directory = try await exchange.fetch(snapshot) }
      restored = try await WorkQueue().run { [directory] () throws(KithError) in
        let (graph, place, tokens) = try SocialGraph.replica(
          fromSnapshot: name, in: directory, options: graphOptions)
        return Beginning(graph: graph, place: place, tokens: tokens, isRestored: true)
      }
    } catch {
      switch error {
      case .corrupt, .notAStore, .system, .unsupportedVersion:
        events.post(.snapshotRefused(path: "\(directory)/\(name)", reason: error.description))
        return nil
      default: throw error
      }
    }
    if let reason = try await objection(to: restored.place, isProven: isProven) {
      events.post(.snapshotRefused(path: "\(directory)/\(name)", reason: reason))
      try? await restored.graph.close()
      return nil
    }
    events.post(.snapshotTaken(position: restored.place.position, path: "\(directory)/\(name)"))
    return restored
  }

  private func objection(to place: LogPlace, isProven: Bool) async throws(KithError) -> String? {
    if place.rules > UInt64(options.knownRules) {
      return "it has rules \(place.rules), and this release knows rules up to \(options.knownRules)"
    }
    if !isProven { return nil }
    if case .other(let reason) = try await LogHistory.compare(place, with: log) { return reason }
    let next = try await log.read(after: place.position, byteLimit: 1, timeout: .zero).first
    guard let next, next.position != place.position + 1 else { return nil }
    return "the log begins with record \(next.position)"
  }

  /// Begins before the first record, which must still be there and must not follow a snapshot.
  private func beginEmpty(_ identity: LogIdentity) async throws(KithError) -> Beginning {
    let snapshots = try await log.snapshots()
    let first = try await log.read(after: 0, byteLimit: 1, timeout: .zero).first
    guard first?.position ?? 1 == 1, !snapshots.contains(where: { $0.position == 0 }) else {
      throw .noStore(path: snapshots.first?.place ?? "a snapshot of log \(identity.id)")
    }
    let graph = SocialGraph.emptyReplica(options: options.graph)
    return Beginning(graph: graph, place: .beginning(of: identity), isRestored: false)
  }
}

extension Array {
  /// The one element; nil if there are none or several.
  fileprivate var only: Element? { count == 1 ? first : nil }
}
