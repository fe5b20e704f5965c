/// Maintenance of store files: copy, restore, verify, inspect. Takes no lock, so another process may have the store
/// open.
package enum StoreTools {
  // MARK: - New files

  /// Creates a store at `target` from a snapshot file, or from a store: its newest state, including journals, or an
  /// earlier one (point-in-time recovery).
  ///
  /// Never overwrites anything: `target` must be absent, or a directory that is empty, or holds only hidden files and
  /// what an interrupted attempt has left. It is a store once all of it is there. The new store gets its own id.
  /// - Parameters:
  ///   - point: the recovery target; for a snapshot file, which holds one state, only the newest.
  ///   - parts: the components to restore, with those they require; nil for all.
  ///   - allowedByteCount: the most memory for the graph of a snapshot file, if its size allows less (`RestoreLimit`).
  ///   - noting: called with the recovery report of the store.
  ///   - remarking: called with a sentence if the file system of the target cannot sync directories.
  /// - Throws: `noStore`, `notAStore`, `invalidRequest` if no files lead to the target, `corrupt`,
  ///   `unsupportedVersion`, `limitExceeded`, `system`.
  package static func restore(
    from source: String, to target: String, at point: RecoveryTarget = .newest, only parts: Set<GraphComponent>? = nil,
    allowedByteCount: Int? = nil, noting: (RecoveryReport) -> Void = { _ in },
    remarking: (String) -> Void = { _ in }
  ) throws(KithError) -> SnapshotInfo {
    let disk = SystemDisk()
    try checkFree(target, disk)
    var state = try state(of: source, at: point, disk, allowedByteCount, noting)
    if let parts { state.keep(parts) }
    return try makeStore(at: target, of: state, remarking)
  }

  private static func state(
    of source: String, at point: RecoveryTarget, _ disk: SystemDisk, _ allowedByteCount: Int?,
    _ noting: (RecoveryReport) -> Void
  ) throws(KithError) -> GraphState {
    if try isFile(source, disk) {
      guard point == .newest else {
        throw .invalidRequest(.singleInstant(path: source))
      }
      return try SnapshotFile.read(
        try disk.open(source, writable: false), path: source, limit: .outside(allowedByteCount: allowedByteCount),
        from: disk
      ).state
    }
    let recovered = try Recovery<SystemDisk>.forReading(StoreDirectory(source, disk: disk), to: point)
    noting(recovered.report)
    return recovered.state
  }

  /// Creates a store at `target` from what a damaged store, or a damaged snapshot file, still holds: see `Salvage`.
  ///
  /// The source is only read, and writers are kept away from it meanwhile.
  /// - Parameter allowedByteCount: as in `restore`, also for the snapshots of a store.
  /// - Throws: `corrupt` if nothing can be salvaged, `storeInUse`, and the errors of `restore`.
  package static func salvage(
    from source: String, to target: String, allowedByteCount: Int? = nil, remarking: (String) -> Void = { _ in }
  ) throws(KithError) -> (info: SnapshotInfo, report: SalvageReport, counts: SocialGraph.Counts) {
    let disk = SystemDisk()
    try checkFree(target, disk)
    let limit = RestoreLimit.outside(allowedByteCount: allowedByteCount)
    let isFile = try isFile(source, disk)
    // What a writer has not finished would count as lost.
    let writers = try isFile ? nil : StoreLock.excludingWriters(of: source, disk)
    defer { extendLifetime(writers) }
    let salvaged =
      try isFile
      ? Salvage.run(snapshot: source, disk: disk, limit: limit)
      : Salvage.run(StoreDirectory(source, disk: disk), limit: limit)
    let (report, counts) = (salvaged.report, salvaged.state.counts)
    guard report.snapshot != nil || counts.users > 0 else {
      throw .corrupt(file: source, offset: 0, reason: "nothing of it can be saved")
    }
    return (try makeStore(at: target, of: salvaged.state, remarking), report, counts)
  }

  /// Rejects a target that exists, or is inside a store.
  static func checkFree(_ target: String, _ disk: SystemDisk) throws(KithError) {
    if try disk.status(of: target, followingLinks: true) != nil {
      let contents = try? StoreDirectory(target, disk: disk).contents(evenUnfinished: true)
      guard let contents, !contents.isStore || contents.isUnfinished else {
        throw .notAStore(path: target, reason: "something is there already, and restoring never writes over it")
      }
    }
    try refuseInsideStore(target, disk)
  }

  /// Creates a store with a snapshot of the graph. A failure leaves nothing of it.
  static func makeStore(
    at target: String, of state: consuming GraphState, _ remarking: (String) -> Void = { _ in }
  ) throws(KithError) -> SnapshotInfo {
    let unsynced = UnsyncedDirectories()
    let disk = SystemDisk(unsynced: unsynced)
    let isNew = try disk.status(of: target, followingLinks: true) == nil
    do throws(KithError) {
      let made = try Store.open(target, mode: .memory, disk: disk, marking: true)
      let pin = SocialGraph.Pin(GraphView(state))
      defer { try? made.store.close() }
      let info = try made.store.snapshot { () throws(KithError) -> SocialGraph.Pin in pin }
      try made.store.close()
      if let remark = unsynced.remark { remarking(remark) }
      return info
    } catch {
      removeUnfinished(target, alsoDirectory: isNew)
      throw error
    }
  }

  /// Removes what a failed command has left of a store that it has not finished; anything else stays.
  /// - Parameter alsoDirectory: whether the directory goes, too, if it is empty then.
  package static func removeUnfinished(_ target: String, alsoDirectory: Bool) {
    StoreDirectory(target, disk: SystemDisk()).removeUnfinished(alsoDirectory: alsoDirectory)
  }

  /// Writes the newest state of a store, including journals, as a snapshot file. The store is not changed.
  ///
  /// The file is created durable and verified, or not at all. Nothing is ever overwritten.
  /// - Parameters:
  ///   - noting: called with the recovery report of the store.
  ///   - remarking: called with a sentence if the file system of the file cannot sync directories.
  /// - Throws: `noStore`, `notAStore`, `invalidRequest` if the file cannot be created there, `corrupt`, `system`.
  package static func write(
    _ store: String, to file: String, noting: (RecoveryReport) -> Void = { _ in },
    remarking: (String) -> Void = { _ in }
  ) throws(KithError) -> SnapshotInfo {
    let unsynced = UnsyncedDirectories()
    let disk = SystemDisk(unsynced: unsynced)
    let directory = file.parentPath
    let name = file.lastPathComponent
    guard !name.isEmpty else { throw .invalidRequest(.fileNameMissing(path: file)) }
    guard try disk.status(of: file, followingLinks: false) == nil else {
      throw .invalidRequest(.fileExists(path: file))
    }
    guard try disk.status(of: directory, followingLinks: true)?.kind == .directory else {
      throw .invalidRequest(.noDirectory(directory, path: file))
    }
    try refuseInsideStore(file, disk)
    let newest = try newest(of: store, disk, noting)
    let summary = try SnapshotFile.write(newest.header, newest.state, to: directory, name: name, disk: disk)
    if let remark = unsynced.remark { remarking(remark) }
    return SnapshotInfo(summary, path: file)
  }

  /// The newest state of a store, including journals, and the header of a snapshot of it.
  static func newest(
    of store: String, _ disk: SystemDisk, _ noting: (RecoveryReport) -> Void
  ) throws(KithError) -> SavedGraph {
    let recovered = try Recovery<SystemDisk>.forReading(StoreDirectory(store, disk: disk))
    noting(recovered.report)
    let header = SnapshotHeader(
      storeID: recovered.storeID ?? StoreID.random(),
      sequence: recovered.state.sequence,
      // The newest generation that the store has used. If the file is later put into the store, newer journals still
      // follow it, or it is rejected.
      generation: recovered.report.nextGeneration - 1, chainHash: recovered.chainHash,
      writtenAt: Timestamp.now().rawValue, unicodeVersion: Folding.unicodeVersion,
      hasSchema: recovered.state.relations.hasSchema)
    return SavedGraph(header: header, state: recovered.state)
  }

  /// Rejects a path inside a store: what is there is the store's alone.
  private static func refuseInsideStore(_ path: String, _ disk: SystemDisk) throws(KithError) {
    let parent = path.parentPath
    guard let contents = (try? StoreDirectory(parent, disk: disk).contents(evenUnfinished: true)) ?? nil,
      !contents.isEmpty
    else { return }
    throw .invalidRequest(.insideStore(parent, path: path))
  }

  // MARK: - Existing files

  /// Reads and checks everything, including the invariants of the graph: see `Verification`.
  ///
  /// - Returns: the problems found; empty if there are none.
  /// - Throws: errors that prevent opening, such as `notAStore`.
  package static func verify(_ path: String) throws(KithError) -> [SocialGraph.Violation] {
    try Verification(of: path, .deep).problems
  }

  /// The files of a store, and the changes that each leads to.
  package static func list(_ store: String) throws(KithError) -> StoreListing {
    try StoreDirectory<SystemDisk>.againWhilePruned { () throws(KithError) in
      try StoreListing(StoreDirectory(store, disk: SystemDisk()))
    }
  }

  /// The headers and tables of a snapshot file, or of every snapshot of a store, newest first. Their content is not
  /// read.
  package static func inspect(_ path: String) throws(KithError) -> [SnapshotReport] {
    let disk = SystemDisk()
    if try isFile(path, disk) { return [SnapshotReport(try SnapshotFile.inspect(path: path, disk: disk))] }
    return try StoreDirectory<SystemDisk>.againWhilePruned { () throws(KithError) in
      let directory = StoreDirectory(path, disk: disk)
      var reports: [SnapshotReport] = []
      for name in try directory.openForReading().snapshots.reversed() {
        reports.append(SnapshotReport(try directory.inspect(name)))
      }
      return reports
    }
  }

  /// Whether `path` is a file, such as a snapshot, rather than a store.
  package static func isFile(_ path: String) throws(KithError) -> Bool { try isFile(path, SystemDisk()) }

  static func isFile(_ path: String, _ disk: SystemDisk) throws(KithError) -> Bool {
    try disk.status(of: path, followingLinks: true)?.kind == .file
  }
}
