import Synchronization

/// The bits of `Store.obstacles`.
enum StoreObstacle {
  static let none: UInt8 = 0
  /// The journal is unusable: a write failed, or changes bypassed it. A full snapshot begins a new generation.
  static let broken: UInt8 = 1
  /// The files were given up for a while.
  static let suspended: UInt8 = 2
}

/// What a store's files were when they were given up for a while.
struct StoreSuspension: Sendable {
  /// Nil if the files could not be listed: then it is unknown whether another process has changed them.
  let files: StoreFiles?
  /// Whether they were found changed.
  var isStale = false

  /// Why changes are refused.
  func refusal(_ path: String) -> KithError {
    .invalidRequest(isStale ? .changedWhileSuspended(path: path) : .suspended)
  }
}

/// Giving up the files of a store: at its end, or for a while.
extension Store {
  /// Whether the obstacle is new.
  @discardableResult
  func addObstacle(_ obstacle: UInt8) -> Bool {
    obstacles.bitwiseOr(obstacle, ordering: .acquiringAndReleasing).oldValue & obstacle == 0
  }

  func removeObstacle(_ obstacle: UInt8) { obstacles.bitwiseAnd(~obstacle, ordering: .acquiringAndReleasing) }

  /// Cancels a snapshot being written, commits what waits, ends the journal and releases the lock. A second call does
  /// nothing. In the child of a fork, only the child's copy of the lock's descriptor is closed.
  ///
  /// If called from a snapshot's progress handler, the lock is released when that snapshot ends.
  func close() throws(KithError) {
    guard isOwn else {
      // A thread of the parent may have held it at the fork and cannot release it here.
      _ = flushing.withLockIfAvailable { $0.storeLock = nil }
      return
    }
    try snapshotting.end(.closed) { () throws(KithError) in
      try flushing.withLock { flushing throws(KithError) in
        guard flushing.storeLock != nil else { return }
        defer { flushing.storeLock = nil }
        try endFiles(&flushing, rotating: false)
      }
    }
  }

  /// Makes all changes durable and ends the journal.
  /// - Parameter rotating: whether the next change begins a journal; false if there is none.
  private func endFiles(_ flushing: inout Flushing, rotating: Bool) throws(KithError) {
    if mode != .memory && !isJournalBroken {
      try flush(&flushing)
      if rotating && flushing.journal.hasFile {
        try JournalFormat.checkGeneration(flushing.generation, rising: 1)
        flushing.generation += 1
        flushing.chainHash = flushing.journal.chainHash
        try flushing.journal.rotate(to: flushing.generation)
      } else {
        try flushing.journal.close()
      }
      acknowledge(&flushing)
    }
    flushing.watermark.close()
  }

  /// Does what `close` does, and keeps what `resume` needs. The lock is released whatever fails.
  /// - Parameter refuse: adds the obstacle under the graph's writer lock: what was changed before has its place in the
  ///   journal then.
  func suspend(refusingChanges refuse: () -> Void) throws(KithError) {
    try snapshotting.end(.suspended) { () throws(KithError) in
      try suspending.withLock { (_) throws(KithError) in
        refuse()
        // Another thread may have resumed since.
        snapshotting.refuse(.suspended)
        try flushing.withLock { flushing throws(KithError) in try suspendFiles(&flushing) }
      }
    }
  }

  private func suspendFiles(_ flushing: inout Flushing) throws(KithError) {
    guard flushing.storeLock != nil else { return }
    defer {
      flushing.suspension = StoreSuspension(files: try? StoreFiles(in: directory))
      flushing.storeLock = nil
    }
    do throws(KithError) {
      try endFiles(&flushing, rotating: true)
    } catch {
      fail(error)
      throw error
    }
  }

  /// Takes the lock again, if the files are what they were.
  func resume() throws(KithError) {
    try checkProcess()
    try suspending.withLock { (_) throws(KithError) in
      try flushing.withLock { flushing throws(KithError) in try resumeFiles(&flushing) }
    }
  }

  private func resumeFiles(_ flushing: inout Flushing) throws(KithError) {
    guard let suspension = flushing.suspension else { return }
    let lock = try StoreLock(directory: path, disk: directory.disk)
    guard let files = suspension.files, try StoreFiles(in: directory) == files else {
      flushing.suspension?.isStale = true
      throw .invalidRequest(.changedWhileSuspended(path: path))
    }
    flushing.storeLock = lock
    flushing.suspension = nil
    snapshotting.goOn()
    removeObstacle(StoreObstacle.suspended)
  }
}

/// The files of a store that hold its graph: which there are, how long they are, and what was promised. A process
/// that opens the store for writing changes at least the last.
struct StoreFiles: Equatable, Sendable {
  private struct File: Equatable, Sendable {
    let name: String
    let device: UInt64
    let inode: UInt64
    let byteCount: Int64
  }

  private let files: [File]
  private let watermark: DurableWatermark?

  init<D: Disk>(in directory: StoreDirectory<D>) throws(KithError) {
    let disk = directory.disk
    var files: [File] = []
    for name in try disk.list(directory.path)
    where SnapshotName(name) != nil || StoreNames.generation(ofJournal: name) != nil {
      let file = try disk.open(directory.path.appendingPathComponent(name), writable: false)
      let status = try disk.status(of: file)
      files.append(
        File(
          name: name, device: status.device, inode: status.inode, byteCount: try disk.byteCount(of: file)))
    }
    self.files = files
    watermark = try WatermarkFile<D>.read(in: directory.path, disk: disk, syncing: false)
  }
}
