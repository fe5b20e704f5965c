import CExplorer

/// An HTTP/1.1 server with a thread for each connection.
///
/// It passes requests and replies between C and Swift. Each `unsafe` below reads what C lends for one call, writes into
/// the buffer of one call, or turns an object into the pointer that C keeps for it, which C gives back once.
@safe final class HTTPServer {
  /// What is refused or ended before a handler gets it.
  enum Limits {
    static let connectionCount = 64
    static let idleSeconds = 30
    static let targetByteCount = 8 << 10
    static let bodyByteCount = 64 << 10
  }

  /// Why no server starts.
  struct Failure: Error {
    let code: Int32
  }

  typealias Handler = @Sendable (HTTPRequest) -> HTTPReply

  /// Whether the command was built with the package trait `Explorer`.
  static var isBuiltIn: Bool { kith_http_is_built_in() }

  private let server: OpaquePointer
  /// Kept for C.
  private let context: HandlerContext

  /// Listens; port 0 means a free one.
  /// - Parameter handler: called by the threads of connections, several at a time; it may wait.
  init(address: String, port: UInt16, _ handler: @escaping Handler) throws(Failure) {
    context = HandlerContext(handler)
    let limits = kith_http_limits(
      connection_count: UInt32(Limits.connectionCount), idle_seconds: UInt32(Limits.idleSeconds),
      target_count: Limits.targetByteCount, body_count: Limits.bodyByteCount)
    let calls = unsafe kith_http_handler(
      context: Unmanaged.passUnretained(context).toOpaque(),
      answer: { unsafe HTTPServer.answer($0, $1, $2) }, next: { unsafe HTTPServer.next($0, $1, $2) },
      release: { unsafe HTTPServer.release($0) })
    guard let server = unsafe kith_http_start(address, port, limits, calls) else {
      throw Failure(code: ByteStream.lastErrorCode)
    }
    unsafe self.server = server
  }

  var port: UInt16 { unsafe kith_http_port(server) }

  /// Accepts no more connections, ends the streams, and waits for the threads. Call it once, at the end.
  func stop() { unsafe kith_http_stop(server) }

  /// Whether a text is an IPv4 address, or an IPv6 address without brackets.
  static func isAddress(_ text: String) -> Bool { unsafe kith_http_is_address(text) }

  // MARK: Calls by C

  private static func answer(
    _ context: UnsafeMutableRawPointer?, _ request: UnsafePointer<kith_http_request>?, _ reply: OpaquePointer?
  ) {
    guard let context = unsafe context, let request = unsafe request?.pointee, let reply = unsafe reply else { return }
    let handler = unsafe Unmanaged<HandlerContext>.fromOpaque(context).takeUnretainedValue().handler
    var asked = unsafe HTTPRequest(request)
    let connection = UInt(bitPattern: reply)
    asked.isAbandoned = {
      unsafe OpaquePointer(bitPattern: connection).map { unsafe kith_http_is_abandoned($0) } ?? true
    }
    let answer = handler(asked)
    switch answer.content {
    case .bytes(let bytes):
      unsafe bytes.withUnsafeBufferPointer {
        unsafe kith_http_reply_bytes(reply, UInt32(answer.status), $0.baseAddress, $0.count)
      }
    case .stream(let source):
      let stream = OpenStream(source)
      unsafe kith_http_reply_stream(reply, Unmanaged.passRetained(stream).toOpaque())
    }
    for (name, value) in answer.headers { unsafe kith_http_reply_header(reply, name, value) }
  }

  private static func next(
    _ stream: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<UInt8>?, _ limit: Int
  ) -> Int {
    guard let stream = unsafe stream, let bytes = unsafe bytes else { return OpenStream.end }
    let open = unsafe Unmanaged<OpenStream>.fromOpaque(stream).takeUnretainedValue()
    return unsafe open.read(into: UnsafeMutableBufferPointer(start: bytes, count: limit))
  }

  private static func release(_ stream: UnsafeMutableRawPointer?) {
    if let stream = unsafe stream { unsafe Unmanaged<OpenStream>.fromOpaque(stream).release() }
  }
}

private final class HandlerContext: Sendable {
  let handler: HTTPServer.Handler
  init(_ handler: @escaping HTTPServer.Handler) { self.handler = handler }
}

/// A stream that a client reads, and what it has not taken yet. Used by the thread of its connection.
private final class OpenStream {
  /// What C takes as the end: `SIZE_MAX`.
  static let end = -1

  private let source: any ByteSource
  private var waiting: ArraySlice<UInt8> = []

  init(_ source: any ByteSource) { self.source = source }

  func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    if waiting.isEmpty {
      guard let bytes = source.next() else { return Self.end }
      waiting = bytes[...]
    }
    let part = waiting.prefix(buffer.count)
    waiting = waiting.dropFirst(part.count)
    for (place, byte) in part.enumerated() { unsafe buffer[place] = byte }
    return part.count
  }
}

extension HTTPRequest {
  fileprivate init(_ request: kith_http_request) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String? { unsafe pointer.map { unsafe String(cString: $0) } }
    let headers = unsafe Headers(
      host: request.has_several_hosts ? nil : text(request.host), origin: text(request.origin),
      authorization: text(request.authorization), cookie: text(request.cookie),
      noneMatch: text(request.if_none_match), fetchSite: text(request.fetch_site))
    let body = unsafe Array(UnsafeBufferPointer(start: request.body, count: request.body_count))
    unsafe self.init(
      method: text(request.method) ?? "", target: text(request.target) ?? "", headers: headers, body: body,
      isBodyTooLong: request.is_body_too_long)
  }
}

/// The files of the page, as they were built in.
enum BuiltInPage {
  static let files: [String: [UInt8]] = {
    var count = 0
    guard let files = unsafe kith_page_files(&count) else { return [:] }
    var byName: [String: [UInt8]] = [:]
    for index in 0..<count {
      let file = unsafe files[index]
      unsafe byName[String(cString: file.name)] = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
    return byName
  }()
}
