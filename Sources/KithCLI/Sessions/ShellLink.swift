import Kith

/// What answers the requests of a shell.
protocol ShellLink {
  /// The answer to a request, and after it those of watched queries that it changed: lines without their breaks.
  mutating func ask(_ request: [UInt8]) throws(CommandFailure) -> [[UInt8]]
  func close() throws(CommandFailure)
}

/// A store that the shell has opened itself.
struct ShellStore: ShellLink {
  private var session: QuerySession

  init(_ session: QuerySession) { self.session = session }

  mutating func ask(_ request: [UInt8]) throws(CommandFailure) -> [[UInt8]] {
    var writer = JSONWriter()
    session.answer(.line(request), to: &writer)
    session.push(to: &writer) { _ in }
    return writer.bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) }
  }

  func close() throws(CommandFailure) { try StoreAccess.close(session.graph) }
}

/// A connection to `kith serve`.
struct ShellSocket: ShellLink {
  private let stream: ByteStream
  private var splitter = LineSplitter()

  init(_ path: String) throws(CommandFailure) {
    do throws(ByteStream.Failure) {
      stream = try ByteStream(connectedTo: path)
    } catch {
      throw .usage("\(path): \(error); start kith serve STORE --socket \(path)")
    }
  }

  mutating func ask(_ request: [UInt8]) throws(CommandFailure) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    do throws(ByteStream.Failure) {
      try stream.write(request + [UInt8(ascii: "\n")])
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        while case .line(let line)? = splitter.next() {
          // Answers of watched queries may come before that to the request.
          lines.append(line)
          if !Self.isPush(line) { return lines }
        }
        let count = try stream.read(into: &chunk)
        if count == 0 { break }
        splitter.feed(chunk[..<count])
      }
    } catch {
      throw .no("\(error); the server has ended")
    }
    throw .no("the server has closed the connection")
  }

  private static func isPush(_ line: [UInt8]) -> Bool { line.starts(with: Array(#"{"watch""#.utf8)) }

  func close() throws(CommandFailure) { stream.close() }
}
