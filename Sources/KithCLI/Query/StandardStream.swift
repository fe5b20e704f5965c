#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The three standard streams of the process, read and written without a buffer in between.
///
/// Foundation's handles either wait for a full buffer or hide whether a read would block, and answers must be flushed
/// exactly then. Each `unsafe` below passes the address of an array or of a local to one call that does not keep it,
/// or copies the C library's text.
enum StandardStream: Int32 {
  case input = 0
  case output = 1
  case error = 2

  /// A failed read or write.
  struct Failure: Error, CustomStringConvertible {
    let code: Int32
    let call: String

    /// The other end has gone away, which is an ordinary way for a pipeline to end.
    var isBrokenPipe: Bool { code == EPIPE }

    var description: String { unsafe "\(call) failed: \(String(cString: strerror(code)))" }
  }

  /// Turns writes to a pipe that nobody reads from a signal that kills into an error.
  static func ignoreBrokenPipes() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Reads what is there, at most as much as the buffer holds; waits if there is nothing yet. Zero at the end.
  func read(into buffer: inout [UInt8]) throws(Failure) -> Int {
    while true {
      #if canImport(Glibc)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(rawValue, $0.baseAddress, $0.count) }
      #else
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Darwin.read(rawValue, $0.baseAddress, $0.count) }
      #endif
      if count >= 0 { return count }
      if errno != EINTR { throw Failure(code: errno, call: "reading standard input") }
    }
  }

  /// Whether a read would answer at once, with bytes or with the end.
  var isReadable: Bool {
    var entry = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) > 0
  }

  /// Writes all bytes.
  func write(_ bytes: [UInt8]) throws(Failure) {
    var written = 0
    while written < bytes.count {
      let rest = bytes[written...]
      #if canImport(Glibc)
        let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
      #else
        let count = unsafe rest.withUnsafeBytes { unsafe Darwin.write(rawValue, $0.baseAddress, $0.count) }
      #endif
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw Failure(code: errno, call: "writing to standard \(self)")
      }
    }
  }
}
