import Kith

extension Explorer {
  /// Answers one request of the protocol.
  func query(_ request: HTTPRequest, _ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    if request.body.allSatisfy(JSONReader.isWhiteSpace) { throw .invalid("the body is one request as JSON") }
    if let operation = Self.operation(of: request.body), !operation.isQuestion {
      throw HTTPFailure(
        status: 405, code: "invalidRequest", message: "\(operation) is refused: an explorer only reads")
    }
    var session = QuerySession(try graph(parameters), timings: true, readOnly: true)
    session.isAbandoned = request.isAbandoned
    var writer = JSONWriter()
    session.answer(.line(request.body), to: &writer)
    var reply = HTTPReply.json(writer.bytes)
    reply.headers.append(("Server-Timing", "engine;dur=\(Self.milliseconds(session.elapsed))"))
    return reply
  }

  /// The newest graph, or a past state.
  func graph(_ parameters: Parameters) throws(HTTPFailure) -> SocialGraph {
    guard let time = parameters.integer(.at) else { return store.graph }
    guard let past = store.past(at: time) else {
      throw HTTPFailure(
        status: 404, code: "notOpen", message: "the state at \(time) is not open: open it by POST /api/past")
    }
    return past
  }

  /// The operation that a request names; nil if it names none, which the answer to it says.
  private static func operation(of body: [UInt8]) -> Operation? {
    guard case .object(let members)? = try? JSONReader.parse(body), case .string(let name)? = members.named("op")?.value
    else { return nil }
    return ShapeTable.graph[name]?.operation
  }

  /// In milliseconds, with three digits after the point.
  private static func milliseconds(_ duration: Duration) -> String {
    let microseconds = max(0, Int(duration / .microseconds(1)))
    let rest = String(microseconds % 1_000)
    return "\(microseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
