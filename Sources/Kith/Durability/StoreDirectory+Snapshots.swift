/// The snapshots of a store: the newest is the state, the older ones are its safety.
extension StoreDirectory {
  /// Reads the newest snapshot; nil when the store has none.
  ///
  /// A damaged one is refused, never passed over in silence: what it held would be lost. The error names an older
  /// snapshot that verifies.
  func readNewestSnapshot(
    of contents: Contents, knownSections: [SectionID: UInt16], memoryLimit: Int = SnapshotFile.defaultMemoryLimit
  ) throws(KithError) -> (name: SnapshotName, header: SnapshotHeader, sections: [Section])? {
    guard let name = contents.snapshots.last else { return nil }
    do {
      let snapshot = try readSnapshot(name, knownSections: knownSections, memoryLimit: memoryLimit)
      return (name, snapshot.header, snapshot.sections)
    } catch {
      throw advised(error, about: name)
    }
  }

  /// Reads a snapshot, and refuses it when it is not the one that its name tells.
  func readSnapshot(
    _ name: SnapshotName, knownSections: [SectionID: UInt16], memoryLimit: Int
  ) throws(KithError) -> (header: SnapshotHeader, sections: [Section]) {
    let snapshot = try SnapshotFile.read(
      path: path(of: name), knownSections: knownSections, memoryLimit: memoryLimit, disk: disk)
    try check(snapshot.header, is: name)
    return snapshot
  }

  /// Writes a snapshot under the name that its header asks for.
  func writeSnapshot(
    _ header: SnapshotHeader, _ sections: [Section], holding lock: StoreLock<D>
  ) throws(KithError) -> SnapshotSummary {
    try lock.checkProcess()
    let name = SnapshotName(sequence: header.sequence, generation: header.generation)
    return try SnapshotFile.write(header, sections, to: path, name: name.description, replacing: true, disk: disk)
  }

  /// Removes old snapshots once `count` newer ones have been read and verified, and the journals that are older than
  /// all of these; returns the snapshots that were removed.
  ///
  /// Damaged ones do not count, and those newer than the last that counts stay: they are somebody's last hope. With
  /// every journal since the oldest that counts, any of them leads to the present.
  ///
  /// - Parameter verified: snapshots that need not be read again, because they were a moment ago.
  @discardableResult
  func prune(
    keeping count: Int = 2, verified: Set<SnapshotName> = [], holding lock: StoreLock<D>
  ) throws(KithError) -> [SnapshotName] {
    precondition(count >= 2, "at least two snapshots are kept")
    try lock.checkProcess()
    guard let contents = try contents(), contents.snapshots.count >= count else { return [] }
    var sound: [SnapshotName] = []
    var removed: [SnapshotName] = []
    for name in contents.snapshots.reversed() {
      if sound.count == count {
        removed.append(name)
      } else if verified.contains(name) || isSound(name) {
        sound.append(name)
      }
    }
    guard sound.count == count, let oldest = sound.last else { return [] }
    let journals = contents.journals.filter { $0 < oldest.generation }
    for name in removed { try disk.remove(path(of: name)) }
    for generation in journals {
      try disk.remove(path.appendingPathComponent(StoreNames.journal(generation: generation)))
    }
    if !removed.isEmpty || !journals.isEmpty { try disk.syncDirectory(path) }
    return removed
  }

  /// Reads and verifies the snapshot, and that it is the one that its name tells.
  @discardableResult
  func verify(_ name: SnapshotName) throws(KithError) -> SnapshotSummary {
    let summary = try SnapshotFile.verify(path: path(of: name), disk: disk)
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

  private func isSound(_ name: SnapshotName) -> Bool {
    (try? verify(name)) != nil
  }

  private func check(_ header: SnapshotHeader, is name: SnapshotName) throws(KithError) {
    let found = SnapshotName(sequence: header.sequence, generation: header.generation)
    guard found == name else {
      throw .corrupt(file: path(of: name), offset: 40, reason: "it holds what should be called \(found)")
    }
  }
}
