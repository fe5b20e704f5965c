import Kith

/// Where the snapshots of a replica are, and those that others wrote for it: in a directory that all share, in the log,
/// or in the replica's own directory.
///
/// A snapshot is always a file: one for the log is written to the replica's own directory and goes into the log in
/// parts, and one from the log is taken to that directory. So the file's own hashes prove it.
struct SnapshotExchange: Sendable {
  /// The bytes of a part in the log.
  static let partByteCount = 1 << 20
  /// The most bytes of a snapshot in the log.
  static let inLogByteLimit: Int64 = 2 << 30

  let log: any ReplicationLog
  let place: ReplicaOptions.SnapshotPlace
  /// The replica's own directory; nil for none.
  let directory: String?
  let queue: WorkQueue

  /// Where this replica writes its files; nil for nowhere.
  var target: String? {
    if case .directory(let path) = place { path } else { directory }
  }

  private var isInLog: Bool { place == .log }

  // MARK: - Giving

  /// Writes a graph's snapshot where the other replicas find it, and reports it to them. One that they cannot find, as
  /// it is in the replica's own directory, is not reported.
  /// - Throws: `noStore` without a directory; `limitExceeded` beyond what the log holds; `system`; as the log.
  func publish(
    _ graph: SocialGraph.Pin, _ tokens: LoggedTokens, at position: LogPlace, as writer: String
  ) async throws(KithError) -> (snapshot: LogSnapshot, path: String) {
    guard let target else { throw .noStore(path: "") }
    let written = try await queue.run { () throws(KithError) in
      try ReplicaSnapshot.write(graph, tokens, at: position, in: target, workers: 1)
    }
    var snapshot = LogSnapshot(written, writer: writer)
    if isInLog {
      try await store(snapshot, from: target)
      snapshot.place = LogSnapshot.inLogPrefix + snapshot.place
    }
    if place != .none { try await log.recordSnapshot(snapshot) }
    return (snapshot, written.path)
  }

  private func store(_ snapshot: LogSnapshot, from directory: String) async throws(KithError) {
    guard snapshot.byteCount <= Self.inLogByteLimit else {
      throw .limitExceeded(
        .requestBytes(limit: Int(Self.inLogByteLimit), byteCount: Int(clamping: snapshot.byteCount)))
    }
    var offset: Int64 = 0
    while offset < snapshot.byteCount {
      let (start, name) = (offset, snapshot.name)
      let part = try await queue.run { () throws(KithError) in
        try ReplicaSnapshot.bytes(of: name, in: directory, at: start, count: Self.partByteCount)
      }
      guard !part.isEmpty else {
        throw .corrupt(file: "\(directory)/\(name)", offset: offset, reason: "it became shorter")
      }
      try await log.storeSnapshotPart(
        part, of: LogSnapshot.inLogPrefix + name, at: Int(offset / Int64(Self.partByteCount)))
      offset += Int64(part.count)
    }
  }

  // MARK: - Taking

  /// The snapshots of other replicas that this one can read.
  func shared() async throws(KithError) -> [LogSnapshot] {
    if case .none = place { return [] }
    return try await log.snapshots().filter { $0.isInLog == isInLog }
  }

  /// Makes a snapshot a file here.
  /// - Returns: the directory with the file.
  /// - Throws: `noStore` without a directory; `corrupt` if a part is missing; `system`; as the log.
  func fetch(_ snapshot: LogSnapshot) async throws(KithError) -> String {
    guard let target else { throw .noStore(path: snapshot.place) }
    if !isInLog { return target }
    let (name, byteCount) = (snapshot.name, min(snapshot.byteCount, Self.inLogByteLimit))
    let arrival = try await queue.run { () throws(KithError) in try ReplicaSnapshot.Arrival(name, in: target) }
    guard let arrival else { return target }
    var (offset, index) = (Int64(0), 0)
    while offset < byteCount {
      guard let part = try await log.snapshotPart(of: snapshot.place, at: index), !part.isEmpty else {
        throw .corrupt(file: snapshot.place, offset: offset, reason: "part \(index) is missing")
      }
      let start = offset
      try await queue.run { () throws(KithError) in try arrival.write(part, at: start) }
      offset += Int64(part.count)
      index += 1
    }
    try await queue.run { () throws(KithError) in try arrival.finish() }
    return target
  }

  // MARK: - Removing

  /// Removes all but the newest snapshots, and the newest that were verified.
  func prune(_ id: StoreID) async throws(KithError) {
    let known = try await log.snapshots()
    let verified = known.filter { !$0.verifiers.isEmpty }.map(\.name)
    if isInLog {
      let kept = Self.kept(of: known.filter(\.isInLog).map(\.name), verified)
      for snapshot in known where snapshot.isInLog && !kept.contains(snapshot.name) {
        try await log.removeSnapshot(snapshot.place)
      }
    }
    guard let target else { return }
    try await queue.run { () throws(KithError) in
      let names = try ReplicaSnapshot.names(in: target, of: id)
      let kept = Self.kept(of: names, verified)
      try ReplicaSnapshot.remove(names.filter { !kept.contains($0) }, in: target)
    }
  }

  /// - Parameter names: the newest first.
  private static func kept(of names: [String], _ verified: [String]) -> Set<String> {
    let sound = names.filter { verified.contains($0) }.prefix(ReplicaOptions.keptVerifiedCount)
    return Set(names.prefix(ReplicaOptions.keptSnapshotCount)).union(sound)
  }

  /// Removes what a replica wrote and no other has verified: it may be wrong.
  func removeUnverified(of writer: String, _ id: StoreID) async throws(KithError) {
    let known = try await log.snapshots()
    let sound = Set(known.filter { !$0.verifiers.isEmpty }.map(\.name))
    let own = known.filter { $0.writer == writer && $0.verifiers.isEmpty }
    for snapshot in own where snapshot.isInLog { try await log.removeSnapshot(snapshot.place) }
    try await queue.run { () throws(KithError) in
      if case .directory(let shared) = place { try ReplicaSnapshot.remove(own.map(\.name), in: shared) }
      guard let directory else { return }
      let names = try ReplicaSnapshot.names(in: directory, of: id)
      try ReplicaSnapshot.remove(names.filter { !sound.contains($0) }, in: directory)
    }
  }
}
