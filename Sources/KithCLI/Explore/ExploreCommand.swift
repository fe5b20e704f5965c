import Foundation
import Kith

/// `kith explore`: a page in the browser that shows a store.
enum ExploreCommand {
  private static let port = Option("--port", "N", "the port; 0 (the default) for a free one")
  private static let listen = Option("--listen", "ADDRESS", "an IP address to listen on, instead of 127.0.0.1")
  private static let open = Option("--open", nil, "opens the browser")
  private static let page = Option("--page", "DIRECTORY", "serves the page's files from there, to work on the page")
  private static let localAddress = "127.0.0.1"
  /// How long cancelled work may take to end.
  private static let graceSeconds = 5

  static let command = Command(
    name: "explore",
    summary: "shows a store in the browser: people, posts, pictures of the graph, its files, live and as of a time",
    positionals: [Positional("STORE", "a store directory, also one in use, or a snapshot; only read")],
    options: [port, open, listen, page, .compactLists, .compressTexts, .uniqueNames],
    notes: [
      """
      It prints an address with a token that is new in each run: who has it may read everything, for as long as the
      command runs. Nothing is changed. Only this machine can connect. With --listen others can: the token and all
      content then go over the network unencrypted.
      """,
      "A store may be in use by another process: its changes are shown as they are written, from its journal.",
      """
      This command needs the package trait Explorer and the C library libmicrohttpd: Scripts/explore installs it, builds
      with the trait and opens the browser.
      """,
      "Exit status: 0 stopped by a signal (Ctrl-C); 2 wrong usage or cannot open.",
    ],
    examples: ["explore ./store --open", "explore ./store/snap-….kith.zst --port 8080"],
    isEndless: true, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    guard HTTPServer.isBuiltIn else {
      throw .usage(
        "explore: this kith was built without the package trait Explorer; run Scripts/explore, or build with "
          + "swift build --traits Explorer")
    }
    let port = UInt16(try arguments.integer(port, in: 0...Int64(UInt16.max)) ?? 0)
    let address = arguments.value(listen) ?? localAddress
    guard HTTPServer.isAddress(address) else { throw arguments.misuse("--listen \(address): an IP address is needed") }
    ByteStream.ignoreBrokenPipes()
    // Before any other thread exists, so that no thread is interrupted by the signals.
    let stop = DispatchSemaphore(value: 0)
    try Signals.require(Signals.ends) { _ in stop.signal() }
    let rule = AccessRule(listening: address)
    let store = try ExploredStore(arguments.positionals[0], try arguments.graphOptions())
    let explorer = Explorer(store, rule, PageFiles(directory: try arguments.plainPath(page)))
    let server = try start(address, port) { explorer.answer($0) }
    defer {
      server.stop()
      store.close()
      Job.waitForAll(seconds: graceSeconds)
    }
    if !address.hasPrefix("127.") && address != "::1" {
      Console.note(address, "others can connect; the token and everything shown are sent unencrypted")
    }
    let host = ["0.0.0.0", "::"].contains(address) ? localAddress : AccessRule.host(of: address)
    let entrance = "http://\(host):\(server.port)/?token="
    try Console.write(entrance + rule.token + "\n")
    if arguments.flag(open), !Browser.open(entrance + explorer.makeTicket()) {
      Console.note("--open", "no program opens a browser here; open the address above")
    }
    if ByteStream.error.isTerminal { Console.note("explore", "Ctrl-C ends it") }
    stop.wait()
    return 0
  }

  private static func start(
    _ address: String, _ port: UInt16, _ handler: @escaping HTTPServer.Handler
  ) throws(CommandFailure) -> HTTPServer {
    do throws(HTTPServer.Failure) {
      return try HTTPServer(address: address, port: port, handler)
    } catch {
      let reason = ByteStream.Failure(code: error.code, call: "listening")
      throw .usage("\(AccessRule.host(of: address)):\(port): \(reason); choose another --port, or none")
    }
  }
}

/// The browser of this machine.
enum Browser {
  #if os(macOS)
    private static let program = "/usr/bin/open"
  #else
    private static let program = "/usr/bin/xdg-open"
  #endif

  /// Opens an address; false if there is no program for it.
  static func open(_ address: String) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [address]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    return true
  }
}
