import Foundation
import Testing

@testable import KithCLI

/// Requests in words, and their answers as text.
@Suite struct ShellTests {
  private static func json(_ line: String) throws -> String {
    String(decoding: try ShellLine.request(line), as: UTF8.self)
  }

  @Test(
    "Words are the request that they say",
    arguments: [
      ("users", #"{"op":"users"}"#),
      ("users ann limit=5 count", #"{"op":"users","query":"ann","limit":5,"count":true}"#),
      (#"users "ann marie" match=prefix"#, #"{"op":"users","query":"ann marie","match":"prefix"}"#),
      ("followers 17", #"{"op":"followers","user":17}"#),
      ("followers #17 as=@ann", #"{"op":"followers","user":17,"as":{"username":"ann"}}"#),
      (#"followers "17 = x""#, #"{"op":"followers","user":{"username":"17 = x"}}"#),
      (
        "relations ann targets=1,bob", #"{"op":"relations","user":{"username":"ann"},"targets":[1,{"username":"bob"}]}"#
      ),
      ("lookup posts=1,#2", #"{"op":"lookup","posts":[1,2]}"#),
      ("timeline 1 before=2026-02-28", #"{"op":"timeline","user":1,"before":1772236800000}"#),
      ("timeline 1 after=5 includeSelf=no", #"{"op":"timeline","user":1,"after":5,"includeSelf":false}"#),
      (#"watch question={"op":"stats"} "#, #"{"op":"watch","question":{"op":"stats"} }"#),
      ("help users", #"{"op":"help","about":"users"}"#),
      (#"{"op":"users","limit":1}"#, #"{"op":"users","limit":1}"#),
      ("post 1 counts=reply,bookmark", #"{"op":"post","post":1,"counts":["reply","bookmark"]}"#),
    ])
  func requests(line: String, request: String) throws { #expect(try Self.json(line) == request) }

  @Test(
    "A mistake says what is wrong, and what is meant",
    arguments: [
      ("folowers 1", "perhaps followers"), ("followers 1 limt=3", "perhaps limit"), ("followers", "needs user"),
      ("followers 1 2", "which field"), ("users limit=x", "a number"), ("timeline 1 before=soon", "a time"),
      ("users count=maybe", "true or false"), ("users \"ann", "no end"), ("users ann limit=1 limit=2", "twice"),
      ("=5", "no operation"), ("batch changes=[1", "JSON"), ("isFollowing 1", "needs target"),
    ])
  func mistakes(line: String, words: String) {
    do throws(ShellLine.Mistake) {
      Issue.record("\(String(decoding: try ShellLine.request(line), as: UTF8.self))")
    } catch {
      #expect(error.message.contains(words), "\(error.message)")
    }
  }

  @Test("Answers are tables and facts, and nothing in them moves the cursor")
  func answers() {
    func text(_ json: String) -> String { ShellAnswer(Array(json.utf8)).text(time: nil) }
    let users = #"{"ok":true,"users":[{"id":1,"username":"a\u001b[2Jn","followerCount":12345}],"next":"XY"}"#
    let lines = text(users).split(separator: "\n").map(String.init)
    #expect(lines[1] == #"   1  a\u{1B}[2Jn         12,345"#, "\(lines)")
    #expect(lines.last == "  next: cursor=XY")
    #expect(text(#"{"ok":true,"changed":true,"sequence":12345}"#) == "  changed   yes\n  sequence  12345\n")
    #expect(text(#"{"ok":true,"users":[],"next":null}"#) == "  no users\n")
    #expect(
      text(#"{"ok":false,"error":{"code":"unknownUser","message":"no user 4"}}"#) == "error: no user 4 (unknownUser)\n")
    #expect(
      text(#"{"ok":true,"post":{"id":7,"createdAt":0,"author":{"id":1,"username":"ann"}}}"#).contains(
        "1970-01-01 00:00:00"))
    #expect(text("no JSON").isEmpty)
    #expect(ShellAnswer(Array(#"{"ok":true,"ns":1500}"#.utf8)).text(time: .seconds(1)) == "  1.5 µs in the engine\n")
  }

  @Test("The shell asks a store, and one that is served")
  func links() throws {
    let directory = try TemporaryDirectory.make("shell-test")
    defer { TemporaryDirectory.remove(directory) }
    let store = directory + "/store"
    let made = try BuiltKith.run(
      "shell", store,
      input: "addUser ann\naddUser bob\nfollow ann bob\n.mode table\nfollowers bob\nfollowers cid\n.quit\nx")
    #expect(made.status == 0 && made.lines.prefix(3).allSatisfy { $0.hasPrefix(#"{"ok":true"#) }, "\(made.output)")
    #expect(made.lines.contains { $0.contains("ann") && $0.hasPrefix("   1") }, "\(made.output)")
    #expect(made.output.contains("error: ") && made.output.contains("cid"))
    #expect(!made.output.contains("no operation x"))
    // A relative path: that of a socket has a limit.
    let socket = "\(directory)/s"
    guard socket.utf8.count < 100 else { return }
    let (server, input, _) = try BuiltKith.process(["serve", store, "--socket", socket])
    defer { try? input.close() }
    try server.run()
    defer { server.terminate() }
    let end = Date().addingTimeInterval(60)
    while !ByteStream.isSocket(socket), Date() < end { Thread.sleep(forTimeInterval: 0.02) }
    let asked = try BuiltKith.run("shell", socket, input: "followees ann\naddUser cid\n")
    #expect(asked.status == 0 && asked.lines.count == 2, "\(asked.output)\(asked.errors)")
    #expect(asked.lines[0].contains("bob") && asked.lines[1].contains(#""username":"cid""#))
    // Answers of watched queries come between, and lose no answer to a request.
    let watch = #"{"op":"watch","question":{"op":"user","user":1}}"#
    let watched = try BuiltKith.run("shell", socket, input: "\(watch)\nunfollow ann bob\nisFollowing ann bob\n")
    let answers = watched.lines.filter { $0.hasPrefix(#"{"ok""#) }
    #expect(answers.count == 3 && answers[1].contains(#""changed":true"#), "\(watched.output)")
    #expect(answers[2].contains(#""value":false"#) && watched.lines.contains { $0.hasPrefix(#"{"watch":1"#) })
    #expect(try BuiltKith.run("shell", directory + "/none.sock/x").status == 2)
  }
}
