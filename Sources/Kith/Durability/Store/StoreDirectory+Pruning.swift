/// Removal of snapshots and journals that are no longer needed, by `SocialGraph.Retention`.
extension StoreDirectory {
  /// Removes snapshots that `SocialGraph.Retention` does not keep, and the journals older than all kept snapshots.
  /// Requires two newer snapshots that are known to be restorable and that verify. Returns the snapshots that were
  /// removed.
  ///
  /// Correct hashes do not prove that a graph can be built from a file, and building one takes the memory of a second
  /// graph. So only snapshots known to be restorable count towards the quota: a graph was built from them, or this
  /// process wrote them from one. Other and damaged snapshots do not count, and those newer than the oldest that counts
  /// are kept: they might still be salvaged. With every journal since the oldest one that counts, each of them leads to
  /// the newest state. Of kept snapshots beyond two, only header and tables are read.
  /// - Parameters:
  ///   - restorable: the snapshots known to be restorable. Their hashes are verified again.
  ///   - verified: those among them that were verified just before and are not read again.
  ///   - checkGoing: called repeatedly until the first file is removed. Its error ends the pruning.
  @discardableResult
  func prune(
    keeping retention: SocialGraph.Retention = SocialGraph.Retention(), now: Timestamp = .now(),
    restorable: Set<SnapshotName>,
    verified: Set<SnapshotName> = [], holding lock: StoreLock<D>, checkGoing: () throws(KithError) -> Void = {}
  ) throws(KithError) -> [SnapshotName] {
    try lock.checkProcess()
    guard let contents = try contents(), contents.snapshots.count >= SocialGraph.Retention.leastSnapshotCount else {
      return []
    }
    let oldest = try oldestKept(of: contents, retention, now) { (name) throws(KithError) in
      if verified.contains(name) { return true }
      if !restorable.contains(name) { return false }
      let isSound = isSound(name) { (_) throws(KithError) in try checkGoing() }
      // If it throws, nothing is removed.
      try checkGoing()
      return isSound
    }
    guard let oldest else { return [] }
    let removed = contents.snapshots.filter { $0 < oldest }
    let journals = contents.journals.filter { $0 < oldest.generation }
    for name in removed { try disk.remove(path(of: name)) }
    for generation in journals {
      try disk.remove(path.appendingPathComponent(StoreNames.journal(generation: generation)))
    }
    if !removed.isEmpty || !journals.isEmpty { try disk.syncDirectory(path) }
    return removed.reversed()
  }

  /// The oldest kept snapshot; nil if all are kept.
  private func oldestKept(
    of contents: Contents, _ retention: SocialGraph.Retention, _ now: Timestamp,
    counting counts: (SnapshotName) throws(KithError) -> Bool
  ) throws(KithError) -> SnapshotName? {
    var count = 0
    var oldest: SnapshotName?
    var age = SnapshotAge(retention, now: now)
    for name in contents.snapshots.reversed() {
      let isSurplus = count >= SocialGraph.Retention.leastSnapshotCount
      if isSurplus, exceeds(retention.byteCount, contents, from: name) { return oldest }
      var isCounted = isSurplus
      if !isCounted { isCounted = try counts(name) }
      guard isCounted, let header = try? inspect(name).header else { continue }
      count += 1
      oldest = name
      age.pass(Timestamp(header.writtenAt))
      if retention.isEnough(count, age: age) { return name }
    }
    // The journals before the oldest snapshot.
    return count >= SocialGraph.Retention.leastSnapshotCount && exceeds(retention.byteCount, contents, from: nil)
      ? oldest : nil
  }

  /// Whether the snapshots from one on, and the journals since, exceed the limit; nil counts all of them.
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
