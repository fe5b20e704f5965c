import Kith

/// Reads the log and applies it, record by record.
struct Applier: Sendable {
  let core: ReplicaCore
  let keeper: SnapshotKeeper
  private let queue = WorkQueue()

  init(core: ReplicaCore, keeper: SnapshotKeeper) {
    self.core = core
    self.keeper = keeper
  }

  private enum Reading: Sendable {
    case records([LogRecord])
    case failed(KithError)
  }

  /// Applies until the replica ends.
  /// - Parameter isProven: whether the log has shown that it has the history of what the replica began with.
  func run(isProven: Bool) async {
    var isProven = isProven
    // The records to pass over; read again after a record that cannot be applied.
    var skipped: [LogPosition] = []
    var backoff = Backoff(first: core.options.firstPause, longest: core.options.longestPause)
    var reading = await read(after: core.position)
    var server: String?
    var isCaughtUp = false
    while core.end == nil {
      do throws(KithError) {
        guard case .records(let records) = reading else {
          if case .failed(let error) = reading { throw error }
          continue
        }
        if server == nil || core.log.connection.server != server {
          if !isProven { try await checkIdentity() }
          isProven = true
          try await checkHistory()
          skipped = try await core.log.skippedPositions()
        }
        if let found = core.log.connection.server, found != server {
          core.events.post(.connected(server: found))
          server = found
        }
        if records.isEmpty != isCaughtUp, records.isEmpty { core.events.post(.caughtUp(position: core.position)) }
        isCaughtUp = records.isEmpty
        reading = try await apply(records, skipping: skipped)
        backoff.reset()
      } catch {
        if server != nil, case .unavailable = error { core.events.post(.disconnected(reason: error.description)) }
        server = nil
        if recover(from: error) { skipped = (try? await core.log.skippedPositions()) ?? skipped }
        await backoff.pause()
        reading = await read(after: core.position)
      }
    }
  }

  private func read(after position: LogPosition) async -> Reading {
    do throws(KithError) {
      return .records(
        try await core.log.read(
          after: position, byteLimit: ReplicaOptions.readByteLimit, timeout: core.options.readTimeout))
    } catch {
      return .failed(error)
    }
  }

  /// Applies records and reads the next, at the same time if there may be many.
  private func apply(
    _ records: [LogRecord], skipping skipped: [LogPosition]
  ) async throws(KithError) -> Reading {
    guard let last = records.last else { return await read(after: core.position) }
    core.note(newest: last.position)
    async let next = read(after: last.position)
    try await queue.run { () throws(KithError) in
      for record in records { try applyNow(record, skipping: skipped) }
    }
    return await next
  }

  /// Applies one record on the thread of the queue.
  private func applyNow(_ record: LogRecord, skipping skipped: [LogPosition]) throws(KithError) {
    if let end = core.end { throw end }
    var place = core.place
    guard record.position == place.position + 1 else {
      return core.diverge(
        at: place.position,
        "the log continues with record \(record.position), those before it were removed; begin with a snapshot")
    }
    place.chain = LogChain.next(
      after: place.chain, session: record.session, serial: record.serial, at: record.at, payload: record.payload)
    guard place.chain == record.chain else {
      return core.diverge(at: place.position, "record \(record.position) continues another history")
    }
    place.position = record.position
    let requests = skipped.contains(record.position) ? LoggedRequests() : try decode(record, &place)
    let rules = place.rules
    let (outcomes, tokens) = try core.tokens.withLock { tokens throws(KithError) in
      let outcomes = try core.graph.applyLogged(
        requests, position: record.position, at: record.at, chain: &place.outcomeChain, tokens: &tokens,
        collecting: record.session == core.session)
      return (outcomes, requests.hasMark ? tokens : nil)
    }
    let marked = tokens.map { MarkedState(pin: core.graph.pin(), tokens: $0, place: place) }
    let isUpgraded = core.place.rules != rules
    core.finish(record, at: place, outcomes: outcomes, marked: marked)
    if isUpgraded { core.events.post(.upgraded(rules: Int(rules), position: record.position)) }
    if record.position % core.options.digestInterval == 0 { keeper.compareOutcomes(place) }
    if let marked { keeper.compareStates(marked) }
  }

  /// Reads a record. One that upgrades the rules raises those of the place.
  /// - Throws: `corrupt`; `unsupportedVersion` for rules that this release does not know.
  private func decode(_ record: LogRecord, _ place: inout LogPlace) throws(KithError) -> LoggedRequests {
    let requests = try LoggedRequests(decoding: record.payload, named: "record \(record.position)")
    place.rules = max(place.rules, requests.rules ?? 0)
    guard place.rules <= UInt64(core.options.knownRules) else {
      throw .unsupportedVersion(
        found: "rules \(place.rules) from record \(record.position) on",
        readable: "rules up to \(core.options.knownRules); update this host")
    }
    guard requests.neededRules <= place.rules else {
      throw .corrupt(
        file: "record \(record.position)", offset: 0,
        reason: "it needs rules \(requests.neededRules), and the log has \(place.rules)")
    }
    return requests
  }

  /// Checks that the log is the one that the replica began with, and can be read.
  private func checkIdentity() async throws(KithError) {
    let identity = try await core.log.identity()
    try ReplicaStart.check(identity, core.options)
    let place = core.place
    if identity.id.storeID != place.log {
      core.diverge(at: place.position, "it began with a snapshot of log \(place.log), and the log is \(identity.id)")
    }
  }

  /// Checks that the log still has the history that the replica has applied.
  private func checkHistory() async throws(KithError) {
    let place = core.place
    switch try await LogHistory.compare(place, with: core.log) {
    case .same, .trimmed: break
    case .other(let reason): core.diverge(at: place.position, reason)
    }
  }

  /// Decides what a failure means for the replica.
  /// - Returns: whether it is a record that this release cannot apply. Another release can, or it is passed over.
  private func recover(from error: KithError) -> Bool {
    switch error {
    case .unavailable, .closed, .cancelled: return false
    case .diverged(_, let reason):
      core.diverge(at: core.position, reason)
      return false
    default:
      if core.note(obstacle: error) {
        core.events.post(.stopped(before: core.position + 1, reason: error.description))
      }
      return true
    }
  }
}
