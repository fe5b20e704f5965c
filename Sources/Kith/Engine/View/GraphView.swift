/// Read access to one state of the graph: the facade of all queries.
///
/// `SocialGraph.read` lends a view of the current state. `SocialGraph.pin` returns a view of an MVCC snapshot, which
/// later changes do not affect. A view cannot be copied, so it cannot outlive the call it was lent for. Queries about
/// users take a viewer where it matters: users across a block from the viewer are absent from lists, and a query about
/// one of them throws `unknownUser`.
///
/// After the graph was closed, every query that can throw throws `closed`; the others return results of the last state.
public struct GraphView: ~Copyable, Sendable {
  var state: GraphState
  /// Whether the graph was closed. Queries then throw `closed`.
  private(set) var isClosed: Bool
  /// Measures queries; nil if they are not measured.
  private let recorder: OperationRecorder?
  /// Whether queries just run: the graph is open, and they are not measured. One check for both, so that measuring
  /// costs nothing while it is off.
  private(set) var isPlain: Bool

  init(_ state: consuming GraphState, isClosed: Bool = false, recorder: OperationRecorder? = nil) {
    self.state = state
    self.isClosed = isClosed
    self.recorder = recorder
    isPlain = !isClosed && recorder == nil
  }

  /// A view of the same state that is not affected by later changes or a later `close`.
  mutating func pin() -> GraphView { GraphView(state.pin(), isClosed: isClosed, recorder: recorder) }

  /// Marks the graph as closed: queries throw `closed`.
  mutating func close() { (isClosed, isPlain) = (true, false) }

  /// The sequence number of the last change in this state.
  public var sequence: UInt64 { state.sequence }

  /// The numbers of users, posts and edges.
  public var counts: SocialGraph.Counts { state.counts }

  /// The user with exactly this name, up to canonical equivalence; with names unique by loose key
  /// (`SocialGraph.Options.uniqueNames`), the user whose name has the same key. If two users share a name
  /// (`RecoveryReport.sharedNames`), the one with the lower id. The user is of a kind by name, or `user` for nil; none
  /// has an unknown kind.
  /// - Complexity: O(1).
  public func findUser(named username: String, kind: String? = nil) -> UserID? {
    if username.utf8.count > SocialGraph.Limits.spellingByteCount { return nil }
    guard let number = try? state.relations.number(ofKind: kind) else { return nil }
    return state.users.row(meantBy: Array(username.utf8).span, ofKind: number).map { state.userID($0) }
  }

  /// One user. With `includesBlocked`, also one whom the viewer blocks, but not one who blocks the viewer.
  /// - Throws: `KithError.unknownUser`, also for one who is hidden from the viewer by a block.
  /// - Complexity: O(1).
  public func user(
    _ id: UserID, as viewer: UserID? = nil, includesBlocked: Bool = false
  ) throws(KithError) -> User {
    try run(UserByID(id: id, viewer: viewer, includesBlocked: includesBlocked))
  }

  /// One post; with `includesAuthors`, with its author's counts (`Post.Author.user`).
  /// - Throws: `KithError.unknownPost`, also if its author is across a block from the viewer; `unknownUser` for the
  ///   viewer.
  /// - Complexity: O(1), and the text's length.
  public func post(
    _ id: PostID, as viewer: UserID? = nil, includesAuthors: Bool = false
  ) throws(KithError) -> Post {
    try run(PostByID(id: id, viewer: viewer, includesAuthors: includesAuthors))
  }

  /// Up to 1,000 users, in the order of the ids. Nil for an unknown user, or one across a block from the viewer. With
  /// `includesBlocked`, users whom the viewer blocks are there, but not those who block the viewer.
  /// - Throws: `KithError.invalidRequest` if there are too many ids; `unknownUser` for the viewer.
  public func users(
    _ ids: [UserID], as viewer: UserID? = nil, includesBlocked: Bool = false
  ) throws(KithError) -> [User?] {
    try run(UsersByID(ids: ids, viewer: viewer, includesBlocked: includesBlocked))
  }

  /// Up to 1,000 posts, in the order of the ids. Nil for an unknown post, or one by a user across a block from the
  /// viewer. With `includesAuthors`, with the counts of their authors (`Post.Author.user`).
  /// - Throws: `KithError.invalidRequest` if there are too many ids; `unknownUser` for the viewer.
  public func posts(
    _ ids: [PostID], as viewer: UserID? = nil, includesAuthors: Bool = false
  ) throws(KithError) -> [Post?] {
    try run(PostsByID(ids: ids, viewer: viewer, includesAuthors: includesAuthors))
  }

  /// Whether a user follows another: `isFollowing(bob, as: ann)` is whether ann follows bob.
  /// - Throws: `KithError.unknownUser`.
  /// - Complexity: O(log followees).
  public func isFollowing(_ target: UserID, as user: UserID) throws(KithError) -> Bool {
    try run(FollowExists(user: user, target: target))
  }

  /// The follows, blocks and mutes between a user and up to 1,000 others, in the order of the ids.
  /// - Throws: `KithError.invalidRequest` if there are too many ids; `unknownUser` for any of the users.
  public func relations(of user: UserID, to targets: [UserID]) throws(KithError) -> [User.Relations] {
    try run(RelationsQuery(user: user, targets: targets))
  }

  /// Checks every invariant of the graph. Returns the violations; none if the graph is consistent.
  ///
  /// A million users take a few seconds. In `SocialGraph.read` changes wait for as long; ask a pin, or
  /// `SocialGraph.verify`.
  /// - Complexity: O(graph · log longest list).
  public func verify() -> [SocialGraph.Violation] { state.checkInvariants() }

  /// Checks every invariant of the graph, with progress. See the form above.
  /// - Parameter control: reports the fraction that is done, and cancels.
  /// - Throws: `KithError.cancelled`, `closed`.
  public func verify(control: PassControl) throws(KithError) -> [SocialGraph.Violation] {
    try checkOpen()
    let violations = state.checkInvariants(control)
    if control.isCancelled { throw .cancelled }
    return violations
  }

  // MARK: - Execution

  /// Executes a query unless the graph was closed.
  /// - Throws: `closed`, and the errors of the query.
  @inline(__always)
  func run<Q: Query>(_ query: Q) throws(KithError) -> Q.Output {
    if isPlain { return try query.run(state) }
    return try measure(query.operation) { () throws(KithError) in try query.run(state) }
  }

  /// Executes a query of a graph that was closed, or whose queries are measured.
  @inline(never)
  func measure<R>(_ operation: GraphOperation, _ body: () throws(KithError) -> R) throws(KithError) -> R {
    try checkOpen()
    guard let recorder else { return try body() }
    return try recorder.measure(operation, body)
  }

  func checkOpen() throws(KithError) { if isClosed { throw .closed } }
}

extension SocialGraph {
  /// An MVCC snapshot: a view of one state that stays constant while it is held. Any thread may read it without a lock.
  ///
  /// It takes memory only for pages that are written while it is held.
  public final class Pin: Sendable {
    /// The graph in the state of the snapshot.
    public let view: GraphView
    private let registry: PinRegistry?
    private let slot: Int

    /// - Parameter registry: counts the pins that are held; nil to count none.
    init(_ view: consuming GraphView, in registry: PinRegistry? = nil) {
      self.view = view
      self.registry = registry
      slot = registry?.add() ?? 0
    }

    deinit { registry?.remove(slot) }
  }
}
