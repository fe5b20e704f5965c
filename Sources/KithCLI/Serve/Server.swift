import Foundation
import Kith
import Synchronization

/// Serves every connection of a socket on a thread of its own, with a session of its own.
///
/// A client that does not read blocks only its own thread, and no lock of the graph is held while an answer is sent:
/// its further requests wait in the socket, its watched answers are not computed meanwhile, and after a time it is
/// disconnected. So the memory of a client is bounded by one line, the answers to it, and what its watched queries
/// depend on.
final class Server: Sendable {
  /// The most clients at once, unless another number is given.
  static let clientLimit = 64
  /// What a client watches at most: about 1,000 pages of twenty items.
  static let watchLimits = WatchLimits(count: 1_000, byteCount: 16 << 20)
  /// How long a client may take to read what it is sent.
  static let writeSeconds = 30
  /// How long requests that have arrived are still answered at the end.
  static let graceSeconds = 5
  /// How long the clients then have to read the last answers.
  private static let sendSeconds = 2
  private static let pollMilliseconds: Int32 = 100

  private let clientLimit: Int
  private let writeTimeout: Duration
  private let session: @Sendable () -> QuerySession
  private let clients = Mutex<[Int32: ByteStream]>([:])
  private let ended = DispatchGroup()
  /// Set when the time of grace is over.
  private let cut = StopFlag()

  /// - Parameter session: begins the session of a client.
  init(
    clientLimit: Int = Server.clientLimit, writeTimeout: Duration, session: @escaping @Sendable () -> QuerySession
  ) {
    self.clientLimit = clientLimit
    self.writeTimeout = writeTimeout
    self.session = session
  }

  /// Accepts connections until the flag is set, then ends those that there are.
  func run(_ listener: SocketListener, until stop: StopFlag) {
    while !stop.isSet {
      guard let client = listener.accept(waiting: Self.pollMilliseconds, writeTimeout: writeTimeout) else { continue }
      guard add(client) else {
        refuse(client, .tooManyClients(limit: clientLimit))
        continue
      }
      if Threads.run({ self.serve(client) }) { continue }
      remove(client) { refuse(client, .graph(.limitExceeded(.threads))) }
    }
    listener.close()
    endClients()
    if ended.wait(timeout: .now() + .seconds(Self.graceSeconds)) == .success { return }
    cut.set()
    if ended.wait(timeout: .now() + .seconds(Self.sendSeconds)) == .timedOut {
      clients.withLock { for client in $0.values { client.end() } }
      _ = ended.wait(timeout: .now() + .seconds(1))
    }
  }

  /// Ends the input of all clients: what has arrived is answered.
  func endClients() {
    for client in clients.withLock({ $0.values.map(\.self) }) { client.endInput() }
  }

  private func add(_ client: ByteStream) -> Bool {
    let isAdded = clients.withLock { clients in
      guard clients.count < clientLimit else { return false }
      clients[client.rawValue] = client
      return true
    }
    if isAdded { ended.enter() }
    return isAdded
  }

  private func refuse(_ client: ByteStream, _ error: RequestError) {
    var writer = JSONWriter()
    writer.object { $0.members(of: error) }
    writer.newline()
    try? client.write(writer.bytes)
    client.close()
  }

  /// Frees the place of a client, which `close` closes: under the lock, because its number may then belong to another.
  private func remove(_ client: ByteStream, _ close: () -> Void) {
    clients.withLock { clients in
      clients[client.rawValue] = nil
      close()
    }
    ended.leave()
  }

  /// Answers one client until it ends its input, disconnects, or does not read.
  private func serve(_ client: ByteStream) {
    var session = session()
    try? RequestLoop(input: client, output: client, isShared: true, cut: cut).run(&session)
    remove(client) { client.close() }
  }
}
