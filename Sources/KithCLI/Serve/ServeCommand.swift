import Foundation
import Kith

/// `kith serve`: the protocol of `kith query` for several clients at once.
enum ServeCommand {
  private static let socket = Option("--socket", "PATH", "the Unix socket, made by this command", isRequired: true)
  private static let timings = Option(
    "--timings", nil, "adds \"ns\" to each answer: the nanoseconds of the engine call")
  private static let readOnly = Option("--read-only", nil, "refuses changes, takes no lock")
  private static let patience = Option(
    "--write-timeout", "SECONDS", "ends a client that does not read an answer for so long (default 30)")

  static let command = Command(
    name: "serve",
    summary: "answers several clients at once over a Unix socket, each with the JSON Lines of kith query",
    positionals: [Positional("STORE", "a store directory, created if it does not exist, or a snapshot")],
    options: [socket, timings, readOnly, patience, .compactLists, .compressTexts, .uniqueNames],
    notes: [
      """
      Each connection is a session of its own: requests in, answers out, in order. A watched answer is sent as soon as
      any client has changed it. A line on standard error says when connections are accepted.
      """,
      """
      There is no authentication: who may open the socket may read and change everything. It is accessible to its owner
      alone (0600), with any umask; the directory around it must be trusted too. Nothing listens on the network.
      """,
      """
      At most \(Server.clientLimit) clients are served at once; a further one is answered limitExceeded and closed. A
      client watches at most \(grouped(Server.watchLimits.count)) queries. Its lines are limited as in kith query.
      """,
      """
      SIGTERM, SIGHUP or Ctrl-C ends it: no connection is accepted any more, requests that have arrived are answered,
      within
      \(Server.graceSeconds) seconds, the store is closed, and the socket is removed. A socket that a crash has left is
      replaced; one that another process listens on is not.
      """,
      "Exit status: 0 stopped by a signal; 1 the store could not be closed; 2 wrong usage or cannot open.",
    ],
    examples: ["serve ./store --socket ./kith.sock", "serve ./store --socket /run/kith/kith.sock --read-only"],
    isEndless: true, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    ByteStream.ignoreBrokenPipes()
    guard let path = arguments.value(socket) else { throw arguments.misuse("--socket is missing") }
    let store = arguments.positionals[0]
    let isReadOnly = arguments.flag(readOnly)
    let seconds = try arguments.integer(patience, in: 1...86_400) ?? Int64(Server.writeSeconds)
    let options = try arguments.graphOptions()
    // Before any other thread exists, so that no thread is interrupted by the signals.
    let stop = StopFlag()
    try Signals.require(Signals.ends) { _ in stop.set() }
    let listener = try SocketListener(path)
    defer { listener.close() }
    let graph = try StoreAccess.open(store, access: isReadOnly ? .readOnly : .readWrite, options)
    let server = Server(
      graph, writeTimeout: .seconds(seconds),
      session: { graph in
        QuerySession(
          graph, timings: arguments.flag(timings), readOnly: isReadOnly, watches: Server.watchLimits)
      })
    Console.note(path, "serving \(store), accessible to this user alone (0600)")
    server.run(listener, until: stop)
    try StoreAccess.close(graph)
    return 0
  }
}
