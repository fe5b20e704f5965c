import Kith

/// How a replica begins: from the newest snapshot whose history the log has, or before the first record.
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
  }

  /// - Throws: `unavailable`; `noStore` if neither a snapshot nor the log leads to a state; `unsupportedVersion`.
  func begin() async throws(KithError) -> Beginning {
    let identity = try await log.identity()
    guard identity.format <= LogIdentity.format, identity.rules <= options.knownRules else {
      throw .unsupportedVersion(
        found: "log \(identity.format), rules \(identity.rules)",
        readable: "up to \(LogIdentity.format), rules \(options.knownRules)")
    }
    if let directory { try ReplicaSnapshot.makeDirectory(directory) }
    for candidate in try await candidates(of: identity.id.storeID) {
      if let beginning = try await restore(candidate) { return beginning }
    }
    return try await beginEmpty(identity)
  }

  /// A snapshot that this host can read: a file, or one that the log holds and that becomes a file.
  private struct Candidate {
    let name: String
    var directory: String?
    var inLog: LogSnapshot?
  }

  /// The snapshots that this host can read, the newest first; of the same one, a file first.
  private func candidates(of log: StoreID) async throws(KithError) -> [Candidate] {
    var directories = directory.map { [$0] } ?? []
    if case .directory(let path) = options.snapshots { directories.append(path) }
    var found: [Candidate] = []
    for directory in directories {
      for name in try ReplicaSnapshot.names(in: directory, of: log) {
        found.append(Candidate(name: name, directory: directory))
      }
    }
    if options.snapshots == .log {
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
  private func restore(_ candidate: Candidate) async throws(KithError) -> Beginning? {
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
    if let reason = try await objection(to: restored.place) {
      events.post(.snapshotRefused(path: "\(directory)/\(name)", reason: reason))
      try? await restored.graph.close()
      return nil
    }
    events.post(.snapshotTaken(position: restored.place.position, path: "\(directory)/\(name)"))
    return restored
  }

  private func objection(to place: LogPlace) async throws(KithError) -> String? {
    if place.rules > UInt64(options.knownRules) {
      return "it has rules \(place.rules), and this release knows rules up to \(options.knownRules)"
    }
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
