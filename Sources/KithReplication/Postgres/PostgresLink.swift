#if Replication
  import Dispatch
  import Kith
  import Synchronization

  /// One connection of a log with its thread: it is made when it is needed, and again after a failure, at the next
  /// server of the URL, after a pause that grows.
  final class PostgresLink: Sendable {
    /// How long a server may take to accept a connection.
    private static let connectTime = Duration.seconds(2)
    /// The first and the longest pause after a failure; each is shortened by a random part, up to a half.
    private static let leastPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(1)
    private static let sliceTime = Duration.milliseconds(20)

    /// Every session: commits wait for a quorum, and each statement of a function sees what is committed.
    private static let settings =
      "SET synchronous_commit = on; SET default_transaction_isolation = 'read committed'; SET search_path = pg_catalog;"
      + "SET statement_timeout = 0; SET jit = off;"

    private struct State {
      var connection: PostgresConnection?
      /// The index of the server to try next.
      var server = 0
      var failureCount = 0
      var nextAttempt: ContinuousClock.Instant?
      var lastReason = ""
      /// The sessions that were given up, by the index of their server: they may wait there for a standby or a lock.
      var abandoned: [Int: [Int32]] = [:]
    }

    private let address: PostgresAddress
    private let application: String
    private let beginning: String
    private let queue: WorkQueue
    private let state = Mutex(State())
    private let shown = Mutex(LogConnection())
    private let isClosed = Mutex(false)

    /// - Parameter beginning: statements that begin each session, each ended by a semicolon.
    init(_ address: PostgresAddress, application: String, beginning: String = "") {
      self.address = address
      self.application = application
      self.beginning = beginning
      queue = WorkQueue()
    }

    /// What can be said of the connection without waiting.
    var connection: LogConnection { shown.withLock { $0 } }

    /// Runs statements on the link's thread, one call after the other.
    /// - Parameter time: what connecting and the statements may take together, with the waiting for earlier calls.
    func run<R: Sendable>(
      within time: Duration,
      _ body: @escaping @Sendable (PostgresConnection, ContinuousClock.Instant) throws(PostgresFailure) -> R
    ) async throws(PostgresFailure) -> R {
      let deadline = ContinuousClock.now.advanced(by: time)
      return try await queue.run { () throws(PostgresFailure) in
        try self.state.withLock { state throws(PostgresFailure) in try self.attempt(&state, by: deadline, body) }
      }
    }

    /// Ends calls under way, and disconnects.
    func close() async {
      isClosed.withLock { $0 = true }
      await queue.run { self.state.withLock { $0.connection = nil } }
    }

    private var isEnding: Bool { isClosed.withLock { $0 } }

    private func attempt<R>(
      _ state: inout State, by deadline: ContinuousClock.Instant,
      _ body: (PostgresConnection, ContinuousClock.Instant) throws(PostgresFailure) -> R
    ) throws(PostgresFailure) -> R {
      if isEnding { throw .closed }
      do throws(PostgresFailure) {
        let connection = try connected(&state, by: deadline)
        let result = try body(connection, deadline)
        state.failureCount = 0
        return result
      } catch {
        if !error.keepsConnection, state.connection != nil { drop(&state, error) }
        throw error
      }
    }

    private func connected(
      _ state: inout State, by deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) -> PostgresConnection {
      if let connection = state.connection { return connection }
      try pause(&state, by: deadline)
      for _ in address.servers {
        let server = address.servers[state.server % address.servers.count]
        do throws(PostgresFailure) {
          let limit = min(deadline, ContinuousClock.now.advanced(by: Self.connectTime))
          let text = address.connectionText(to: server, application: application)
          let connection = try PostgresConnection(text, by: limit) { [weak self] in self?.isEnding ?? true }
          try connection.runScript(Self.settings + beginning, by: limit)
          try endAbandoned(&state, connection, by: limit)
          state.connection = connection
          shown.withLock { $0 = LogConnection(server: server.description) }
          return connection
        } catch {
          if case .closed = error { throw error }
          state.lastReason = "\(server): \(error.reason)"
          state.server += 1
        }
      }
      delay(&state)
      throw .notSent(reason: state.lastReason)
    }

    /// Ends the sessions that this link has given up on the same server. The server would not notice before their wait
    /// is over, and would run out of connections. What they wrote is on no quorum, so no host takes it for confirmed.
    private func endAbandoned(
      _ state: inout State, _ connection: PostgresConnection, by deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
      let index = state.server % address.servers.count
      guard let processes = state.abandoned[index], !processes.isEmpty else { return }
      let statement = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE pid = $1::int AND usename = current_user AND application_name = current_setting('application_name')
            AND pid <> pg_backend_pid()
        """
      for process in processes {
        _ = try connection.run(statement, [UInt32(bitPattern: process).bigEndianBytes], by: deadline)
      }
      state.abandoned[index] = nil
    }

    /// Waits until the next attempt is due.
    private func pause(_ state: inout State, by deadline: ContinuousClock.Instant) throws(PostgresFailure) {
      guard let due = state.nextAttempt else { return }
      while ContinuousClock.now < due {
        if isEnding { throw .closed }
        if ContinuousClock.now >= deadline { throw .notSent(reason: state.lastReason) }
        DispatchSemaphore(value: 0).wait(for: Self.sliceTime)
      }
    }

    private func drop(_ state: inout State, _ failure: PostgresFailure) {
      if let connection = state.connection {
        state.abandoned[state.server % address.servers.count, default: []].append(connection.process)
      }
      state.connection = nil
      state.lastReason = "\(address.servers[state.server % address.servers.count]): \(failure.reason)"
      state.server += 1
      delay(&state)
    }

    private func delay(_ state: inout State) {
      let doubled = Self.leastPause * (1 << min(state.failureCount, 10))
      let pause = min(doubled, Self.longestPause) * Double.random(in: 0.5...1)
      state.failureCount += 1
      state.nextAttempt = .now.advanced(by: pause)
      let reason = state.lastReason
      shown.withLock { $0 = LogConnection(failure: .unavailable(.unreachable(reason: reason))) }
    }
  }

  extension DispatchSemaphore {
    /// Waits for a time, since nothing signals.
    fileprivate func wait(for time: Duration) {
      _ = wait(timeout: .now() + .nanoseconds(Int(time / .nanoseconds(1))))
    }
  }
#endif
