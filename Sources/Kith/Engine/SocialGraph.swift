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
  // Safety: `live` and `isReadOnly` are touched only inside `lock`; `store` never changes.
  private let lock = StripedLock()
  private let store: Store?
  private let isReadOnly: Bool
  var live: GraphView

  /// An empty graph in memory alone.
  public convenience init() {
    self.init(GraphState(), store: nil, isReadOnly: false)
  }

  init(_ state: consuming GraphState, store: Store?, isReadOnly: Bool) {
    live = GraphView(state)
    self.store = store
    self.isReadOnly = isReadOnly
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
    try lock.write { () throws(KithError) -> Applied in
      try checkWritable()
      return try applyLocked(change)
    }
  }

  /// Makes many changes at once: all of them, or none if `body` throws. Questions never see a part.
  ///
  /// The error that leaves it names the change that failed (`inBatch`), unless `body` threw one of its own.
  /// Errors: those of the changes; `invalidRequest` for more than 10,000 of them.
  public func batch<R>(_ body: (inout Batch) throws(KithError) -> R) throws(KithError) -> R {
    try lock.write { () throws(KithError) -> R in
      try checkWritable()
      let before = live.state.pin()
      var batch = Batch(graph: self, limit: Limits.batchCount)
      do throws(KithError) {
        return try body(&batch)
      } catch {
        live.state = before
        throw error
      }
    }
  }

  /// Many changes of an importer or a seeder: no limit, no way back; indexes and backward lists are built once at the
  /// end.
  ///
  /// Until then lists of followers and likers are not to be asked for. If `body` throws, the graph is to be thrown
  /// away.
  package func bulk<R, E: Error>(_ body: (inout Batch) throws(E) -> R) throws(E) -> R {
    try lock.write { () throws(E) -> R in
      live.state.beginBulk()
      var batch = Batch(graph: self, limit: .max)
      let result = try body(&batch)
      live.state.endBulk()
      return result
    }
  }

  /// One change, inside the lock.
  func applyLocked(_ change: Change) throws(KithError) -> Applied {
    let complete = try live.state.complete(change, now: Timestamp.now)
    let changed = try live.state.apply(complete)
    var applied = Applied(sequence: live.state.sequence, changed: changed, user: nil, post: nil)
    switch complete {
    case .addUser(let id, _): applied.user = id
    case .addPost(let id, _, _, _): applied.post = id
    default: break
    }
    return applied
  }

  private func checkWritable() throws(KithError) {
    try live.checkOpen()
    if isReadOnly { throw .readOnly }
  }

  // MARK: - Files

  /// Opens a store directory, made when it is absent, or a snapshot file, which is read only.
  ///
  /// A store open for writing is this process's alone; reading takes no lock and changes nothing.
  /// Errors: `notAStore`, `storeInUse`, `corrupt`, `unsupportedVersion`, `system`.
  public static func open(_ path: String, access: Access = .readWrite) throws(KithError) -> SocialGraph {
    let opened = try Store.open(path, access: access)
    return SocialGraph(opened.state, store: opened.store, isReadOnly: opened.store == nil)
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
  /// Questions and changes go on meanwhile: what is written is the instant of the call.
  /// Errors: `noStore` for a graph in memory, `readOnly`, `closed`, `system`.
  @discardableResult
  public func snapshot() throws(KithError) -> SnapshotInfo {
    let pin = try lock.write { () throws(KithError) -> Pin in
      try live.checkOpen()
      return Pin(GraphView(live.state.pin()))
    }
    if isReadOnly { throw .readOnly }
    guard let store else { throw .noStore(path: "") }
    return try store.write(pin.view)
  }

  /// Ends it: later calls answer `closed`, and the store may be opened again. A second call does nothing.
  ///
  /// It does not write a snapshot: call `snapshot` first to keep what changed.
  public func close() {
    lock.write { live.isClosed = true }
    store?.close()
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
