import Kith
import KithReplication
import Synchronization

/// The log of the tests: the records of a primary in memory, of which a failover keeps those that are on a quorum.
final class MemoryServer: Sendable {
  /// A mistake that a log could have, and that the checks must find.
  enum Defect: Sendable {
    /// Records are shown and acknowledged before they are on a quorum.
    case noQuorum
    /// A record that is repeated is appended again.
    case noSerialCheck
    /// Now and then a record is passed over by readers, as one whose number was taken before its commit.
    case holes
    /// Each reader sees its own clock as the time of a record, with a chain that fits.
    case clockAtRead
  }

  /// What an append says.
  struct Attempt: Sendable {
    let payload: [UInt8]
    let session: SessionID
    let serial: UInt64
    let base: LogPosition
  }

  private struct State {
    var records: [LogRecord] = []
    /// The last position that is on a quorum.
    var confirmed: LogPosition = 0
    var clock: Int64 = 1_700_000_000_000
    /// Attempts that are still on their way.
    var late: [Attempt] = []
    var reports: [String: ReplicaReport] = [:]
    var digests: [LogDigest] = []
    var snapshots: [LogSnapshot] = []
    var skipped: [LogPosition] = []
    /// The position by replica and session.
    var dissents: [String: [SessionID: LogPosition]] = [:]
    var parts: [String: [Int: [UInt8]]] = [:]

    var newest: LogPosition { records.last?.position ?? 0 }
  }

  let identity: LogIdentity
  let defect: Defect?
  private let state = Mutex(State())

  init(identity: LogIdentity = LogIdentity(id: .random()), defect: Defect? = nil) {
    self.identity = identity
    self.defect = defect
  }

  // MARK: - Records

  /// Appends once.
  /// - Parameter confirming: whether the record, and so all before it, is then on a quorum.
  @discardableResult
  func append(_ attempt: Attempt, confirming: Bool = true) -> LogPosition {
    state.withLock { state in
      let known = state.records.last { $0.session == attempt.session && $0.serial == attempt.serial }
      if let known, known.position > attempt.base, defect != .noSerialCheck {
        if confirming { state.confirmed = state.newest }
        return known.position
      }
      let before = state.records.last
      let at = max(before?.at ?? 0, Timestamp(state.clock))
      state.clock += 1
      let chain = LogChain.next(
        after: before?.chain ?? LogChain.beginning(of: identity.id), session: attempt.session, serial: attempt.serial,
        at: at, payload: attempt.payload)
      let position = (before?.position ?? 0) + 1
      state.records.append(
        LogRecord(
          position: position, at: at, session: attempt.session, serial: attempt.serial, chain: chain,
          payload: attempt.payload))
      if confirming { state.confirmed = position }
      return position
    }
  }

  /// Keeps an attempt that arrives later, after its sender has given it up.
  func hold(_ attempt: Attempt) { state.withLock { $0.late.append(attempt) } }

  /// Lets the attempts that were held arrive.
  func deliverLate() {
    let late = state.withLock { state in
      defer { state.late = [] }
      return state.late
    }
    for attempt in late { append(attempt) }
  }

  /// The primary dies, and a standby takes over: what is not on a quorum is gone.
  func failOver() {
    state.withLock { state in state.records.removeAll { $0.position > state.confirmed } }
  }

  /// Sets the clock forward or back.
  func turnClock(by milliseconds: Int64) { state.withLock { $0.clock += milliseconds } }

  func confirm() -> LogPosition {
    state.withLock { state in
      if defect != .noQuorum { state.confirmed = state.newest }
      return state.newest
    }
  }

  /// The records that a reader may see.
  func records(after position: LogPosition, byteLimit: Int) -> [LogRecord] {
    state.withLock { state in
      let last = defect == .noQuorum ? state.newest : state.confirmed
      guard let first = state.records.first?.position else { return [] }
      var byteCount = 0
      var found: [LogRecord] = []
      for record in state.records.dropFirst(Int(max(position + 1, first) - first)) {
        guard record.position <= last, found.isEmpty || byteCount + record.payload.count <= byteLimit else { break }
        byteCount += record.payload.count
        found.append(record)
      }
      return found
    }
  }

  /// All records on a quorum.
  var log: [LogRecord] { records(after: 0, byteLimit: .max) }

  func trim(through position: LogPosition) {
    state.withLock { state in
      let kept = min(position, state.newest == 0 ? 0 : state.newest - 1)
      state.records.removeAll { $0.position <= kept }
    }
  }

  /// Puts another history in the place of this one from a position on: what an asynchronous failover can do.
  func rewrite(from position: LogPosition, session: SessionID = .random()) {
    let old = state.withLock { state -> [LogRecord] in
      let old = state.records.filter { $0.position >= position }
      state.records.removeAll { $0.position >= position }
      return old
    }
    for record in old {
      append(Attempt(payload: record.payload, session: session, serial: record.serial, base: 0))
    }
  }

  // MARK: - Tables

  func report(_ report: ReplicaReport) -> LogPosition {
    state.withLock { state in
      var report = report
      report.seen = Timestamp(state.clock)
      state.reports[report.name] = report
      return state.dissents.values.filter { $0.count > 1 }.compactMap { $0.values.max() }.max() ?? 0
    }
  }
  var reports: [ReplicaReport] { state.withLock { $0.reports.values.sorted { $0.name < $1.name } } }
  func forget(_ name: String) {
    state.withLock { state in
      state.reports[name] = nil
      state.dissents[name] = nil
    }
  }

  func dissent(_ digest: LogDigest) {
    state.withLock { $0.dissents[digest.replica, default: [:]][digest.session] = digest.position }
  }

  var dissents: [LogDissent] {
    state.withLock { state in
      state.dissents.sorted { $0.key < $1.key }.flatMap { name, sessions in
        sessions.values.sorted().map { LogDissent(replica: name, position: $0, at: Timestamp(state.clock)) }
      }
    }
  }

  func health(hasQuorum: Bool) -> LogHealth {
    state.withLock { state in
      LogHealth(
        clock: Timestamp(state.clock), newest: state.newest, newestAt: state.records.last?.at ?? 0,
        first: state.records.first?.position ?? 0, retention: .seconds(86_400), dueSince: 0, standbyNames: "ANY 1 (b)",
        isQuorumDemanded: true, neededStandbys: 1, connectedStandbys: hasQuorum ? 1 : 0, written: 0, flushed: 0,
        problem: "")
    }
  }

  func store(_ bytes: [UInt8], of place: String, at index: Int) {
    state.withLock { state in
      if index == 0 { state.parts[place] = [:] }
      state.parts[place, default: [:]][index] = bytes
    }
  }

  func part(of place: String, at index: Int) -> [UInt8]? { state.withLock { $0.parts[place]?[index] } }
  /// The snapshots of which there are parts.
  var storedPlaces: [String] { state.withLock { $0.parts.keys.sorted() } }

  func remove(_ place: String) {
    state.withLock { state in
      state.parts[place] = nil
      state.snapshots.removeAll { $0.place == place && $0.position > 0 }
    }
  }

  func vote(_ digest: LogDigest) {
    state.withLock { state in
      var digest = digest
      digest.at = Timestamp(state.clock)
      state.digests.removeAll {
        $0.position == digest.position && $0.kind == digest.kind && $0.replica == digest.replica
      }
      state.digests.append(digest)
    }
  }

  var digests: [LogDigest] { state.withLock { $0.digests } }

  var contestedDigests: [LogDigest] {
    let digests = digests
    return digests.filter { one in
      digests.contains { $0.position == one.position && $0.kind == one.kind && $0.value != one.value }
    }
  }

  func record(_ snapshot: LogSnapshot) {
    state.withLock { state in
      var snapshot = snapshot
      if let index = state.snapshots.firstIndex(where: { $0.place == snapshot.place }) {
        snapshot.verifiers = Set(state.snapshots[index].verifiers + snapshot.verifiers).sorted()
        state.snapshots.remove(at: index)
      }
      state.snapshots.append(snapshot)
      state.snapshots.sort { $0.position > $1.position }
    }
  }

  var snapshots: [LogSnapshot] { state.withLock { $0.snapshots } }

  func skip(_ position: LogPosition) throws(KithError) {
    let refusal = state.withLock { state -> String? in
      if state.reports.values.contains(where: { $0.applied >= position }) { return "a replica has applied it" }
      state.skipped = Set(state.skipped + [position]).sorted()
      return nil
    }
    if let refusal { throw .unavailable(.refused(reason: refusal)) }
  }

  var skipped: [LogPosition] { state.withLock { $0.skipped } }
}
