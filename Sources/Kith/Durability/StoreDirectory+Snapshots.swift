/// The snapshots of a store: the newest is the state, the older ones are its safety.
extension StoreDirectory {
  /// Reads a snapshot, and refuses it when it is not the one that its name tells.
  func readSnapshot(
    _ name: SnapshotName, memoryLimit: Int = SnapshotFile.defaultMemoryLimit
  ) throws(KithError) -> SavedGraph {
    let path = path(of: name)
    let file = try disk.open(path, writable: false)
    return try SnapshotFile.read(file, path: path, memoryLimit: memoryLimit, from: disk) {
      (header) throws(KithError) in try check(header, is: name)
    }
  }

  /// Writes a snapshot under the name that its header asks for.
  func writeSnapshot(
    _ header: SnapshotHeader, _ state: borrowing GraphState, holding lock: StoreLock<D>,
    workers: Int = SystemDisk.coreCount, noting: @escaping (SnapshotStep) -> Void = { _ in }
  ) throws(KithError) -> SnapshotSummary {
    try lock.checkProcess()
    let name = SnapshotName(sequence: header.sequence, generation: header.generation)
    return try SnapshotFile.write(
      header, state, to: path, name: name.description, replacing: true, disk: disk, workers: workers, noting: noting)
  }

  /// Reads and verifies the snapshot, and that it is the one that its name tells.
  @discardableResult
  func verify(
    _ name: SnapshotName, noting: (_ contentByteCount: Int) -> Void = { _ in }
  ) throws(KithError) -> SnapshotSummary {
    let summary = try SnapshotFile.verify(path: path(of: name), disk: disk, noting: noting)
    try check(summary.header, is: name)
    return summary
  }

  /// What the snapshot says of itself, and that it is the one that its name tells; its content is not read.
  func inspect(_ name: SnapshotName) throws(KithError) -> SnapshotSummary {
    let summary = try SnapshotFile.inspect(path: path(of: name), disk: disk)
    try check(summary.header, is: name)
    return summary
  }

  /// Adds to an error about a damaged snapshot what can be done: which older one verifies, and how to use it.
  func advised(_ error: KithError, about name: SnapshotName) -> KithError {
    guard case .corrupt(let file, let offset, let reason) = error else { return error }
    let older = (try? contents())??.snapshots.filter { $0 < name } ?? []
    guard let sound = older.last(where: isSound) else {
      return .corrupt(file: file, offset: offset, reason: reason + "; no older snapshot of this store verifies")
    }
    let advice =
      "; the older snapshot \(sound), of change \(sound.sequence), verifies: "
      + "`kith restore \(path(of: sound)) NEWSTORE` makes a new store of it"
    return .corrupt(file: file, offset: offset, reason: reason + advice)
  }

  func isSound(_ name: SnapshotName) -> Bool {
    (try? verify(name)) != nil
  }

  func check(_ header: SnapshotHeader, is name: SnapshotName) throws(KithError) {
    let found = SnapshotName(sequence: header.sequence, generation: header.generation)
    guard found == name else {
      throw .corrupt(file: path(of: name), offset: 40, reason: "it holds what should be called \(found)")
    }
  }
}
