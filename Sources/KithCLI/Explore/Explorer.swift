import Kith
import Synchronization

/// Answers the explorer's requests: checks who asks, and finds what answers.
final class Explorer: Sendable {
  let store: ExploredStore
  private let rule: AccessRule
  private let page: PageFiles
  /// Lets a browser in once instead of the token; nil once it was used. Other users of the machine may see it among the
  /// arguments of a process.
  private let ticket = Mutex<String?>(nil)

  init(_ store: ExploredStore, _ rule: AccessRule, _ page: PageFiles) {
    self.store = store
    self.rule = rule
    self.page = page
  }

  /// Called by the threads of connections, several at a time.
  func answer(_ request: HTTPRequest) -> HTTPReply {
    do throws(HTTPFailure) {
      if let refusal = rule.refusal(of: request) { throw refusal }
      if let reply = entrance(request) { return reply }
      guard rule.admits(request) else { return Self.closedDoor(request) }
      if request.isBodyTooLong {
        throw HTTPFailure(
          status: 413, code: "tooLarge", message: "a body has at most \(HTTPServer.Limits.bodyByteCount) bytes")
      }
      return try route(request)
    } catch {
      return error.reply
    }
  }

  // MARK: Entrance

  /// Lets a browser in that has the token, and takes the token out of its address.
  private func entrance(_ request: HTTPRequest) -> HTTPReply? {
    guard request.method == "GET", request.path == "/", let token = request.query["token"],
      rule.isToken(token) || isTicket(token)
    else { return nil }
    var reply = HTTPReply(303, type: "text/plain", .bytes([]))
    reply.headers.append(("Location", "/"))
    for cookie in rule.cookies(for: request) { reply.headers.append(("Set-Cookie", cookie)) }
    return reply
  }

  /// A new ticket for one browser.
  func makeTicket() -> String {
    let text = AccessRule.randomToken()
    ticket.withLock { $0 = text }
    return text
  }

  private func isTicket(_ text: String) -> Bool {
    ticket.withLock { ticket in
      guard let own = ticket, AccessRule.areEqual(text, own) else { return false }
      ticket = nil
      return true
    }
  }

  private static func closedDoor(_ request: HTTPRequest) -> HTTPReply {
    let message = "Open the address that kith explore printed: it holds the token of this run."
    if request.path.hasPrefix(Endpoint.prefix) {
      return HTTPFailure(status: 401, code: "unauthorized", message: message).reply
    }
    let page = "<!doctype html><html lang=en><meta charset=utf-8><title>kith explore</title><p>\(message)"
    return HTTPReply(401, type: "text/html; charset=utf-8", .bytes(Array(page.utf8)))
  }

  // MARK: Routes

  private func route(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPReply {
    guard let endpoint = Endpoint(path: request.path) else { return try file(request) }
    try Self.check(request.method, endpoint.method)
    return try answer(request, endpoint, try Parameters(request.query, of: endpoint))
  }

  private func file(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPReply {
    let files = "/app/"
    var name = request.path == "/" ? PageFiles.index : ""
    if request.path.hasPrefix(files) { name = String(request.path.dropFirst(files.count)) }
    guard let reply = page.reply(name, unless: request.headers.noneMatch) else {
      throw HTTPFailure(status: 404, code: "notFound", message: "there is no \(request.path.shown)")
    }
    try Self.check(request.method, "GET")
    return reply
  }

  private static func check(_ method: String, _ allowed: String) throws(HTTPFailure) {
    if method == allowed || (method == "HEAD" && allowed == "GET") { return }
    throw HTTPFailure(status: 405, code: "invalidRequest", message: "only \(allowed) is allowed here")
  }

  private func answer(
    _ request: HTTPRequest, _ endpoint: Endpoint, _ parameters: Parameters
  ) throws(HTTPFailure) -> HTTPReply {
    switch endpoint {
    case .query: try query(request, parameters)
    case .openapi: .json(OpenAPI.bytes)
    case .info: .object { store.writeInfo(to: &$0) }
    case .relations: try relations(parameters)
    case .store: try files()
    case .memory: try memory(parameters)
    case .degrees: try degrees(parameters)
    case .growth: try growth(parameters)
    case .ranks: try ranks(parameters)
    case .verify: try verify()
    case .neighbourhood: try neighbourhood(parameters)
    case .path: try path(parameters)
    case .difference: try difference(parameters)
    case .events: try events()
    case .live: try live(parameters)
    case .past: try past(request)
    }
  }
}
