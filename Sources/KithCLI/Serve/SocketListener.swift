import Kith
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A socket that accepts connections: one of Unix, accessible to its owner alone unless a mode says otherwise, one that
/// was opened for this process, or one of this machine's loopback interface.
///
/// Each `unsafe` below passes the address of a local to one call that does not keep it.
final class SocketListener: Sendable {
  /// Who may open the socket: mode and group of the file.
  struct Access {
    var mode: mode_t = 0o600
    var group: gid_t?
  }

  private static let backlog: Int32 = 64

  private let stream: ByteStream
  /// The path and the file that was made there, which is removed at the end; nil for a socket that has none.
  private let file: (path: String, device: UInt64, number: UInt64)?
  private let isClosed = Atomic(false)

  /// Makes the socket. One that a crash has left, on which no process listens, is replaced.
  ///
  /// Call it while there are no other threads: the umask of the process is changed for a moment.
  init(_ path: String, _ access: Access = Access()) throws(CommandFailure) {
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
    // No other user can connect before it has its group.
    if code == 0, let group = access.group, unsafe chown(Self.name(path), uid_t.max, group) != 0 { code = errno }
    if code == 0, access.mode != 0o600, unsafe chmod(Self.name(path), access.mode) != 0 { code = errno }
    if code == 0, listen(stream.rawValue, Self.backlog) != 0 { code = errno }
    guard code == 0, let status = Self.status(path) else {
      stream.close()
      throw .usage("\(path): the socket cannot be made: \(ByteStream.Failure(code: code, call: "bind"))")
    }
    self.stream = stream
    file = (path, UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// A socket that listens already.
  init(inherited descriptor: Int32) throws(CommandFailure) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
      throw .usage("descriptor \(descriptor), which LISTEN_FDS passes, is no socket")
    }
    stream = ByteStream(rawValue: descriptor, name: "the socket")
    file = nil
  }

  /// A socket of 127.0.0.1.
  /// - Parameter port: 0 for a free one.
  init(loopbackPort port: UInt16) throws(CommandFailure) {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw .usage("\(ByteStream.Failure(code: errno, call: "socket"))") }
    stream = ByteStream(rawValue: descriptor, name: "port \(port)")
    file = nil
    var reuse: Int32 = 1
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var code = unsafe Self.call(address) { unsafe systemBind(descriptor, $0, $1) }
    if code == 0, listen(descriptor, Self.backlog) != 0 { code = errno }
    if code != 0 {
      stream.close()
      throw .usage("port \(port): \(ByteStream.Failure(code: code, call: "listening")); choose another")
    }
  }

  /// The port of a socket of an interface.
  var port: UInt16 {
    var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(stream.rawValue, $0, &length)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// The number of a group that is given by name or number; nil if there is none.
  static func group(named name: String) -> gid_t? {
    if let number = gid_t(name) { return number }
    guard let entry = unsafe getgrnam(name) else { return nil }
    return unsafe entry.pointee.gr_gid
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
    if let (path, device, number) = file, let status = Self.status(path), UInt64(status.st_dev) == device,
      UInt64(status.st_ino) == number
    {
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

  private static func call<Address>(
    _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    let result = unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<Address>.size))
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
