import Kith
import KithReplication

/// A session on a graph: answers one line at a time.
struct QuerySession {
  let graph: SocialGraph
  /// Whether answers have the time of their engine call.
  let timings: Bool
  /// Whether changes are refused, whatever the graph itself allows.
  let readOnly: Bool
  /// The replica that makes the changes, if the graph is one's.
  private let replica: ReplicaSession?

  private var table: ShapeTable { replica == nil ? .graph : .replica }
  private let clock = ContinuousClock()
  private var watches: QueryWatches
  /// The time of the last engine call; zero without timings.
  private(set) var elapsed = Duration.zero

  /// Whether no client waits for an answer any more: then a verification is cancelled.
  var isAbandoned: @Sendable () -> Bool = { false }

  /// Whether it watches a query.
  var isWatching: Bool { !watches.isEmpty }

  init(
    _ graph: SocialGraph, timings: Bool = false, readOnly: Bool = false, watches limits: WatchLimits = .query,
    replica: ReplicaSession? = nil
  ) {
    self.graph = graph
    self.replica = replica
    watches = QueryWatches(graph, limits)
    self.timings = timings
    self.readOnly = readOnly
  }

  /// Answers one line, given without its line break; a blank line gets no answer.
  mutating func answer(_ line: LineSplitter.Line, to writer: inout JSONWriter) {
    switch line {
    case .line(let bytes):
      if !bytes.allSatisfy(JSONReader.isWhiteSpace) { answer(bytes, to: &writer) }
    case .tooLong:
      let limit = LineSplitter.maximumByteCount
      let error = RequestError.malformed("a line is at most \(limit) bytes long; send a smaller request")
      elapsed = .zero
      write(error, of: [], tag: nil, to: &writer)
    }
  }

  /// Writes the watched answers that have changed, one a line.
  /// - Parameter flush: called after each line; it may empty the writer.
  mutating func push<Failure>(
    to writer: inout JSONWriter, flush: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try watches.push(to: &writer, flush: flush)
  }

  private mutating func answer(_ line: [UInt8], to writer: inout JSONWriter) {
    var tag: Range<Int>?
    elapsed = .zero
    do throws(RequestError) {
      let members = try Self.members(of: line)
      tag = members.named("tag")?.source
      let request = try Request(members, of: table)
      try RequestError.from { () throws(KithError) in try replica?.wait(for: request) }
      let answer = try measured { (session) throws(RequestError) in try session.run(request) }
      write(of: line, tag: request.tag, to: &writer) { $0.members(of: answer, to: request, in: line) }
    } catch {
      write(error, of: line, tag: tag, to: &writer)
    }
  }

  private static func members(of line: [UInt8]) throws(RequestError) -> [JSONMember] {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.parse(line)
    } catch {
      throw .malformed("the line is not JSON: \(error)")
    }
    guard case .object(let members) = value else { throw .malformed("a request is a JSON object") }
    return members
  }

  // MARK: Engine calls

  private mutating func run(_ request: Request) throws(RequestError) -> Reply {
    if readOnly, case .graph(let operation) = request.operation, operation.isChange { throw .graph(.readOnly) }
    if let replica, let answer = try replica.answer(request) { return answer }
    guard request.operation == .session(.watch) else {
      return try RequestError.from { () throws(KithError) in try reply(to: request) }
    }
    guard let question = request.question else { preconditionFailure("watch has a question") }
    return .watching(try watches.add(question))
  }

  private mutating func reply(to request: Request) throws(KithError) -> Reply {
    switch request.operation {
    case .graph(.batch): return try request.applyBatch(to: graph)
    case .session(.snapshot): return .snapshot(try graph.snapshot())
    case .session(.stats):
      return graph.read { view in
        .stats(view.counts, view.memoryReport(), sequence: view.sequence, failure: graph.lastFailure)
      }
    case .session(.statistics):
      return .statistics(graph.statistics(), asText: request.fields.text(.format) == "prometheus")
    case .session(.health): return .health(Health(graph, readOnly: readOnly))
    case .session(.unwatch):
      return .unwatched(watches.remove(request.fields.required(.watch, request.fields.integer)))
    case .session(.help): return .help(table.shapes(about: request.fields.text(.about)), watches.limits)
    // The whole graph is read: not under a lock, which a change would wait for.
    case .session(.verify):
      return .problems(try graph.pin().view.verify(control: PassControl(isAbandoned: isAbandoned)))
    case let operation where operation.isChange: return try request.apply(to: graph)
    default: return try graph.read { (view) throws(KithError) in try request.answer(from: view) }
    }
  }

  private mutating func measured(
    _ body: (inout QuerySession) throws(RequestError) -> Reply
  ) throws(RequestError) -> Reply {
    guard timings else { return try body(&self) }
    let began = clock.now
    defer { elapsed = began.duration(to: clock.now) }
    return try body(&self)
  }

  // MARK: Answers

  private func write(
    of line: [UInt8], tag: Range<Int>?, to writer: inout JSONWriter, content: (inout JSONWriter) -> Void
  ) {
    writer.object { writer in
      writer.member("ok", true)
      content(&writer)
      writeEnd(of: line, tag: tag, to: &writer)
    }
    writer.newline()
  }

  private func write(
    _ error: RequestError, of line: [UInt8], tag: Range<Int>?, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.members(of: error)
      writeEnd(of: line, tag: tag, to: &writer)
    }
    writer.newline()
  }

  private func writeEnd(of line: [UInt8], tag: Range<Int>?, to writer: inout JSONWriter) {
    writer.tag(tag, in: line)
    if timings { writer.member("ns", Int64(elapsed / .nanoseconds(1))) }
  }
}
