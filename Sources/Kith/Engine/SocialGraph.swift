/// A social graph held in memory: people, follows, posts, likes, blocks and mutes.
///
/// One value serves the whole process, from any thread: `read` asks, the verbs change, `pin` keeps an instant.
///
/// ```swift
/// let graph = SocialGraph()
/// let ann = try graph.addUser("ann")
/// let bob = try graph.addUser("bob")
/// try graph.follow(ann, bob)
/// try graph.addPost(by: bob, "hello")
/// let page = try graph.read { try $0.timeline(of: ann) }
/// ```
public final class SocialGraph: @unchecked Sendable {
  // Safety: `live` is touched only inside `lock`; the rest never changes.
  private let lock = StripedLock()
  private let store: Store<SystemDisk>?
  private let snapshotter: Snapshotter?
  private let nameMerger = NameMerger()
  private let isReadOnly: Bool
  private let limits: GraphLimits
  var live: GraphView
  /// What was found when the graph was opened from files: what was used, what was dropped, and why; nil in memory.
  public let recovery: RecoveryReport?

  /// An empty graph in memory alone. Of the options only the limits on what it holds matter.
  public convenience init(_ options: Options = Options()) {
    self.init(GraphState(), store: nil, options: options, isReadOnly: false)
  }

  init(
    _ state: consuming GraphState, store: Store<SystemDisk>?, recovery: RecoveryReport? = nil,
    options: Options = Options(), isReadOnly: Bool
  ) {
    snapshotter = store == nil ? nil : Snapshotter(options, sequence: state.sequence)
    live = GraphView(state)
    self.store = store
    self.recovery = recovery
    self.isReadOnly = isReadOnly
    limits = GraphLimits(options)
  }

  // MARK: - Asking

  /// Lends a view of one instant for as long as `body` runs; writers wait meanwhile, so keep it short.
  ///
  /// Do not read or write the graph from inside: ask the view.
  @inline(__always)
  public func read<R, E: Error>(_ body: (borrowing GraphView) throws(E) -> R) throws(E) -> R {
    try lock.read { () throws(E) -> R in try body(live) }
  }

  /// A view of this instant that can be held, read without a lock and handed to other threads.
  /// - Complexity: O(1); memory grows by the pages that are written while it is held.
  public func pin() -> Pin {
    lock.write {
      var view = GraphView(live.state.pin())
      view.isClosed = live.isClosed
      return Pin(view)
    }
  }

  // MARK: - Changing

  /// Makes one change. Errors: those of the `Change`, `readOnly`, `closed`.
  /// - Returns: its number, and the id where one was assigned; a change that changes nothing takes no number.
  @discardableResult
  public func apply(_ change: Change) throws(KithError) -> Applied {
    let applied = try applyNow(change)
    try commit(applied.sequence)
    return applied
  }

  /// As `apply`, but suspends the task instead of blocking its thread until the change is safe.
  @discardableResult
  public func submit(_ change: Change) async throws(KithError) -> Applied {
    let applied = try applyNow(change)
    guard let store else { return applied }
    let outcome = await Committer.commit(applied.sequence, to: store)
    if case .failure = outcome { snapshotter?.noteFailure(of: self) }
    try outcome.get()
    snapshotter?.note(self, sequence: applied.sequence)
    return applied
  }

  /// Applies a change and enqueues it; it is not yet safe.
  private func applyNow(_ change: Change) throws(KithError) -> Applied {
    try lock.write { () throws(KithError) -> Applied in
      try checkWritable()
      let (applied, complete) = try applyLocked(change)
      if applied.changed { store?.enqueue(complete) }
      if live.state.users.takeMergeMayBeDue() { nameMerger.wake(self) }
      return applied
    }
  }

  /// Returns when a change is as safe as the store's mode promises.
  private func commit(_ sequence: UInt64) throws(KithError) {
    guard let store else { return }
    do throws(KithError) {
      try store.commit(sequence)
    } catch {
      snapshotter?.noteFailure(of: self)
      throw error
    }
    snapshotter?.note(self, sequence: sequence)
  }

  /// Makes many changes at once: all of them, or none if `body` throws. Questions never see a part.
  ///
  /// The error that leaves it names the change that failed (`inBatch`), unless `body` threw one of its own.
  /// Errors: those of the changes; `invalidRequest` for more than 10,000 of them.
  public func batch<R>(_ body: (inout Batch) throws(KithError) -> R) throws(KithError) -> R {
    let (result, sequence) = try lock.write { () throws(KithError) -> (R, UInt64) in
      try checkWritable()
      let before = live.state.pin()
      var batch = Batch(graph: self, limit: Limits.batchCount, records: store != nil)
      do throws(KithError) {
        let result = try body(&batch)
        if !batch.changes.isEmpty { store?.enqueue(batch.changes) }
        if live.state.users.takeMergeMayBeDue() { nameMerger.wake(self) }
        return (result, live.state.sequence)
      } catch {
        live.state = before
        throw error
      }
    }
    try commit(sequence)
    return result
  }

  /// Many changes of an importer or a seeder: no limit, no way back; indexes and backward lists are built once at the
  /// end.
  ///
  /// Until then lists of followers and likers are not to be asked for. The changes bypass the journal: only a snapshot
  /// saves them, and until it is written other changes are refused. If `body` throws, the graph is to be thrown away.
  package func bulk<R, E: Error>(_ body: (inout Batch) throws(E) -> R) throws(E) -> R {
    try lock.write { () throws(E) -> R in
      store?.beginBulk()
      live.state.beginBulk()
      var batch = Batch(graph: self, limit: .max, records: false)
      let result = try body(&batch)
      live.state.endBulk()
      return result
    }
  }

  /// One change, inside the lock.
  func applyLocked(_ change: Change) throws(KithError) -> (applied: Applied, complete: Change) {
    try limits.check(change, live.state)
    let complete = try live.state.complete(change, now: Timestamp.now)
    let changed = try live.state.apply(complete)
    var applied = Applied(sequence: live.state.sequence, changed: changed, user: nil, post: nil)
    switch complete {
    case .addUser(let id, _): applied.user = id
    case .addPost(let id, _, _, _): applied.post = id
    default: break
    }
    return (applied, complete)
  }

  /// Lends the users to the merger of their names.
  func withNames<R: ~Copyable>(_ body: (inout UserTable) -> R) -> R {
    lock.write { body(&live.state.users) }
  }

  private func checkWritable() throws(KithError) {
    try live.checkOpen()
    if isReadOnly { throw .readOnly }
    try store?.checkWritable()
  }

  /// Whether changes are refused until a snapshot begins a new journal.
  var isJournalBroken: Bool { store?.isJournalBroken ?? false }
  var isClosed: Bool { lock.read { live.isClosed } }

  /// Bytes of changes since the last snapshot.
  var journaledByteCount: Int { store?.journaledByteCount.load(ordering: .relaxed) ?? 0 }

  // MARK: - Files

  /// Opens a store directory, made when it is absent, or a snapshot file, which is read only.
  ///
  /// A store open for writing is this process's alone; reading takes no lock and changes nothing. What the files held
  /// is in `recovery`.
  /// - Parameter onEvent: is told what happens to the store by itself (snapshots, a failing disk), one event at a time,
  ///   in order, on a thread of its own.
  ///
  /// Errors: `noStore`, `notAStore`, `storeInUse`, `corrupt`, `unsupportedVersion`, `system`; `limitExceeded` where the
  /// files hold more than the options allow, and then nothing of them is lost.
  public static func open(
    _ path: String, access: Access = .readWrite, options: Options = Options(),
    onEvent: (@Sendable (StoreEvent) -> Void)? = nil
  ) throws(KithError) -> SocialGraph {
    let disk = SystemDisk()
    if let status = try disk.status(of: path, followingLinks: true), status.kind == .file {
      let file = try disk.open(path, writable: false)
      let snapshot = try SnapshotFile.read(file, path: path, from: disk)
      try GraphLimits(options).check(snapshot.state)
      return SocialGraph(snapshot.state, store: nil, recovery: nil, options: options, isReadOnly: true)
    }
    switch access {
    case .readOnly:
      let recovered = try Recovery<SystemDisk>.forReading(StoreDirectory(path, disk: disk))
      let report = recovered.report
      try GraphLimits(options).check(recovered.state)
      return SocialGraph(recovered.state, store: nil, recovery: report, options: options, isReadOnly: true)
    case .readWrite:
      let opened = try Store.open(
        path, mode: options.durability, disk: disk,
        events: onEvent.map { StoreEvents(lowDiskByteCount: options.lowDiskByteCount, $0) })
      let (store, report) = (opened.store, opened.report)
      do throws(KithError) {
        try GraphLimits(options).check(opened.state)
      } catch {
        try store.close()
        throw error
      }
      return SocialGraph(opened.state, store: store, recovery: report, options: options, isReadOnly: false)
    }
  }

  /// How a store is opened.
  public enum Access: Sendable {
    /// To change it: takes the store's lock.
    case readWrite
    /// To ask alone.
    case readOnly
  }

  /// Writes the whole graph to its store, verified, and prunes what is no longer needed.
  ///
  /// Questions and changes go on meanwhile: what is written is the instant of the call. It also heals a store whose
  /// journal failed.
  /// Errors: `noStore` for a graph in memory, `readOnly`, `closed`, `system`.
  /// - Parameters:
  ///   - coreCount: how many cores may encode at once; nil for all.
  ///   - onProgress: is told after every megabyte or so, in order; what it takes, the snapshot takes longer.
  /// - Complexity: O(graph). Memory: some megabytes a core, and the pages that are written meanwhile.
  @discardableResult
  public func snapshot(
    coreCount: Int? = nil, onProgress: @escaping (SnapshotProgress) -> Void = { _ in }
  ) throws(KithError) -> SnapshotInfo {
    if isReadOnly { throw .readOnly }
    guard let store else { throw .noStore(path: "") }
    var byteCount = 0
    let info = try store.snapshot(workers: max(1, coreCount ?? SystemDisk.coreCount)) { step in
      switch step {
      case .wrote(let contentByteCount):
        byteCount += contentByteCount
        onProgress(.writing(byteCount: byteCount))
      case .verifying: onProgress(.verifying)
      }
    } pinning: { () throws(KithError) -> Pin in
      try lock.write { () throws(KithError) -> Pin in
        try live.checkOpen()
        store.seal()
        return Pin(GraphView(live.state.pin()))
      }
    }
    snapshotter?.noteSnapshot(sequence: info.sequence)
    return info
  }

  /// Ends it: waits for acknowledged work, syncs and gives up the lock; later calls answer `closed`. A second call does
  /// nothing.
  public func close() throws(KithError) {
    lock.write { live.isClosed = true }
    try store?.close()
  }
}

/// A snapshot that was written.
public struct SnapshotInfo: Hashable, Sendable {
  /// Its file.
  public let path: String
  /// The last change that it holds.
  public let sequence: UInt64
}

/// What became of a change.
public struct Applied: Hashable, Sendable {
  /// The number of the change, or of the one before if it changed nothing.
  public let sequence: UInt64
  /// Whether it changed anything.
  public let changed: Bool
  /// The id of a user that was added.
  public internal(set) var user: UserID?
  /// The id of a post that was added.
  public internal(set) var post: PostID?
}
