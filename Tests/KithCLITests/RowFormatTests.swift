import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// CSV and JSON Lines: imports, exports, headers, standard input and output.
@Suite struct RowFormatTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

  private func imported(_ text: String, as name: String, kind: String = "users") throws -> [String] {
    try playground.write(Array("1\tann\n2\tbob\n".utf8), to: "u.tsv")
    try playground.write(Array(text.utf8), to: name)
    let store = playground.path(UUID().uuidString)
    let users = kind == "users" ? [] : ["--users", playground.path("u.tsv")]
    let outcome = try BuiltKith.run(["import", store, "--\(kind)", playground.path(name)] + users)
    guard outcome.status == 0 else { return [outcome.errors] }
    return try BuiltKith.run("export", store, "-", "--only", kind).lines
  }

  @Test(
    "CSV is read as RFC 4180 says",
    arguments: [
      ("1,ann\r\n2,bob\r\n", ["1\tann", "2\tbob"]), ("1,ann\n\n2,bob", ["1\tann", "2\tbob"]),
      ("\u{FEFF}id,username\r\n1,ann\r\n", ["1\tann"]), ("User ID,Name\n1,ann\n", ["1\tann"]),
      ("\"1\",\"a, \"\"b\"\"\"\r\n", ["1\ta, \"b\""]), ("1,a\tb\\n\n", ["1\ta\\tb\\\\n"]),
      ("1,\u{FEFF}a n\n", ["1\t\u{FEFF}a n"]),
    ])
  func comma(text: String, rows: [String]) throws { #expect(try imported(text, as: "f.csv") == rows) }

  @Test("Line breaks in quotes belong to the text")
  func breaks() throws {
    let text = "id,author,time,text\r\n7,1,5,\"one\r\ntwo\"\r\n8,2,6,\"\"\r\n"
    #expect(try imported(text, as: "f.csv", kind: "posts") == ["7\t1\t5\tone\\r\\ntwo", "8\t2\t6\t"])
  }

  @Test(
    "A malformed line is reported by its number in the file",
    arguments: [
      ("f.csv", "posts", "7,1,5,\"a\n\n\"\n8,x,6,b\n", ":4: \"x\" is not"),
      ("f.csv", "users", "1,a\"b\n", ":1: a quote inside"),
      ("f.csv", "users", "1,ann\n2,\"b\"c\n", ":2: something follows"),
      ("f.csv", "users", "1,ann\n2,\"bob\n", ":2: a quote is not closed"),
      ("f.csv", "users", "1,a\rb\n", ":1: a carriage return"), ("f.csv", "users", "1,ann\n2\n", ":2: 1 field"),
      ("f.csv", "users", "nick,number\nann,1\n", "a header names the columns: id username"),
      ("f.tsv", "users", "1,ann\n", "is it CSV? --format csv"),
      ("f.jsonl", "users", "{\"id\":1,\"username\":\"ann\"}\n\n{\"id\":2}\n", ":3: username, a string, is missing"),
      ("f.jsonl", "users", "[1]\n", ":1: a row is a JSON object"),
      ("f.jsonl", "users", "{\"id\":\"1\"}\n", ":1: id is no integer"),
      ("f.jsonl", "follows", "{\"op\":\"like\",\"user\":1,\"target\":2}\n", ":1: op is follow"),
      ("f.jsonl", "follows", "{\"user\":1,\"target\":2,\"time\":3}\n", ":1: no member time"),
      ("f.jsonl", "users", "{\n", ":1: the line is not JSON"),
    ])
  func malformed(name: String, kind: String, text: String, reason: String) throws {
    let rows = try imported(text, as: name, kind: kind)
    #expect(rows.count == 1 && rows[0].contains("\(name):") && rows[0].contains(reason), "\(rows)")
  }

  @Test("JSON Lines are the requests of kith query; op and the time of an edge can be left out")
  func lines() throws {
    let text = "{\"op\":\"follow\",\"user\":1,\"target\":2,\"at\":5000}\r\n{\"target\":1,\"user\":2}\r\n"
    let rows = try imported(text, as: "f.ndjson", kind: "follows")
    #expect(rows.count == 2 && rows[0] == "1\t2\t5000" && rows[1].hasPrefix("2\t1\t"), "\(rows)")
    for (first, second) in [("\n", "\r\n"), ("\r\n", "\n")] {
      let mixed = #"{"id":1,"username":"ann"}"# + first + #"{"id":2,"username":"bob"}"# + second
      #expect(try imported(mixed, as: "f.jsonl") == ["1\tann", "2\tbob"], "a CR is white space of JSON")
      #expect(try imported("1,ann\(first)2,bob\(second)", as: "f.csv") == ["1\tann", "2\tbob"])
    }
  }

  @Test("An export in any format can be imported whole, also compressed, and JSON Lines feed kith query")
  func roundTrip() throws {
    let store = playground.path("store")
    let sizes = ["--users", "60", "--follows", "200", "--posts", "40", "--likes", "80"]
    #expect(try BuiltKith.run(["seed", store] + sizes).status == 0)
    // Texts with everything that a format must quote.
    let odd = #"{"op":"addPost","user":1,"text":"a, \"b\"\r\n\tc\\d","createdAt":5}"# + "\n"
    #expect(try BuiltKith.run("query", store, input: odd + #"{"op":"block","user":1,"target":2}"#).status == 0)
    func digest(_ store: String) throws -> UInt64 {
      try GraphDigest(try StoreAccess.open(store, access: .readOnly).pin().view).hash
    }
    let expected = try digest(store)
    for (format, ending, option) in RowFormat.allCases.flatMap({ format in
      [(format.rawValue, "", [String]()), (format.rawValue, ".zst", ["--compress"])]
    }) {
      let directory = playground.path("d-\(format)\(ending)")
      #expect(try BuiltKith.run(["export", store, directory, "--format", format] + option).status == 0)
      let files = GraphComponent.allCases.flatMap { kind in
        ["--\(kind.rawValue)", "\(directory)/\(kind.rawValue).\(format)\(ending)"]
      }
      for path in files where !path.hasPrefix("--") {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(Zstd.isZstd(magic: Array(bytes.prefix(4))) == !option.isEmpty)
      }
      let copy = playground.path("copy-\(format)\(ending)")
      let outcome = try BuiltKith.run(["import", copy] + files + ["--strict"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try digest(copy) == expected)
    }
    let fed = playground.path("fed")
    for kind in GraphComponent.allCases {
      let path = playground.path("d-jsonl") + "/\(kind.rawValue).jsonl"
      let (process, _, output) = try BuiltKith.process(["query", fed])
      process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      try process.run()
      let answers = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      #expect(answers.split(separator: "\n").allSatisfy { $0.hasPrefix(#"{"ok":true"#) })
    }
    #expect(try digest(fed) == expected)
  }

  @Test("An export of a graph with a schema can be imported whole, in every format, replies before their parents by id")
  func schema() throws {
    let (store, file) = (playground.path("declared"), playground.path("schema.json"))
    let schema = """
      {"relations":[{"name":"reply","from":"post","to":"post","isThread":true},
      {"name":"tag","from":"post","to":"user"},{"name":"member","from":"post","to":"user","isTimed":true},
      {"name":"bookmark","from":"user","to":"post","visibility":"source"},
      {"name":"close","from":"user","to":"user","endsWith":"follow"},
      {"name":"hidden","from":"user","to":"user","visibility":"source","endsWith":"mute"}]}
      """
    try Data(schema.utf8).write(to: URL(fileURLWithPath: file))
    let requests = [
      #"{"op":"addUser","username":"ann"}"#, #"{"op":"addUser","username":"bob"}"#,
      #"{"op":"addUser","username":"cy"}"#,
      #"{"op":"addPost","id":9,"user":1,"text":"root","createdAt":5}"#,
      #"{"op":"addPost","id":4,"user":2,"text":"a\tb","createdAt":7,"edges":[{"relation":"reply","toPost":9},"#
        + #"{"relation":"tag","to":{"username":"cy"}},{"relation":"member","to":1,"at":3000}]}"#,
      #"{"op":"addPost","id":3,"user":1,"text":"again, \"so\"","createdAt":8,"#
        + #""edges":[{"relation":"reply","toPost":4}]}"#,
      #"{"op":"follow","user":1,"target":2,"at":0}"#, #"{"op":"addEdge","relation":"close","from":1,"to":2,"at":1000}"#,
      #"{"op":"addEdge","relation":"bookmark","from":3,"toPost":4,"at":2000}"#,
      #"{"op":"mute","user":2,"target":1}"#, #"{"op":"addEdge","relation":"hidden","from":2,"to":1,"at":3000}"#,
      #"{"op":"addEdge","relation":"tag","fromPost":9,"to":2}"#, #"{"op":"block","user":3,"target":1}"#,
    ]
    let fed = try BuiltKith.run(["query", store, "--schema", file], input: requests.joined(separator: "\n"))
    #expect(fed.status == 0 && !fed.output.contains("\"ok\":false"), "\(fed.output)")
    func digest(_ store: String) throws -> UInt64 {
      try GraphDigest(try StoreAccess.open(store, access: .readOnly).pin().view).hash
    }
    let expected = try digest(store)
    for format in RowFormat.allCases {
      let directory = playground.path("e-\(format)")
      #expect(try BuiltKith.run(["export", store, directory, "--format", format.rawValue]).status == 0)
      var words = ["import", playground.path("again-\(format)"), "--schema", "\(directory)/schema.json", "--strict"]
      for kind in GraphComponent.allCases {
        words += ["--\(kind.rawValue)", "\(directory)/\(kind.rawValue).\(format)"]
      }
      for relation in ["hidden", "close", "bookmark", "member", "tag"] {
        words += ["--edges", relation, "\(directory)/edges-\(relation).\(format)"]
      }
      let outcome = try BuiltKith.run(words)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try digest(words[1]) == expected, "\(format)")
    }
    let rows = playground.path("e-tsv") + "/edges-tag.tsv"
    for (words, reason) in [
      (["--edges", "tag", rows], "declares none"), (["--schema", file, "--edges", "none", rows], "no such relation"),
      (["--schema", file, "--edges", "reply", rows], "column parent"), (["--edges", "tag"], "needs two values"),
      (["--schema", file, "--edges", "tag", rows, "--edges", "tag", rows], "given twice"),
      (["--posts", playground.path("e-tsv") + "/posts.tsv"], "no relation makes threads"),
    ] {
      let outcome = try BuiltKith.run(["import", playground.path("refused")] + words)
      #expect(outcome.status != 0 && outcome.errors.contains(reason), "\(outcome.errors)")
    }
  }

  @Test("A dash is standard input and output, of one file")
  func streams() throws {
    let store = playground.path("store")
    let input = "{\"id\":1,\"username\":\"ann\"}\n"
    #expect(try BuiltKith.run(["import", store, "--users", "-", "--format", "jsonl"], input: input).status == 0)
    #expect(
      try BuiltKith.run("export", store, "-", "--only", "users", "--format", "csv").output == "id,username\r\n1,ann\r\n"
    )
    let json = try BuiltKith.run("export", store, "-", "--only", "users", "--format", "jsonl").output
    #expect(json == "{\"op\":\"addUser\",\"id\":1,\"username\":\"ann\"}\n")
    #expect(try BuiltKith.run("export", store, "-").status == 2)
    #expect(try BuiltKith.run("import", store, "--users", "-", "--posts", "-").status == 2)
    #expect(try BuiltKith.run("import", store, "--users", "-", "--format", "xml").status == 2)
    #expect(!FileManager.default.fileExists(atPath: "-"))
  }

  @Test("A CSV field across blocks stays whole, and a quote that is never closed does not fill the memory")
  func blocks() throws {
    var text = ""
    for id in 1...40_000 { text += "\(id),\"user \"\"\(id)\"\" with a long enough name, and commas\"\r\n" }
    try playground.write(Array(text.utf8), to: "u.csv")
    var reader = CSVReader(try InputFile(playground.path("u.csv")))
    var (lines, matches) = (0, 0)
    while try reader.next() {
      for line in reader.bytes.split(separator: UInt8(ascii: "\n")) {
        lines += 1
        let expected = "\(lines)\tuser \"\(lines)\" with a long enough name, and commas"
        if Array(expected.utf8) == Array(line) { matches += 1 }
      }
    }
    #expect(lines == 40_000 && matches == 40_000)
    try playground.write(Array("1,\"".utf8) + [UInt8](repeating: 0x61, count: 4 << 20), to: "long.csv")
    var open = CSVReader(try InputFile(playground.path("long.csv")))
    #expect(throws: CommandFailure.self) { while try open.next() {} }
  }
}
