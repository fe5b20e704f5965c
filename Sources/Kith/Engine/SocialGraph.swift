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
  // Safety: what is `Locked` is touched only inside `lock`; the rest never changes.
  private let lock = StripedLock()
  private let locked: Locked<GraphView>
  let lockedObservers = Locked<Observers?>(nil)
  private let store: Store<SystemDisk>?
  private let snapshotter: Snapshotter?
  private let nameMerger: NameMerger
  private let postIndexer = PostIndexer(laneCount: SystemDisk.coreCount)
  private let isReadOnly: Bool
  private let limits: GraphLimits
  /// What was found when the graph was opened from files: what was used, what was dropped, and why; nil in memory.
  public let recovery: RecoveryReport?

  /// An empty graph in memory alone.
  /// - Parameter options: what of them concerns files is passed over.
  public convenience init(options: Options = Options()) {
    self.init(GraphState(), store: nil, options: options, isReadOnly: false)
  }

  init(
    _ state: consuming GraphState, store: Store<SystemDisk>?, recovery: RecoveryReport? = nil,
    options: Options = Options(), isReadOnly: Bool, nameMerger: NameMerger = NameMerger()
  ) {
    self.nameMerger = nameMerger
    snapshotter = store == nil ? nil : Snapshotter(options, sequence: state.sequence)
    var state = state
    state.posts.keepIndex(options.postIndex)
    locked = Locked(GraphView(state))
    self.store = store
    self.recovery = recovery
    self.isReadOnly = isReadOnly
    limits = GraphLimits(options)
    wakeIndexers(all: true)
  }

  deinit { nameMerger.stop() }

  /// The graph; inside the lock alone.
  var live: GraphView {
    @inline(__always) _read { yield locked.value }
    @inline(__always) _modify { yield &locked.value }
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
    let (applied, news) = try applyNow(change)
    try commit(applied.sequence)
    if let news { tell(news, sequence: applied.sequence) }
    return applied
  }

  /// As `apply`, but suspends the task instead of blocking its thread until the change is safe.
  @discardableResult
  public func submit(_ change: Change) async throws(KithError) -> Applied {
    let (applied, news) = try applyNow(change)
    if let store {
      let outcome = await Committer.commit(applied.sequence, to: store)
      if case .failure = outcome { snapshotter?.noteFailure(of: self) }
      try outcome.get()
      snapshotter?.note(self, sequence: applied.sequence)
    }
    if let news { tell(news, sequence: applied.sequence) }
    return applied
  }

  /// Applies a change and enqueues it; it is not yet safe.
  ///
  /// Returns also who is to be told of what then; nil where nobody is, and of a change that changed nothing.
  private func applyNow(_ change: Change) throws(KithError) -> (Applied, News?) {
    try lock.write { () throws(KithError) -> (Applied, News?) in
      try checkWritable()
      let observers = presentObservers
      let (applied, made) = try applyLocked(change, records: store != nil || observers != nil)
      wakeIndexers()
      guard let made else { return (applied, nil) }
      store?.enqueue(made.change)
      guard let observers else { return (applied, nil) }
      observers.feed.record(made.change, sequence: applied.sequence)
      return (applied, News(made: made, observers: observers))
    }
  }

  /// Has the search indexes worked on in the background if they ask for it; inside the lock. Not inlined, because the
  /// optimiser of Swift 6.3.1 fails on the initialiser then.
  @inline(never)
  private func wakeIndexers(all: Bool = false) {
    if live.state.users.takeMergeMayBeDue() { nameMerger.wake(self) }
    if live.state.posts.takeBuildMayBeDue() {
      if all { postIndexer.wakeAll(self) } else { postIndexer.wake(self) }
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
    let (result, made, sequence, observers) = try lock.write { () throws(KithError) in
      try checkWritable()
      return try applyTogether(limit: Limits.batchCount, body)
    }
    try commit(sequence)
    if let observers { tell(observers, made, sequence: sequence) }
    return result
  }

  /// The changes of a batch, inside the lock; and who is to be told of them, if anybody is.
  private func applyTogether<R>(
    limit: Int, _ body: (inout Batch) throws(KithError) -> R
  ) throws(KithError) -> (R, [MadeChange], UInt64, Observers?) {
    let before = live.state.pin()
    let observers = presentObservers
    var batch = Batch(graph: self, limit: limit, records: store != nil || observers != nil)
    do throws(KithError) {
      let result = try body(&batch)
      if !batch.made.isEmpty {
        store?.enqueue(batch.made.lazy.map { $0.change })
        observers?.feed.record(batch.made.lazy.map { $0.change }, after: before.sequence)
      }
      wakeIndexers()
      return (result, batch.made, live.state.sequence, batch.made.isEmpty ? nil : observers)
    } catch {
      live.state = before
      throw error
    }
  }

  /// Makes changes that another process made and recorded together: for a graph that was opened for reading.
  package func follow(_ changes: [Change]) throws(KithError) {
    let (_, made, sequence, observers) = try lock.write { () throws(KithError) in
      try applyTogether(limit: .max) { batch throws(KithError) in
        for change in changes { try batch.apply(change) }
      }
    }
    if let observers { tell(observers, made, sequence: sequence) }
  }

  /// Many changes of an importer or a seeder: no limit, no way back; indexes and backward lists are built once at the
  /// end.
  ///
  /// Until then lists of followers and likers are not to be asked for. The changes bypass the journal: only a snapshot
  /// saves them, and until it is written other changes are refused. If `body` throws, the graph is to be thrown away.
  package func bulk<R, E: Error>(_ body: (inout Batch) throws(E) -> R) throws(E) -> R {
    let result = try lock.write { () throws(E) -> R in
      store?.beginBulk()
      live.state.beginBulk()
      var batch = Batch(graph: self, limit: .max, records: false)
      let result = try body(&batch)
      live.state.endBulk()
      wakeIndexers(all: true)
      return result
    }
    // With a store, the snapshot that must follow tells it.
    if store == nil { tellAll(through: read { $0.sequence }) }
    return result
  }

  /// One change, inside the lock.
  /// - Parameter records: whether somebody wants to know what was changed, if anything was; else `made` is nil.
  func applyLocked(_ change: Change, records: Bool) throws(KithError) -> (applied: Applied, made: MadeChange?) {
    try limits.check(change, live.state)
    let complete = try live.state.complete(change, now: Timestamp.now)
    let removedAuthor = records ? removedAuthor(complete) : nil
    let changed = try live.state.apply(complete)
    var applied = Applied(sequence: live.state.sequence, changed: changed, user: nil, post: nil)
    switch complete {
    case .addUser(let id, _): applied.user = id
    case .addPost(let id, _, _, _): applied.post = id
    default: break
    }
    return (applied, records && changed ? MadeChange(change: complete, removedAuthor: removedAuthor) : nil)
  }

  /// Lends the users to the merger of their names.
  func withNames<R: ~Copyable>(_ body: (inout UserTable) -> R) -> R {
    lock.write { body(&live.state.users) }
  }

  /// Lends the posts to the one who builds their index.
  func withPosts<R: ~Copyable>(_ body: (inout PostTable) -> R) -> R {
    lock.write { body(&live.state.posts) }
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

  /// The changes of the store's journals from one on, up to the newest.
  func journalWalk(from sequence: UInt64) throws(KithError) -> JournalWalk<SystemDisk> {
    guard let store else { throw .noStore(path: "") }
    return try store.walk(from: sequence, committing: read { $0.sequence })
  }

  /// Lends the graph while nobody changes it.
  func withWriterLock<R>(_ body: (borrowing GraphView) -> R) -> R { lock.write { body(live) } }

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
    let isFile = try disk.status(of: path, followingLinks: true)?.kind == .file
    if isFile || access == .readOnly {
      return try read(path, from: disk, options, isReadOnly: true)
    }
    let opened = try Store.open(
      path, mode: options.durability, disk: disk, retention: options.retention,
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

  /// What a store or a snapshot holds as a graph in memory: changes are taken, and saved nowhere.
  ///
  /// Takes no lock and writes nothing. Errors: as of `open`.
  package static func openScratch(_ path: String) throws(KithError) -> SocialGraph {
    try read(path, from: SystemDisk(), Options(), isReadOnly: false)
  }

  /// A graph without a store, of the files of one.
  private static func read(
    _ path: String, from disk: SystemDisk, _ options: Options, isReadOnly: Bool
  ) throws(KithError) -> SocialGraph {
    if try disk.status(of: path, followingLinks: true)?.kind == .file {
      let file = try disk.open(path, writable: false)
      let snapshot = try SnapshotFile.read(file, path: path, from: disk)
      try GraphLimits(options).check(snapshot.state)
      return SocialGraph(snapshot.state, store: nil, options: options, isReadOnly: isReadOnly)
    }
    let recovered = try Recovery<SystemDisk>.forReading(StoreDirectory(path, disk: disk))
    try GraphLimits(options).check(recovered.state)
    let report = recovered.report
    return SocialGraph(recovered.state, store: nil, recovery: report, options: options, isReadOnly: isReadOnly)
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
    let savesUntold = isJournalBroken
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
    if savesUntold { tellAll(through: info.sequence) }
    return info
  }

  /// Ends it: waits for acknowledged work, syncs and gives up the lock; later calls answer `closed`. A second call does
  /// nothing.
  public func close() throws(KithError) {
    lock.write { live.isClosed = true }
    nameMerger.stop()
    var isSaved = !isJournalBroken
    defer { tellEnd(isSaved: isSaved) }
    do throws(KithError) {
      try store?.close()
    } catch {
      isSaved = false
      throw error
    }
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
