#if Replication
  import CPostgres
  import Kith

  /// A connection to one PostgreSQL server, on libpq: statements with parameters and results in binary, and waiting for
  /// notifications. Used by one thread at a time; every call ends by its deadline.
  ///
  /// Each `unsafe` below passes a pointer that libpq owns until `PQfinish` or `PQclear`, or lends bytes for one call.
  @safe final class PostgresConnection {
    /// A value as the server's binary format has it; nil for NULL.
    typealias Value = [UInt8]?

    private static let sliceMilliseconds = 50
    private static let lookMilliseconds: Int32 = 1

    private let connection: OpaquePointer
    private let mark = ProcessMark()
    /// The names of prepared statements by their text.
    private var prepared: [String: String] = [:]
    /// Whether this side asked for an end; looked at in every slice of a wait.
    private let isEnding: @Sendable () -> Bool

    /// Connects, in all cases within the deadline.
    init(
      _ text: String, by deadline: ContinuousClock.Instant, isEnding: @escaping @Sendable () -> Bool
    ) throws(PostgresFailure) {
      self.isEnding = isEnding
      guard let connection = unsafe PQconnectStart(text) else { throw .notSent(reason: "not enough memory") }
      unsafe self.connection = connection
      unsafe kith_pq_drop_notices(connection)
      try finishConnecting(by: deadline)
      unsafe PQsetnonblocking(connection, 1)
    }

    deinit {
      // It would end the session of the parent, in the child of a fork.
      if mark.isOwn { unsafe PQfinish(connection) }
    }

    private func finishConnecting(by deadline: ContinuousClock.Instant) throws(PostgresFailure) {
      if unsafe PQstatus(connection) == CONNECTION_BAD { throw .notSent(reason: message) }
      var state = PGRES_POLLING_WRITING
      while state != PGRES_POLLING_OK {
        if state == PGRES_POLLING_FAILED { throw .notSent(reason: message) }
        let milliseconds = try slice(of: deadline) ?? 0
        if milliseconds == 0 { throw .notSent(reason: "no answer while connecting") }
        let ready =
          unsafe state == PGRES_POLLING_WRITING
          ? kith_pq_wait_to_write(connection, milliseconds) : kith_pq_wait(connection, 0, milliseconds)
        if ready < 0 { throw .notSent(reason: "the socket failed") }
        if ready > 0 { state = unsafe PQconnectPoll(connection) }
      }
    }

    /// The process of the server that the session has.
    var process: Int32 { unsafe PQbackendPID(connection) }

    // MARK: Statements

    /// Runs one statement, prepared at its first use, in a transaction of its own.
    func run(
      _ statement: String, _ parameters: [Value] = [], by deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) -> PostgresRows {
      try send(try prepare(statement, by: deadline), parameters)
      return try answer(by: deadline)
    }

    /// Runs several statements without parameters, all or none.
    func runScript(_ script: String, by deadline: ContinuousClock.Instant) throws(PostgresFailure) {
      guard unsafe PQsendQuery(connection, script) == 1 else { throw .notSent(reason: message) }
      _ = try answer(by: deadline)
    }

    private func prepare(_ statement: String, by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> String {
      if let name = prepared[statement] { return name }
      let name = "kith_\(prepared.count)"
      guard unsafe PQsendPrepare(connection, name, statement, 0, nil) == 1 else { throw .notSent(reason: message) }
      do throws(PostgresFailure) {
        _ = try answer(by: deadline)
      } catch {
        // Only the text was sent.
        if case .unanswered(let reason) = error { throw .notSent(reason: reason) }
        throw error
      }
      prepared[statement] = name
      return name
    }

    private func send(_ name: String, _ parameters: [Value]) throws(PostgresFailure) {
      let count = parameters.count
      var bytes: [UInt8] = []
      bytes.reserveCapacity(parameters.reduce(count) { $0 + ($1?.count ?? 0) })
      // An offset for each parameter; one byte between them, so that an empty one has an address, too.
      let offsets = parameters.map { value -> Int? in
        guard let value else { return nil }
        defer { bytes += value + [0] }
        return bytes.count
      }
      let lengths = parameters.map { Int32($0?.count ?? 0) }
      let formats = [Int32](repeating: 1, count: count)
      let sent = unsafe bytes.withUnsafeBytes { bytes in
        let base = unsafe bytes.bindMemory(to: CChar.self).baseAddress
        let values = unsafe offsets.map { offset in unsafe offset.flatMap { unsafe base?.advanced(by: $0) } }
        return unsafe PQsendQueryPrepared(connection, name, Int32(count), values, lengths, formats, 1)
      }
      if sent != 1 { throw .notSent(reason: message) }
    }

    /// The result of what was sent: of the last statement if there are several.
    private func answer(by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> PostgresRows {
      var refusal: PostgresFailure?
      var rows = PostgresRows(nil)
      try flush(by: deadline)
      while let result = try nextResult(by: deadline) {
        switch unsafe PQresultStatus(result.pointer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: rows = PostgresRows(result)
        default: refusal = refusal ?? failure(of: result)
        }
      }
      if let refusal { throw refusal }
      if unsafe PQstatus(connection) == CONNECTION_BAD { throw .unanswered(reason: message) }
      return rows
    }

    private func failure(of result: PostgresResult) -> PostgresFailure {
      let text = unsafe PQresultErrorField(result.pointer, Int32(UInt8(ascii: "M"))).map { unsafe String(cString: $0) }
      let state = unsafe PQresultErrorField(result.pointer, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) }
      guard let state, let text, unsafe kith_pq_is_fatal(result.pointer) == 0 else {
        return .unanswered(reason: text ?? message)
      }
      return .refused(state: state, message: text)
    }

    private func flush(by deadline: ContinuousClock.Instant) throws(PostgresFailure) {
      while true {
        let left = unsafe PQflush(connection)
        if left == 0 { return }
        if left < 0 { throw .unanswered(reason: message) }
        try wait(writes: true, by: deadline)
        if unsafe PQconsumeInput(connection) == 0 { throw .unanswered(reason: message) }
      }
    }

    private func nextResult(by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> PostgresResult? {
      while unsafe PQisBusy(connection) == 1 {
        try wait(writes: false, by: deadline)
        if unsafe PQconsumeInput(connection) == 0 { throw .unanswered(reason: message) }
      }
      return unsafe PQgetResult(connection).map { unsafe PostgresResult($0) }
    }

    /// Waits for the socket.
    /// - Throws: `unanswered` at the deadline.
    private func wait(writes: Bool, by deadline: ContinuousClock.Instant) throws(PostgresFailure) {
      while true {
        guard let milliseconds = try slice(of: deadline) else { throw .unanswered(reason: "no answer in time") }
        let ready = unsafe kith_pq_wait(connection, writes ? 1 : 0, milliseconds)
        if ready < 0 { throw .unanswered(reason: "the socket failed") }
        if ready > 0 { return }
      }
    }

    /// How long to wait now, in milliseconds; nil after the deadline.
    private func slice(of deadline: ContinuousClock.Instant) throws(PostgresFailure) -> Int32? {
      if isEnding() { throw .closed }
      let left = ContinuousClock.now.duration(to: deadline)
      if left <= .zero { return nil }
      return Int32(min(Double(Self.sliceMilliseconds), (left / .milliseconds(1)).rounded(.up)))
    }

    // MARK: Notifications

    /// Waits for a notification, up to the deadline; takes all that have arrived.
    /// - Returns: whether there was one.
    func waitForNotification(by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> Bool {
      while true {
        if unsafe PQconsumeInput(connection) == 0 { throw .notSent(reason: message) }
        if takeNotifications() { return true }
        guard let milliseconds = try slice(of: deadline) else { return false }
        if unsafe kith_pq_wait(connection, 0, milliseconds) < 0 { throw .notSent(reason: "the socket failed") }
      }
    }

    /// Waits without the server, looking every millisecond whether to go on.
    func wait(for time: Duration, until isOver: () -> Bool) throws(PostgresFailure) {
      let deadline = ContinuousClock.now.advanced(by: time)
      while !isOver(), try slice(of: deadline) != nil { kith_pq_pause(Self.lookMilliseconds) }
    }

    private func takeNotifications() -> Bool {
      var found = false
      while let notification = unsafe PQnotifies(connection) {
        unsafe PQfreemem(notification)
        found = true
      }
      return found
    }

    // MARK: Texts

    /// What libpq says of the last failure, in one line.
    private var message: String {
      let text = unsafe String(cString: PQerrorMessage(connection))
      let lines = text.split(separator: "\n").map { $0.drop { $0 == "\t" } }
      return lines.isEmpty ? "the connection is lost" : lines.joined(separator: "; ")
    }

    /// The options of a connection URL or a list of `name=value`.
    /// - Throws: `notSent` if it is none.
    static func options(of url: String) throws(PostgresFailure) -> [(name: String, value: String)] {
      // The library's reason would repeat the URL with its password.
      guard let first = unsafe PQconninfoParse(url, nil) else {
        throw .notSent(reason: "the log's URL is not one of PostgreSQL: postgres://HOST,HOST/DATABASE")
      }
      defer { unsafe PQconninfoFree(first) }
      var options: [(name: String, value: String)] = []
      var option = unsafe first
      while let name = unsafe option.pointee.keyword {
        if let value = unsafe option.pointee.val {
          unsafe options.append((String(cString: name), String(cString: value)))
        }
        unsafe option += 1
      }
      return options
    }
  }

  /// One result of libpq, freed with its last owner.
  @safe final class PostgresResult {
    let pointer: OpaquePointer

    @unsafe init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe PQclear(pointer) }
  }

  /// The rows of a result, in binary.
  @safe struct PostgresRows {
    private let result: PostgresResult?

    init(_ result: PostgresResult?) { self.result = result }

    var count: Int { result.map { unsafe Int(PQntuples($0.pointer)) } ?? 0 }

    /// A value; nil for NULL, and where the result has no such place.
    func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
      guard let result, row < count, unsafe column < Int(PQnfields(result.pointer)) else { return nil }
      let (row, column) = (Int32(row), Int32(column))
      guard unsafe PQgetisnull(result.pointer, row, column) == 0 else { return nil }
      let length = unsafe Int(PQgetlength(result.pointer, row, column))
      let start = unsafe UnsafeRawPointer(PQgetvalue(result.pointer, row, column))
      return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
    }
  }
#endif
