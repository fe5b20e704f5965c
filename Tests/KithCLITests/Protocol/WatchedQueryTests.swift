import Testing

@testable import Kith
@testable import KithCLI

@Suite struct WatchedQueryTests {
  /// A session whose lines are answered and followed by its watches.
  private struct Session {
    var session: QuerySession
    let graph = SocialGraph()

    init(_ limits: WatchLimits = .query) { session = QuerySession(graph, watches: limits) }

    /// The answer to a line, then those of the watches that changed.
    mutating func lines(_ line: String) -> [String] {
      var writer = JSONWriter()
      session.answer(.line(Array(line.utf8)), to: &writer)
      session.push(to: &writer) { _ in }
      return String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    mutating func add(_ names: String...) {
      for name in names { _ = lines(#"{"op":"addUser","username":"\#(name)"}"#) }
    }
  }

  /// A request for each read that can name a user, with ann as that user.
  private static let requests: [GraphOperation: String] = [
    .users: #""as":ANN,"excluding":ANN"#, .user: #""user":ANN"#, .post: #""post":1,"as":ANN"#,
    .lookup: #""users":[ANN],"as":ANN"#, .timeline: #""user":ANN"#, .twoHopTimeline: #""user":ANN"#,
    .posts: #""user":ANN"#, .followees: #""user":ANN"#, .followers: #""user":ANN"#,
    .isFollowing: #""user":ANN,"target":3"#,
    .relations: #""user":ANN,"targets":[ANN,3]"#, .likers: #""post":1,"as":ANN"#,
    .likes: #""user":ANN"#, .mutuals: #""user":ANN,"target":3"#,
    .familiarFollowers: #""user":4,"as":ANN"#, .suggestions: #""user":ANN"#,
    .targets: #""relation":"follow","user":ANN"#, .sources: #""relation":"like","post":2,"as":ANN"#,
    .edges: #""user":ANN,"targets":[3]"#, .thread: #""post":1,"as":ANN"#, .ancestors: #""post":1,"as":ANN"#,
    .incoming: #""user":ANN"#, .incomingCount: #""user":ANN"#,
    .shortestPath: #""user":ANN,"target":4"#, .blocked: #""user":ANN"#, .muted: #""user":ANN"#,
  ]

  @Test("A watch keeps the person that its name meant when it began", arguments: GraphOperation.allCases)
  func keepsThePerson(operation: GraphOperation) throws {
    if operation.isChange { return }
    let fields = try #require(Self.requests[operation])
    func answers(_ reference: String) -> [String] {
      var session = Session()
      session.add("ann", "bob", "cem", "dan")
      for line in [
        #"{"op":"addPost","user":1,"text":"one","createdAt":1}"#,
        #"{"op":"addPost","user":3,"text":"two","createdAt":2}"#,
        #"{"op":"follow","user":1,"target":3,"at":0}"#, #"{"op":"follow","user":3,"target":4,"at":0}"#,
        #"{"op":"like","user":1,"post":2,"at":0}"#, #"{"op":"block","user":1,"target":2}"#,
      ] { _ = session.lines(line) }
      let question = fields.replacing("ANN", with: reference)
      var lines = session.lines(#"{"op":"watch","question":{"op":"\#(operation)",\#(question)}}"#)
      // Another person takes the name, and every kind of change makes all queries run again.
      for line in [
        #"{"op":"renameUser","user":1,"username":"ada"}"#, #"{"op":"renameUser","user":2,"username":"ann"}"#,
        #"{"op":"follow","user":2,"target":4,"at":0}"#, #"{"op":"addPost","user":4,"text":"three","createdAt":3}"#,
        #"{"op":"mute","user":1,"target":4}"#, #"{"op":"unblock","user":1,"target":2}"#,
        #"{"op":"removeUser","user":3}"#,
      ] { lines += session.lines(line) }
      return lines
    }
    #expect(answers(#"{"username":"ann"}"#) == answers("1"))
  }

  @Test("The answer of a watched stats has every member once")
  func stats() throws {
    var session = Session()
    for line in [#"{"op":"watch","question":{"op":"stats"}}"#, #"{"op":"addUser","username":"ann"}"#] {
      let watched = try #require(session.lines(line).last)
      guard case .object(let members) = try JSONReader.parse(Array(watched.utf8)) else { return #expect(Bool(false)) }
      #expect(Set(members.map(\.name)).count == members.count && members.contains { $0.name == "sequence" })
    }
  }

  @Test("What watched queries depend on is bounded: a further one is refused, and one that grows ends")
  func bounds() throws {
    var session = Session(WatchLimits(count: 100, byteCount: 14_000))
    session.add("ann", "bob")
    for _ in 0..<20 { _ = session.lines(#"{"op":"addPost","user":1,"text":"one"}"#) }
    let watch = #"{"op":"watch","question":{"op":"timeline","user":1}}"#
    #expect(session.lines(watch).count == 2)
    let code = #"{"code":"limitExceeded""#
    // The second answer exceeds the bound, so its watch ends; it leaves room for the request of another.
    #expect(session.lines(watch).map { $0.contains(code) } == [false, false])
    #expect(session.lines(watch).map { $0.contains(code) } == [false, true])
    #expect(session.lines(#"{"op":"unwatch","watch":3}"#) == [#"{"ok":true,"changed":false}"#])
    // What ended, or was removed, takes nothing any more.
    for _ in 0..<50 {
      let first = try #require(session.lines(watch).first?.split(separator: ":").last?.dropLast())
      _ = session.lines(#"{"op":"unwatch","watch":\#(first)}"#)
    }
    #expect(session.lines(#"{"op":"unwatch","watch":2}"#) == [#"{"ok":true,"changed":true}"#])
    #expect(session.lines(watch).map { $0.contains(code) } == [false, false])
    #expect(session.lines(#"{"op":"help","about":"watch"}"#)[0].contains(#""limits":{"watches":100,"bytes":14000}"#))
  }

  @Test("A watch refuses a request that alone exceeds the bound")
  func largeRequest() {
    var session = Session(WatchLimits(count: 100, byteCount: 5_000))
    let ids = Array(repeating: "1", count: 1_000).joined(separator: ",")
    let lines = session.lines(#"{"op":"watch","question":{"op":"lookup","posts":[\#(ids)]}}"#)
    #expect(lines.count == 1 && lines[0].contains(#"{"code":"limitExceeded""#))
  }

  @Test("An answer is repeated only if it differs, though no answer is kept")
  func repeats() {
    var session = Session()
    session.add("ann", "bob")
    #expect(session.lines(#"{"op":"watch","question":{"op":"isFollowing","user":1,"target":2}}"#).count == 2)
    #expect(session.lines(#"{"op":"follow","user":1,"target":2}"#).count == 2)
    #expect(session.lines(#"{"op":"addUser","username":"cem"}"#).count == 1)
    #expect(session.lines(#"{"op":"follow","user":1,"target":3}"#).count == 1)
    #expect(session.lines(#"{"op":"unfollow","user":1,"target":2}"#).count == 2)
  }
}
