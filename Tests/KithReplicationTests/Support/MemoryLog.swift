import Kith
import KithReplication
import Synchronization

/// A replica's connection to the server of the tests, with faults drawn from a seed.
final class MemoryLog: ReplicationLog {
  private struct State {
    var random: SeededRandom
    /// How many of a hundred calls fail in some way.
    var faultRate: Int
    var isCut = false
    var lacksQuorum = false
    var isClosed = false
    /// The clock of this host, and the records that it was shown by it, for a defect.
    var clock: Int64 = 1_700_000_000_000
    var shown: [LogPosition: LogRecord] = [:]
  }

  private let server: MemoryServer
  private let state: Mutex<State>

  init(_ server: MemoryServer, seed: UInt64 = 0, faultRate: Int = 0) {
    self.server = server
    state = Mutex(State(random: SeededRandom(seed: seed), faultRate: faultRate))
  }

  /// Cuts the connection, or joins it again.
  var isCut: Bool {
    get { state.withLock { $0.isCut } }
    set { state.withLock { $0.isCut = newValue } }
  }

  /// Whether appends reach no quorum, and so are not answered.
  var lacksQuorum: Bool {
    get { state.withLock { $0.lacksQuorum } }
    set { state.withLock { $0.lacksQuorum = newValue } }
  }

  func setFaultRate(_ rate: Int) { state.withLock { $0.faultRate = rate } }

  /// What happens to one call: a number below 6, or nil for nothing.
  private func fault() throws(KithError) -> Int? {
    try state.withLock { state throws(KithError) in
      if state.isClosed { throw .closed }
      if state.isCut { throw Self.unreachable }
      return state.random.below(100) < state.faultRate ? state.random.below(6) : nil
    }
  }

  private static let unreachable = KithError.unavailable(.unreachable(reason: "the connection is cut"))

  var connection: LogConnection {
    isCut ? LogConnection(failure: Self.unreachable) : LogConnection(server: "memory")
  }

  func identity() async throws(KithError) -> LogIdentity {
    _ = try fault()
    return server.identity
  }

  func append(
    _ payload: [UInt8], session: SessionID, serial: UInt64, base: LogPosition, hostTime: Timestamp
  ) async throws(KithError) -> LogPosition {
    let attempt = MemoryServer.Attempt(payload: payload, session: session, serial: serial, base: base)
    let doubt = KithError.inDoubt(ticket: 0, cause: Self.unreachable)
    switch lacksQuorum ? 4 : try fault() {
    case 0: throw Self.unreachable
    case 1:
      server.append(attempt)
      throw doubt
    case 2:
      server.hold(attempt)
      throw doubt
    case 3:
      server.append(attempt)
      return server.append(attempt)
    case 4:
      let position = server.append(attempt, confirming: false)
      // A log without a quorum does not know that it should wait.
      if server.defect == .noQuorum { return position }
      throw doubt
    case 5:
      try? await Task.sleep(for: .milliseconds(2))
      return server.append(attempt)
    default:
      await Task.yield()
      return server.append(attempt)
    }
  }

  func read(after position: LogPosition, byteLimit: Int, timeout: Duration) async throws(KithError) -> [LogRecord] {
    let deadline = ContinuousClock.now + timeout
    while true {
      let fault = try fault()
      if fault == 0 { throw Self.unreachable }
      let records = server.records(after: position, byteLimit: fault == 1 ? 1 : byteLimit)
      if !records.isEmpty { return spoiled(records) }
      if ContinuousClock.now >= deadline { return [] }
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  /// The records as a log with a defect shows them.
  private func spoiled(_ records: [LogRecord]) -> [LogRecord] {
    switch server.defect {
    case .holes where records.count > 1 && state.withLock { $0.random.below(4) } == 0:
      return Array(records[..<(records.count - 2)] + [records[records.count - 1]])
    case .clockAtRead: return records.map { shown($0) }
    default: return records
    }
  }

  /// A record with the time of this host's clock, and a chain that fits.
  private func shown(_ record: LogRecord) -> LogRecord {
    state.withLock { state in
      if let shown = state.shown[record.position] { return shown }
      state.clock += Int64(state.random.below(5_000))
      let at = Timestamp(state.clock)
      let before = state.shown[record.position - 1]?.chain ?? LogChain.beginning(of: server.identity.id)
      let chain = LogChain.next(
        after: before, session: record.session, serial: record.serial, at: at, payload: record.payload)
      let shown = LogRecord(
        position: record.position, at: at, session: record.session, serial: record.serial, chain: chain,
        payload: record.payload)
      state.shown[record.position] = shown
      return shown
    }
  }

  func confirmedPosition() async throws(KithError) -> LogPosition {
    if try fault() == 0 { throw Self.unreachable }
    return server.confirm()
  }

  func report(_ report: ReplicaReport) async throws(KithError) -> LogPosition {
    _ = try fault()
    return server.report(report)
  }

  func dissent(_ digest: LogDigest) async throws(KithError) {
    _ = try fault()
    server.dissent(digest)
  }

  func dissents() async throws(KithError) -> [LogDissent] {
    _ = try fault()
    return server.dissents
  }

  func health() async throws(KithError) -> LogHealth {
    _ = try fault()
    return server.health(hasQuorum: !lacksQuorum)
  }

  func serverTroubles() async -> [ReplicaTrouble] { [] }

  func storeSnapshotPart(_ bytes: [UInt8], of place: String, at index: Int) async throws(KithError) {
    if try fault() == 0 { throw Self.unreachable }
    server.store(bytes, of: place, at: index)
  }

  func snapshotPart(of place: String, at index: Int) async throws(KithError) -> [UInt8]? {
    if try fault() == 0 { throw Self.unreachable }
    return server.part(of: place, at: index)
  }

  func removeSnapshot(_ place: String) async throws(KithError) {
    _ = try fault()
    server.remove(place)
  }

  func reports() async throws(KithError) -> [ReplicaReport] {
    _ = try fault()
    return server.reports
  }

  func forgetReplica(_ name: String) async throws(KithError) { server.forget(name) }

  func vote(_ digest: LogDigest) async throws(KithError) {
    _ = try fault()
    server.vote(digest)
  }

  func votes() async throws(KithError) -> [LogDigest] {
    _ = try fault()
    return server.contestedDigests
  }

  func recordSnapshot(_ snapshot: LogSnapshot) async throws(KithError) {
    _ = try fault()
    server.record(snapshot)
  }

  func snapshots() async throws(KithError) -> [LogSnapshot] {
    _ = try fault()
    return server.snapshots
  }

  func skip(_ position: LogPosition) async throws(KithError) { try server.skip(position) }

  func skippedPositions() async throws(KithError) -> [LogPosition] {
    _ = try fault()
    return server.skipped
  }

  func trim(through position: LogPosition) async throws(KithError) {
    _ = try fault()
    server.trim(through: position)
  }

  func close() async { state.withLock { $0.isClosed = true } }
}
