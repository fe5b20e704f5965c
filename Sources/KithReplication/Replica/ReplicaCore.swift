import Kith
import Synchronization

/// What the parts of a replica share: the graph, its place in the log, and the requests under way.
final class ReplicaCore: Sendable {
  /// Requests that were sent in one record, and what is needed to send it again.
  struct SentRecord: Sendable {
    let serial: UInt64
    let payload: [UInt8]
    let requests: [Request]
    /// Where the log says it is; nil until it says so.
    fileprivate(set) var position: LogPosition?
    /// Why the last attempt failed.
    fileprivate(set) var failure: KithError?
    fileprivate(set) var isDoubted = false
  }

  fileprivate struct PositionWaiter {
    let position: LogPosition
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<KithError?, Never>
  }

  fileprivate struct State {
    var place: LogPlace
    var time: Timestamp?
    var newest: LogPosition
    /// Why the replica has ended: it is closed or differs.
    var end: KithError?
    /// Why the next record cannot be applied.
    var obstacle: KithError?
    var waiting: ArraySlice<Request> = []
    var waitingByteCount = 0
    var waitingChangeCount = 0
    /// Submitters that wait for room.
    var submitters: [CheckedContinuation<Void, Never>] = []
    /// By serial, what is appended or may be, and is not applied.
    var sent: [UInt64: SentRecord] = [:]
    var nextSerial: UInt64 = 1
    var nextTicket: UInt64 = 1
    var positionWaiters: [PositionWaiter] = []
    var lowestAwaited = LogPosition.max
    /// Requests that were reported to be in doubt, the oldest first.
    var doubts: [Request] = []
    var byteCountSinceMark = 0
    var snapshotPosition: LogPosition?
    var troubles: [ReplicaTrouble] = []
    let waitingChangeLimit: Int
    let waitingByteLimit: Int
  }

  let log: any ReplicationLog
  let graph: SocialGraph
  let options: ReplicaOptions
  let session = SessionID.random()
  let events: ReplicaEvents
  /// Notified when there may be something to append.
  let appending = AsyncSignal()
  /// The results of requests with tokens, after the last record applied. A record holds it while it is applied.
  let tokens: Mutex<LoggedTokens>
  private let state: Mutex<State>

  init(
    log: any ReplicationLog, beginning: ReplicaStart.Beginning, options: ReplicaOptions, events: ReplicaEvents
  ) {
    self.log = log
    graph = beginning.graph
    self.options = options
    self.events = events
    tokens = Mutex(beginning.tokens)
    let place = beginning.place
    state = Mutex(
      State(
        place: place, newest: place.position, snapshotPosition: beginning.isRestored ? place.position : nil,
        waitingChangeLimit: options.waitingChangeLimit, waitingByteLimit: options.waitingByteLimit))
  }

  // MARK: - Reading the state

  var place: LogPlace { state.withLock { $0.place } }
  var position: LogPosition { state.withLock { $0.place.position } }
  /// Why the replica has ended; nil while it runs.
  var end: KithError? { state.withLock { $0.end } }
  var byteCountSinceMark: Int { state.withLock { $0.byteCountSinceMark } }

  var status: ReplicaStatus {
    let connection = log.connection
    return state.withLock { state in
      ReplicaStatus(
        position: state.place.position, time: state.time, newestPosition: state.newest,
        outcomeChain: state.place.outcomeChain, waitingRequestCount: state.waiting.count,
        isConnected: connection.server != nil && state.end == nil, server: connection.server,
        failure: (state.end ?? state.obstacle ?? connection.failure).map { "\($0.code): \($0.description)" },
        rules: options.knownRules, snapshotPosition: state.snapshotPosition, troubles: state.troubles)
    }
  }

  /// Why what was sent is not answered; nil if that is not known.
  var sendingFailure: KithError? { state.withLock { $0.sent.values.compactMap(\.failure).first } }

  /// Notes what is wrong now, and reports what of it is new and what is over.
  func tell(_ troubles: [ReplicaTrouble]) {
    let before = state.withLock { state in
      defer { state.troubles = troubles }
      return state.troubles
    }
    func isAmong(_ others: [ReplicaTrouble]) -> (ReplicaTrouble) -> Bool {
      { one in others.contains { $0.kind == one.kind && $0.replica == one.replica } }
    }
    for trouble in troubles where !isAmong(before)(trouble) { events.post(.trouble(trouble)) }
    for trouble in before where !isAmong(troubles)(trouble) { events.post(.resolved(trouble)) }
  }

  /// Whether the replica has the results of a request with this token.
  func isKnown(_ token: UInt128?) -> Bool { token.map { token in tokens.withLock { $0[token] != nil } } ?? false }

  func note(newest position: LogPosition) { state.withLock { $0.newest = max($0.newest, position) } }
  func note(snapshotAt position: LogPosition) { state.withLock { $0.snapshotPosition = position } }

  /// Notes why the next record cannot be applied.
  /// - Returns: whether this is new.
  func note(obstacle: KithError) -> Bool {
    state.withLock { state in
      defer { state.obstacle = obstacle }
      return state.obstacle != obstacle
    }
  }

  // MARK: - Requests

  /// Enters a request to be sent, once there is room.
  /// - Throws: `closed`, `diverged`; `unavailable` if the replica has stopped before a record.
  func submit(
    _ entry: [UInt8], changeCount: Int
  ) async throws(KithError) -> Request {
    while true {
      let outcome = state.withLock { state -> Result<Request?, KithError> in
        if let end = state.end { return .failure(end) }
        if let obstacle = state.obstacle {
          return .failure(.unavailable(.refused(reason: "this replica cannot go on: \(obstacle.description)")))
        }
        guard state.hasRoom else { return .success(nil) }
        let request = Request(ticket: state.nextTicket, entry: entry, changeCount: changeCount)
        state.nextTicket += 1
        state.waiting.append(request)
        state.waitingByteCount += entry.count
        state.waitingChangeCount += changeCount
        return .success(request)
      }
      if let request = try outcome.get() {
        appending.notify()
        return request
      }
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          if state.end != nil || state.hasRoom { return false }
          state.submitters.append(continuation)
          return true
        }
        if !waits { continuation.resume() }
      }
    }
  }

  /// Takes the requests that form the next record; nil if there are none, or too many records are not yet applied.
  func nextRecord() -> SentRecord? {
    let (record, submitters) = state.withLock { state -> (SentRecord?, [CheckedContinuation<Void, Never>]) in
      guard state.end == nil, state.sent.count < ReplicaOptions.unappliedRecordLimit, !state.waiting.isEmpty else {
        return (nil, [])
      }
      var payload = [LoggedRequests.format]
      var (requests, changeCount): ([Request], Int) = ([], 0)
      while let request = state.waiting.first, requests.count < LoggedRequests.changeLimit {
        guard changeCount + request.changeCount <= LoggedRequests.changeLimit,
          payload.count + request.entry.count <= LogRecord.payloadByteLimit
        else { break }
        state.waiting.removeFirst()
        payload += request.entry
        changeCount += request.changeCount
        requests.append(request)
      }
      state.waitingByteCount -= payload.count - 1
      state.waitingChangeCount -= changeCount
      let record = SentRecord(serial: state.nextSerial, payload: payload, requests: requests)
      state.nextSerial += 1
      state.sent[record.serial] = record
      return (record, state.takeSubmitters())
    }
    for submitter in submitters { submitter.resume() }
    return record
  }

  /// The applied position after which a record must be, if it is in the log; nil once it is applied.
  func base(of record: SentRecord) -> LogPosition? {
    state.withLock { $0.sent[record.serial] == nil ? nil : $0.place.position }
  }

  /// Refuses the requests of a record that was not written.
  func refuse(_ record: SentRecord, _ error: KithError) {
    _ = state.withLock { $0.sent.removeValue(forKey: record.serial) }
    for request in record.requests { request.answer(.failure(error)) }
  }

  /// Notes where the log says that a record is.
  func note(_ record: SentRecord, at position: LogPosition) {
    state.withLock { state in
      state.newest = max(state.newest, position)
      state.sent[record.serial]?.position = position
    }
  }

  /// Notes why an attempt to send a record failed.
  func note(_ record: SentRecord, failure: KithError) { state.withLock { $0.sent[record.serial]?.failure = failure } }

  /// Reports to the submitters of records that were sent too long ago that these may or may not be in the log.
  func doubtOverdue() {
    let deadline = ContinuousClock.now - options.resolveWithin
    let overdue = state.withLock { state -> [(Request, KithError)] in
      var overdue: [(Request, KithError)] = []
      for (serial, record) in state.sent where !record.isDoubted {
        guard let first = record.requests.first, first.submitted < deadline else { continue }
        state.sent[serial]?.isDoubted = true
        state.doubts += record.requests
        let cause = record.failure ?? .lagging(position: state.place.position)
        for request in record.requests { overdue.append((request, cause)) }
      }
      let excess = state.doubts.count - ReplicaOptions.doubtLimit
      if excess > 0 { state.doubts.removeFirst(excess) }
      return overdue
    }
    for (request, cause) in overdue { request.giveUp(because: cause) }
  }

  /// A request that was in doubt; nil if it is none of the newest.
  func doubtful(_ ticket: UInt64) -> Request? { state.withLock { $0.doubts.first { $0.ticket == ticket } } }

  /// Refuses the requests that have waited too long to be sent.
  func refuseOverdue(_ error: KithError) {
    let deadline = ContinuousClock.now - options.unavailableAfter
    let (overdue, submitters) = state.withLock { state -> ([Request], [CheckedContinuation<Void, Never>]) in
      var overdue: [Request] = []
      while let request = state.waiting.first, request.submitted < deadline {
        state.waiting.removeFirst()
        state.waitingByteCount -= request.entry.count
        state.waitingChangeCount -= request.changeCount
        overdue.append(request)
      }
      return (overdue, overdue.isEmpty ? [] : state.takeSubmitters())
    }
    for request in overdue { request.answer(.failure(error)) }
    for submitter in submitters { submitter.resume() }
  }

  // MARK: - Records

  /// The requests that a record of this session holds; nil for others.
  func requests(of record: LogRecord) -> [Request]? {
    guard record.session == session else { return nil }
    return state.withLock { $0.sent[record.serial]?.requests }
  }

  /// Notes that a record is applied, and answers those who wait for it.
  func finish(_ record: LogRecord, at place: LogPlace, outcomes: [SocialGraph.LoggedOutcome], marked: MarkedState?) {
    let (requests, waiters, isLost) = state.withLock { state -> ([Request], [PositionWaiter], Bool) in
      state.place = place
      state.time = record.at
      state.obstacle = nil
      state.newest = max(state.newest, place.position)
      state.byteCountSinceMark = marked == nil ? state.byteCountSinceMark + record.payload.count : 0
      let sent = record.session == session ? state.sent.removeValue(forKey: record.serial) : nil
      let isAwaited = state.lowestAwaited <= place.position
      let isLost = state.sent.values.contains { $0.position ?? .max <= place.position }
      return (sent?.requests ?? [], isAwaited ? state.takeWaiters { $0.position <= place.position } : [], isLost)
    }
    if isLost { diverge(at: record.position, "the log no longer has a record that it had acknowledged") }
    for (index, request) in requests.enumerated() {
      guard index < outcomes.count else {
        request.answer(.failure(.unavailable(.refused(reason: "record \(record.position) is passed over"))))
        continue
      }
      request.answer(outcomes[index].map { .init(results: $0, position: record.position, marked: marked) })
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
    if !requests.isEmpty { appending.notify() }
  }

  /// Waits until a position is applied.
  /// - Throws: `lagging` after the timeout; `closed`, `diverged`.
  func wait(for position: LogPosition, timeout: Duration) async throws(KithError) {
    let deadline = ContinuousClock.now + timeout
    let error: KithError? = await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> KithError?? in
        if let end = state.end { return .some(end) }
        if state.place.position >= position { return .some(nil) }
        if deadline <= ContinuousClock.now { return .some(.lagging(position: state.place.position)) }
        state.positionWaiters.append(
          PositionWaiter(position: position, deadline: deadline, continuation: continuation))
        state.lowestAwaited = min(state.lowestAwaited, position)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
    if let error { throw error }
  }

  /// Waits until a position is applied, however long that takes.
  /// - Throws: `closed`, `diverged`; what keeps the next record from being applied.
  func waitUntilApplied(_ position: LogPosition) async throws(KithError) {
    while true {
      do throws(KithError) {
        return try await wait(for: position, timeout: .seconds(1))
      } catch {
        guard case .lagging = error else { throw error }
        if let obstacle = state.withLock({ $0.obstacle }) { throw obstacle }
      }
    }
  }

  /// Answers those whose time to wait for a position is up.
  func expireWaiters() {
    let now = ContinuousClock.now
    let (waiters, position) = state.withLock { state -> ([PositionWaiter], LogPosition) in
      guard state.positionWaiters.contains(where: { $0.deadline <= now }) else { return ([], 0) }
      return (state.takeWaiters { $0.deadline <= now }, state.place.position)
    }
    for waiter in waiters { waiter.continuation.resume(returning: .lagging(position: position)) }
  }

  // MARK: - Ending

  /// Ends the replica for good. Requests that were not sent are refused, the others are in doubt.
  /// - Returns: whether it had not ended.
  @discardableResult
  func end(because error: KithError) -> Bool {
    let ended = state.withLock { state -> (State, isNew: Bool) in
      let isNew = state.end == nil
      if isNew { state.end = error }
      let before = state
      state.waiting = []
      state.sent = [:]
      state.submitters = []
      state.positionWaiters = []
      return (before, isNew)
    }
    guard ended.isNew else { return false }
    for request in ended.0.waiting { request.answer(.failure(error)) }
    for record in ended.0.sent.values { for request in record.requests { request.giveUp(because: error) } }
    for submitter in ended.0.submitters { submitter.resume() }
    for waiter in ended.0.positionWaiters { waiter.continuation.resume(returning: error) }
    appending.notify()
    return true
  }

  /// Ends the replica because it differs from the log or from the other replicas.
  func diverge(at position: LogPosition, _ reason: String) {
    if stop(at: position, reason) { events.post(.diverged(position: position, reason: reason)) }
  }

  /// Ends the replica if its own check found that it diverged.
  func note(divergence error: KithError) {
    if case .diverged(let position, let reason) = error { diverge(at: position, reason) }
  }

  /// As `diverge`, without the event.
  /// - Returns: whether it had not ended.
  func stop(at position: LogPosition, _ reason: String) -> Bool {
    guard end(because: .diverged(position: position, reason: reason)) else { return false }
    // Queries answer `closed` from now on. A graph in memory has no file whose closing could fail.
    try? graph.close()
    return true
  }
}

extension ReplicaCore.State {
  fileprivate var hasRoom: Bool {
    waitingByteCount < waitingByteLimit && waitingChangeCount < waitingChangeLimit
  }

  fileprivate mutating func takeSubmitters() -> [CheckedContinuation<Void, Never>] {
    guard hasRoom else { return [] }
    defer { submitters = [] }
    return submitters
  }

  fileprivate mutating func takeWaiters(
    where isDue: (ReplicaCore.PositionWaiter) -> Bool
  ) -> [ReplicaCore.PositionWaiter] {
    let due = positionWaiters.filter(isDue)
    positionWaiters.removeAll(where: isDue)
    lowestAwaited = positionWaiters.map(\.position).min() ?? .max
    return due
  }
}
