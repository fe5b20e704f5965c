import Foundation
import Kith
import Synchronization

/// Gives the statistics of a graph to monitoring, in the text format of Prometheus: to who asks for `/metrics` of this
/// machine's loopback interface, or in a file that is written again and again, for a collector of text files.
final class MetricsExporter: Sendable {
  static let option = Option(
    "--metrics", "PORT|FILE",
    "statistics for Prometheus: http://127.0.0.1:PORT/metrics (0 for a free port), or a FILE written every 15 s")

  private enum Place {
    case port(SocketListener)
    case file(String)
  }

  private static let fileSeconds = 15.0
  private static let pollMilliseconds: Int32 = 100
  private static let requestByteCount = 8_192
  /// How long a client may take to send a request, or to read the answer.
  private static let patience = Duration.seconds(2)

  private let place: Place
  private let graph: @Sendable () -> SocialGraph
  private let ends = StopFlag()
  private let ended = DispatchGroup()

  /// Opens the place, so that one that cannot be used is found before any other work.
  static func listener(_ arguments: Arguments) throws(CommandFailure) -> SocketListener? {
    guard let place = arguments.value(option), let port = UInt16(place) else { return nil }
    return try SocketListener(loopbackPort: port)
  }

  /// - Parameters:
  ///   - listener: what `listener(_:)` returned.
  ///   - graph: the graph now.
  init?(
    _ arguments: Arguments, _ listener: SocketListener?, _ graph: @escaping @Sendable () -> SocialGraph
  ) throws(CommandFailure) {
    guard let value = arguments.value(Self.option) else { return nil }
    self.graph = graph
    place = if let listener { .port(listener) } else { .file(value) }
    // So that a file that cannot be written is found at once.
    if case .file(let path) = place { try write(to: path) }
    ended.enter()
    let hasThread = Threads.run { [self] in
      export()
      ended.leave()
    }
    if hasThread { return }
    ended.leave()
    throw .no(KithError.limitExceeded(.threads).sentence)
  }

  /// Where the statistics are, for people.
  var text: String {
    switch place {
    case .port(let listener): "http://127.0.0.1:\(listener.port)/metrics"
    case .file(let path): path
    }
  }

  func close() {
    ends.set()
    ended.wait()
    if case .port(let listener) = place { listener.close() }
  }

  private func export() {
    switch place {
    case .port(let listener):
      while !ends.isSet {
        let client = listener.accept(waiting: Self.pollMilliseconds, writeTimeout: Self.patience)
        guard let client else { continue }
        answer(client)
        client.close()
      }
    case .file(let path):
      var next = ContinuousClock.now + .seconds(Self.fileSeconds)
      var isFailing = false
      while !ends.isSet {
        Thread.sleep(forTimeInterval: Double(Self.pollMilliseconds) / 1_000)
        guard ContinuousClock.now >= next else { continue }
        next = ContinuousClock.now + .seconds(Self.fileSeconds)
        do throws(CommandFailure) {
          try write(to: path)
          isFailing = false
        } catch {
          if !isFailing { Console.printError(error) }
          isFailing = true
        }
      }
    }
  }

  /// Replaces the file as a whole.
  private func write(to path: String) throws(CommandFailure) {
    do {
      try Data(graph().statistics().prometheus.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw .usage("\(path): the metrics cannot be written: \(error.localizedDescription)")
    }
  }

  // MARK: HTTP

  /// Answers one request and ends the connection.
  private func answer(_ client: ByteStream) {
    guard let line = Self.requestLine(client) else { return }
    let words = line.split(separator: " ")
    let path = words.count > 1 ? words[1].prefix { $0 != "?" } : ""
    switch (words.first, path) {
    case ("GET", "/metrics"):
      Self.write("200 OK", graph().statistics().prometheus, "text/plain; version=0.0.4; charset=utf-8", to: client)
    case ("GET", "/health"):
      let refusal = graph().refusal.flatMap { $0 == .readOnly ? nil : $0 }
      let status = refusal == nil ? "200 OK" : "503 Service Unavailable"
      Self.write(status, (refusal?.sentence ?? "ok") + "\n", "text/plain; charset=utf-8", to: client)
    case ("GET", _): Self.write("404 Not Found", "/metrics and /health are here\n", "text/plain", to: client)
    default: Self.write("405 Method Not Allowed", "GET alone is answered\n", "text/plain", to: client)
    }
  }

  /// The first line of a request, once all of its header is read; nil for one that is too long or too slow.
  private static func requestLine(_ client: ByteStream) -> String? {
    let deadline = ContinuousClock.now + patience
    var (request, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1_024))
    let end = Array("\r\n\r\n".utf8)
    // What follows is a body, which no request here has.
    while !request.indices.contains(where: { request[$0...].starts(with: end) }) {
      guard request.count < requestByteCount, ContinuousClock.now < deadline else { return nil }
      guard client.waitUntilReadable(milliseconds: pollMilliseconds) else { continue }
      guard let count = try? client.read(into: &chunk), count > 0 else { return nil }
      request += chunk[..<count]
    }
    return String(decoding: request.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  private static func write(_ status: String, _ body: String, _ type: String, to client: ByteStream) {
    let head = [
      "HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)", "Connection: close", "", "",
    ]
    try? client.write(Array((head.joined(separator: "\r\n") + body).utf8))
  }
}
