import Kith
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A Unix socket that accepts connections, accessible to its owner alone.
///
/// Each `unsafe` below passes the address of a local to one call that does not keep it.
final class SocketListener: Sendable {
  private static let backlog: Int32 = 64

  private let path: String
  private let stream: ByteStream
  /// The file at the path when it was made: another one is not removed.
  private let device: UInt64
  private let file: UInt64
  private let isClosed = Atomic(false)

  /// Makes the socket. One that a crash has left, on which no process listens, is replaced.
  ///
  /// Call it while there are no other threads: the umask of the process is changed for a moment.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    let address = try Self.address(path)
    let stream = try Self.makeSocket()
    var code = Self.bind(stream, address)
    if code == EADDRINUSE {
      do throws(CommandFailure) { try Self.removeStale(path, address) } catch {
        stream.close()
        throw error
      }
      code = Self.bind(stream, address)
    }
    if code == 0, listen(stream.rawValue, Self.backlog) != 0 { code = errno }
    guard code == 0, let status = Self.status(path) else {
      stream.close()
      throw .usage("\(path): the socket cannot be made: \(ByteStream.Failure(code: code, call: "bind"))")
    }
    self.stream = stream
    (device, file) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// The next connection; nil if there is none for this long.
  func accept(waiting milliseconds: Int32, writeTimeout: Duration) -> ByteStream? {
    guard stream.waitUntilReadable(milliseconds: milliseconds) else { return nil }
    let descriptor = systemAccept(stream.rawValue, nil, nil)
    guard descriptor >= 0 else {
      // Without a free descriptor the connection stays, and the next call would fail at once.
      if errno != EINTR && errno != ECONNABORTED { usleep(UInt32(milliseconds) * 1_000) }
      return nil
    }
    return ByteStream(rawValue: descriptor, name: "a client", writeTimeout: writeTimeout)
  }

  /// Removes the socket, if it is still this one, and accepts no more connections. Only the first call does anything:
  /// later another server may have the path, and a file with the same number.
  func close() {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    if let status = Self.status(path), UInt64(status.st_dev) == device, UInt64(status.st_ino) == file {
      _ = unsafe unlink(Self.name(path))
    }
    _ = shutdown(stream.rawValue, Int32(SHUT_RDWR))
  }

  deinit { stream.close() }

  // MARK: - System calls

  private static func makeSocket() throws(CommandFailure) -> ByteStream {
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw .usage("\(ByteStream.Failure(code: errno, call: "socket"))") }
    return ByteStream(rawValue: descriptor, name: "the socket")
  }

  private static func address(_ path: String) throws(CommandFailure) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = path.pathBytes
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
      throw .usage("\(path): the path of a socket has 1 to \(capacity - 1) bytes")
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return address
  }

  /// Zero, or the error. The mode of the file is 0600 from its first moment.
  private static func bind(_ stream: ByteStream, _ address: sockaddr_un) -> Int32 {
    let mask = umask(0o177)
    defer { umask(mask) }
    return unsafe call(address) { unsafe systemBind(stream.rawValue, $0, $1) }
  }

  private static func call(_ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    let result = unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 ? 0 : errno
  }

  /// The bytes of a path, and a zero byte.
  private static func name(_ path: String) -> [CChar] { path.pathBytes.map { CChar(bitPattern: $0) } + [0] }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return unsafe lstat(name(path), &status) == 0 ? status : nil
  }

  /// Removes a socket without a listener; refuses anything else.
  private static func removeStale(_ path: String, _ address: sockaddr_un) throws(CommandFailure) {
    guard let status = status(path) else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .usage("\(path): exists already and is no socket") }
    let probe = try makeSocket()
    defer { probe.close() }
    let code = unsafe call(address) { unsafe systemConnect(probe.rawValue, $0, $1) }
    guard code == ECONNREFUSED else { throw .usage("\(path): another process listens there") }
    _ = unsafe unlink(name(path))
  }
}

// The C library's functions whose names are those of methods.
private let systemAccept = unsafe accept
private let systemBind = unsafe bind
private let systemConnect = unsafe connect
