import Synchronization

/// The files of a graph that is open for writing: its directory, its lock, its journal, and the name of the next
/// snapshot.
///
/// Changes are enqueued under the graph's writer lock, in order, and committed outside of it, in groups: the leader of
/// the `GroupCommit` writes everything that formed meanwhile as one frame and syncs once.
///
/// Generic over the disk, so that the crash tests run this code.
final class Store<D: Disk>: Sendable {
  /// Changes to be written: full or sealed frames, oldest first, then the forming one.
  private struct Forming: Sendable {
    var sealed: [Sealed] = []
    var frame: JournalFrame

    /// Ends the forming frame. The next one goes to the next generation if `rotating`.
    mutating func seal(rotating: Bool) {
      sealed.append(Sealed(frame: frame, rotatesAfter: rotating))
      frame = JournalFrame(firstSequence: frame.nextSequence)
    }

    /// Adds changes that belong together to one frame. Returns their size in bytes.
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

  /// The state guarded by the flush lock.
  struct Flushing: ~Copyable, Sendable {
    let owner: Int32
    var journal: JournalWriter<D>
    var watermark: WatermarkFile<D>
    /// The last change that is as durable as the mode promises.
    var committed: UInt64
    /// Bytes of frames since the free space of the disk was last checked.
    var byteCountSinceCheck = Store.freeSpaceCheckByteCount
    /// The highest generation in use.
    var generation: UInt64
    /// The chain hash at the start of the newest generation.
    var chainHash: UInt64
    var storeLock: StoreLock<D>?
    /// What the files were when they were given up for a while; nil while the graph is not suspended.
    var suspension: StoreSuspension?
    /// The frame being written. It is swapped with the forming frame, so that both keep their memory.
    var frame = JournalFrame(firstSequence: 1)
  }

  let mode: SocialGraph.Durability
  let events: StoreEvents
  let directory: StoreDirectory<D>
  var path: String { directory.path }
  private let storeID: StoreID
  private let clock: @Sendable () -> Timestamp
  /// The step in which space for a journal is allocated.
  private let growthLimit: Int
  private let retention: SocialGraph.Retention
  private let forming: Mutex<Forming>
  let flushing: Mutex<Flushing>
  let group: GroupCommit
  let snapshotting = SnapshotTurn()
  /// Snapshots known to be restorable: the one recovered at opening, and those written since.
  private let restorable: Mutex<Set<SnapshotName>>
  /// The process that opened the store.
  private let owner: Int32
  /// Why changes are rejected: bits of `StoreObstacle`. One number, which a change reads once.
  let obstacles = Atomic(StoreObstacle.none)
  /// One suspends or resumes at a time.
  let suspending = Mutex(())
  /// Bytes of changes since the last snapshot.
  let journaledByteCount = Atomic(0)

  // MARK: - Opening

  /// A graph recovered from its files, its store, and the recovery report.
  struct Opened: ~Copyable {
    var state: GraphState
    var store: Store
    var report: RecoveryReport
  }

  /// Opens a store for writing, creating it if absent: recovers its state and begins a new generation.
  /// - Parameters:
  ///   - marking: see `StoreDirectory.openForWriting`.
  ///   - schema: what `declare` will be called with; nil for nothing.
  /// - Throws: also `schemaConflict`, and what else refuses a schema.
  static func open(
    _ path: String, mode: SocialGraph.Durability, disk: D, clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
    growthLimit: Int? = nil, retention: SocialGraph.Retention = SocialGraph.Retention(), maximumByteCount: Int? = nil,
    form: GraphForm = .plain, schema: SocialGraph.Schema? = nil, marking: Bool = false,
    events: StoreEvents = StoreEvents()
  ) throws(KithError) -> Opened {
    var directory = StoreDirectory(path, disk: disk)
    let (lock, contents) = try directory.openForWriting(creating: true, marking: marking)
    directory.isMarked = contents.isUnfinished
    let recovered = try Recovery<D>.forWriting(
      directory, holding: lock, limit: .ownStore(maximumByteCount: maximumByteCount), form: form)
    let (report, chainHash) = (recovered.report, recovered.chainHash)
    let storeID = recovered.storeID ?? StoreID.random()
    let state = recovered.state
    if let schema { _ = try state.relations.missing(of: schema) }
    let hasSchema = schema != nil || state.relations.hasSchema
    let watermark = try WatermarkFile(
      directory: path, disk: disk,
      DurableWatermark(storeID: storeID, sequence: state.sequence, generation: report.nextGeneration))
    let growthLimit = growthLimit ?? (mode == .synced ? JournalFormat.growthLimit : JournalFormat.unsyncedGrowthLimit)
    let journal = JournalWriter(
      directory: path, storeID: storeID, generation: report.nextGeneration, firstSequence: state.sequence + 1,
      chainHash: chainHash, disk: disk, growthLimit: growthLimit, hasSchema: hasSchema)
    let flushing = Flushing(
      owner: lock.owner, journal: journal, watermark: watermark, committed: state.sequence,
      generation: report.nextGeneration, chainHash: chainHash, storeLock: lock)
    let store = Store(
      directory, storeID, mode, clock, growthLimit, retention, events,
      Forming(frame: JournalFrame(firstSequence: state.sequence + 1)), flushing,
      restorable: Set(report.snapshot.flatMap { SnapshotName($0) }.map { [$0] } ?? []))
    return Opened(state: state, store: store, report: report)
  }

  private init(
    _ directory: StoreDirectory<D>, _ storeID: StoreID, _ mode: SocialGraph.Durability,
    _ clock: @escaping @Sendable () -> Timestamp, _ growthLimit: Int, _ retention: SocialGraph.Retention,
    _ events: StoreEvents, _ forming: Forming, _ flushing: consuming Flushing, restorable: Set<SnapshotName>
  ) {
    self.directory = directory
    self.storeID = storeID
    self.mode = mode
    self.clock = clock
    self.growthLimit = growthLimit
    self.retention = retention
    self.events = events
    owner = flushing.owner
    group = GroupCommit(committed: flushing.committed)
    self.restorable = Mutex(restorable)
    self.forming = Mutex(forming)
    self.flushing = Mutex(flushing)
  }

  /// Declares what a graph lacks of a schema, as the first change of the journal, before any caller has the graph.
  /// - Throws: `schemaConflict`, and what else refuses a schema; `indeterminate`.
  func declare(_ schema: SocialGraph.Schema, on state: inout GraphState) throws(KithError) {
    guard let missing = try state.relations.missing(of: schema) else { return }
    try JournalFormat.checkSequence(state.sequence)
    _ = try state.apply(.declare(missing))
    enqueue(.declare(missing))
    try commit(state.sequence)
  }

  // MARK: - Changes

  var isJournalBroken: Bool { obstacles.load(ordering: .acquiring) & StoreObstacle.broken != 0 }

  /// Rejects the child of a fork with `storeInUse`: the files are its parent's. Later changes of the child are then
  /// rejected before they are applied.
  ///
  /// Called only where files are accessed, because it is a system call, and before taking any lock that another thread
  /// of the parent may have held at the fork.
  func checkProcess() throws(KithError) {
    if isOwn { return }
    addObstacle(StoreObstacle.broken)
    throw .storeInUse(by: owner, path: directory.path)
  }

  var isOwn: Bool { directory.disk.processID == owner }

  /// Rejects changes while the journal cannot accept them.
  func checkWritable() throws(KithError) {
    guard obstacles.load(ordering: .acquiring) != StoreObstacle.none else { return }
    try checkProcess()
    let (failure, suspension) = flushing.withLock { ($0.journal.failure, $0.suspension) }
    if obstacles.load(ordering: .acquiring) & StoreObstacle.suspended != 0 {
      throw suspension?.refusal(path) ?? .invalidRequest(.suspended)
    }
    throw failure ?? .invalidRequest(.unsavedBulkLoad)
  }

  /// Adds an applied change. Call it under the graph's writer lock.
  func enqueue(_ change: Change) {
    if mode == .memory { return }
    let byteCount = forming.withLock { $0.append { $0.append(change) } }
    journaledByteCount.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// Adds applied changes that belong together, in order. Call it under the graph's writer lock.
  func enqueue(_ changes: some Sequence<Change>) {
    if mode == .memory { return }
    let byteCount = forming.withLock { forming in
      forming.append { frame in
        for change in changes { frame.append(change) }
      }
    }
    journaledByteCount.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// Returns when the change with this number is as durable as the mode promises.
  /// - Throws: `indeterminate` if its write failed, so that it may or may not be stored; `storeInUse` in the child of a
  ///   fork, where the change is only in memory.
  func commit(_ sequence: UInt64) throws(KithError) {
    if mode == .memory { return }
    try checkProcess()
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

  /// The number of callers that wait for a commit led by another.
  var waiterCount: Int { group.waiterCount }

  /// Writes all frames that wait; usually one.
  func flush(_ flushing: inout Flushing) throws(KithError) {
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

  /// Stops accepting changes.
  func fail(_ error: KithError) {
    if addObstacle(StoreObstacle.broken) { events.note(.journalFailed(error)) }
  }

  /// Journal bytes between two checks of the free space of the disk.
  private static var freeSpaceCheckByteCount: Int { 16 << 20 }

  private func write(_ frame: borrowing JournalFrame, _ flushing: inout Flushing) throws(KithError) {
    flushing.byteCountSinceCheck += frame.byteCount
    if events.hasHandler, flushing.byteCountSinceCheck >= Self.freeSpaceCheckByteCount {
      flushing.byteCountSinceCheck = 0
      events.noteFree(directory.disk.freeByteCount(at: directory.path))
    }
    try events.writeGroup(of: frame, syncing: mode == .synced) { (syncing) throws(KithError) in
      try flushing.journal.append(frame, at: clock(), syncing: syncing)
    }
    flushing.committed = frame.nextSequence - 1
    if mode == .synced { acknowledge(&flushing) }
  }

  /// Raises the durable watermark after a sync.
  func acknowledge(_ flushing: inout Flushing) {
    let synced = flushing.journal.syncedThrough
    flushing.watermark.record(sequence: synced, generation: flushing.journal.generation)
  }

  /// The changes in the journals from a sequence number on, including those about to be written.
  /// - Throws: `noStore` if changes are only in memory; `indeterminate`.
  func walk(from sequence: UInt64, committing last: UInt64) throws(KithError) -> JournalWalk<D> {
    if mode == .memory { throw .noStore(path: "") }
    try commit(last)
    return JournalWalk(directory, from: sequence)
  }

  // MARK: - Snapshots

  /// Seals the forming frame when a snapshot is pinned. Called by `snapshot` under the graph's writer lock.
  func seal() {
    if mode == .memory || isJournalBroken { return }
    forming.withLock { $0.seal(rotating: true) }
  }

  /// Begins a bulk load: its changes bypass the journal, and only a snapshot can save them.
  func beginBulk() { addObstacle(StoreObstacle.broken) }

  /// Writes a snapshot, verifies it, and prunes; `SocialGraph.Retention` and the journals it needs are kept. One at a
  /// time. It also recovers a broken journal, because memory holds all changes.
  /// - Throws: `closed` if `close` cancelled it.
  /// - Parameters:
  ///   - workers: the number of threads that encode and verify.
  ///   - noting: called with every step; the writing waits for it.
  ///   - pin: pins the graph and calls `seal`, both under the graph's writer lock.
  func snapshot(
    workers: Int = SystemDisk.coreCount, noting: @escaping (SnapshotStep) -> Void = { _ in },
    pinning pin: () throws(KithError) -> SocialGraph.Pin
  ) throws(KithError) -> SnapshotInfo {
    try checkProcess()
    do throws(KithError) {
      return try snapshotting.take { () throws(KithError) in
        let info = try writeSnapshot(workers: workers, noting: noting, pinning: pin)
        // In the turn, so that the next snapshot begins after this event.
        events.note(.snapshotWritten(info))
        return info
      }
    } catch {
      events.note(.snapshotFailed(error))
      throw error
    }
  }

  private func writeSnapshot(
    workers: Int, noting: @escaping (SnapshotStep) -> Void, pinning pin: () throws(KithError) -> SocialGraph.Pin
  ) throws(KithError) -> SnapshotInfo {
    let isRecovering = isJournalBroken, renews = isRecovering || mode == .memory
    // Checked before anything rotates. Recovery takes two generations.
    try flushing.withLock { flushing throws(KithError) in
      try JournalFormat.checkGeneration(flushing.generation, rising: 2)
    }
    let pin = try pin()
    events.note(.snapshotBegan(sequence: pin.view.sequence))
    events.noteFree(directory.disk.freeByteCount(at: directory.path))
    journaledByteCount.store(0, ordering: .relaxed)
    let (lock, header) = try begin(pin.view, renewing: renews)
    let summary = try directory.writeSnapshot(
      header, pin.view.state, holding: lock, workers: workers,
      noting: { (step) throws(KithError) in try self.snapshotting.notify { noting(step) } })
    if renews { renew(header) }
    if isRecovering { events.note(.journalRecovered(sequence: header.sequence)) }
    flushing.withLock { $0.watermark.sync() }
    try prune(after: SnapshotName(sequence: header.sequence, generation: header.generation), holding: lock)
    return SnapshotInfo(summary)
  }

  /// Removes what the new snapshot makes unnecessary. If the store was closed or suspended since, nothing is removed:
  /// the next snapshot prunes.
  private func prune(after written: SnapshotName, holding lock: StoreLock<D>) throws(KithError) {
    let known = restorable.withLock { known in
      known.insert(written)
      return known
    }
    do throws(KithError) {
      let removed = try directory.prune(
        keeping: retention, now: clock(), restorable: known, verified: [written], holding: lock,
        checkGoing: snapshotting.checkGoing)
      restorable.withLock { $0.subtract(removed) }
    } catch {
      guard error == .closed || error == .invalidRequest(.suspended) else { throw error }
    }
  }

  /// Commits what the snapshot holds. Returns its header: the chain hash and generation at which the journal continues.
  private func begin(
    _ view: borrowing GraphView, renewing: Bool
  ) throws(KithError) -> (lock: StoreLock<D>, header: SnapshotHeader) {
    try flushing.withLock { flushing throws(KithError) in
      guard let lock = flushing.storeLock else { throw .closed }
      if renewing {
        // One number is skipped, so that the files distinguish a recovered journal from one with a damaged end.
        flushing.generation += isJournalBroken ? 2 : 1
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
        storeID: storeID, sequence: view.sequence, generation: flushing.generation, chainHash: flushing.chainHash,
        writtenAt: clock().rawValue, unicodeVersion: Folding.unicodeVersion,
        hasSchema: view.state.relations.hasSchema)
      return (lock, header)
    }
  }

  /// Begins a new journal after a snapshot that holds all changes.
  private func renew(_ header: SnapshotHeader) {
    flushing.withLock { flushing in
      flushing.journal = JournalWriter(
        directory: directory.path, storeID: storeID, generation: header.generation, firstSequence: header.sequence + 1,
        chainHash: header.chainHash, disk: directory.disk, growthLimit: growthLimit,
        hasSchema: header.hasSchema)
      flushing.committed = header.sequence
      forming.withLock { $0 = Forming(frame: JournalFrame(firstSequence: header.sequence + 1)) }
      flushing.watermark.record(sequence: header.sequence, generation: header.generation)
      removeObstacle(StoreObstacle.broken)
    }
  }
}
