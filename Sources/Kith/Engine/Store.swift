import Synchronization

/// The files of a graph that is open for writing: its directory, its lock, its journal, and what the next snapshot is
/// called.
///
/// Changes are enqueued under the graph's writer lock, in order, and committed outside of it, many at once: whoever
/// leads the `GroupCommit` writes everything that formed meanwhile as one frame and syncs once.
///
/// It is generic over the disk, so that the crash tests run this very code.
final class Store<D: Disk>: Sendable {
  /// What waits to be written: full or sealed frames, oldest first, then the one that forms.
  private struct Forming: Sendable {
    var sealed: [Sealed] = []
    var frame: JournalFrame

    /// Ends the frame that forms; the next one goes to the next generation if `rotating`.
    mutating func seal(rotating: Bool) {
      sealed.append(Sealed(frame: frame, rotatesAfter: rotating))
      frame = JournalFrame(firstSequence: frame.nextSequence)
    }

    /// Adds what belongs together to one frame, and answers how many bytes it takes.
    mutating func append(_ add: (inout JournalFrame) -> Void) -> Int {
      if frame.byteCount >= JournalFrame.fullByteCount { seal(rotating: false) }
      let before = frame.byteCount
      add(&frame)
      return frame.byteCount - before
    }
  }

  private struct Sealed: Sendable {
    let frame: JournalFrame
    let rotatesAfter: Bool
  }

  /// What the flush lock guards.
  private struct Flushing: ~Copyable, Sendable {
    var journal: JournalWriter<D>
    var acknowledgements: AcknowledgementFile<D>
    /// The last change that is as safe as the mode promises.
    var committed: UInt64
    /// Bytes of frames since somebody looked how full the disk is.
    var byteCountSinceLook = Store.lookByteCount
    /// The highest generation in use.
    var generation: UInt64
    /// The chain hash where the newest generation begins.
    var chainHash: UInt64
    var storeLock: StoreLock<D>?
    /// What is being written; in turn with the frame that forms, so that both keep their memory.
    var frame = JournalFrame(firstSequence: 1)
  }

  let mode: Durability
  private let events: StoreEvents?
  private let directory: StoreDirectory<D>
  private let storeID: (high: UInt64, low: UInt64)
  private let clock: @Sendable () -> Timestamp
  /// How much room a journal takes at once.
  private let growthLimit: Int
  private let retention: Retention
  private let forming: Mutex<Forming>
  private let flushing: Mutex<Flushing>
  private let group: GroupCommit
  private let snapshotting = Mutex(())
  /// Whether the journal cannot go on as it is: a write failed, or changes were made that it does not hold. Until a
  /// full snapshot begins a new generation, changes are refused.
  private let isBroken = Atomic(false)
  /// Bytes of changes since the last snapshot.
  let journaledByteCount = Atomic(0)

  // MARK: - Opening

  /// A graph from its files, its store, and what was found.
  struct Opened: ~Copyable {
    var state: GraphState
    var store: Store
    var report: RecoveryReport
  }

  /// Opens a store for writing, made when it is absent: recovers its state and begins a new generation.
  static func open(
    _ path: String, mode: Durability, disk: D, clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
    growthLimit: Int? = nil, retention: Retention = Retention(), events: StoreEvents? = nil
  ) throws(KithError) -> Opened {
    let directory = StoreDirectory(path, disk: disk)
    let (lock, _) = try directory.openForWriting(creating: true)
    let recovered = try Recovery<D>.forWriting(directory, holding: lock)
    let report = recovered.report
    let storeID = recovered.storeID ?? (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    let chainHash = recovered.chainHash
    let state = recovered.state
    let acknowledgements = try AcknowledgementFile(
      directory: path, disk: disk,
      Acknowledgement(storeID: storeID, sequence: state.sequence, generation: report.nextGeneration))
    let growthLimit = growthLimit ?? (mode == .synced ? JournalFormat.growthLimit : JournalFormat.unsyncedGrowthLimit)
    let journal = JournalWriter(
      directory: path, storeID: storeID, generation: report.nextGeneration, firstSequence: state.sequence + 1,
      chainHash: chainHash, disk: disk, growthLimit: growthLimit)
    let flushing = Flushing(
      journal: journal, acknowledgements: acknowledgements, committed: state.sequence,
      generation: report.nextGeneration, chainHash: chainHash, storeLock: lock)
    let store = Store(
      directory, storeID, mode, clock, growthLimit, retention, events,
      Forming(frame: JournalFrame(firstSequence: state.sequence + 1)), flushing)
    return Opened(state: state, store: store, report: report)
  }

  private init(
    _ directory: StoreDirectory<D>, _ storeID: (high: UInt64, low: UInt64), _ mode: Durability,
    _ clock: @escaping @Sendable () -> Timestamp, _ growthLimit: Int, _ retention: Retention,
    _ events: StoreEvents?, _ forming: Forming, _ flushing: consuming Flushing
  ) {
    self.directory = directory
    self.storeID = storeID
    self.mode = mode
    self.clock = clock
    self.growthLimit = growthLimit
    self.retention = retention
    self.events = events
    group = GroupCommit(committed: flushing.committed)
    self.forming = Mutex(forming)
    self.flushing = Mutex(flushing)
  }

  // MARK: - Changes

  var isJournalBroken: Bool { isBroken.load(ordering: .acquiring) }

  /// Refuses changes while the journal cannot take them.
  func checkWritable() throws(KithError) {
    guard isBroken.load(ordering: .acquiring) else { return }
    let failure = flushing.withLock { $0.journal.failure }
    throw failure ?? .invalidRequest(reason: "a bulk load is not yet saved; write a snapshot first")
  }

  /// Adds a change that was applied. Called under the graph's writer lock.
  func enqueue(_ change: Change) {
    if mode == .memory { return }
    let byteCount = forming.withLock { $0.append { $0.append(change) } }
    journaledByteCount.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// Adds changes that were applied, in order and together. Called under the graph's writer lock.
  func enqueue(_ changes: some Sequence<Change>) {
    if mode == .memory { return }
    let byteCount = forming.withLock { forming in
      forming.append { frame in
        for change in changes { frame.append(change) }
      }
    }
    journaledByteCount.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// Returns when the change of this number is as safe as the mode promises.
  ///
  /// Errors: `indeterminate` when its write failed: it may stand or not.
  func commit(_ sequence: UInt64) throws(KithError) {
    if mode == .memory { return }
    try group.commit(sequence) { () throws(KithError) -> UInt64 in
      try flushing.withLock { flushing throws(KithError) -> UInt64 in
        if flushing.committed >= sequence { return flushing.committed }
        do throws(KithError) {
          try flush(&flushing)
        } catch {
          fail(error)
          throw error
        }
        return flushing.committed
      }
    }
  }

  /// Writes all that waits; a lone frame in the ordinary case.
  private func flush(_ flushing: inout Flushing) throws(KithError) {
    if let failure = flushing.journal.failure { throw failure }
    let waiting = forming.withLock { forming in
      flushing.frame.reset(firstSequence: forming.frame.nextSequence)
      swap(&forming.frame, &flushing.frame)
      defer { forming.sealed = [] }
      return forming.sealed
    }
    for sealed in waiting {
      if !sealed.frame.isEmpty { try write(sealed.frame, &flushing) }
      if sealed.rotatesAfter {
        flushing.generation += 1
        flushing.chainHash = flushing.journal.chainHash
        try flushing.journal.rotate(to: flushing.generation)
        acknowledge(&flushing)
      }
    }
    if !flushing.frame.isEmpty { try write(flushing.frame, &flushing) }
  }

  /// From now on the journal takes nothing more.
  private func fail(_ error: KithError) {
    if !isBroken.exchange(true, ordering: .acquiringAndReleasing) { events?.note(.journalFailed(error)) }
  }

  /// Journal bytes between two looks at how full the disk is.
  private static var lookByteCount: Int { 16 << 20 }

  private func write(_ frame: borrowing JournalFrame, _ flushing: inout Flushing) throws(KithError) {
    flushing.byteCountSinceLook += frame.byteCount
    if let events, flushing.byteCountSinceLook >= Self.lookByteCount {
      flushing.byteCountSinceLook = 0
      events.noteFree(directory.disk.freeByteCount(at: directory.path))
    }
    try flushing.journal.append(frame, at: clock(), syncing: mode == .synced)
    flushing.committed = frame.nextSequence - 1
    if mode == .synced { acknowledge(&flushing) }
  }

  /// Raises the bound of what was acknowledged, after the sync that made it true.
  private func acknowledge(_ flushing: inout Flushing) {
    let synced = flushing.journal.syncedThrough
    flushing.acknowledgements.record(sequence: synced, generation: flushing.journal.generation)
  }

  /// The changes of the journals from one on, those included that are about to be written.
  ///
  /// Errors: `noStore` where changes are in memory alone; `indeterminate`.
  func walk(from sequence: UInt64, committing last: UInt64) throws(KithError) -> JournalWalk<D> {
    if mode == .memory { throw .noStore(path: "") }
    try commit(last)
    return JournalWalk(directory, from: sequence)
  }

  // MARK: - Snapshots

  /// Ends the forming frame where a snapshot is pinned. Called under the graph's writer lock, from within `snapshot`.
  func seal() {
    if mode == .memory || isBroken.load(ordering: .acquiring) { return }
    forming.withLock { $0.seal(rotating: true) }
  }

  /// A bulk load begins: its changes bypass the journal, and only a snapshot can save them.
  func beginBulk() { isBroken.store(true, ordering: .releasing) }

  /// Writes a snapshot, verifies it, and prunes: what `Retention` asks for and the journals since stay. One at a time.
  ///
  /// A journal that is broken is healed by it: memory holds everything.
  /// - Parameters:
  ///   - workers: how many threads encode and verify.
  ///   - noting: is told of every step; a slow answer slows the writing.
  ///   - pin: pins the graph and calls `seal`, both under the graph's writer lock.
  func snapshot(
    workers: Int = SystemDisk.coreCount, noting: @escaping (SnapshotStep) -> Void = { _ in },
    pinning pin: () throws(KithError) -> Pin
  ) throws(KithError) -> SnapshotInfo {
    do throws(KithError) {
      let info = try snapshotting.withLock { _ throws(KithError) in
        try writeSnapshot(workers: workers, noting: noting, pinning: pin)
      }
      events?.note(.snapshotWritten(info))
      return info
    } catch {
      events?.note(.snapshotFailed(error))
      throw error
    }
  }

  private func writeSnapshot(
    workers: Int, noting: @escaping (SnapshotStep) -> Void, pinning pin: () throws(KithError) -> Pin
  ) throws(KithError) -> SnapshotInfo {
    let isHealing = isBroken.load(ordering: .acquiring)
    let renews = isHealing || mode == .memory
    let pin = try pin()
    events?.note(.snapshotBegan(sequence: pin.view.sequence))
    events?.noteFree(directory.disk.freeByteCount(at: directory.path))
    journaledByteCount.store(0, ordering: .relaxed)
    let (lock, header) = try begin(pin.view.sequence, renewing: renews)
    let summary = try directory.writeSnapshot(
      header, pin.view.state, holding: lock, workers: workers, noting: noting)
    if renews { renew(header) }
    if isHealing { events?.note(.journalHealed(sequence: header.sequence)) }
    flushing.withLock { $0.acknowledgements.sync() }
    let name = SnapshotName(sequence: header.sequence, generation: header.generation)
    try directory.prune(keeping: retention, now: clock(), verified: [name], holding: lock)
    return SnapshotInfo(path: summary.path, sequence: header.sequence)
  }

  /// Commits what the snapshot holds, and gives its header: the chain hash and generation with which the journal goes
  /// on.
  private func begin(
    _ sequence: UInt64, renewing: Bool
  ) throws(KithError) -> (lock: StoreLock<D>, header: SnapshotHeader) {
    try flushing.withLock { flushing throws(KithError) in
      guard let lock = flushing.storeLock else { throw .closed }
      if renewing {
        // One is passed over, so that files tell a journal that was healed from one whose end is damaged.
        flushing.generation += isBroken.load(ordering: .acquiring) ? 2 : 1
        flushing.chainHash = flushing.journal.chainHash
      } else {
        do throws(KithError) {
          try flush(&flushing)
        } catch {
          fail(error)
          throw error
        }
      }
      let header = SnapshotHeader(
        storeID: storeID, sequence: sequence, generation: flushing.generation, chainHash: flushing.chainHash,
        writtenAt: clock().rawValue, unicodeVersion: Folding.unicodeVersion)
      return (lock, header)
    }
  }

  /// Begins a new journal behind a snapshot that holds everything.
  private func renew(_ header: SnapshotHeader) {
    flushing.withLock { flushing in
      flushing.journal = JournalWriter(
        directory: directory.path, storeID: storeID, generation: header.generation, firstSequence: header.sequence + 1,
        chainHash: header.chainHash, disk: directory.disk, growthLimit: growthLimit)
      flushing.committed = header.sequence
      forming.withLock { $0 = Forming(frame: JournalFrame(firstSequence: header.sequence + 1)) }
      flushing.acknowledgements.record(sequence: header.sequence, generation: header.generation)
      isBroken.store(false, ordering: .releasing)
    }
  }

  // MARK: - Closing

  /// Commits what waits, ends the journal and gives up the lock. A second call does nothing.
  func close() throws(KithError) {
    try flushing.withLock { flushing throws(KithError) in
      guard flushing.storeLock != nil else { return }
      defer { flushing.storeLock = nil }
      if mode != .memory && !isBroken.load(ordering: .acquiring) {
        try flush(&flushing)
        try flushing.journal.close()
        acknowledge(&flushing)
      }
      flushing.acknowledgements.close()
    }
  }
}
