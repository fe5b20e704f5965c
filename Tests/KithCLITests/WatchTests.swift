import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// `watch` and `unwatch` in a query session, and `kith watch` beside a writer.
@Suite struct WatchTests {
  private func lines(_ requests: String...) -> [String] {
    var session = QuerySession(SocialGraph())
    var writer = JSONWriter()
    for request in requests {
      session.answer(.line(Array(request.utf8)), to: &writer)
      session.push(to: &writer) { _ in }
    }
    return String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static let ann = #"{"op":"addUser","username":"ann"}"#
  private static let bob = #"{"op":"addUser","username":"bob"}"#
  private static func user(_ id: Int, _ name: String, followers: Int, followees: Int) -> String {
    let counts = #""followerCount":\#(followers),"followeeCount":\#(followees),"postCount":0"#
    return #""user":{"id":\#(id),"username":"\#(name)",\#(counts)}"#
  }
  private static func watched(_ number: Int, _ sequence: Int, _ members: String) -> String {
    #"{"watch":\#(number),"sequence":\#(sequence),"ok":true,\#(members)}"#
  }

  @Test("A watched answer follows the line that changed it, once, and stops after unwatch")
  func watching() {
    let answers = lines(
      Self.ann, Self.bob, #"{"op":"watch","question":{"op":"user","user":1},"tag":"a"}"#,
      #"{"op":"watch","question":{"op":"isFollowing","user":{"username":"bob"},"target":1}}"#,
      #"{"op":"renameUser","user":2,"username":"bobby"}"#, #"{"op":"follow","user":2,"target":1,"tag":7}"#,
      #"{"op":"follow","user":2,"target":1}"#, #"{"op":"unwatch","watch":2}"#, #"{"op":"unwatch","watch":2}"#,
      #"{"op":"removeUser","user":1}"#, Self.ann)
    let expected: [String] = [
      #"{"ok":true,"watch":1,"tag":"a"}"#,
      Self.watched(1, 2, Self.user(1, "ann", followers: 0, followees: 0)),
      #"{"ok":true,"watch":2}"#, #"{"watch":2,"sequence":2,"ok":true,"value":false}"#,
      #"{"ok":true,"changed":true,"sequence":3}"#, #"{"ok":true,"changed":true,"sequence":4,"tag":7}"#,
      Self.watched(1, 4, Self.user(1, "ann", followers: 1, followees: 0)),
      #"{"watch":2,"sequence":4,"ok":true,"value":true}"#, #"{"ok":true,"changed":false,"sequence":4}"#,
      #"{"ok":true,"changed":true}"#, #"{"ok":true,"changed":false}"#,
      #"{"ok":true,"changed":true,"sequence":5}"#,
      #"{"watch":1,"sequence":5,"ok":false,"error":{"code":"unknownUser","message":"no user 1"}}"#,
      #"{"ok":true,\#(Self.user(3, "ann", followers: 0, followees: 0)),"sequence":6}"#,
    ]
    #expect(Array(answers.dropFirst(2)) == expected)
  }

  @Test("Queries that cannot be watched are refused")
  func refusals() {
    for question in ["7", #"{"op":"follow","user":1,"target":2}"#, #"{"op":"snapshot"}"#, #"{"op":"timeline"}"#] {
      #expect(lines(#"{"op":"watch","question":\#(question)}"#)[0].contains("invalidRequest"))
    }
    #expect(lines(#"{"op":"watch","question":{"op":"user","user":1}}"#).last?.contains("unknownUser") == true)
  }

  @Test("Every query can be watched, and gives the answer of a single request")
  func everyQuestion() {
    let setting = [
      Self.ann, Self.bob, #"{"op":"follow","user":1,"target":2,"at":0}"#,
      #"{"op":"addPost","user":2,"text":"snow","createdAt":5}"#, #"{"op":"like","user":1,"post":1,"at":0}"#,
      #"{"op":"mute","user":2,"target":1}"#,
    ]
    let questions = [
      #""op":"users","query":"b","as":1"#, #""op":"posts","query":"snow""#, #""op":"timeline","user":1"#,
      #""op":"user","user":2,"as":1"#, #""op":"post","post":1,"as":1"#, #""op":"followees","user":1"#,
      #""op":"followers","user":2,"order":"name""#, #""op":"isFollowing","user":1,"target":2"#,
      #""op":"relations","user":1,"targets":[2]"#, #""op":"likers","post":1"#, #""op":"likes","user":1"#,
      #""op":"blocked","user":1"#, #""op":"muted","user":2"#, #""op":"mutuals","user":1,"target":2"#,
      #""op":"familiarFollowers","user":2,"as":1"#, #""op":"suggestions","user":1"#,
      #""op":"distance","user":1,"target":2"#, #""op":"lookup","users":[1]"#, #""op":"verify""#,
    ]
    for question in questions {
      var session = QuerySession(SocialGraph())
      var writer = JSONWriter()
      func say(_ line: String) -> [String] {
        writer.removeAll()
        session.answer(.line(Array(line.utf8)), to: &writer)
        session.push(to: &writer) { _ in }
        return String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      }
      for line in setting { _ = say(line) }
      let asked = say("{\(question)}")[0]
      let watched = say(#"{"op":"watch","question":{\#(question)}}"#)
      #expect(watched.count == 2 && watched[1] == #"{"watch":1,"sequence":6,"# + asked.dropFirst(), "\(question)")
    }
  }

  @Test("kith watch prints changes and answers while another process writes the store")
  func beside() async throws {
    let playground = try Playground()
    let store = playground.path("store")
    let graph = try await SocialGraph.open(store)
    try await graph.addUser("ann")
    try await graph.addUser("bob")
    try await graph.addPost("hello", by: 2, createdAt: 5)
    let (changes, _, changesOutput) = try BuiltKith.process(["watch", store, "--from", "2", "--count", "5"])
    let (likes, _, likesOutput) = try BuiltKith.process(["watch", store, "likes", "1", "--count", "3"])
    try changes.run()
    try likes.run()
    // The first answer means that the files are read. Then the writer continues, and rotates the journal.
    #expect(try likesOutput.readLine() == #"{"sequence":3,"users":[],"next":null}"#)
    try await graph.follow(2, as: 1, at: 9_000)
    try await graph.like(1, as: 1, at: 4_000)
    let second = try likesOutput.readLine()
    try await graph.snapshot()
    try await graph.like(1, as: 2, at: 5_000)
    changes.waitUntilExit()
    likes.waitUntilExit()
    #expect(changes.terminationStatus == 0 && likes.terminationStatus == 0)
    let printed = String(decoding: try changesOutput.readToEnd() ?? Data(), as: UTF8.self)
    #expect(
      printed.split(separator: "\n") == [
        #"{"sequence":2,"op":"addUser","id":2,"username":"bob"}"#,
        #"{"sequence":3,"op":"addPost","id":1,"user":2,"text":"hello","createdAt":5}"#,
        #"{"sequence":4,"op":"follow","user":1,"target":2,"at":9000}"#,
        #"{"sequence":5,"op":"like","user":1,"post":1,"at":4000}"#,
        #"{"sequence":6,"op":"like","user":2,"post":1,"at":5000}"#,
      ])
    #expect(second.contains(#""id":1,"username":"ann""#) && !second.contains("bob"))
    let last = String(decoding: try likesOutput.readToEnd() ?? Data(), as: UTF8.self)
    #expect(last.hasPrefix(#"{"sequence":6,"#) && last.contains("ann") && last.contains("bob"))
    try await graph.close()
  }

  @Test("kith watch replays a store into another, and names changes that no journal holds")
  func replay() throws {
    let playground = try Playground()
    let graph = try SocialGraph.open(playground.path("store"))
    for number in 1...20 { try graph.addUser("user \(number)") }
    for number in 2...20 { try graph.follow(UserID(Int64(number)), as: 1, at: 0) }
    try graph.removeUser(UserID(7))
    try graph.close()
    let watched = try BuiltKith.run("watch", playground.path("store"), "changes", "--from", "1", "--count", "40")
    #expect(watched.status == 0 && watched.lines.count == 40)
    let requests = watched.lines.map { line in "{" + line.drop { $0 != "," }.dropFirst() }
    let input = (requests + [#"{"op":"stats"}"#]).joined(separator: "\n")
    let answers = try BuiltKith.run("query", "--memory", input: input)
    #expect(answers.lines.last?.contains(#""users":19,"follows":18,"posts":0"#) == true)

    let bulk = try SocialGraph.open(playground.path("bulk"))
    try bulk.bulk { batch throws(KithError) in _ = try batch.importChange(.addUser(id: nil, username: "bulk")) }
    try bulk.snapshot()
    try bulk.addUser("new")
    let missed = try BuiltKith.run("watch", playground.path("bulk"), "--from", "1", "--count", "2")
    #expect(missed.lines == [#"{"missed":[1,1]}"#, #"{"sequence":2,"op":"addUser","id":2,"username":"new"}"#])
    try bulk.close()
  }

  @Test("kith watch ends when its reader has closed, even without further changes", arguments: ["changes", "search"])
  func readerGone(what: String) throws {
    let playground = try Playground()
    let graph = try SocialGraph.open(playground.path("store"))
    try graph.addUser("ann")
    let words = what == "changes" ? ["--from", "1"] : ["search", "a"]
    // It polls the journal once a minute, so an earlier end is caused by its reader.
    let (watch, _, output) = try BuiltKith.process(["watch", playground.path("store")] + words + ["--every", "60000"])
    try watch.run()
    #expect(try output.readLine().contains("ann"))
    #expect(watch.isRunning)
    try output.close()
    let end = ContinuousClock.now + .seconds(40)
    while watch.isRunning && ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.01) }
    #expect(!watch.isRunning, "it still waits")
    // It can inherit a signal mask that blocks `terminate`.
    if watch.isRunning, watch.processIdentifier > 0 { kill(watch.processIdentifier, SIGKILL) }
    watch.waitUntilExit()
    #expect(watch.terminationReason == .exit && watch.terminationStatus == 0)
    try graph.close()
  }

  @Test("A live answer goes on after an import, whose changes are in no journal")
  func imported() throws {
    let playground = try Playground()
    let store = playground.path("store")
    #expect(try BuiltKith.run("query", store, input: #"{"op":"addUser","username":"ann"}"#).status == 0)
    let (watch, _, output) = try BuiltKith.process(["watch", store, "search", "an", "--count", "2"])
    try watch.run()
    #expect(try output.readLine().contains("ann"))
    let rows = playground.path("users.tsv")
    try Data("7\tanton\n".utf8).write(to: URL(fileURLWithPath: rows))
    #expect(try BuiltKith.run("import", store, "--users", rows).status == 0)
    let second = try output.readLine()
    #expect(second.contains("ann") && second.contains("anton"), "\(second)")
    watch.waitUntilExit()
    #expect(watch.terminationStatus == 0)
  }

  @Test("Invalid usage is reported")
  func usage() throws {
    let playground = try Playground()
    try SocialGraph.open(playground.path("store")).close()
    for words in [["absent"], ["store", "timeline"], ["store", "weather", "x"], ["store", "likes", "x"]] {
      #expect(try BuiltKith.run(["watch", playground.path(words[0])] + words.dropFirst()).status == 2, "\(words)")
    }
  }
}

extension FileHandle {
  /// Up to a line break, without it.
  fileprivate func readLine() throws -> String {
    var line = Data()
    while let byte = try read(upToCount: 1), let value = byte.first, value != UInt8(ascii: "\n") { line.append(value) }
    return String(decoding: line, as: UTF8.self)
  }
}
