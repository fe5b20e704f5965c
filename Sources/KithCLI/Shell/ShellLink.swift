import Foundation
import Kith

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

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

  /// Whether there is a socket at a path.
  static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  init(_ path: String) throws(CommandFailure) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw .usage("\(path): too long for the path of a socket")
    }
    // Safe because the path was found to fit, and the rest of the address stays zero.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    // Safe because the address is passed with its own size, and not kept.
    let result = unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let reason = ByteStream.Failure(code: ByteStream.lastErrorCode, call: "connecting")
      throw .usage("\(path): \(reason); start kith serve STORE --socket \(path)")
    }
    stream = ByteStream(rawValue: descriptor, name: "the server")
  }

  mutating func ask(_ request: [UInt8]) throws(CommandFailure) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    do throws(ByteStream.Failure) {
      try stream.write(request + [UInt8(ascii: "\n")])
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        while case .line(let line)? = splitter.next() {
          // Answers of watched queries may come before that to the request.
          if lines.isEmpty || Self.isPush(line) { lines.append(line) }
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
