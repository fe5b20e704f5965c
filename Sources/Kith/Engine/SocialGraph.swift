/// A social graph in memory: users, follows, posts, likes, blocks and mutes.
///
/// One instance serves the whole process, from any thread. `read` runs queries, the verbs (`GraphWriter`) make changes,
/// and `pin` takes an MVCC snapshot. What waits for the disk has a synchronous and an async form of the same name.
///
/// ```swift
/// let graph = SocialGraph()
/// let ann = try graph.addUser("ann")
/// let bob = try graph.addUser("bob")
/// try graph.follow(bob, as: ann)
/// try graph.addPost("hello", by: bob)
/// let page = try graph.read { try $0.timeline(of: ann) }
/// ```
public final class SocialGraph: GraphWriter, AsyncGraphWriter, @unchecked Sendable {
  // Safe because the boxed state is accessed only inside `lock`; all other state is immutable.
  let lock = StripedLock()
  private let locked: Box<GraphView>
  let lockedObservers = Box<Observers?>(nil)
  let store: Store<SystemDisk>?
  private let snapshotter: Snapshotter?
  let asyncWork = AsyncWork()
  private let mark = ProcessMark()
  let recorder: OperationRecorder?
  let pins = PinRegistry()
  let nameMaintainer: IndexMaintainer<UserTable>
  let postMaintainer = IndexMaintainer<PostTable>(workerCount: SystemDisk.coreCount)
  let isReadOnly: Bool
  /// The bytes of a graph from which on it pays to return what opening it took for a while.
  private static let largeByteCount = 64 << 20
  let limits: GraphLimits
  /// What recovery used and dropped when the graph was opened from files, and why; nil for a graph in memory.
  public let recovery: RecoveryReport?

  /// Creates an empty graph in memory, without a store.
  /// - Parameters:
  ///   - options: options about files are ignored.
  ///   - schema: the relations that the host declares; nil for a graph without a schema.
  ///   - instrument: receives every query and change; nil for none.
  /// - Precondition: the facts of the schema are allowed. `open` throws an error instead.
  public convenience init(
    options: Options = Options(), schema: Schema? = nil, instrument: (any GraphInstrument)? = nil
  ) {
    var state = GraphState(form: options.form.lists)
    if let schema { state.mustDeclare(schema) }
    if options.uniqueNames == .loose { _ = state.users.keepLooseKeys() }
    self.init(state, store: nil, options: options, isReadOnly: false, instrument: instrument)
  }

  init(
    _ state: consuming GraphState, store: Store<SystemDisk>?, recovery: RecoveryReport? = nil,
    options: Options = Options(), isReadOnly: Bool, instrument: (any GraphInstrument)? = nil,
    nameMaintainer: IndexMaintainer<UserTable> = IndexMaintainer(workerCount: 2)
  ) {
    self.nameMaintainer = nameMaintainer
    snapshotter = store.map { [sequence = state.sequence] in
      Snapshotter(options, turn: $0.snapshotting, sequence: sequence)
    }
    var state = state
    if options.compressTexts { state.posts.compressTexts() }
    if recovery != nil, state.byteCount >= Self.largeByteCount { PagePool.giveBack() }
    state.posts.keepIndex(options.postIndex)
    recorder = options.measuresLatency || instrument != nil ? OperationRecorder(instrument) : nil
    locked = Box(GraphView(state, recorder: recorder))
    self.store = store
    self.recovery = recovery
    self.isReadOnly = isReadOnly
    limits = GraphLimits(options)
    wakeIndexers(all: true)
  }

  deinit {
    stopMaintenance()
    if !mark.isOwn { leaveToParent(locked) }
  }

  private func stopMaintenance() {
    nameMaintainer.stop()
    postMaintainer.stop()
  }

  /// The graph. Access it only inside the lock.
  var live: GraphView {
    @inline(__always) _read { yield locked.value }
    @inline(__always) _modify { yield &locked.value }
  }

  // MARK: - Reading

  /// Lends a view of the current state while `body` runs. Writers wait meanwhile, so keep it short.
  ///
  /// Do not read or write the graph inside `body`: use the view. A nested call ends the process with a message. After
  /// `close` a view is still lent; `GraphView` says what its queries then return.
  @inlinable @inline(__always)
  public func read<R, E: Error>(_ body: (borrowing GraphView) throws(E) -> R) throws(E) -> R {
    let reading = beginReading()
    defer { endReading(reading) }
    return try body(reading.value)
  }

  // `read` is compiled into its caller, for which a generic function of another module would cost more than a lookup.
  @usableFromInline func beginReading() -> ReadGuard<GraphView> { lock.lend(locked) }
  @usableFromInline func endReading(_ reading: ReadGuard<GraphView>) { lock.end(reading) }

  /// Takes an MVCC snapshot, which can be held, read without a lock and sent to other threads. It survives `close`.
  /// - Complexity: O(1). Memory grows by the pages that are written while it is held.
  public func pin() -> Pin { lock.write { Pin(live.pin(), in: pins) } }

  // MARK: - Changing

  /// Makes one change.
  /// - Returns: its sequence number, and the id if one was assigned. A change without effect takes no number.
  /// - Throws: the errors of the `Change`; `KithError.readOnly`, `closed`.
  @discardableResult
  public func apply(_ change: Change) throws(KithError) -> ChangeResult {
    guard let recorder else { return try applyAndFinish(change) }
    guard let operation = change.operation else { throw .invalidRequest(.declaredAtOpen) }
    return try measured(change, operation, recorder)
  }

  /// Not inlined, so that a change that is not measured stays one function.
  @inline(never)
  private func measured(
    _ change: Change, _ operation: GraphOperation, _ recorder: OperationRecorder
  ) throws(KithError) -> ChangeResult {
    try recorder.measure(operation) { () throws(KithError) in try applyAndFinish(change) }
  }

  @inline(__always)
  private func applyAndFinish(_ change: Change) throws(KithError) -> ChangeResult {
    let (applied, notification) = try applyNow(change)
    return try finish(applied, notification)
  }

  /// Waits until an applied change is durable, and notifies observers.
  @inline(__always)
  func finish(_ applied: ChangeResult, _ notification: PendingNotification?) throws(KithError) -> ChangeResult {
    try commit(applied.sequence)
    if let notification { notify(notification, sequence: applied.sequence) }
    return applied
  }

  /// Applies a change and enqueues it; it is not yet durable. Readers wait only while it is written: it is validated,
  /// placed and enqueued before. Also returns the notification to send once it is durable: nil without observers, and
  /// for a change without effect.
  @inline(__always)
  func applyNow(_ change: Change) throws(KithError) -> (ChangeResult, PendingNotification?) {
    let began = beginLockWait()
    return try lock.serially { () throws(KithError) -> (ChangeResult, PendingNotification?) in
      endLockWait(began)
      try checkWritable()
      try limits.check(change, live.state)
      let sequence = live.state.sequence
      try JournalFormat.checkSequence(sequence)
      let complete = try live.state.complete(change, now: Timestamp.now)
      guard let edit = try live.state.edit(complete) else {
        return (ChangeResult(sequence: sequence, didChange: false), nil)
      }
      live.state.prefetch(edit)
      store?.enqueue(complete)
      return lock.exclusively {
        let knownAuthor = knownAuthor(edit, complete)
        live.state.apply(edit, of: complete)
        var applied = ChangeResult(sequence: sequence + 1, didChange: true)
        switch edit {
        case .follow, .unfollow, .like, .unlike, .add, .begin, .remove, .declare: break
        case .addUser, .renameUser, .editUser, .removeUser, .addPost, .editPost, .removePost:
          applied = ChangeResult(of: complete, sequence: applied.sequence)
          wakeIndexers()
        }
        // Read here: an observer is counted before it reads the graph.
        guard let observers = activeObservers else { return (applied, nil) }
        observers.feed.record(complete, sequence: applied.sequence)
        let made = made(complete, knownAuthor)
        return (applied, PendingNotification(made: made, observers: observers))
      }
    }
  }

  /// Starts background compactions of the search indexes if they may be due. Call it inside the lock, or before the
  /// graph is shared: nothing is read once a compaction may run.
  ///
  /// Not inlined, because the optimiser of Swift 6.3.1 then fails on the initialiser.
  /// - Parameter all: whether many may be due.
  @inline(never)
  func wakeIndexers(all: Bool = false) {
    let (isNameDue, isPostDue) = (
      live.state.users.takeCompactionMayBeDue(), live.state.posts.takeCompactionMayBeDue()
    )
    if isNameDue { nameMaintainer.wake { [weak self] body in self?.withNames(body) } }
    if isPostDue { postMaintainer.wake(all: all) { [weak self] body in self?.withPosts(body) } }
  }

  /// Returns when a change is as durable as the store's mode promises.
  func commit(_ sequence: UInt64) throws(KithError) {
    guard let store else { return }
    do throws(KithError) {
      try store.commit(sequence)
    } catch {
      if case .indeterminate = error { snapshotter?.noteFailure(of: self) }
      throw error
    }
    snapshotter?.note(self, sequence: sequence)
  }

  /// Applies one change inside the lock.
  /// - Parameter records: whether `made` is needed; it is nil otherwise, and for a change without effect.
  func applyLocked(_ change: Change, records: Bool) throws(KithError) -> (applied: ChangeResult, made: AppliedChange?) {
    try limits.check(change, live.state)
    // A read-only graph only replays what its store recorded.
    return try complete(change, now: Timestamp.now, replaying: isReadOnly, records: records)
  }

  /// Where work that memory cannot hold is kept.
  var scratchDirectory: String { if let store { store.path } else { SystemDisk.temporaryDirectory } }

  /// Fills in what a change leaves to the engine and applies it, inside the lock. Limits do not bind it.
  @inline(__always)
  func complete(
    _ change: Change, now: () -> Timestamp, replaying: Bool, records: Bool
  ) throws(KithError) -> (applied: ChangeResult, made: AppliedChange?) {
    try JournalFormat.checkSequence(live.state.sequence)
    let complete = replaying ? change : try live.state.complete(change, now: now)
    let knownAuthor = records ? knownAuthor(complete) : nil
    let changed = try live.state.apply(complete, replaying: replaying)
    let sequence = live.state.sequence
    let applied =
      changed ? ChangeResult(of: complete, sequence: sequence) : ChangeResult(sequence: sequence, didChange: false)
    return (applied, records && changed ? made(complete, knownAuthor) : nil)
  }

  /// Lends the users to the maintainer of their search index, under the lock.
  func withNames<R: ~Copyable>(_ body: (inout UserTable) -> R) -> R {
    Threads.holdingForks { lock.write { body(&live.state.users) } }
  }

  /// Lends the posts to the maintainer of their index, under the lock.
  func withPosts<R: ~Copyable>(_ body: (inout PostTable) -> R) -> R {
    Threads.holdingForks { lock.write { body(&live.state.posts) } }
  }

  /// Checks that the graph is open. Call it outside the lock.
  func checkOpen() throws(KithError) { if isClosed { throw .closed } }

  func checkWritable() throws(KithError) {
    try live.checkOpen()
    if isReadOnly { throw .readOnly }
    try store?.checkWritable()
  }

  /// Whether changes are rejected until a snapshot begins a new journal.
  var isJournalBroken: Bool { store?.isJournalBroken ?? false }
  var isClosed: Bool { lock.read { live.isClosed } }

  /// The bytes of changes since the last snapshot.
  var journaledByteCount: Int { store?.journaledByteCount.load(ordering: .relaxed) ?? 0 }

  /// The changes in the store's journals from a sequence number on, up to the newest.
  func journalWalk(from sequence: UInt64) throws(KithError) -> JournalWalk<SystemDisk> {
    try checkOpen()
    guard let store else { throw .noStore(path: "") }
    return try store.walk(from: sequence, committing: read { $0.sequence })
  }

  /// Lends the graph while no change can happen.
  func withWriterLock<R>(_ body: (borrowing GraphView) -> R) -> R { lock.write { body(live) } }

  // MARK: - Files

  /// Opens a store directory, creating it if absent, or a snapshot file, which is read-only.
  ///
  /// A store opened for writing is exclusive to this process. Reading takes no lock and changes nothing. `recovery`
  /// reports what the files held. A graph that violates the options is not opened, and its files stay intact.
  /// - Parameters:
  ///   - path: a directory, or a snapshot file.
  ///   - access: for reading only, or for changes too.
  ///   - options: limits, durability, snapshots, indexes.
  ///   - schema: the relations that the host declares. What the graph lacks of it is declared, as one change. Nil for
  ///     the schema that the graph has, if any.
  ///   - instrument: receives every query and change; nil for none.
  ///   - onEvent: receives the events of the store (snapshots, disk failures), one at a time, in order, on a dedicated
  ///     thread.
  /// - Throws: `KithError.noStore`, `notAStore`, `storeInUse`, `corrupt`, `unsupportedVersion`, `system`;
  ///   `limitExceeded` if the graph exceeds a limit of the options, `usernamesCollide` if two names are equal by them;
  ///   `schemaConflict` if a relation was declared with other facts, `invalidRequest` for facts that are not allowed,
  ///   `readOnly` if a graph that is opened for reading lacks something of the schema.
  public static func open(
    _ path: String, access: Access = .readWrite, options: Options = Options(), schema: Schema? = nil,
    instrument: (any GraphInstrument)? = nil, onEvent: (@Sendable (StoreEvent) -> Void)? = nil
  ) throws(KithError) -> SocialGraph {
    let disk = SystemDisk()
    let isFile = try disk.status(of: path, followingLinks: true)?.kind == .file
    if isFile || access == .readOnly {
      let graph = try read(path, from: disk, options, isReadOnly: true, instrument: instrument)
      if let schema, try graph.live.state.relations.missing(of: schema) != nil { throw .readOnly }
      return graph
    }
    return try write(
      path, from: disk, options, schema: schema, instrument: instrument,
      events: StoreEvents(lowDiskByteCount: options.lowDiskByteCount, onEvent))
  }

  /// Loads a store or a snapshot into a mutable graph in memory. Takes no lock and saves nothing.
  /// - Throws: as `open`.
  package static func openScratch(_ path: String, options: Options) throws(KithError) -> SocialGraph {
    try read(path, from: SystemDisk(), options, isReadOnly: false)
  }

  /// Loads a state of a store, or of a snapshot file, into a graph in memory that is only read. Takes no lock.
  /// - Parameters:
  ///   - point: for a store, the newest state or an earlier one: point-in-time recovery.
  ///   - control: reports what was read, and cancels.
  /// - Throws: as `open`; `invalidRequest` if no files lead to the target; `cancelled`.
  package static func read(
    _ path: String, at point: RecoveryTarget, options: Options = Options(), control: ReadControl
  ) throws(KithError) -> SocialGraph {
    try read(path, from: SystemDisk(control: control), options, at: point, isReadOnly: true)
  }

  /// Loads a graph without a store from files.
  private static func read(
    _ path: String, from disk: SystemDisk, _ options: Options, at point: RecoveryTarget = .newest, isReadOnly: Bool,
    instrument: (any GraphInstrument)? = nil
  ) throws(KithError) -> SocialGraph {
    if try disk.status(of: path, followingLinks: true)?.kind == .file {
      guard point == .newest else { throw .invalidRequest(.singleInstant(path: path)) }
      let file = try disk.open(path, writable: false)
      var snapshot = try SnapshotFile.read(
        file, path: path, limit: .outside(allowedByteCount: options.maximumByteCount),
        form: options.form, from: disk)
      try GraphLimits(options).admit(&snapshot.state)
      return SocialGraph(
        snapshot.state, store: nil, options: options, isReadOnly: isReadOnly, instrument: instrument)
    }
    var recovered = try Recovery<SystemDisk>.forReading(
      StoreDirectory(path, disk: disk), to: point, limit: .ownStore(maximumByteCount: options.maximumByteCount),
      form: options.form)
    try GraphLimits(options).admit(&recovered.state)
    let report = recovered.report
    return SocialGraph(
      recovered.state, store: nil, recovery: report, options: options, isReadOnly: isReadOnly, instrument: instrument)
  }

  /// Writes a snapshot of the current state to the store, verifies it, and prunes what is no longer needed. Also
  /// recovers a store whose journal failed. Queries and changes continue meanwhile.
  /// - Parameters:
  ///   - coreCount: the most cores used for encoding; nil for all.
  ///   - onProgress: called after about every megabyte, in order. The snapshot waits for it to return.
  /// - Throws: `KithError.noStore` for a graph in memory, `readOnly`, `closed` (also if `close` cancelled it),
  ///   `system`, `storeInUse` in the child of a fork.
  /// - Complexity: O(graph). Memory: some megabytes per core, and the pages written meanwhile.
  @discardableResult
  public func snapshot(
    coreCount: Int? = nil, onProgress: @escaping (SnapshotInfo.Progress) -> Void = { _ in }
  ) throws(KithError) -> SnapshotInfo {
    try checkOpen()
    if isReadOnly { throw .readOnly }
    guard let store else { throw .noStore(path: "") }
    let savesUnreported = isJournalBroken
    var byteCount = 0
    let info = try store.snapshot(workers: max(1, coreCount ?? SystemDisk.coreCount)) { step in
      switch step {
      case .wrote(let contentByteCount):
        byteCount += contentByteCount
        onProgress(.writing(byteCount: byteCount))
      case .verifying: onProgress(.verifying)
      case .verified: break
      }
    } pinning: { () throws(KithError) -> Pin in
      try Threads.holdingForks { () throws(KithError) -> Pin in
        try lock.write { () throws(KithError) -> Pin in
          try live.checkOpen()
          store.seal()
          return Pin(live.pin(), in: pins)
        }
      }
    }
    snapshotter?.noteSnapshot(sequence: info.sequence)
    if savesUnreported { notifyAll(through: info.sequence) }
    return info
  }

  /// Closes the graph: waits for acknowledged work, syncs and releases the lock. A second call does nothing.
  ///
  /// Later calls that can throw throw `closed`. Those that cannot (`counts`, `findUser`, `verify`, users by row, `pin`)
  /// return results of the last state, and observers end. A snapshot being written is cancelled. The store can be
  /// reopened at once, or, if `onProgress` calls this, once that snapshot has ended. In the child of a fork the store
  /// stays its parent's.
  public func close() throws(KithError) {
    let isWhole = closeState()
    stopMaintenance()
    var isSaved = !isJournalBroken
    defer { if isWhole { notifyEnd(isSaved: isSaved) } }
    do throws(KithError) {
      try store?.close()
    } catch {
      isSaved = false
      throw error
    }
  }
}
