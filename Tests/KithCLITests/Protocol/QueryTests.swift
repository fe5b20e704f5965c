import Kith
import Testing

@testable import KithCLI

private let operations = ShapeTable.graph.shapes.map(\.operation)

@Suite struct RequestTests {
  /// A value that a field takes.
  private func example(_ field: Field) -> String {
    switch field.kind {
    case .integer, .number: "1"
    case .text: "\"x\""
    case .choice(let words): "\"\(words[0])\""
    case .flag: "true"
    case .reference: "{\"username\":\"x\"}"
    case .references, .integers: "[1]"
    case .changes: "[{\"op\":\"unlike\",\"user\":1,\"post\":1}]"
    case .texts: "[\"follow\"]"
    case .words(let words): "[\"\(words[0])\"]"
    case .edges: "[{\"relation\":\"x\",\"toPost\":1},{\"relation\":\"x\",\"to\":{\"username\":\"x\"},\"at\":1}]"
    case .payload: "\"AP8=\""
    case .question: "{\"op\":\"stats\"}"
    }
  }

  private func line(_ operation: Operation, _ fields: [Field]) -> String {
    let members = fields.map { ",\"\($0.name)\":\(example($0))" }.joined()
    return "{\"op\":\"\(operation)\"\(members)}"
  }

  private func shape(_ operation: Operation) throws -> Shape { try #require(ShapeTable.graph[operation.name]) }

  @Test("Every operation takes all its fields, and is executed or refused with a code", arguments: operations)
  func everyField(operation: Operation) throws {
    let shape = try shape(operation)
    var console = RequestConsole()
    for fields in [shape.required + shape.chosen] + shape.most {
      let code = try console.code(line(operation, fields))
      #expect(code != "invalidRequest", "\(fields.map(\.name))")
    }
  }

  @Test("A timeline has one kind of sources, all of it")
  func timelineSources() throws {
    var console = RequestConsole()
    for line in [#""everyone":true,"users":[1]"#, #""relation":"follow""#, #""post":1,"author":1"#] {
      #expect(try console.code(#"{"op":"timeline","user":1,\#(line)}"#) == "invalidRequest", "\(line)")
    }
  }

  @Test("A missing required field is refused", arguments: operations)
  func missingFields(operation: Operation) throws {
    let shape = try shape(operation)
    var console = RequestConsole()
    for missing in shape.required {
      let fields = shape.fields.filter { $0 != missing }
      #expect(try console.code(line(operation, fields)) == "invalidRequest", "\(missing.name)")
    }
  }

  @Test("null, a fraction and a value of another kind are refused", arguments: operations)
  func wrongKinds(operation: Operation) throws {
    let shape = try shape(operation)
    var console = RequestConsole()
    for field in shape.required + shape.optional {
      let others = shape.required.filter { $0 != field }.map { ",\"\($0.name)\":\(example($0))" }.joined()
      for value in ["null", "1.0", "1e0", "9223372036854775808", "{}", "[null]", "{\"username\":1}", "[[]]"] {
        let line = "{\"op\":\"\(operation)\"\(others),\"\(field.name)\":\(value)}"
        #expect(try console.code(line) == "invalidRequest", "\(line)")
      }
    }
  }

  @Test(
    "Lines that are no request are refused",
    arguments: [
      "not json", "[]", "{}", "7", "\"users\"", "null", #"{"op":5}"#, #"{"op":null}"#, #"{"op":"nonsense"}"#,
      #"{"op":"Users"}"#, #"{"op":"users","colour":"red"}"#, #"{"op":"users","op":"users"}"#, #"{"op":"users"} {}"#,
      #"{"op":"users","limit":0}"#, #"{"op":"users","limit":1001}"#, #"{"op":"users","limit":-1}"#,
      #"{"op":"users","match":"soundex"}"#, #"{"op":"users","fold":"medium"}"#, #"{"op":"users","order":"newest"}"#,
      #"{"op":"followers","user":1,"order":"popular"}"#, #"{"op":"timeline","user":1,"direction":"up"}"#,
      #"{"op":"timeline","user":1,"as":2}"#, #"{"op":"follow","user":1,"target":"ann"}"#,
      #"{"op":"follow","user":{"username":"a","id":1},"target":2}"#, #"{"op":"stats","user":1}"#,
      #"{"op":"distance","user":1,"target":2,"max":-1}"#, #"{"op":"mutuals","user":1,"target":2,"of":"likes"}"#,
    ])
  func refusals(line: String) throws {
    var console = RequestConsole()
    #expect(try console.code(line) == "invalidRequest")
  }

  @Test(
    "Fields that exclude each other are refused, with and without the trait Regex",
    arguments: [
      #"{"op":"posts","following":true}"#, #"{"op":"users","order":"followedFirst"}"#,
      #"{"op":"addEdge","relation":"follow","from":1}"#, #"{"op":"edges","targets":[1]}"#,
      #"{"op":"targets","relation":"like","user":1,"post":1}"#,
      #"{"op":"addEdge","relation":"like","from":1,"to":1,"toPost":1}"#,
      #"{"op":"users","match":"regex","fold":"loose"}"#, #"{"op":"users","match":"fuzzy","order":"popular"}"#,
    ])
  func combinations(line: String) throws {
    var console = RequestConsole()
    #expect(try console.code(line) == "invalidRequest")
  }

  @Test("Regular expressions need the package trait; without it they are answered `unsupported`")
  func regex() throws {
    var console = RequestConsole()
    #if Regex
      #expect(try console.ask(#"{"op":"users","query":"^a+$","match":"regex"}"#)["ok"] == .boolean(true))
      #expect(try console.code(#"{"op":"users","query":"(","match":"regex"}"#) == "invalidPattern")
    #else
      #expect(try console.code(#"{"op":"users","match":"regex"}"#) == "unsupported")
    #endif
    #expect(try console.ask(#"{"op":"users","query":"anna","match":"fuzzy"}"#)["ok"] == .boolean(true))
  }
}

@Suite struct HelpTests {
  private func ops(_ answer: JSONValue) throws -> [JSONValue] {
    guard case .array(let ops)? = answer["ops"] else {
      Issue.record("no ops in \(answer)")
      return []
    }
    return ops
  }

  private func names(_ value: JSONValue?) -> [String] {
    guard case .array(let elements)? = value else { return [] }
    return elements.compactMap(\.text)
  }

  @Test("help lists every operation; about selects one, and an unknown one is refused")
  func about() throws {
    var console = RequestConsole()
    let all = console.answer(#"{"op":"help"}"#)
    #expect(try ops(console.ask(#"{"op":"help"}"#)).map { $0["op"]?.text } == operations.map(\.name))
    let each = operations.map { operation in
      console.answer(#"{"op":"help","about":"\#(operation)"}"#).dropFirst(#"{"ok":true,"ops":["#.count).dropLast(2)
    }
    #expect(all == #"{"ok":true,"ops":["# + each.joined(separator: ",") + "]}")
    #expect(try console.code(#"{"op":"help","about":"nonsense"}"#) == "invalidRequest")
    #expect(try console.code(#"{"op":"help","about":1}"#) == "invalidRequest")
    #expect(
      console.answer(#"{"op":"help","about":"distance"}"#)
        == #"{"ok":true,"ops":[{"op":"distance","fields":[{"name":"user","type":"user","required":true},"#
        + #"{"name":"target","type":"user","required":true},"#
        + #"{"name":"max","type":"integer","minimum":0,"maximum":9223372036854775807,"required":false,"default":6}],"#
        + #""answer":["value","complete"]}]}"#)
    #expect(
      console.answer(#"{"op":"help","about":"relations"}"#)
        .contains(#"{"name":"targets","type":"users","maximumCount":1000,"required":true}"#))
  }

  @Test("A field that is left out has the default that help shows")
  func defaults() throws {
    let setting = [
      #"{"op":"addUser","username":"ann"}"#, #"{"op":"addUser","username":"bob"}"#,
      #"{"op":"follow","user":1,"target":2,"at":0}"#, #"{"op":"addPost","user":2,"text":"snow","createdAt":5}"#,
    ]
    let required = [
      "user": "1", "target": "2", "relation": #""follow""#, "from": "2", "to": "1", "post": "1", "targets": "[2]",
      "username": #""cy""#,
      "text": #""rain""#, "as": "1", "changes": "[]", "question": #"{"op":"stats"}"#, "watch": "1",
    ]
    for operation in operations where operation != .session(.snapshot) {
      let shape = try #require(ShapeTable.graph[operation.name])
      let fixed = (shape.required + shape.chosen).compactMap { field in
        required[field.name].map { "\"\(field.name)\":\($0)" }
      }
      let given = shape.optional.compactMap { field -> String? in
        switch field.defaultValue {
        case .integer(let integer): "\"\(field.name)\":\(integer)"
        case .text(let text): "\"\(field.name)\":\"\(text)\""
        case .flag(let flag): "\"\(field.name)\":\(flag)"
        default: nil
        }
      }
      let answers = [fixed, fixed + given].map { members in
        var console = RequestConsole(schema: SocialGraph.Schema())
        for line in setting { _ = console.answer(line) }
        return console.answer("{\(([#""op":"\#(operation)""#] + members).joined(separator: ","))}")
      }
      // The clock; bytes, by compactions.
      if [.graph(.addPost), .session(.stats), .session(.statistics)].contains(operation) { continue }
      #expect(answers[0] == answers[1] && answers[0].hasPrefix(#"{"ok":true"#), "\(operation)")
    }
  }

  @Test("Answers have the members that help shows", arguments: operations.filter { $0 != .session(.snapshot) })
  func members(operation: Operation) throws {
    var console = RequestConsole(schema: SocialGraph.Schema())
    console.add("ann", "bob", "cy")
    _ = console.answer(#"{"op":"addPost","user":2,"text":"snow"}"#)
    let members = [
      "users": #","query":"a","count":true,"highlights":true"#, "user": #","user":1"#, "post": #","post":1"#,
      "lookup": #","users":[1],"posts":[1]"#, "isFollowing": #","user":1,"target":2"#,
      "relations": #","user":1,"targets":[2]"#, "mutuals": #","user":1,"target":2"#,
      "distance": #","user":1,"target":2"#, "familiarFollowers": #","user":1,"as":2,"count":true"#,
      "addUser": #","username":"dora""#, "renameUser": #","user":1,"username":"anna""#,
      "editUser": #","user":1,"flags":1"#, "editPost": #","post":1,"text":"y","payload":"AP8=""#,
      "addPost": #","user":1,"text":"x""#, "removePost": #","post":1"#,
      "batch": #","changes":[{"op":"removeUser","user":1}]"#, "watch": #","question":{"op":"stats"}"#,
      "unwatch": #","watch":1"#, "likers": #","post":1"#, "like": #","user":1,"post":1"#,
      "targets": #","relation":"follow","user":1,"count":true"#,
      "sources": #","relation":"follow","user":1,"count":true"#, "edges": #","user":1,"targets":[2]"#,
      "thread": #","post":1"#, "ancestors": #","post":1"#,
      "addEdge": #","relation":"follow","from":1,"to":2"#, "removeEdge": #","relation":"follow","from":1,"to":2"#,
      "unlike": #","user":1,"post":1"#, "posts": "", "stats": "", "statistics": "", "health": "",
      "verify": "", "help": "",
    ]
    let one: [GraphOperation] = [
      .removeUser, .timeline, .twoHopTimeline, .followees, .followers, .likes, .incoming, .incomingCount, .suggestions,
      .blocked, .muted,
    ]
    let fields =
      members[operation.name]
      ?? (one.map(Operation.graph).contains(operation) ? #","user":1"# : #","user":1,"target":2"#)
    guard case .object(let answer) = try console.ask(#"{"op":"\#(operation)"\#(fields)}"#) else { return }
    let help = try #require(try ops(console.ask(#"{"op":"help","about":"\#(operation)"}"#)).first)
    #expect(answer.named("ok")?.value == .boolean(true))
    // A list of edges has users or posts, as its relation says.
    let isEdgeList = [.graph(.targets), .graph(.sources)].contains(operation)
    let expected = names(help["answer"]).filter { !isEdgeList || $0 != "posts" }
    #expect(answer.map(\.name).filter { $0 != "ok" } == expected)
  }
}

@Suite struct AnswerTests {
  @Test("Orders reach the engine, and ranges are answered as pairs")
  func orders() throws {
    var console = RequestConsole()
    for name in ["banana", "anna", "ann"] { console.add(name) }
    _ = console.answer(#"{"op":"follow","user":2,"target":1}"#)
    for (order, ids) in [("name", "3,2,1"), ("prefixFirst", "3,2,1"), ("followedFirst", "1,3,2"), ("popular", "1,3,2")]
    {
      let answer = console.answer(#"{"op":"users","query":"an","as":2,"order":"\#(order)"}"#)
      #expect(answer.split(separator: #""id":"#).dropFirst().map { $0.prefix(1) }.joined(separator: ",") == ids)
      #expect(!answer.contains("ranges"))
    }
    let answer = console.answer(#"{"op":"users","query":"AN","order":"popular","highlights":true,"limit":1}"#)
    #expect(answer.contains(#""ranges":[[1,3],[3,5]]"#))
  }

  @Test("A tag is echoed byte for byte in answers, refusals and changes of a batch")
  func tags() throws {
    var console = RequestConsole()
    console.add("ann")
    for tag in ["null", "0", "\"\"", "{ \"x\" : [1.50, 1e9,\"\\u00e9\"] }", "-0", "123456789012345678901234567890"] {
      #expect(console.answer("{\"op\":\"removeUser\",\"tag\": \(tag) ,\"user\":99}").hasSuffix(",\"tag\":\(tag)}"))
      #expect(console.answer("{\"tag\":\(tag),\"op\":\"nonsense\"}").hasSuffix(",\"tag\":\(tag)}"))
      #expect(console.answer("{\"op\":\"user\",\"user\":1,\"tag\":\(tag)}").hasSuffix(",\"tag\":\(tag)}"))
      let batch = console.answer(
        "{\"op\":\"batch\",\"changes\":[{\"op\":\"renameUser\",\"user\":1,\"username\":\"ann\",\"tag\":\(tag)}]}")
      #expect(batch.contains(",\"tag\":\(tag)}],"))
    }
  }

  @Test("Blank lines get no answer")
  func blankLines() {
    var console = RequestConsole()
    #expect(console.answer("") == "")
    #expect(console.answer(" \t\r") == "")
  }

  @Test("A line over the limit is refused")
  func longLine() throws {
    var session = QuerySession(SocialGraph())
    var writer = JSONWriter()
    session.answer(.tooLong, to: &writer)
    #expect(try JSONReader.parse(writer.bytes)["error"]?["code"] == .string("invalidRequest"))
  }

  @Test("With timings every answer has its nanoseconds")
  func timings() throws {
    var console = RequestConsole(timings: true)
    for line in [#"{"op":"users"}"#, #"{"op":"user","user":1}"#, "rubbish"] {
      guard case .integer(let nanoseconds)? = try console.ask(line)["ns"] else {
        Issue.record("no ns for \(line)")
        continue
      }
      #expect(nanoseconds >= 0)
    }
  }

  @Test("Objects have the fields of the protocol")
  func objects() {
    var console = RequestConsole()
    #expect(
      console.answer(#"{"op":"addUser","username":"a\"b"}"#)
        == #"{"ok":true,"user":{"id":1,"username":"a\"b","followerCount":0,"followeeCount":0,"postCount":0},"#
        + #""sequence":1}"#)
    console.add("bob")
    #expect(
      console.answer(#"{"op":"follow","user":{"username":"bob"},"target":1,"at":1999}"#)
        == #"{"ok":true,"changed":true,"sequence":3}"#)
    #expect(
      console.answer(#"{"op":"addPost","user":2,"text":"x\ny","createdAt":5}"#)
        == #"{"ok":true,"post":{"id":1,"author":{"id":2,"username":"bob"},"createdAt":5,"text":"x\ny","likeCount":0},"#
        + #""sequence":4}"#)
    #expect(
      console.answer(#"{"op":"followees","user":2,"as":2}"#)
        == #"{"ok":true,"users":[{"id":1,"username":"a\"b","followerCount":1,"followeeCount":0,"postCount":0,"#
        + #""following":true,"followedAt":1000}],"next":null}"#)
    #expect(
      console.answer(#"{"op":"lookup","users":[7,{"username":"nobody"}],"posts":[9]}"#)
        == #"{"ok":true,"users":[null,null],"posts":[null]}"#)
    #expect(
      console.answer(#"{"op":"relations","user":1,"targets":[{"username":"bob"}]}"#)
        == #"{"ok":true,"relations":[{"following":false,"followedBy":true,"blocking":false,"blockedBy":false,"#
        + #""muting":false}]}"#)
  }

  @Test("A refusal names the field or rule")
  func refusals() throws {
    var console = RequestConsole()
    #expect(try console.code(#"{"op":"user","user":{"username":"nobody"}}"#) == "unknownUser")
    #expect(try console.code(#"{"op":"snapshot"}"#) == "noStore")
    let message = try console.ask(#"{"op":"users","colour":1}"#)["error"]?["message"]?.text
    #expect(message?.contains("colour") == true)
  }

  @Test("A read-only session refuses every change")
  func readOnly() throws {
    var console = RequestConsole(readOnly: true)
    for line in [
      #"{"op":"addUser","username":"x"}"#, #"{"op":"unfollow","user":1,"target":2}"#,
      #"{"op":"batch","changes":[]}"#,
    ] {
      #expect(try console.code(line) == "readOnly")
    }
    #expect(try console.ask(#"{"op":"stats"}"#)["ok"] == .boolean(true))
  }
}

@Suite struct BatchTests {
  @Test("References by name are resolved in order inside the batch")
  func references() throws {
    var console = RequestConsole()
    console.add("ann")
    let answer = try console.ask(
      #"{"op":"batch","changes":[{"op":"addUser","username":"new"},"#
        + #"{"op":"follow","user":{"username":"new"},"target":1},"#
        + #"{"op":"renameUser","user":{"username":"ann"},"username":"anna"},"#
        + #"{"op":"unfollow","user":2,"target":{"username":"anna"}},"#
        + #"{"op":"unfollow","user":2,"target":1}]}"#)
    let results = try #require(answer["results"])
    #expect(results[0]?["user"]?["id"] == .integer(2))
    #expect((1...4).map { results[$0]?["changed"] } == [true, true, true, false].map { .boolean($0) })
    #expect((0...4).map { results[$0]?["sequence"] } == [2, 3, 4, 5, 5].map { .integer($0) })
    #expect(answer["sequence"] == .integer(5))
  }

  @Test(
    "A failed batch names the index of its change and leaves everything unchanged",
    arguments: [
      (#"{"op":"follow","user":1,"target":99}"#, "unknownUser"),
      (#"{"op":"follow","user":1,"target":{"username":"zoe"}}"#, "unknownUser"),
      (#"{"op":"follow","user":1,"target":1}"#, "cannotFollowSelf"), (#"{"op":"users"}"#, "invalidRequest"),
      (#"{"op":"batch","changes":[]}"#, "invalidRequest"), (#"{"op":"snapshot"}"#, "invalidRequest"),
      (#"{"op":"unknown"}"#, "invalidRequest"), (#"{"op":"follow","user":1}"#, "invalidRequest"),
      ("7", "invalidRequest"), (#"{"op":"addUser","username":"ann"}"#, "usernameTaken"),
    ])
  func failures(change: String, code: String) throws {
    var console = RequestConsole()
    console.add("ann", "bob")
    let answer = try console.ask(
      #"{"op":"batch","changes":[{"op":"follow","user":1,"target":2},{"op":"addUser","username":"cy"},\#(change)]}"#)
    #expect(answer["error"]?["code"] == .string(code))
    #expect(answer["error"]?["index"] == .integer(2))
    let stats = try console.ask(#"{"op":"stats"}"#)
    #expect(stats["users"] == .integer(2))
    #expect(stats["follows"] == .integer(0))
    #expect(stats["sequence"] == .integer(2))
    #expect(try console.ask(#"{"op":"addUser","username":"cy"}"#)["user"]?["id"] == .integer(3))
  }

  @Test("10,000 changes are accepted, one more is refused, and an empty batch is a batch")
  func limits() throws {
    var console = RequestConsole()
    console.add("ann", "bob")
    func batch(_ count: Int) -> String {
      let changes = Array(repeating: #"{"op":"follow","user":1,"target":2}"#, count: count).joined(separator: ",")
      return "{\"op\":\"batch\",\"changes\":[\(changes)]}"
    }
    #expect(try console.ask(batch(0)) == JSONReader.parse(Array(#"{"ok":true,"results":[],"sequence":2}"#.utf8)))
    let tooMany = try console.ask(batch(10_001))
    #expect(tooMany["error"]?["code"] == .string("invalidRequest"))
    #expect(tooMany["error"]?["index"] == nil)
    #expect(try console.ask(batch(10_000))["sequence"] == .integer(3))
  }
}
