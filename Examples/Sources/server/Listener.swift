import Foundation

/// A socket on 127.0.0.1 that takes clients until SIGINT or SIGTERM.
struct Listener {
  let port: UInt16
  /// The sockets of the clients.
  let clients: AsyncStream<Int32>
  private let signals: [any DispatchSourceSignal]

  /// - Parameter port: 0 for one that is free.
  init(port: UInt16) throws {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    var reuse: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, SOMAXCONN) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard bound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
    self.port = UInt16(bigEndian: address.sin_port)
    let (clients, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.clients = clients
    Thread.detachNewThread {
      while true {
        let client = accept(listener, nil, nil)
        if client >= 0 { continuation.yield(client) }
      }
    }
    // A write to a client that hung up is an error, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    signals = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.finish() }
      source.resume()
      return source
    }
  }
}
