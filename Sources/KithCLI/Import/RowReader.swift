import Kith
import Synchronization

/// A row of a file: the change that adds it, and the number of its line.
struct ImportRow: Sendable {
  let line: Int
  let change: Change
}

/// The next rows of a file. A failure comes after the rows before it.
struct ImportRows: Sendable {
  fileprivate(set) var rows: [ImportRow] = []
  /// Their times, of those that have one.
  fileprivate(set) var times = TimeTally()
  fileprivate(set) var failure: CommandFailure?
  /// How much of the file was read, from 0 to 1; nil when its size is unknown.
  fileprivate(set) var shareRead: Double?
}

/// Reads a file and parses its rows on a thread of its own, some blocks ahead of the thread that applies them: both
/// take about as long. For one caller at a time.
final class RowReader {
  /// Blocks in work or ready while one is applied.
  private static let blocksAhead = 2

  let kind: RowKind
  let path: String
  private let source: RowSource
  private let queue = WorkQueue()
  private var ahead: [Background<ImportRows?>] = []
  /// The rows that the caller has, or had. They are released on the reader's thread: each text is a deallocation.
  private var taken: ImportRows?

  /// - Parameter time: of edges without one.
  init(_ kind: RowKind, time: Timestamp, _ unit: TimeUnit, _ blocks: sending any RowBlocks) {
    self.kind = kind
    path = blocks.file.path
    source = RowSource(kind, time: time, unit, blocks)
  }

  /// Waits for the next rows; nil after the last ones.
  func next() -> ImportRows? {
    // The first of them is waited for.
    while ahead.count <= Self.blocksAhead {
      ahead.append(Background(on: queue) { [source] in source.next() })
    }
    if let used = taken.take() { queue.post { withExtendedLifetime(used) {} } }
    taken = ahead.removeFirst().wait()
    return taken
  }

  /// Gives the reader the schema of the graph, before the first rows are read.
  /// - Throws: for edges of a relation that it lacks.
  func settle(_ schema: SocialGraph.Schema?) throws(CommandFailure) {
    let relations = schema?.relations ?? []
    var relation: Relation?
    if case .edges(let name) = kind {
      relation = relations.first { $0.name == name }
      guard let relation else {
        let names = relations.map(\.name).joined(separator: ", ")
        let known = names.isEmpty ? "the graph declares none" : "declared are \(names)"
        throw .usage("--edges \(name): no such relation, \(known); give --schema FILE")
      }
      if relation.isThread { throw .usage("--edges \(name): replies are the column parent of --posts") }
    }
    source.settle(relation, thread: relations.first(where: \.isThread))
  }

  /// Closes the file, also before its end. Does not wait for a block that is being read, which may be one of a pipe.
  func close() { queue.post { [source] in source.close() } }
}

/// The rows of a file, block by block.
private final class RowSource: Sendable {
  private struct State {
    var blocks: any RowBlocks
    /// The number of the last line that was read.
    var line = 0
    var hasHeader = false
    /// Of a header with another order.
    var columns: ColumnOrder?
    var hasRow = false
    var hasEnded = false
    /// The relation of edges, and that of replies, as the graph has them.
    var relation: Relation?
    var thread: Relation?
  }

  private let kind: RowKind
  private let time: Timestamp
  private let unit: TimeUnit
  private let state: Mutex<State>

  init(_ kind: RowKind, time: Timestamp, _ unit: TimeUnit, _ blocks: sending any RowBlocks) {
    self.kind = kind
    self.time = time
    self.unit = unit
    state = Mutex(State(blocks: blocks))
  }

  func settle(_ relation: Relation?, thread: Relation?) {
    state.withLock { state in
      (state.relation, state.thread) = (relation, thread)
      state.blocks.settle(thread: thread?.name)
    }
  }

  func close() {
    state.withLock { state in
      state.hasEnded = true
      state.blocks.file.close()
    }
  }

  /// The next rows; nil after the last ones, and after a failure.
  func next() -> ImportRows? {
    state.withLock { state in
      if state.hasEnded { return nil }
      var rows = ImportRows()
      do throws(CommandFailure) {
        if try state.blocks.next() {
          try parse(&state, into: &rows)
        } else {
          state.hasEnded = true
        }
      } catch {
        rows.failure = error
        state.hasEnded = true
      }
      rows.shareRead = state.blocks.file.shareRead
      return rows
    }
  }

  /// Parses the whole lines of a block.
  private func parse(_ state: inout State, into rows: inout ImportRows) throws(CommandFailure) {
    let path = state.blocks.file.path
    var (bytes, badRow) = (state.blocks.bytes, String?.none)
    if let columns = state.columns { (bytes, badRow) = columns.arranged(bytes[...]) }
    var parser = RowParser()
    while true {
      let (emptyCount, isAtRow) = parser.skipEmptyLines(bytes)
      state.line += emptyCount
      guard isAtRow else { break }
      state.line += 1
      let start = parser.offset
      if !state.hasRow, !state.hasHeader, RowParser.mayBeHeader(bytes[start...]) {
        if try takeHeader(RowParser.fields(bytes[start...]), &state) {
          parser.skipLine(bytes)
          if let columns = state.columns { (bytes, badRow) = columns.arranged(bytes[parser.offset...]) }
          if state.columns != nil { parser = RowParser() }
          continue
        }
      }
      do throws(MalformedRow) {
        let (change, time) = try change(bytes, &parser, state.relation, state.thread)
        if let time, unit == .milliseconds { rows.times.note(time, line: state.line) }
        rows.rows.append(ImportRow(line: state.line, change: change))
      } catch {
        throw failure(error, at: bytes[start...], state)
      }
      state.hasRow = true
    }
    if let reason = badRow ?? state.blocks.badEnd { throw .line(state.line + 1, of: path, reason) }
  }

  /// Takes the fields of a first line as a header, if they name columns.
  private func takeHeader(_ fields: [String], _ state: inout State) throws(CommandFailure) -> Bool {
    if kind.isHeader(fields) {
      state.hasHeader = true
    } else {
      do throws(MalformedRow) {
        state.columns = try ColumnOrder(header: fields, of: kind)
      } catch {
        throw .line(state.line, of: state.blocks.file.path, "\(error.reason); a row of \(kind.name) is: \(kind.fields)")
      }
      state.hasHeader = state.columns != nil
    }
    return state.hasHeader
  }

  /// Why a line is no row.
  private func failure(_ error: MalformedRow, at line: ArraySlice<UInt8>, _ state: borrowing State) -> CommandFailure {
    let fields = RowParser.fields(line)
    var reason = reason(error, fieldCount: fields.count)
    if !state.hasRow, RowParser.mayBeHeader(line) {
      reason += "; a header names the columns: \(kind.columns.joined(separator: " "))"
    }
    if fields.first?.contains(",") == true { reason += "; is it CSV? --format csv" }
    return .line(state.line, of: state.blocks.file.path, reason)
  }

  /// The change of the next row, and the time that the row has.
  @inline(__always)
  private func change(
    _ bytes: [UInt8], _ parser: inout RowParser, _ declared: Relation?, _ thread: Relation?
  ) throws(MalformedRow) -> (Change, time: Int64?) {
    func next() throws(MalformedRow) -> Int64 {
      let number = try parser.integer(bytes)
      guard !parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      return number
    }
    func end<Value>(_ value: Value) throws(MalformedRow) -> Value {
      guard parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      return value
    }
    switch kind {
    case .component(.users):
      let id = try next()
      let username = try parser.text(bytes)
      let (flags, payload) = (try parser.optionalFlags(bytes), try parser.optionalPayload(bytes))
      let isPrivate = try parser.optionalFlag(bytes)
      let displayName = try parser.optionalText(bytes)
      let fields = UserFields(
        kind: try parser.optionalText(bytes), displayName: displayName, payload: payload, flags: flags,
        isPrivate: isPrivate)
      return (try end(.addUser(id: UserID(id), username: username, fields: fields)), nil)
    case .component(.posts):
      let (id, author, time) = (try next(), try next(), try parser.time(bytes, as: unit))
      guard !parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      let text = try parser.text(bytes)
      var edges: [PostEdge] = []
      if let parent = try parser.optionalInteger(bytes) {
        guard let thread else {
          throw MalformedRow("post \(id) replies to \(parent), and no relation makes threads: give --schema")
        }
        edges.append(PostEdge(thread, to: PostID(parent)))
      }
      let (flags, editedAt) = (try parser.optionalFlags(bytes), try parser.optionalTime(bytes, as: unit))
      let fields = PostFields(
        payload: try parser.optionalPayload(bytes), flags: flags, editedAt: editedAt.map { Timestamp($0) },
        audience: try parser.optionalAudience(bytes))
      let change = Change.addPost(
        id: PostID(id), by: UserID(author), text: text, createdAt: Timestamp(time), edges: edges, fields: fields)
      return (try end(change), time)
    case .edges:
      guard let declared else { preconditionFailure("the relation is settled before rows are read") }
      let (source, target) = (try next(), try parser.integer(bytes))
      let isAbsent = parser.isAtRowEnd(bytes) || parser.passEmptyEnd(bytes)
      let given = isAbsent ? nil : try end(try parser.time(bytes, as: unit))
      let isTimed = declared.source == .user || declared.isTimed
      let time = given.map { Timestamp($0) } ?? (isTimed ? self.time : nil)
      let nodes = (Node(declared.source, source), Node(declared.target, target))
      return (.addEdge(declared, from: nodes.0, to: nodes.1, at: time), given)
    case .component(.relation(let relation)):
      let (source, target) = (try next(), try parser.integer(bytes))
      var given: Int64?
      if relation.facts.hasTime, !parser.isAtRowEnd(bytes), !parser.passEmptyEnd(bytes) {
        given = try parser.time(bytes, as: unit)
      }
      let time = relation.facts.hasTime ? given.map { Timestamp($0) } ?? self.time : nil
      return (Change(EdgeChange(relation, UserID(source), try end(target), at: time)), given)
    }
  }

  private static let wrongFieldCount = MalformedRow("a wrong number of fields")

  /// A wrong number of fields is reported first: with it, any other reason would mislead.
  private func reason(_ error: MalformedRow, fieldCount: Int) -> String {
    guard !kind.fieldCounts.contains(fieldCount) else { return "\(error.reason); a row is: \(kind.fields)" }
    return "\(counted(fieldCount, "field")); a row of \(kind.name) is: \(kind.fields)"
  }
}
