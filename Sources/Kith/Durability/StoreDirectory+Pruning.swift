/// What a store need not keep: see `Retention`.
extension StoreDirectory {
  /// Removes old snapshots that need not be kept once the two newest have been read and verified, and the journals that
  /// are older than all that are kept; returns the snapshots that were removed.
  ///
  /// Damaged ones do not count, and those newer than the last that counts stay: they are somebody's last hope. With
  /// every journal since the oldest that counts, any of them leads to the present. Of those that are kept beyond two,
  /// header and tables are read alone.
  /// - Parameter verified: snapshots that need not be read again, because they were a moment ago.
  @discardableResult
  func prune(
    keeping retention: Retention = Retention(), now: Timestamp = .now(), verified: Set<SnapshotName> = [],
    holding lock: StoreLock<D>
  ) throws(KithError) -> [SnapshotName] {
    try lock.checkProcess()
    guard let contents = try contents(), contents.snapshots.count >= Retention.leastSnapshotCount else { return [] }
    guard let oldest = oldestKept(of: contents, retention, now, verified) else { return [] }
    let removed = contents.snapshots.filter { $0 < oldest }
    let journals = contents.journals.filter { $0 < oldest.generation }
    for name in removed { try disk.remove(path(of: name)) }
    for generation in journals {
      try disk.remove(path.appendingPathComponent(StoreNames.journal(generation: generation)))
    }
    if !removed.isEmpty || !journals.isEmpty { try disk.syncDirectory(path) }
    return removed.reversed()
  }

  /// The oldest snapshot that is kept; nil while everything is.
  private func oldestKept(
    of contents: Contents, _ retention: Retention, _ now: Timestamp, _ verified: Set<SnapshotName>
  ) -> SnapshotName? {
    var count = 0
    var oldest: SnapshotName?
    for name in contents.snapshots.reversed() {
      let isSurplus = count >= Retention.leastSnapshotCount
      if isSurplus, exceeds(retention.byteCount, contents, from: name) { return oldest }
      guard isSurplus || verified.contains(name) || isSound(name), let header = try? inspect(name).header else {
        continue
      }
      count += 1
      oldest = name
      if retention.isEnough(count, backTo: Timestamp(header.writtenAt), now: now) { return name }
    }
    // The journals from before the oldest snapshot.
    return count >= Retention.leastSnapshotCount && exceeds(retention.byteCount, contents, from: nil) ? oldest : nil
  }

  /// Whether the snapshots from one on, and the journals since, take more bytes; nil for all there are.
  private func exceeds(_ limit: Int64?, _ contents: Contents, from oldest: SnapshotName?) -> Bool {
    guard let limit else { return false }
    let first = oldest ?? SnapshotName(sequence: 0, generation: 0)
    let snapshots = contents.snapshots.filter { $0 >= first }.map(path(of:))
    let journals = contents.journals.filter { $0 >= first.generation }.map {
      path.appendingPathComponent(StoreNames.journal(generation: $0))
    }
    let sizes = (snapshots + journals).compactMap { path in
      (try? disk.open(path, writable: false)).flatMap { try? disk.byteCount(of: $0) }
    }
    return sizes.reduce(0, +) > limit
  }
}
