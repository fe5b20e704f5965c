import Kith

extension ReplicatedGraph {
  /// Makes a graph the state before the first record of a new log: writes it as the snapshot that all replicas begin
  /// with.
  /// - Parameters:
  ///   - log: a log without records and snapshots.
  ///   - graph: the graph, which is only read.
  ///   - directory: the directory of snapshots that the replicas share.
  ///   - name: who wrote it, for operators.
  /// - Throws: `invalidRequest` if the log has records or snapshots; `system`; as the log.
  @discardableResult
  package static func seed(
    _ log: any ReplicationLog, from graph: SocialGraph, in directory: String, as name: String
  ) async throws(KithError) -> LogSnapshot {
    let identity = try await log.identity()
    let (position, snapshots) = (try await log.confirmedPosition(), try await log.snapshots())
    guard position == 0, snapshots.isEmpty else {
      throw .invalidRequest(.malformed("the log is in use: it has \(position) records, \(snapshots.count) snapshots"))
    }
    let place = LogPlace.beginning(of: identity)
    let written = try await WorkQueue("kith.replica.seed").run { () throws(KithError) in
      try ReplicaSnapshot.write(graph.pin(), at: place, in: directory, workers: 1)
    }
    let snapshot = LogSnapshot(written, writer: name)
    try await log.recordSnapshot(snapshot)
    return snapshot
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
  /// What the log is told of a file.
  init(_ written: ReplicaSnapshot, writer: String) {
    let place = written.place
    self.init(
      position: place.position, sequence: written.sequence, chain: place.chain, outcomeChain: place.outcomeChain,
      digest: written.digest, byteCount: written.byteCount,
      place: ReplicaSnapshot.name(at: place.position, of: place.log), writer: writer)
  }
}
