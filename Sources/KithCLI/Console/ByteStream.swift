#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A standard stream of the process or a connection, read and written without a buffer in between.
///
/// Foundation's handles either wait for a full buffer or hide whether a read would block, and answers must be flushed
/// exactly then. Each `unsafe` below passes the address of an array or of a local to one call that does not keep it, or
/// copies the C library's text.
struct ByteStream: Sendable {
  /// What means standard input or output on the command line.
  static let sign = "-"

  static let input = ByteStream(rawValue: 0, name: "standard input")
  static let output = ByteStream(rawValue: 1, name: "standard output")
  static let error = ByteStream(rawValue: 2, name: "standard error")

  /// The descriptor.
  let rawValue: Int32
  let name: String
  /// How long a write may take; nil for any time.
  var writeTimeout: Duration?

  init(rawValue: Int32, name: String, writeTimeout: Duration? = nil) {
    self.rawValue = rawValue
    self.name = name
    self.writeTimeout = writeTimeout
    guard let writeTimeout else { return }
    var wait = timeval()
    wait.tv_sec = .init(max(1, writeTimeout.components.seconds))
    _ = unsafe setsockopt(
      rawValue, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
  }

  /// A failed read or write.
  struct Failure: Error, CustomStringConvertible {
    let code: Int32
    let call: String

    /// The other end was closed, which is a normal end of a pipeline.
    var isBrokenPipe: Bool { code == EPIPE }

    var description: String { unsafe "\(call) failed: \(String(cString: strerror(code)))" }
  }

  /// Why the last call of the C library failed, in this thread.
  static var lastErrorCode: Int32 { errno }

  /// Whether it is a terminal.
  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The width of the terminal in characters; nil for anything else.
  var columnCount: Int? {
    guard isTerminal else { return nil }
    var size = winsize()
    guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Takes the places of closed standard streams (`>&-`), so that no file gets one and is written in its stead. Using
  /// such a stream still fails with EBADF.
  static func occupyClosedStreams() {
    for stream in [input, output, error] where fcntl(stream.rawValue, F_GETFD) < 0 {
      // The lowest free number, which is this one.
      _ = unsafe open("/dev/null", stream.rawValue == input.rawValue ? O_WRONLY : O_RDONLY)
    }
  }

  /// A write to a pipe without a reader returns an error instead of killing the process by a signal.
  static func ignoreBrokenPipes() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// A write beyond the file size limit (`ulimit -f`) returns EFBIG instead of killing the process by a signal.
  static func ignoreFileSizeLimits() {
    _ = signal(SIGXFSZ, SIG_IGN)
  }

  /// Reads what is available, at most as much as the buffer holds; waits if there is nothing yet. Zero at the end.
  func read(into buffer: inout [UInt8]) throws(Failure) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(rawValue, $0.baseAddress, $0.count) }
      if count >= 0 { return count }
      if errno != EINTR { throw Failure(code: errno, call: "reading \(name)") }
    }
  }

  /// Whether a read would return at once, with bytes or with the end.
  var isReadable: Bool { waitUntilReadable(milliseconds: 0) }

  /// Waits for this long at most; returns whether a read would return at once, with bytes or with the end.
  func waitUntilReadable(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, milliseconds) > 0
  }

  /// Waits for this long, or until no reader is left; returns whether that is so.
  ///
  /// For a file or a terminal it only waits.
  func waitForHangUp(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: rawValue, events: 0, revents: 0)
    guard unsafe poll(&entry, 1, milliseconds) > 0 else { return false }
    if entry.revents & Int16(POLLERR | POLLHUP) != 0 { return true }
    // A stream that cannot be polled must not keep the processor busy.
    _ = poll(nil, 0, milliseconds)
    return false
  }

  /// Writes all bytes, or throws when the reader takes too long.
  func write(_ bytes: [UInt8]) throws(Failure) {
    var written = 0
    let deadline = writeTimeout.map { ContinuousClock().now + $0 }
    while written < bytes.count {
      if let deadline, ContinuousClock().now > deadline { throw Failure(code: ETIMEDOUT, call: "writing to \(name)") }
      let rest = bytes[written...]
      let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(rawValue, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw Failure(code: errno, call: "writing to \(name)")
      }
    }
  }

  /// Ends the input of a connection: what has arrived can still be read.
  func endInput() { _ = shutdown(rawValue, Int32(SHUT_RD)) }

  /// Ends a connection; calls that wait for it return.
  func end() { _ = shutdown(rawValue, Int32(SHUT_RDWR)) }

  func close() { _ = systemClose(rawValue) }
}

/// Connections to Unix sockets.
extension ByteStream {
  /// Whether there is a socket at a path.
  static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// Connects to the server that listens at a path.
  init(connectedTo path: String) throws(Failure) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Failure(code: ENAMETOOLONG, call: "connecting")
    }
    // The path fits, and the rest of the address stays zero.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw Failure(code: errno, call: "connecting") }
    let result = unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result != 0 {
      let code = errno
      _ = systemClose(descriptor)
      throw Failure(code: code, call: "connecting")
    }
    self.init(rawValue: descriptor, name: "the server")
  }
}

// The C library's functions whose names are those of methods.
private let systemRead = unsafe read
private let systemWrite = unsafe write
private let systemClose = close
