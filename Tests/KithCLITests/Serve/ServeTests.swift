import Foundation
import Testing

@testable import KithCLI

/// `kith serve`: several clients, and those that misbehave.
@Suite(.serialized) struct ServeTests {
  private let playground: Playground
  private let store: String
  private let socket: String

  init() throws {
    playground = try Playground()
    store = playground.path("store")
    socket = playground.path("s")
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("Clients share one graph, and a watched answer follows the changes of others")
  func several() throws {
    let server = try ServedStore(store, socket: socket)
    #expect(try mode(socket) == 0o600)
    let (one, other) = (try SocketClient(socket), try SocketClient(socket))
    #expect(try one.ask(#"{"op":"addUser","id":1,"username":"ann"}"#)?.hasPrefix(#"{"ok":true"#) == true)
    #expect(try other.ask(#"{"op":"user","user":1}"#)?.contains(#""username":"ann""#) == true)
    #expect(try other.ask(#"{"op":"watch","question":{"op":"user","user":1}}"#)?.contains(#""watch":1"#) == true)
    #expect(try other.line()?.contains(#""username":"ann""#) == true)
    _ = try one.ask(#"{"op":"renameUser","user":1,"username":"anna"}"#)
    let pushed = try other.line()
    #expect(
      pushed?.hasPrefix(#"{"watch":1"#) == true && pushed?.contains(#""username":"anna""#) == true, "\(pushed ?? "")")
    #expect(server.stop() == 0)
    #expect(try other.line() == nil && one.line() == nil, "the connections are closed")
    #expect(!FileManager.default.fileExists(atPath: socket))
    #expect(try BuiltKith.run("search", store, "anna").status == 0, "the change is in the store")
  }

  @Test("Many clients change the graph at once, and every answered change is kept")
  func concurrent() throws {
    let server = try ServedStore(store, socket: socket)
    let socket = socket
    let (clients, changes) = (8, 25)
    DispatchQueue.concurrentPerform(iterations: clients) { client in
      guard let connection = try? SocketClient(socket) else { return }
      for change in 0..<changes {
        _ = try? connection.ask(#"{"op":"addUser","username":"user \#(client) \#(change)"}"#)
      }
    }
    #expect(server.stop(SIGINT) == 0)
    #expect(try BuiltKith.run("stats", store).output.hasPrefix("\(clients * changes) users,"))
  }

  @Test("Garbage is answered with an error, and hurts no other client")
  func garbage() throws {
    let server = try ServedStore(store, socket: socket)
    let (bad, good) = (try SocketClient(socket), try SocketClient(socket))
    for text in ["\u{0}\u{1}garbage", "[1,2", #"{"op":"nothing"}"#, "{}", "GET / HTTP/1.1\r"] {
      #expect(try bad.ask(text)?.contains(#""code":"invalidRequest""#) == true, "\(text)")
    }
    #expect(try good.ask(#"{"op":"stats"}"#)?.contains(#""users":0"#) == true)
    #expect(server.stop() == 0)
  }

  @Test("A client that disconnects in the middle of a line changes nothing")
  func disconnected() throws {
    let server = try ServedStore(store, socket: socket)
    do {
      let gone = try SocketClient(socket)
      try gone.send(#"{"op":"addUser","username":"#)
    }
    let other = try SocketClient(socket)
    #expect(try other.ask(#"{"op":"stats"}"#)?.contains(#""users":0"#) == true)
    let last = try SocketClient(socket)
    try last.send(#"{"op":"addUser","username":"ann"}"#)
    last.finish()
    #expect(try last.line()?.hasPrefix(#"{"ok":true"#) == true, "a last line needs no line break")
    #expect(try last.line() == nil)
    #expect(server.stop() == 0)
  }

  @Test("Requests that wait when the time of grace is over are not made, and all that are made are answered")
  func cut() throws {
    let server = try ServedStore(store, socket: socket)
    let client = try SocketClient(socket)
    let stream = client.stream
    ByteStream.ignoreBrokenPipes()
    // More than the time of grace suffices for, on a disk that is real.
    let sending = Thread {
      for number in 0..<200_000 {
        if (try? stream.write(Array("{\"op\":\"addUser\",\"username\":\"u\(number)\"}\n".utf8))) == nil { return }
      }
    }
    sending.start()
    #expect(try client.line()?.hasPrefix(#"{"ok":true"#) == true)
    kill(server.process.processIdentifier, SIGTERM)
    var answered = 1
    while try client.line() != nil { answered += 1 }
    server.process.waitUntilExit()
    #expect(server.process.terminationStatus == 0)
    #expect(try BuiltKith.run("stats", store).output.hasPrefix("\(grouped(answered)) users,"))
  }

  @Test("The end of the terminal ends the server in order, unless it is to outlive that")
  func hangUp() throws {
    // The tests may run under nohup themselves.
    let before = signal(SIGHUP, SIG_DFL)
    defer { signal(SIGHUP, before) }
    let server = try ServedStore(store, socket: socket)
    #expect(try SocketClient(socket).ask(#"{"op":"addUser","username":"ann"}"#)?.contains(#""ok":true"#) == true)
    #expect(server.stop(SIGHUP) == 0 && !FileManager.default.fileExists(atPath: socket))
    signal(SIGHUP, SIG_IGN)
    let lasting = try ServedStore(store, socket: socket)
    signal(SIGHUP, SIG_DFL)
    kill(lasting.process.processIdentifier, SIGHUP)
    let client = try SocketClient(socket)
    #expect(try client.ask(#"{"op":"stats"}"#)?.contains(#""users":1"#) == true)
    #expect(lasting.stop() == 0)
  }

  @Test("A client that never reads is disconnected, and blocks no other client")
  func deaf() throws {
    let server = try ServedStore(store, socket: socket, ["--write-timeout", "1"])
    let writer = try SocketClient(socket)
    _ = try writer.ask(#"{"op":"addUser","id":1,"username":"ann"}"#)
    let deaf = try SocketClient(socket)
    // Far more answers than the socket's buffers hold; the requests fit, or are cut off when it is disconnected.
    let request = #"{"op":"help"}"# + "\n"
    let stream = deaf.stream
    let sending = Thread { for _ in 0..<200_000 { if (try? stream.write(Array(request.utf8))) == nil { return } } }
    ByteStream.ignoreBrokenPipes()
    sending.start()
    for _ in 0..<20 { #expect(try writer.ask(#"{"op":"user","user":1}"#)?.hasPrefix(#"{"ok":true"#) == true) }
    let deadline = ContinuousClock().now + .seconds(60)
    while !sending.isFinished, ContinuousClock().now < deadline { Thread.sleep(forTimeInterval: 0.05) }
    #expect(sending.isFinished, "it was disconnected")
    var count = 0
    while try deaf.line() != nil { count += 1 }
    #expect(count < 200_000)
    #expect(server.stop() == 0)
  }

  @Test("A client has its own limit of watched queries, and clients beyond the greatest number are refused")
  func limits() throws {
    let server = try ServedStore(store, socket: socket)
    let first = try SocketClient(socket)
    let watch = #"{"op":"watch","question":{"op":"isFollowing","user":1,"target":1}}"# + "\n"
    _ = try first.ask(#"{"op":"addUser","id":1,"username":"ann"}"#)
    try first.send(String(repeating: watch, count: Server.watchLimits.count))
    for _ in 0..<2 * Server.watchLimits.count { #expect(try first.line()?.contains(#""ok":true"#) == true) }
    #expect(try first.ask(String(watch.dropLast()))?.contains(#""code":"limitExceeded""#) == true)
    let others = try (1..<Server.clientLimit).map { _ in try SocketClient(socket) }
    for client in others { #expect(try client.ask(#"{"op":"isFollowing","user":1,"target":1}"#) != nil) }
    // An optimized build would otherwise close the connections after their last use.
    try withExtendedLifetime((first, others)) {
      let refused = try SocketClient(socket)
      #expect(try refused.line()?.contains(#""code":"limitExceeded""#) == true)
      #expect(try refused.line() == nil)
    }
    #expect(server.stop() == 0)
  }

  @Test("A socket left by a crash is replaced; a live one and other files are not")
  func stale() throws {
    let server = try ServedStore(store, socket: socket)
    let second = try BuiltKith.run("serve", playground.path("other"), "--socket", socket)
    #expect(second.status == 2 && second.errors.contains("another process listens"), "\(second.errors)")
    #expect(try SocketClient(socket).ask(#"{"op":"stats"}"#) != nil)
    #expect(server.stop(SIGKILL) == SIGKILL)
    #expect(FileManager.default.fileExists(atPath: socket))
    let again = try ServedStore(store, socket: socket)
    #expect(try SocketClient(socket).ask(#"{"op":"stats"}"#) != nil)
    #expect(again.stop() == 0)
    try playground.write([1], to: "s")
    #expect(try BuiltKith.run("serve", store, "--socket", socket).errors.contains("is no socket"))
    #expect(try playground.bytes("s") == [1])
    let long = playground.path(String(repeating: "x", count: 120))
    #expect(try BuiltKith.run("serve", store, "--socket", long).status == 2)
    #expect(try BuiltKith.run("serve", store).errors.contains("--socket is missing"))
  }
}
