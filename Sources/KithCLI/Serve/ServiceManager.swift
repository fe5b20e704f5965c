import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What started the server and wants to know its state: systemd, or another program with its two interfaces, which are
/// a datagram to a socket (sd_notify) and sockets that are already open (sd_listen_fds).
///
/// Each `unsafe` below passes the address of a local to one call that does not keep it.
enum ServiceManager {
  private static let firstDescriptor: Int32 = 3

  /// Sends the state, if a service manager asked for it: lines such as `READY=1`. A failure is ignored, as the protocol
  /// says.
  static func notify(_ lines: String...) {
    guard let name = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
    send(Array(lines.joined(separator: "\n").utf8), to: name)
  }

  private static func send(_ message: [UInt8], to name: String) {
    var bytes = Array(name.utf8)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard let first = bytes.first, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // The sign of a name that is no file.
    if first == UInt8(ascii: "@") { bytes[0] = 0 } else if first != UInt8(ascii: "/") { return }
    let length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0) + bytes.count)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(descriptor, message, message.count, 0, $0, length)
      }
    }
  }

  /// The socket that was opened before this process, for it; nil if there is none.
  /// - Throws: if there are several.
  static func inheritedSocket() throws(CommandFailure) -> Int32? {
    let environment = ProcessInfo.processInfo.environment
    guard let process = environment["LISTEN_PID"], let count = environment["LISTEN_FDS"],
      Int32(process) == getpid(), let count = Int32(count), count > 0
    else { return nil }
    guard count == 1 else { throw .usage("\(count) sockets are passed by LISTEN_FDS; one is served") }
    _ = fcntl(firstDescriptor, F_SETFD, FD_CLOEXEC)
    return firstDescriptor
  }
}
