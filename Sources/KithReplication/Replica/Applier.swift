import Kith

/// Reads the log and applies it, record by record.
struct Applier: Sendable {
  let core: ReplicaCore
  let keeper: SnapshotKeeper
  private let queue = WorkQueue("kith.replica.apply")

  init(core: ReplicaCore, keeper: SnapshotKeeper) {
    self.core = core
    self.keeper = keeper
  }

  private enum Reading: Sendable {
    case records([LogRecord])
    case failed(KithError)
  }

  /// Applies until the replica ends.
  /// - Parameter skipped: the records to pass over; read again after a record that cannot be applied.
  func run(skipping skipped: [LogPosition]) async {
    var skipped = skipped
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
        if server == nil || core.log.connection.server != server { try await checkHistory() }
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
    let isSkipped = skipped.contains(record.position)
    let requests =
      isSkipped
      ? LoggedRequests() : try LoggedRequests(decoding: record.payload, named: "record \(record.position)")
    let outcomes = try core.graph.applyLogged(
      requests, position: record.position, at: record.at, chain: &place.outcomeChain,
      collecting: record.session == core.session)
    let marked = requests.hasMark ? MarkedState(pin: core.graph.pin(), place: place) : nil
    core.finish(record, at: place, outcomes: outcomes, marked: marked)
    if record.position % core.options.digestInterval == 0 { keeper.compareOutcomes(place) }
    if let marked { keeper.compareStates(marked) }
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

/// Whether a log has the history of a place in it.
enum LogHistory: Hashable, Sendable {
  case same
  /// The record of the place was removed, and the next one tells.
  case trimmed
  case other(String)

  static func compare(_ place: LogPlace, with log: any ReplicationLog) async throws(KithError) -> LogHistory {
    if place.position == 0 { return .same }
    let found: LogRecord?
    do throws(KithError) {
      found = try await log.read(after: place.position - 1, byteLimit: 1, timeout: .zero).first
    } catch {
      if case .diverged(_, let reason) = error { return .other(reason) }
      throw error
    }
    guard let record = found else { return .other("the log ends before position \(place.position)") }
    if record.position != place.position { return .trimmed }
    return record.chain == place.chain ? .same : .other("record \(record.position) is of another history")
  }
}
