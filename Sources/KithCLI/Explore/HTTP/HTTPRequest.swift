/// A request, as its client sent it. Nothing of it is checked yet.
struct HTTPRequest: Sendable {
  struct Headers: Sendable {
    /// Nil if it is missing, or given twice.
    var host: String?
    var origin: String?
    var authorization: String?
    var cookie: String?
    var noneMatch: String?
    /// `Sec-Fetch-Site`: where a browser was when it made the request.
    var fetchSite: String?
  }

  let method: String
  /// Without the query, as it was sent.
  let path: String
  /// Decoded; of several values of one name, the first.
  let query: [String: String]
  let headers: Headers
  let body: [UInt8]
  /// Then the body is empty.
  let isBodyTooLong: Bool
  /// Whether its client has left, or the server ends. Only called before the request is answered.
  var isAbandoned: @Sendable () -> Bool = { false }

  init(method: String, target: String, headers: Headers, body: [UInt8] = [], isBodyTooLong: Bool = false) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    path = String(parts[0])
    query = parts.count > 1 ? Self.parameters(parts[1]) : [:]
    self.headers = headers
    self.body = body
    self.isBodyTooLong = isBodyTooLong
  }

  private static func parameters(_ text: Substring) -> [String: String] {
    var parameters: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = decoded(parts[0])
      if parameters[name] == nil { parameters[name] = parts.count > 1 ? decoded(parts[1]) : "" }
    }
    return parameters
  }

  /// The text without percent escapes; what is no escape stays, and invalid UTF-8 is repaired.
  static func decoded(_ text: Substring) -> String {
    var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = hexadecimal(rest.prefix(2)) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
    guard digits.count == 2 else { return nil }
    let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return values.count == 2 ? UInt8(values[0] << 4 | values[1]) : nil
  }
}

/// Bytes of unknown number, for one client. Used by one thread at a time; freed when the client has left.
protocol ByteSource: AnyObject {
  /// The next bytes; none after a wait of at most a tenth of a second; nil at the end.
  func next() -> [UInt8]?
}

/// A reply.
struct HTTPReply {
  enum Content {
    case bytes([UInt8])
    /// With status 200.
    case stream(any ByteSource)
  }

  var status = 200
  var headers: [(name: String, value: String)] = []
  var content = Content.bytes([])

  /// Of every reply. There is no inline script or style, and nothing from or for another origin.
  private static let always: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]

  /// - Parameter cache: the value of `Cache-Control`.
  init(_ status: Int, type: String, _ content: Content, cache: String = "no-store") {
    self.status = status
    self.content = content
    headers = Self.always + [("Content-Type", type), ("Cache-Control", cache)]
  }

  static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPReply {
    HTTPReply(status, type: "application/json", .bytes(bytes))
  }

  /// One JSON object.
  static func object(status: Int = 200, _ content: (inout JSONWriter) -> Void) -> HTTPReply {
    var writer = JSONWriter()
    writer.object(content)
    return json(writer.bytes, status: status)
  }

  /// Server-sent events.
  static func events(_ source: any ByteSource) -> HTTPReply {
    HTTPReply(200, type: "text/event-stream", .stream(source))
  }
}

/// A request that is refused, outside the protocol of queries.
struct HTTPFailure: Error, Equatable {
  let status: Int
  let code: String
  let message: String

  static func invalid(_ message: String) -> HTTPFailure {
    HTTPFailure(status: 400, code: "invalidRequest", message: message)
  }

  var reply: HTTPReply {
    .object(status: status) { writer in
      writer.member("ok", false)
      writer.object("error") { write(to: &$0) }
    }
  }

  /// The members `code` and `message`.
  func write(to writer: inout JSONWriter) {
    writer.member("code", code)
    writer.member("message", message)
  }
}
