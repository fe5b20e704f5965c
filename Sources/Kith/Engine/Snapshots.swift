/// What an operator does with the files of a store: copy, restore, verify, inspect. No lock is taken, so that the store
/// may be another process's meanwhile.
package enum Snapshots {
  // MARK: - New files

  /// Makes a new store at `target` of a snapshot file, or of a store: its newest state, journals included, or an
  /// earlier one.
  ///
  /// Never over anything: `target` must be absent or an empty directory. The new store has an id of its own.
  /// - Parameters:
  ///   - point: how far; of a snapshot file, which holds one instant, only the newest.
  ///   - parts: what is restored, with what it needs; nil for everything.
  ///   - noting: is told what was found in the store's files.
  ///
  /// Errors: `noStore`, `notAStore`, `invalidRequest` for an instant to which no files lead, `corrupt`,
  /// `unsupportedVersion`, `system`.
  package static func restore(
    from source: String, to target: String, at point: RestorePoint = .newest, only parts: Set<GraphPart>? = nil,
    noting: (RecoveryReport) -> Void = { _ in }
  ) throws(KithError) -> SnapshotInfo {
    let disk = SystemDisk()
    try checkFree(target, disk)
    var state = try state(of: source, at: point, disk, noting)
    if let parts { state.keep(parts) }
    return try makeStore(at: target, of: state, disk)
  }

  private static func state(
    of source: String, at point: RestorePoint, _ disk: SystemDisk, _ noting: (RecoveryReport) -> Void
  ) throws(KithError) -> GraphState {
    if try isFile(source, disk) {
      guard point == .newest else {
        throw .invalidRequest(reason: "\(source) is a snapshot, which holds one instant; give the store's directory")
      }
      return try SnapshotFile.read(try disk.open(source, writable: false), path: source, from: disk).state
    }
    let recovered = try Recovery<SystemDisk>.forReading(StoreDirectory(source, disk: disk), to: point)
    noting(recovered.report)
    return recovered.state
  }

  /// Makes a new store at `target` of what a damaged store, or a damaged snapshot file, still holds: see `Salvage`.
  ///
  /// The source is only read; no process may write to it meanwhile.
  /// Errors: `corrupt` when nothing of it can be saved, and those of `restore`.
  package static func salvage(
    from source: String, to target: String
  ) throws(KithError) -> (info: SnapshotInfo, report: SalvageReport, counts: Counts) {
    let disk = SystemDisk()
    try checkFree(target, disk)
    let salvaged =
      try isFile(source, disk)
      ? Salvage.run(snapshot: source, disk: disk) : Salvage.run(StoreDirectory(source, disk: disk))
    let (report, counts) = (salvaged.report, salvaged.state.counts)
    guard report.snapshot != nil || counts.users > 0 else {
      throw .corrupt(file: source, offset: 0, reason: "nothing of it can be saved")
    }
    return (try makeStore(at: target, of: salvaged.state, disk), report, counts)
  }

  /// Refuses a place where something is, and one inside a store.
  static func checkFree(_ target: String, _ disk: SystemDisk) throws(KithError) {
    if let status = try disk.status(of: target, followingLinks: true) {
      guard status.kind == .directory, try disk.list(target).isEmpty else {
        throw .notAStore(path: target, reason: "something is there already, and restoring never writes over it")
      }
    }
    try refuseInsideStore(target, disk)
  }

  /// A new store with a snapshot of the graph.
  static func makeStore(
    at target: String, of state: consuming GraphState, _ disk: SystemDisk
  ) throws(KithError) -> SnapshotInfo {
    let made = try Store.open(target, mode: .memory, disk: disk)
    let pin = Pin(GraphView(state))
    let info = try made.store.snapshot { () throws(KithError) -> Pin in pin }
    try made.store.close()
    return info
  }

  /// Writes the newest state of a store, journals included, as a snapshot file of its own; the store stays as it is.
  ///
  /// The file stands there whole, on the disk and read back, or not at all; nothing is ever replaced by it.
  /// - Parameter noting: is told what was found in the store's files.
  /// Errors: `noStore`, `notAStore`, `invalidRequest` for a place where it cannot stand, `corrupt`, `system`.
  package static func write(
    _ store: String, to file: String, noting: (RecoveryReport) -> Void = { _ in }
  ) throws(KithError) -> SnapshotInfo {
    let disk = SystemDisk()
    let directory = file.parentPath
    guard let name = file.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init), !name.isEmpty
    else { throw .invalidRequest(reason: "\(file): the name of a file is needed") }
    guard try disk.status(of: file, followingLinks: false) == nil else {
      throw .invalidRequest(reason: "\(file): something is there already, and nothing is replaced; choose another name")
    }
    guard try disk.status(of: directory, followingLinks: true)?.kind == .directory else {
      throw .invalidRequest(reason: "\(file): there is no directory \(directory)")
    }
    try refuseInsideStore(file, disk)
    let newest = try newest(of: store, disk, noting)
    _ = try SnapshotFile.write(newest.header, newest.state, to: directory, name: name, disk: disk)
    return SnapshotInfo(path: file, sequence: newest.header.sequence)
  }

  /// The newest state of a store, journals included, and the header of a snapshot of it.
  static func newest(
    of store: String, _ disk: SystemDisk, _ noting: (RecoveryReport) -> Void
  ) throws(KithError) -> SavedGraph {
    let recovered = try Recovery<SystemDisk>.forReading(StoreDirectory(store, disk: disk))
    noting(recovered.report)
    let header = SnapshotHeader(
      storeID: recovered.storeID ?? (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)),
      sequence: recovered.state.sequence,
      // The newest that the store has had: if somebody puts the file into the store, later journals still follow it, or
      // it is refused.
      generation: recovered.report.nextGeneration - 1, chainHash: recovered.chainHash,
      writtenAt: Timestamp.now().rawValue, unicodeVersion: Folding.unicodeVersion)
    return SavedGraph(header: header, state: recovered.state)
  }

  /// A store that holds anything but its own files is refused from then on.
  private static func refuseInsideStore(_ path: String, _ disk: SystemDisk) throws(KithError) {
    let parent = path.parentPath
    guard let contents = (try? StoreDirectory(parent, disk: disk).contents()) ?? nil, !contents.isEmpty else { return }
    throw .invalidRequest(
      reason: "\(path): \(parent) is a store, which nothing else may stand in; choose a place beside it")
  }

  // MARK: - Files that are there

  /// Reads everything there is and checks it, deeply: see `Verification`.
  ///
  /// Returns what is wrong, empty when all is sound. Errors: what keeps it from being opened, such as `notAStore`.
  package static func verify(_ path: String) throws(KithError) -> [Problem] {
    try Verification(of: path, deep: true).problems
  }

  /// The files of a store, and what each leads to.
  package static func list(_ store: String) throws(KithError) -> StoreListing {
    try StoreDirectory<SystemDisk>.againWhilePruned { () throws(KithError) in
      try StoreListing(StoreDirectory(store, disk: SystemDisk()))
    }
  }

  /// What a snapshot file, or every snapshot of a store, says of itself, newest first; its content is not read.
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

  /// Whether `path` is a file, such as a snapshot, and no store.
  package static func isFile(_ path: String) throws(KithError) -> Bool { try isFile(path, SystemDisk()) }

  static func isFile(_ path: String, _ disk: SystemDisk) throws(KithError) -> Bool {
    try disk.status(of: path, followingLinks: true)?.kind == .file
  }
}
