import Kith

/// A full copy of a social graph that several hosts share, kept equal by an ordered log of changes.
///
/// Changes are submitted to the log, and answered when they are on a quorum and the local copy has applied them.
/// Queries are answered by the local copy: they send no message and go on while the log cannot be reached.
///
/// ```swift
/// let ann = try await graph.addUser("ann")
/// let done = try await graph.submit(.follow(as: ann, target: bob))
/// try await other.wait(for: done.position)  // on another host: reads see the follow from now on
/// let page = try graph.read { try $0.timeline(of: ann) }
/// ```
public final class ReplicatedGraph: AsyncGraphWriter {
  /// The local copy. Its verbs answer `readOnly`; queries, live queries, search sessions, the change feed, pins and
  /// passes work as on any graph. Once the replica differs from the others, it answers `closed`.
  public let local: SocialGraph
  private let core: ReplicaCore
  private let keeper: SnapshotKeeper
  private let directory: String?
  private let tasks: [Task<Void, Never>]
  private let mark = ProcessMark()

  /// Opens a replica: restores the newest snapshot that it finds, and applies what the log has since. While the log is
  /// away, or has no quorum, a replica with a snapshot opens as of that, says so by `ReplicaEvent.trouble`, and goes on
  /// when the log is back.
  /// - Parameters:
  ///   - log: the log; the replica closes it.
  ///   - directory: the replica's own directory for snapshots, created if absent; nil for none.
  ///   - onEvent: receives events, one at a time, in order, on a dedicated thread.
  /// - Throws: `unavailable` without a snapshot; `noStore` if no snapshot leads to the log; `unsupportedVersion`.
  package static func open(
    log: any ReplicationLog, directory: String?, options: ReplicaOptions,
    onEvent: (@Sendable (ReplicaEvent) -> Void)? = nil
  ) async throws(KithError) -> ReplicatedGraph {
    var options = options
    // Every replica decides alike, whatever its options are.
    options.graph.uniqueNames = .exact
    let events = ReplicaEvents(onEvent)
    let start = ReplicaStart(log: log, directory: directory, options: options, events: events)
    let beginning = try await start.begin()
    let core = ReplicaCore(log: log, beginning: beginning, options: options, events: events)
    try start.leaveSigns(core.session, for: beginning.place.log)
    let newest = beginning.failure == nil ? try await newestPosition(log, beginning) : nil
    core.note(newest: newest ?? beginning.place.position)
    if let failure = beginning.failure { core.tell([ReplicaTrouble(kind: .noLog, reason: failure.description)]) }
    let defersLists = !options.answersAtOnce && core.status.lag >= ReplicaOptions.deferringLag
    if defersLists { core.graph.beginCatchingUp() }
    let graph = ReplicatedGraph(core, directory: directory, isProven: beginning.failure == nil)
    if !options.answersAtOnce, let newest {
      do throws(KithError) {
        try await core.waitUntilApplied(newest)
      } catch {
        // As one that ran before: it answers as of the records that it knows, and takes no changes.
        guard beginning.isRestored, case .unsupportedVersion = error else { throw error }
      }
    }
    if defersLists {
      try await WorkQueue().run { () throws(KithError) in core.graph.endCatchingUp() }
    }
    return graph
  }

  /// What a replica applies before it is open. One that has a snapshot opens without a quorum, too.
  private static func newestPosition(
    _ log: any ReplicationLog, _ beginning: ReplicaStart.Beginning
  ) async throws(KithError) -> LogPosition? {
    do throws(KithError) {
      return try await log.confirmedPosition()
    } catch {
      switch error {
      case .unavailable(.unreachable) where beginning.isRestored: return nil
      case .unavailable(.quorumMissing) where beginning.isRestored: return nil
      default: throw error
      }
    }
  }

  private init(_ core: ReplicaCore, directory: String?, isProven: Bool) {
    self.core = core
    self.directory = directory
    local = core.graph
    let keeper = SnapshotKeeper(core: core, directory: directory)
    self.keeper = keeper
    let attendant = Attendant(core: core, keeper: keeper)
    tasks = [
      Task { await Applier(core: core, keeper: keeper).run(isProven: isProven) },
      Task { await Appender(core: core).run() },
      Task { await attendant.run() },
      Task { await attendant.attend() },
      Task { await attendant.keep() },
    ]
  }

  deinit {
    // The child of a fork has no thread for the tasks, and the log's connection is its parent's.
    if !mark.isOwn { return }
    let (core, tasks) = (core, tasks)
    core.end(because: .closed)
    for task in tasks { task.cancel() }
    Task {
      await core.log.close()
      try? await core.graph.close()
    }
  }

  // MARK: - Changing

  /// Makes one change.
  /// - Returns: its sequence number, and the id if one was assigned. A change without effect takes no number.
  /// - Throws: as `submit`.
  @discardableResult
  public func apply(_ change: Change) async throws(KithError) -> ChangeResult { try await submit(change).applied }

  /// Makes one change.
  /// - Parameters:
  ///   - position: the newest record that may precede the change's own; nil for any.
  ///   - token: a random number of the caller's own. If a request is submitted again with the same token within a day,
  ///     on any host and after any restart, it has no effect and the results of the first one; a million results are
  ///     kept. Without one, a request whose answer was lost may be made twice.
  /// - Returns: its result, once it is on a quorum and applied here. Of a repetition, the position is its own.
  /// - Throws: the errors of the `Change`; `conflict` if another record came after `position`; `unavailable` if
  ///   nothing was written; `inDoubt` if that is not known; `closed`, `diverged`; `limitExceeded`; `cancelled` before
  ///   the change is handed over; `invalidRequest` for a token before the log has rules 2: see `upgrade`.
  @discardableResult
  public func submit(
    _ change: Change, expecting position: LogPosition? = nil, token: RequestToken? = nil
  ) async throws(KithError) -> Committed {
    try SocialGraph.checkShape(change)
    let token = try allowed(token)
    // The limits do not bind a repetition.
    if !core.isKnown(token) { try local.checkLimits(change) }
    let entry = LoggedRequests.entry([change], expecting: position, token: token)
    return try Committed(try await submit(entry, changeCount: 1))
  }

  /// Makes the changes of a batch: all or none.
  /// - Parameter token: as of one change.
  /// - Returns: the results in their order, once they are on a quorum and applied here.
  /// - Throws: as the other form; `inBatch` with the index of the change that fails.
  @discardableResult
  public func submit(
    _ batch: Batch, expecting position: LogPosition? = nil, token: RequestToken? = nil
  ) async throws(KithError) -> CommittedBatch {
    let changes = batch.changes
    let token = try allowed(token)
    if !core.isKnown(token) { try local.checkLimits(changes) }
    let entry = LoggedRequests.entry(changes, isGroup: true, expecting: position, token: token)
    let outcome = try await submit(entry, changeCount: changes.count)
    return CommittedBatch(results: outcome.results, position: outcome.position)
  }

  private func allowed(_ token: RequestToken?) throws(KithError) -> UInt128? {
    if token != nil, core.place.rules < LoggedRequests.rulesWithTokens {
      throw .invalidRequest(.tokensNeedRules(Int(LoggedRequests.rulesWithTokens)))
    }
    return token?.number
  }

  private func submit(_ entry: [UInt8], changeCount: Int) async throws(KithError) -> Request.Outcome {
    if Task.isCancelled { throw .cancelled }
    guard entry.count < LogRecord.payloadByteLimit else {
      throw .limitExceeded(.requestBytes(limit: LogRecord.payloadByteLimit - 1, byteCount: entry.count))
    }
    return try await core.submit(entry, changeCount: changeCount).wait().get()
  }

  /// What became of a request that was answered with `inDoubt`, on the replica that submitted it.
  /// - Parameter ticket: of that error.
  /// - Returns: its results; nil if that is still not known.
  /// - Throws: what the request was refused with, `unavailable` if it was never written; `invalidRequest` for a ticket
  ///   that is none of the newest 10,000.
  public func outcome(of ticket: UInt64) throws(KithError) -> CommittedBatch? {
    guard let request = core.doubtful(ticket) else {
      throw .invalidRequest(.notInDoubt(ticket: ticket))
    }
    guard let outcome = try request.known?.get() else { return nil }
    return CommittedBatch(results: outcome.results, position: outcome.position)
  }

  // MARK: - Reading

  /// Lends a view of the local copy while `body` runs: as `SocialGraph.read`.
  @inline(__always)
  public func read<R, E: Error>(_ body: (borrowing GraphView) throws(E) -> R) throws(E) -> R {
    try local.read(body)
  }

  /// Waits until the local copy has applied a position, so that reads see everything up to it.
  /// - Throws: `lagging` after the timeout, within a tenth of a second; `closed`, `diverged`.
  public func wait(for position: LogPosition, timeout: Duration = .seconds(10)) async throws(KithError) {
    try await core.wait(for: position, timeout: timeout)
  }

  /// Waits until the local copy has applied everything that was acknowledged anywhere before this call: a read that
  /// follows is linearizable.
  /// - Returns: the position that was waited for.
  /// - Throws: `unavailable` if the log cannot be asked; as `wait(for:)`.
  @discardableResult
  public func catchUp(timeout: Duration = .seconds(10)) async throws(KithError) -> LogPosition {
    let position = try await core.log.confirmedPosition()
    core.note(newest: position)
    try await core.wait(for: position, timeout: timeout)
    return position
  }

  /// The last record that is applied: what `wait(for:)` takes on another host.
  public var position: LogPosition { core.position }

  /// The state of the replica.
  public var status: ReplicaStatus { core.status }

  /// Why the replica has ended: it was closed, or it differs; nil while it runs, with or without the log.
  package var end: KithError? { core.end }

  // MARK: - Keeping

  /// Writes a snapshot for all replicas, of the state after a record that this call appends. All replicas compare
  /// their states there.
  /// - Returns: the position of that record.
  /// - Throws: `noStore` without a directory for snapshots; `system`; as `submit`.
  @discardableResult
  public func snapshot() async throws(KithError) -> LogPosition {
    let outcome = try await submit(LoggedRequests.mark, changeCount: 0)
    guard let marked = outcome.marked else { preconditionFailure("a mark that is applied has a state") }
    return try await keeper.write(marked).position
  }

  /// Lets all replicas compare their states after a record that this call appends. One that differs stops, and one
  /// whose lists and counts do not follow from its state.
  /// - Returns: the position of that record, and the digest of the state there.
  /// - Throws: as `submit`; `diverged` if its own lists do not follow from its state.
  public func digest() async throws(KithError) -> (position: LogPosition, digest: UInt64) {
    let outcome = try await submit(LoggedRequests.mark, changeCount: 0)
    guard let marked = outcome.marked else { preconditionFailure("a mark that is applied has a state") }
    do throws(KithError) {
      let digest = try await WorkQueue().run { () throws(KithError) in try marked.digest(workers: nil) }
      return (outcome.position, digest)
    } catch {
      core.note(divergence: error)
      throw error
    }
  }

  /// Reads back the snapshots of other replicas that this one has not verified.
  /// - Returns: how many are sound.
  /// - Throws: as the log; `corrupt`, `system`.
  @discardableResult
  public func verifySnapshots() async throws(KithError) -> Int {
    var count = 0
    while try await keeper.verifyNext() { count += 1 }
    return count
  }

  /// Removes the records that no replica needs: two snapshots verified by another replica than their writer are beyond
  /// them, and every replica has applied them.
  /// - Returns: the position through which records may go; 0 for none.
  @discardableResult
  public func trim() async throws(KithError) -> LogPosition { try await keeper.trim() }

  /// Lets the newest rules that this release knows begin, with a record that this call appends. A replica that does not
  /// know them stops there, says so by `ReplicaEvent.stopped`, and goes on answering queries.
  /// - Returns: the version of the rules that the log has now.
  /// - Throws: `unavailable` if a replica that was seen within a day does not know them; as `submit`.
  @discardableResult
  public func upgrade() async throws(KithError) -> Int {
    let rules = core.options.knownRules
    if core.place.rules < UInt64(rules) {
      if let old = try await core.log.reports().live.first(where: { $0.rules < rules }) {
        throw .unavailable(
          .refused(reason: "replica \(old.name) knows rules \(old.rules) only; update it, or forget it"))
      }
      _ = try await submit(LoggedRequests.upgrade(to: UInt64(rules)), changeCount: 0)
    }
    return Int(core.place.rules)
  }

  /// Closes a replica that will not be opened again, and removes what the others would look for.
  package func leave() async {
    await close()
    guard case .directory(let path) = core.options.snapshots else { return }
    try? ReplicaSnapshot.removeSign(of: SharedPlace.fileName(of: core.options.name), for: core.place.log, in: path)
  }

  /// Closes the replica. Requests that were not sent are refused with `closed`, the others with `inDoubt`.
  public func close() async {
    core.end(because: .closed)
    for task in tasks { task.cancel() }
    await core.log.close()
    for task in tasks { await task.value }
    // A graph in memory has no file whose closing could fail.
    try? await local.close()
  }
}

extension Committed {
  init(_ outcome: Request.Outcome) throws(KithError) {
    guard let applied = outcome.results.first else { preconditionFailure("a change has one result") }
    self.init(applied: applied, position: outcome.position)
  }
}
