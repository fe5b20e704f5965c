import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// What an operator sees and sets of `kith serve`: events, health, statistics, options, readers beside a writer.
@Suite(.serialized) struct OperatedServerTests {
  private let playground: Playground
  private let store: String
  private let socket: String

  /// Whether this machine has a program.
  private static func has(_ program: String) -> Bool {
    (try? BuiltKith.shell("command -v \(program)", in: "/").status) == 0
  }

  init() throws {
    playground = try Playground()
    store = playground.path("store")
    socket = playground.path("s")
  }

  @Test("Events are lines of standard error, as text or as JSON")
  func events() throws {
    let server = try ServedStore(store, socket: socket, ["--low-disk", "1000T"])
    let client = try SocketClient(socket)
    _ = try client.ask(#"{"op":"addUser","username":"ann"}"#)
    #expect(try client.ask(#"{"op":"snapshot"}"#)?.hasPrefix(#"{"ok":true"#) == true)
    #expect(try server.errorLine("the disk is nearly full").hasPrefix("kith: \(store): "))
    #expect(try server.errorLine("snapshot of change 1 was written").contains(".kith.zst"))
    #expect(server.stop() == 0)
    let other = try ServedStore(store, socket: socket, ["--events", "json", "--low-disk", "1000T"])
    let second = try SocketClient(socket)
    _ = try second.ask(#"{"op":"addUser","username":"bob"}"#)
    let low = try other.errorLine(#""event":"diskLow""#)
    #expect(low.hasPrefix(#"{"time":"#) && low.contains(#""failure":true,"message":"#) && low.contains(#","bytes":"#))
    let stats = try #require(try second.ask(#"{"op":"stats"}"#))
    #expect(stats.contains(#""failure":{"event":"diskLow","message":"the disk is nearly full"#), "\(stats)")
    #expect(other.stop() == 0)
  }

  @Test("A journal that cannot be written is reported, with what repairs it, and so is its repair")
  func failure() throws {
    let server = try ServedStore(store, socket: socket, ["--heal-after", "never"], fileBlocks: 400)
    let client = try SocketClient(socket)
    #expect(try client.ask(#"{"op":"health"}"#)?.contains(#""accepting":true"#) == true)
    let text = String(repeating: "x", count: 60_000)
    _ = try client.ask(#"{"op":"addUser","id":1,"username":"ann"}"#)
    var refused = ""
    for _ in 0..<100 where refused.isEmpty {
      let answer = try client.ask(#"{"op":"addPost","user":1,"text":"\#(text)"}"#) ?? ""
      if answer.hasPrefix(#"{"ok":false"#) { refused = answer }
    }
    #expect(refused.contains("file too large") && refused.contains(#"{\"op\":\"snapshot\"}"#), "\(refused)")
    #expect(try server.errorLine("the journal could not be written").contains(#"{"op":"snapshot"} tries at once"#))
    let health = try #require(try client.ask(#"{"op":"health"}"#))
    #expect(health.contains(#""accepting":false"#) && health.contains(#""over":false"#), "\(health)")
    #expect(try client.ask(#"{"op":"snapshot"}"#)?.hasPrefix(#"{"ok":true"#) == true)
    #expect(try server.errorLine("the journal is repaired").hasPrefix("kith: "))
    let healed = try client.ask(#"{"op":"health"}"#)
    #expect(healed?.contains(#""accepting":true"#) == true && healed?.contains(#""over":true"#) == true)
    #expect(try client.ask(#"{"op":"addUser","username":"bob"}"#)?.hasPrefix(#"{"ok":true"#) == true)
    #expect(server.stop() == 0)
  }

  @Test("A server that only reads follows the journal of one that writes, and reads the store again after an import")
  func follows() throws {
    let writer = try ServedStore(store, socket: socket)
    let client = try SocketClient(socket)
    _ = try client.ask(#"{"op":"addUser","id":1,"username":"ann"}"#)
    let reading = playground.path("r")
    let reader = try ServedStore(store, socket: reading, ["--read-only"])
    let other = try SocketClient(reading)
    #expect(try other.ask(#"{"op":"health"}"#)?.contains(#""refusal":{"code":"readOnly""#) == true)
    _ = try other.ask(#"{"op":"watch","question":{"op":"users","query":"a"}}"#)
    #expect(try other.line()?.contains("ann") == true)
    _ = try client.ask(#"{"op":"addUser","id":2,"username":"anna"}"#)
    #expect(try other.line()?.contains("anna") == true, "a watched answer follows the other process")
    #expect(try other.ask(#"{"op":"addUser","username":"x"}"#)?.contains("readOnly") == true)
    #expect(writer.stop() == 0)
    try playground.write(Array("3\tcarl\n".utf8), to: "users")
    #expect(try BuiltKith.run("import", store, "--users", playground.path("users")).status == 0)
    #expect(try other.line() == nil, "what no journal holds is read again, and clients connect again")
    #expect(try SocketClient(reading).ask(#"{"op":"user","user":3}"#)?.contains("carl") == true)
    #expect(reader.stop() == 0)
  }

  @Test(
    "Statistics are answered as numbers and as text, for /metrics, and in a file",
    .enabled(if: OperatedServerTests.has("curl")))
  func statistics() throws {
    let server = try ServedStore(store, socket: socket, ["--metrics", "0", "--measure"])
    let client = try SocketClient(socket)
    _ = try client.ask(#"{"op":"addUser","username":"ann"}"#)
    let numbers = try client.ask(#"{"op":"statistics"}"#)
    #expect(numbers?.contains(#"{"name":"kith_users","value":1}"#) == true, "\(numbers ?? "")")
    #expect(
      numbers?.contains(#"{"name":"kith_operation_nanoseconds","operation":"addUser","count":1,"sum":"#) == true)
    let text = try client.ask(#"{"op":"statistics","format":"prometheus"}"#)
    #expect(text?.contains(#"# TYPE kith_users gauge\nkith_users 1\n"#) == true)
    let words = server.started.split { $0 == " " || $0 == "\n" }
    let address = try #require(words.first { $0.hasSuffix("/metrics") })
    let metrics = try BuiltKith.shell("curl --silent --include \(address)", in: playground.path)
    #expect(metrics.output.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(metrics)")
    #expect(metrics.output.contains("\nkith_users 1\n"), "\(metrics)")
    let health = address.replacing("/metrics", with: "/health")
    let told = try BuiltKith.shell("curl --silent --include \(health)", in: playground.path)
    #expect(told.output.hasSuffix("\r\n\r\nok\n"), "\(told)")
    let others = try BuiltKith.shell(
      "curl -s -o /dev/null -w '%{http_code} ' \(address)x; curl -s -o /dev/null -w '%{http_code}' -d x \(address)",
      in: playground.path)
    #expect(others.output == "404 405", "\(others)")
    #expect(server.stop() == 0)
    let file = try ServedStore(store, socket: socket, ["--metrics", playground.path("kith.prom")])
    #expect(String(decoding: try playground.bytes("kith.prom"), as: UTF8.self).contains("\nkith_users 1\n"))
    #expect(file.stop() == 0)
    let absent = playground.path("absent/kith.prom")
    let refused = try BuiltKith.run("serve", store, "--socket", socket, "--metrics", absent)
    #expect(refused.status == 2 && refused.errors.contains("the metrics cannot be written"), "\(refused)")
  }

  @Test("Options of the graph are options of the server")
  func options() throws {
    let server = try ServedStore(
      store, socket: socket, ["--keep", "4", "--max-users", "2", "--clients", "1", "--durability", "flushed"])
    let client = try SocketClient(socket)
    #expect(try SocketClient(socket).line()?.contains("limitExceeded") == true)
    for name in ["ann", "bob"] {
      _ = try client.ask(#"{"op":"addUser","username":"\#(name)"}"#)
      for _ in 0..<3 {
        _ = try client.ask(#"{"op":"snapshot"}"#)
        _ = try client.ask(#"{"op":"addPost","user":1,"text":"x"}"#)
      }
    }
    #expect(try client.ask(#"{"op":"addUser","username":"cy"}"#)?.contains("limitExceeded") == true)
    #expect(server.stop() == 0)
    #expect(try playground.names("store").count { $0.hasPrefix("snap-") } == 4)
    for (words, reason) in [
      (["--keep", "1"], "--keep 1: a whole number from 2"), (["--keep-for", "6"], "--keep-for 6: a time is needed"),
      (["--keep-for", "400d"], "a time is needed"), (["--memory", "8X"], "--memory 8X: a number of bytes is needed"),
      (["--memory", "99999999999G"], "a number of bytes is needed"),
      (["--memory", "0"], "a number of bytes is needed"),
      (["--durability", "full"], "synced, flushed or memory is needed"),
      (["--read-only", "--keep", "3"], "--keep is about changes, which --read-only refuses"),
      (["--socket-mode", "777"], "three octal digits are needed"), (["--socket-mode", "060"], "three octal digits"),
      (["--socket-group", "no such group"], "there is no such group"),
      (["--metrics", "70000/x/y"], "cannot be written"),
    ] {
      let outcome = try BuiltKith.run(["serve", store, "--socket", socket] + words)
      #expect(outcome.status == 2 && outcome.errors.contains(reason), "\(words): \(outcome.errors)")
    }
  }

  @Test("Amounts have units")
  func quantities() throws {
    let option = Option("--x", "X", "")
    func arguments(_ text: String) throws -> Arguments {
      try Arguments(["--x", text], of: Command(name: "c", summary: "", options: [option], examples: []) { _ in 0 })
    }
    for (text, count) in [("5", 5), ("5k", 5_120), ("2M", 2 << 20), ("8G", 8 << 30), ("1T", 1 << 40)] {
      #expect(try arguments(text).byteCount(option) == Int64(count))
    }
    for (text, seconds) in [("30s", 30), ("15m", 900), ("6h", 21_600), ("7d", 604_800)] {
      #expect(try arguments(text).duration(option) == .seconds(seconds))
    }
    for text in ["", "s", "-5s", "5", "0h", "5.5h"] {
      #expect(throws: CommandFailure.self) { try arguments(text).duration(option) }
    }
  }

  @Test("The socket has the mode that is given")
  func mode() throws {
    let server = try ServedStore(store, socket: socket, ["--socket-mode", "660", "--socket-group", "\(getgid())"])
    let attributes = try FileManager.default.attributesOfItem(atPath: socket)
    #expect(attributes[.posixPermissions] as? Int == 0o660)
    #expect(attributes[.groupOwnerAccountID] as? UInt32 == getgid())
    #expect(server.started.contains("accessible as its mode 0660 says"))
    #expect(server.stop() == 0)
  }

  @Test(
    "A service manager hears when the server is ready and stops, and may pass the socket",
    .enabled(if: OperatedServerTests.has("python3")))
  func serviceManager() throws {
    let python = """
      import os, socket, sys
      store, told, path = sys.argv[2:5]
      told_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      told_socket.bind(told)
      listening = socket.socket(socket.AF_UNIX)
      listening.bind(path)
      listening.listen(8)
      child = os.fork()
      if child == 0:
          os.dup2(listening.fileno(), 3)
          os.set_inheritable(3, True)
          os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", NOTIFY_SOCKET=os.path.abspath(told))
          os.execv(sys.argv[1], [sys.argv[1], "serve", store])
      client = socket.socket(socket.AF_UNIX)
      client.connect(path)
      client.sendall(b'{"op":"addUser","username":"ann"}\\n')
      print(told_socket.recv(1000).decode().split("\\n"))
      print(told_socket.recv(1000).decode().split("\\n"))
      print(client.recv(1000).decode(), end="")
      os.kill(child, 15)
      print(told_socket.recv(1000).decode())
      print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), os.path.exists(path))
      """
    try playground.write(Array(python.utf8), to: "manager.py")
    let kith = try #require(BuiltKith.executable).path
    let outcome = try BuiltKith.shell(
      "python3 manager.py '\(kith)' store told s 2>/dev/null", in: playground.path)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(
      lines.count == 5 && lines[0] == "['STATUS=reading the store']" && lines[1] == "['READY=1', 'STATUS=serving']"
        && lines[2].hasPrefix(#"{"ok":true,"user":{"id":1"#) && lines[3] == "STOPPING=1" && lines[4] == "0 True",
      "\(outcome)")
  }

  @Test("systemd accepts the units of the examples", .enabled(if: OperatedServerTests.has("systemd-analyze")))
  func units() throws {
    let folder = repositoryRoot.appendingPathComponent("Examples/systemd").path
    let kith = try #require(BuiltKith.executable).path
    let outcome = try BuiltKith.shell(
      """
      cp '\(folder)'/kith.* . && sed -i 's|/usr/local/bin/kith|\(kith)|; s|^Documentation=.*||' kith.service
      systemd-analyze verify --man=no ./kith.service ./kith.socket
      """, in: playground.path)
    #expect(outcome.status == 0 && !outcome.output.contains("kith"), "\(outcome)")
  }
}
