#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A descriptor opened by the host, read or written from its current position: a pipe, a socket, a file.
///
/// A call that would block waits, even if the host made the descriptor non-blocking. The host keeps ownership of the
/// descriptor. EFBIG is thrown if a file would exceed the process's size limit. Writing to a pipe without a reader
/// raises SIGPIPE; if the host ignores that signal, `system` with EPIPE is thrown.
struct SystemStream: SnapshotOutput {
  let descriptor: Int32

  private static let blockByteCount = 1 << 20

  /// The name used in errors.
  var name: String {
    switch descriptor {
    case STDIN_FILENO: "standard input"
    case STDOUT_FILENO: "standard output"
    default: "descriptor \(descriptor)"
    }
  }

  var isSeekable: Bool { false }

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws(KithError) {
    let wanted = bytes.count
    try ProcessLimits.checkDescriptor(descriptor, taking: wanted, name)
    // Safe because the bytes are valid for the call, and no more than their length is requested; likewise in `read`.
    try unsafe bytes.withUnsafeBytes { (bytes) throws(KithError) in
      var done = 0
      while done < wanted {
        done += try retried("write", POLLOUT) {
          unsafe systemWrite(descriptor, bytes.baseAddress?.advanced(by: done), wanted - done)
        }
      }
    }
  }

  /// Reads everything up to the end of the stream.
  ///
  /// - Throws: `limitExceeded` if there are more than `byteLimit` bytes, of which at most that many are held; `system`.
  func readToEnd(byteLimit: Int) throws(KithError) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: Self.blockByteCount)
    while true {
      var room = block.mutableSpan
      let count = try unsafe room.withUnsafeMutableBytes { (block) throws(KithError) in
        try retried("read", POLLIN) { unsafe systemRead(descriptor, block.baseAddress, block.count) }
      }
      if count == 0 { return bytes }
      guard count <= byteLimit - bytes.count else {
        throw .limitExceeded(.streamBytes(path: name, limit: byteLimit))
      }
      bytes += block[..<count]
    }
  }

  /// Makes a call that returns a count or sets errno. Retries after EINTR, and when the descriptor is ready.
  private func retried(_ name: String, _ readiness: Int32, _ body: () -> Int) throws(KithError) -> Int {
    while true {
      let count = body()
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK:
        var entry = pollfd(fd: descriptor, events: Int16(readiness), revents: 0)
        // Safe because the address is that of a local that outlives the call.
        _ = unsafe poll(&entry, 1, -1)
      default: throw .system(errno: errno, call: name, path: self.name)
      }
    }
  }
}
