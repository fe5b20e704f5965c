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

  private let clock = ContinuousClock()
  private var watches: QueryWatches
  /// The time of the last engine call; zero without timings.
  private(set) var elapsed = Duration.zero

  /// Whether it watches a query.
  var isWatching: Bool { !watches.isEmpty }

  init(
    _ graph: SocialGraph, timings: Bool = false, readOnly: Bool = false, watchLimit: Int = QueryWatches.limit,
    replica: ReplicaSession? = nil
  ) {
    self.graph = graph
    self.replica = replica
    watches = QueryWatches(graph, limit: watchLimit)
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
      let error = KithError.invalidRequest(.malformed("a line is at most \(limit) bytes long; send a smaller request"))
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
    do throws(KithError) {
      var members = try Self.members(of: line)
      tag = members.named("tag")?.source
      if let status = try replica?.prepare(&members) {
        write(of: line, tag: tag, to: &writer) { status.write(to: &$0) }
        return
      }
      let token = try replica?.token(&members)
      let request = try Request(members)
      let answer = try measured { (session) throws(KithError) in try session.run(request, token) }
      write(of: line, tag: request.tag, to: &writer) { $0.members(of: answer, to: request, in: line) }
    } catch {
      write(error, of: line, tag: tag, to: &writer)
    }
  }

  private static func members(of line: [UInt8]) throws(KithError) -> [JSONMember] {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.parse(line)
    } catch {
      throw .invalidRequest(.malformed("the line is not JSON: \(error)"))
    }
    guard case .object(let members) = value else { throw .invalidRequest(.malformed("a request is a JSON object")) }
    return members
  }

  // MARK: Engine calls

  private mutating func run(_ request: Request, _ token: RequestToken?) throws(KithError) -> Answer {
    if readOnly, request.operation.isChange || request.operation == .batch { throw .readOnly }
    if let replica, let answer = try replica.change(request, token) { return answer }
    switch request.operation {
    case .batch: return try request.applyBatch(to: graph)
    case .snapshot: return .snapshot(try graph.snapshot())
    case .watch: return .watching(try watches.add(request.required(.question, request.question)))
    case .unwatch: return .unwatched(watches.remove(request.required(.watch, request.integer)))
    // The whole graph is read: not under a lock, which a change would wait for.
    case .verify: return try request.answer(from: graph.pin().view)
    case let operation where operation.isChange: return try request.apply(to: graph)
    default: return try graph.read { (view) throws(KithError) in try request.answer(from: view) }
    }
  }

  private mutating func measured(
    _ body: (inout QuerySession) throws(KithError) -> Answer
  ) throws(KithError) -> Answer {
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
    _ error: KithError, of line: [UInt8], tag: Range<Int>?, to writer: inout JSONWriter
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
