import Foundation
import Testing

@testable import KithCLI

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A client of `kith serve`, for tests.
final class SocketClient {
  let stream: ByteStream
  private var splitter = LineSplitter()
  private static let patience: Int32 = 60_000

  init(_ path: String) throws {
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    stream = ByteStream(rawValue: descriptor, name: "the server")
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let result = unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0, "connect: errno \(errno)")
  }

  deinit { stream.close() }

  func send(_ text: String) throws { try stream.write(Array(text.utf8)) }

  /// Sends no more; answers can still be read.
  func finish() { _ = shutdown(stream.rawValue, Int32(SHUT_WR)) }

  /// The next line; nil at the end of the connection.
  func line() throws -> String? {
    while true {
      if case .line(let bytes)? = splitter.next() { return String(decoding: bytes, as: UTF8.self) }
      try #require(stream.waitUntilReadable(milliseconds: Self.patience), "no answer within a minute")
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = (try? stream.read(into: &chunk)) ?? 0
      if count == 0 { return nil }
      splitter.feed(chunk[..<count])
    }
  }

  func ask(_ request: String) throws -> String? {
    try send(request + "\n")
    return try line()
  }
}

/// A running `kith serve`, killed at the end of the test.
final class ServedStore {
  let socket: String
  let process: Process
  /// What it told up to the moment when connections were accepted.
  let started: String
  private let errors: FileHandle
  private var told = LineSplitter()

  /// Returns when connections are accepted.
  /// - Parameter fileBlocks: a limit of its files, in units of the shell; nil for none.
  init(_ store: String, socket: String, _ options: [String] = [], fileBlocks: Int? = nil) throws {
    self.socket = socket
    let errors = Pipe()
    let words = ["serve", store, "--socket", socket] + options
    process = try BuiltKith.process(words).process
    if let fileBlocks {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      let kith = try #require(BuiltKith.executable).path
      process.arguments = ["-c", "ulimit -f \(fileBlocks); kith=$0; exec \"$kith\" \"$@\"", kith] + words
    }
    process.standardError = errors
    self.errors = errors.fileHandleForReading
    try process.run()
    var text = ""
    while !text.contains("serving") {
      let bytes = self.errors.availableData
      text += String(decoding: bytes, as: UTF8.self)
      if bytes.isEmpty { break }
    }
    started = text
    try #require(text.contains("serving"), "\(text)")
  }

  /// The next line of standard error with a text, after those before it.
  func errorLine(_ text: String) throws -> String {
    while true {
      while case .line(let bytes)? = told.next() {
        let line = String(decoding: bytes, as: UTF8.self)
        if line.contains(text) { return line }
      }
      let bytes = [UInt8](errors.availableData)
      try #require(!bytes.isEmpty, "no line with \(text)")
      told.feed(bytes[...])
    }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// The exit status after a signal.
  func stop(_ signal: Int32 = SIGTERM) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }
}
