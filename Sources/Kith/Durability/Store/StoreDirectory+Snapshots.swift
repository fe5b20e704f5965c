/// The snapshots of a store: the newest one for recovery, older ones as a fallback.
extension StoreDirectory {
  /// Reads a snapshot. Rejects it if its header contradicts its name.
  func readSnapshot(
    _ name: SnapshotName, memoryLimit: Int = SnapshotFile.defaultMemoryLimit,
    limit: RestoreLimit = .ownStore(maximumByteCount: nil), form: GraphForm = .plain
  ) throws(KithError) -> SavedGraph {
    let path = path(of: name)
    let file = try disk.open(path, writable: false)
    return try SnapshotFile.read(file, path: path, memoryLimit: memoryLimit, limit: limit, form: form, from: disk) {
      (header) throws(KithError) in try check(header, is: name)
    }
  }

  /// Writes a snapshot under the name determined by its header.
  func writeSnapshot(
    _ header: SnapshotHeader, _ state: borrowing GraphState, holding lock: StoreLock<D>,
    workers: Int = SystemDisk.coreCount, noting: @escaping (SnapshotStep) throws(KithError) -> Void = { _ in }
  ) throws(KithError) -> SnapshotSummary {
    try lock.checkProcess()
    let name = SnapshotName(sequence: header.sequence, generation: header.generation)
    let summary = try SnapshotFile.write(
      header, state, to: path, name: name.description, replacing: true, disk: disk, workers: workers, noting: noting)
    if isMarked { removeMark() }
    return summary
  }

  /// Reads a snapshot and verifies its hashes and its name. Builds no graph.
  @discardableResult
  func verify(
    _ name: SnapshotName, noting: (_ contentByteCount: Int) throws(KithError) -> Void = { _ in }
  ) throws(KithError) -> SnapshotSummary {
    let summary = try SnapshotFile.verify(path: path(of: name), disk: disk, noting: noting)
    try check(summary.header, is: name)
    return summary
  }

  /// Reads header and tables of a snapshot and verifies its name. Does not read its content.
  func inspect(_ name: SnapshotName) throws(KithError) -> SnapshotSummary {
    let summary = try SnapshotFile.inspect(path: path(of: name), disk: disk)
    try check(summary.header, is: name)
    return summary
  }

  /// Adds to an error about a damaged snapshot which older one verifies, and how to use it.
  func advised(_ error: KithError, about name: SnapshotName) -> KithError {
    guard case .corrupt(let file, let offset, let reason) = error else { return error }
    let older = (try? contents())??.snapshots.filter { $0 < name } ?? []
    guard let sound = older.last(where: { isSound($0) }) else {
      return .corrupt(file: file, offset: offset, reason: reason + "; no older snapshot of this store verifies")
    }
    let advice =
      "; the older snapshot \(sound), of change \(sound.sequence), verifies: "
      + "\(path(of: sound)) can be opened, or restored to a new store"
    return .corrupt(file: file, offset: offset, reason: reason + advice)
  }

  /// Whether a snapshot's hashes are correct.
  /// - Parameter noting: an error it throws ends the reading; the result is then meaningless.
  func isSound(
    _ name: SnapshotName, noting: (_ contentByteCount: Int) throws(KithError) -> Void = { _ in }
  ) -> Bool {
    (try? verify(name, noting: noting)) != nil
  }

  func check(_ header: SnapshotHeader, is name: SnapshotName) throws(KithError) {
    let found = SnapshotName(sequence: header.sequence, generation: header.generation)
    guard found == name else {
      throw .corrupt(file: path(of: name), offset: 40, reason: "it holds what should be called \(found)")
    }
  }
}
