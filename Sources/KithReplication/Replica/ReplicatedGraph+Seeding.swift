import Kith

extension ReplicatedGraph {
  /// Makes a graph the state before the first record of a new log: writes it as the snapshot that all replicas begin
  /// with.
  /// - Parameters:
  ///   - log: a log without records and snapshots.
  ///   - graph: the graph, which is only read.
  ///   - place: where the replicas share snapshots.
  ///   - directory: where the file is made that goes into the log; nil if snapshots are in a directory.
  ///   - name: who wrote it, for operators.
  /// - Throws: `invalidRequest` if the log has records or snapshots; `unsupported` for a graph with a schema; `system`;
  ///   as the log.
  @discardableResult
  package static func seed(
    _ log: any ReplicationLog, from graph: SocialGraph, to place: ReplicaOptions.SnapshotPlace,
    directory: String? = nil, as name: String, identity given: LogIdentity? = nil
  ) async throws(KithError) -> LogSnapshot {
    let identity = if let given { given } else { try await log.identity() }
    let (position, snapshots) = (try await log.confirmedPosition(), try await log.snapshots())
    guard position == 0, snapshots.isEmpty else {
      throw .invalidRequest(.logInUse(position: position, snapshotCount: snapshots.count))
    }
    if graph.read({ $0.schema }) != nil { throw .unsupported(.schemaOfReplicas) }
    let exchange = SnapshotExchange(
      log: log, place: place, directory: directory, queue: WorkQueue())
    return try await exchange.publish(
      graph.pin(), LoggedTokens(), at: LogPlace.beginning(of: identity), as: name
    ).snapshot
  }
}

extension LogPlace {
  /// The place before the first record.
  static func beginning(of log: LogIdentity) -> LogPlace {
    LogPlace(
      log: log.id.storeID, position: 0, chain: LogChain.beginning(of: log.id), outcomeChain: 0,
      rules: UInt64(log.rules))
  }
}

extension LogID {
  /// The same number as the id of the files.
  var storeID: StoreID { StoreID(high: high, low: low) }
}

extension LogSnapshot {
  /// What the log holds about a file.
  init(_ written: ReplicaSnapshot, writer: String) {
    let place = written.place
    self.init(
      position: place.position, sequence: written.sequence, chain: place.chain, outcomeChain: place.outcomeChain,
      digest: written.digest, byteCount: written.byteCount,
      place: ReplicaSnapshot.name(at: place.position, of: place.log), writer: writer)
  }
}
