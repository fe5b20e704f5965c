#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A descriptor that the host has open, read or written from where it stands: a pipe, a socket, a file.
///
/// Where a call would block it waits, also for a host that has made the descriptor non-blocking. The descriptor stays
/// the host's. Writing to a pipe that nobody reads raises SIGPIPE unless the host ignores that signal; then it is
/// `system` with EPIPE.
struct SystemStream: SnapshotOutput {
  let descriptor: Int32

  private static let blockByteCount = 1 << 20

  /// What errors call it.
  var name: String { "descriptor \(descriptor)" }

  var isSeekable: Bool { false }

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws(KithError) {
    let wanted = bytes.count
    // Unsafe: the bytes are alive for the call, and never more than their length is asked for; so in `read`.
    try unsafe bytes.withUnsafeBytes { (bytes) throws(KithError) in
      var done = 0
      while done < wanted {
        done += try retried("write", POLLOUT) {
          #if canImport(Darwin)
            unsafe Darwin.write(descriptor, bytes.baseAddress?.advanced(by: done), wanted - done)
          #else
            unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), wanted - done)
          #endif
        }
      }
    }
  }

  /// Everything up to the end of the stream.
  ///
  /// Errors: `limitExceeded` for more than `byteLimit`, of which no more than that is ever held; `system`.
  func readToEnd(byteLimit: Int) throws(KithError) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: Self.blockByteCount)
    while true {
      var room = block.mutableSpan
      let count = try unsafe room.withUnsafeMutableBytes { (block) throws(KithError) in
        try retried("read", POLLIN) {
          #if canImport(Darwin)
            unsafe Darwin.read(descriptor, block.baseAddress, block.count)
          #else
            unsafe Glibc.read(descriptor, block.baseAddress, block.count)
          #endif
        }
      }
      if count == 0 { return bytes }
      guard count <= byteLimit - bytes.count else {
        throw .limitExceeded("\(name) gives more than \(byteLimit) bytes, which is the limit of a snapshot in memory")
      }
      bytes += block[..<count]
    }
  }

  /// Makes a call that answers how much it did or sets errno: again after EINTR, and when the descriptor is ready.
  private func retried(_ name: String, _ readiness: Int32, _ body: () -> Int) throws(KithError) -> Int {
    while true {
      let count = body()
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK:
        var entry = pollfd(fd: descriptor, events: Int16(readiness), revents: 0)
        // Unsafe: the address of a local that outlives the call.
        _ = unsafe poll(&entry, 1, -1)
      default: throw .system(errno: errno, call: name, path: self.name)
      }
    }
  }
}
