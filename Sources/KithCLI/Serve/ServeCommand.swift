import Foundation
import Kith
import Synchronization

/// `kith serve`: the protocol of `kith query` for several clients at once.
enum ServeCommand {
  private static let socket = Option(
    "--socket", "PATH", "the Unix socket, made by this command; needed unless a service manager passes one")
  private static let mode = Option(
    "--socket-mode", "MODE", "who may connect, in octal: 600 (the default), 660 for the group, 666 for everyone")
  private static let group = Option("--socket-group", "GROUP", "the group of the socket, by name or number")
  private static let clients = Option("--clients", "N", "the most clients at once, up to 1,000 (64)")
  private static let timings = Option(
    "--timings", nil, "adds \"ns\" to each answer: the nanoseconds of the engine call")
  private static let readOnly = Option(
    "--read-only", nil, "refuses changes, takes no lock, and follows a process that writes the store")
  private static let patience = Option(
    "--write-timeout", "SECONDS", "ends a client that does not read an answer for so long (default 30)")

  static let command = Command(
    name: "serve",
    summary: "answers several clients at once over a Unix socket, each with the JSON Lines of kith query",
    positionals: [Positional("STORE", "a store directory, created if it does not exist, or a snapshot")],
    options: [
      socket, mode, group, clients, timings, readOnly, patience, MetricsExporter.option, EventLog.option,
    ] + ServeOptions.all + [.compactLists, .compressTexts, .uniqueNames],
    notes: notes,
    examples: [
      "serve ./store --socket ./kith.sock", "serve ./store --socket /run/kith/kith.sock --read-only",
      "serve ./store --socket ./kith.sock --snapshot-every 5m --keep-for 6h --memory 8G --metrics 9464",
    ],
    isEndless: true, run: run)

  /// Paragraphs of the command's help, after its options.
  private static let notes = [
    """
    Each connection is a session of its own: requests in, answers out, in order. A watched answer is sent as soon as
    any client has changed it. A line on standard error says when connections are accepted; others tell what happens
    to the store: snapshots, a disk that is nearly full, a journal that fails and is repaired.
    """,
    """
    There is no authentication: who may open the socket may read and change everything. It is accessible to its owner
    alone (0600), with any umask, or as --socket-mode says; the directory around it must be trusted too. Nothing listens
    on the network, but /metrics and /health on 127.0.0.1 with --metrics PORT.
    """,
    """
    With --read-only the server follows the journal of a process that writes the store. If the store must be read
    again, since changes are in no journal (an import), all clients are disconnected.
    """,
    """
    At most \(Server.clientLimit) clients are served at once, or --clients; a further one is answered limitExceeded and
    closed. A client watches at most \(grouped(Server.watchLimits.count)) queries. Its lines are limited as in kith
    query.
    """,
    """
    SIGTERM, SIGHUP or Ctrl-C ends it: no connection is accepted any more, requests that have arrived are answered,
    within
    \(Server.graceSeconds) seconds, the store is closed, and the socket is removed. A socket that a crash has left is
    replaced; one that another process listens on is not.
    """,
    """
    It tells a service manager when it is ready and when it stops (NOTIFY_SOCKET), and takes the socket that one passes
    (LISTEN_FDS), on which clients wait during a restart: Examples/systemd has units.
    """,
    "Exit status: 0 stopped by a signal; 1 the store could not be closed; 2 wrong usage or cannot open.",
  ]

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    ByteStream.ignoreBrokenPipes()
    let store = arguments.positionals[0]
    let isReadOnly = arguments.flag(readOnly)
    let seconds = try arguments.integer(patience, in: 1...86_400) ?? Int64(Server.writeSeconds)
    let limit = try arguments.integer(clients, in: 1...1_000).map { Int($0) } ?? Server.clientLimit
    let options = try ServeOptions.options(arguments, readOnly: isReadOnly)
    let events = try EventLog(store, arguments)
    // Before any other thread exists, so that no thread is interrupted by the signals.
    let stop = StopFlag()
    try Signals.require(Signals.ends) { _ in stop.set() }
    let (listener, place) = try listener(arguments)
    defer { listener.close() }
    let metricsListener = try MetricsExporter.listener(arguments)
    ServiceManager.notify("STATUS=reading the store")
    let graph = try StoreAccess.open(store, access: isReadOnly ? .readOnly : .readWrite, options, events: events)
    let served = FollowedStore(store, graph, options)
    let server = Server(clientLimit: limit, writeTimeout: .seconds(seconds)) {
      QuerySession(
        served.graph, timings: arguments.flag(timings), readOnly: isReadOnly, watches: Server.watchLimits)
    }
    if isReadOnly, !((try? StoreTools.isFile(store)) ?? false) {
      try follow(store, served, server)
    }
    defer { served.close() }
    let metrics = try MetricsExporter(arguments, metricsListener) { served.graph }
    if let metrics { Console.note(store, "statistics for Prometheus: \(metrics.text)") }
    Console.note(place.path, "serving \(store), \(place.access)")
    ServiceManager.notify("READY=1", "STATUS=serving")
    server.run(listener, until: stop)
    ServiceManager.notify("STOPPING=1")
    metrics?.close()
    try StoreAccess.close(graph)
    return 0
  }

  /// Follows a store that another process writes. A failure is printed once, and its end.
  private static func follow(_ store: String, _ served: FollowedStore, _ server: Server) throws(CommandFailure) {
    let isFailing = Mutex(false)
    @Sendable func replaceFailing(by value: Bool) -> Bool {
      isFailing.withLock { failing in
        defer { failing = value }
        return failing
      }
    }
    try served.follow { event in
      switch event {
      case .changes: break
      case .replaced: server.endClients()
      case .began: if replaceFailing(by: false) { Console.note(store, "followed again") }
      case .failed(let error):
        if replaceFailing(by: true) { return }
        let sequence = served.graph.read { view in view.sequence }
        Console.note(store, "cannot be followed: \(error.sentence); answers are as of change \(sequence)")
      }
    }
  }

  /// The socket that is served, and what is printed about it.
  private static func listener(
    _ arguments: Arguments
  ) throws(CommandFailure) -> (SocketListener, place: (path: String, access: String)) {
    if let descriptor = try ServiceManager.inheritedSocket() {
      if let useless = [socket, mode, group].first(where: { arguments.flag($0) }) {
        throw arguments.misuse("the service manager passes a socket (LISTEN_FDS), so \(useless.name) has no effect")
      }
      return (try SocketListener(inherited: descriptor), ("socket", "accessible as the service manager has made it"))
    }
    guard let path = arguments.value(socket) else { throw arguments.misuse("--socket is missing: \(socket.help)") }
    var access = SocketListener.Access()
    if let text = arguments.value(mode) {
      guard let number = UInt32(text, radix: 8), number & ~0o666 == 0, number & 0o600 == 0o600 else {
        throw arguments.misuse("--socket-mode \(text): three octal digits are needed, 600, 660 or 666")
      }
      access.mode = .init(number)
    }
    if let name = arguments.value(group) {
      guard let number = SocketListener.group(named: name) else {
        throw .usage("--socket-group \(name): there is no such group")
      }
      access.group = number
    }
    let isPrivate = access.mode == 0o600
    let digits = "0" + String(access.mode, radix: 8)
    return (
      try SocketListener(path, access),
      (path, isPrivate ? "accessible to this user alone (0600)" : "accessible as its mode \(digits) says")
    )
  }
}
