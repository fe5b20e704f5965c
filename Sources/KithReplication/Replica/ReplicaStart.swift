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
    /// Whether it comes from a snapshot.
    let isRestored: Bool
  }

  /// - Throws: `unavailable`; `noStore` if neither a snapshot nor the log leads to a state; `unsupportedVersion`.
  func begin() async throws(KithError) -> Beginning {
    let identity = try await log.identity()
    guard identity.format <= LogIdentity.format, identity.rules <= LogIdentity.rules else {
      throw .unsupportedVersion(
        found: "log \(identity.format), rules \(identity.rules)",
        readable: "up to \(LogIdentity.format), rules \(LogIdentity.rules)")
    }
    if let directory { try ReplicaSnapshot.makeDirectory(directory) }
    for (name, directory) in try candidates(of: identity.id.storeID) {
      if let beginning = try await restore(name, in: directory) { return beginning }
    }
    return try await beginEmpty(identity)
  }

  /// The snapshots that this host can read, the newest first.
  private func candidates(of log: StoreID) throws(KithError) -> [(name: String, directory: String)] {
    var directories = directory.map { [$0] } ?? []
    if case .directory(let path) = options.snapshots { directories.append(path) }
    var found: [(name: String, directory: String)] = []
    for directory in directories {
      for name in try ReplicaSnapshot.names(in: directory, of: log) { found.append((name, directory)) }
    }
    return found.sorted { $0.name > $1.name }
  }

  /// Restores a snapshot; nil if it is damaged, or if the log has another history or no longer continues it.
  private func restore(_ name: String, in directory: String) async throws(KithError) -> Beginning? {
    let graphOptions = options.graph
    let restored: Beginning
    do throws(KithError) {
      restored = try await WorkQueue("kith.replica.restore").run { () throws(KithError) in
        let (graph, place) = try SocialGraph.replica(fromSnapshot: name, in: directory, options: graphOptions)
        return Beginning(graph: graph, place: place, isRestored: true)
      }
    } catch {
      switch error {
      case .corrupt, .notAStore, .system:
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
