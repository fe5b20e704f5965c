import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// Rows that an import loses, and what it tells of them.
@Suite struct RejectTests {
  private let workshop: Workshop
  private var store: String { "\(workshop.path)/store" }
  private var rejects: String { "\(workshop.path)/rejects.jsonl" }

  init() throws { workshop = try Workshop() }

  private func lines(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test("Each row that breaks a rule is in the file with line, code and reason, and can be imported from there")
  func rejected() throws {
    let users = try workshop.file("u.tsv", "1\tann\n2\tbob\n1\tann\n3\tann\n")
    let posts = try workshop.file("p.tsv", "7\t9\t400000000000\tone \"two\\t\\n\n")
    let words = ["import", store, "--users", users, "--posts", posts, "--rejects", rejects]
    let outcome = try BuiltKith.run(words)
    #expect(outcome.status == 3, "\(outcome)")
    #expect(
      outcome.errors
        == "kith: the rest is imported; 2 rows were rejected (1 unknownUser, 1 usernameTaken); they are in "
        + "\(rejects)\n")
    #expect(
      try lines(rejects) == [
        #"{"file":"\#(users)","line":4,"code":"usernameTaken","#
          + #""message":"the username \"ann\" is taken; choose another","#
          + #""row":{"op":"addUser","id":3,"username":"ann"}}"#,
        #"{"file":"\#(posts)","line":1,"code":"unknownUser","message":"no user 9","#
          + #""row":{"op":"addPost","id":7,"user":9,"text":"one \"two\t\n","createdAt":400000000000}}"#,
      ])
    let again = try BuiltKith.run(words)
    #expect(again.status == 2 && again.errors.contains("rejects.jsonl"), "a file that is there is kept: \(again)")
    #expect(try lines(rejects).count == 2)

    let other = try workshop.file("more.tsv", "9\tcarl\n")
    #expect(try BuiltKith.run("import", store, "--users", other).status == 0)
    let row = try #require(try lines(rejects).last)
    let start = try #require(row.range(of: #""row":"#)).upperBound
    let mended = try workshop.file("mended.jsonl", String(row[start...].dropLast()) + "\n")
    #expect(try BuiltKith.run("import", store, "--posts", mended).status == 0)
    let exported = try BuiltKith.run("export", store, "-", "--only", "posts").output
    #expect(exported == "7\t9\t400000000000\tone \"two\\t\\n\n")
  }

  @Test("Without rejects the file is empty, and duplicates are none")
  func none() throws {
    let users = try workshop.file("u.tsv", "1\tann\n1\tann\n")
    #expect(workshop.kith("import", store, "--users", users, "--rejects", rejects) == 0)
    #expect(try lines(rejects) == [])
  }

  @Test("Rows of every kind are rejected with the request that would add them")
  func kinds() throws {
    let files = try [
      ("follows", "1\t5\t400000000000\n"), ("likes", "1\t5\t400000000000\n"), ("blocks", "1\t5\n"), ("mutes", "5\t1\n"),
    ].map { kind, text in ("--\(kind)", try workshop.file(kind, text)) }
    let users = try workshop.file("u", "1\tann\n")
    let words = ["import", store, "--users", users, "--rejects", rejects] + files.flatMap { [$0.0, $0.1] }
    #expect(EntryPoint.run(words) == 3)
    let rows = try lines(rejects).compactMap { line in
      line.range(of: #""row":"#).map { String(line[$0.upperBound...]) }
    }
    #expect(
      rows == [
        #"{"op":"follow","user":1,"target":5,"at":400000000000}}"#,
        #"{"op":"like","user":1,"post":5,"at":400000000000}}"#,
        #"{"op":"block","user":1,"target":5}}"#, #"{"op":"mute","user":5,"target":1}}"#,
      ])
  }

  @Test("A strict import says that nothing was kept, keeps the rejects, and leaves no store")
  func strict() throws {
    let users = try workshop.file("u.tsv", "1\tann\n2\tann\n0\tx\n")
    let text = try BuiltKith.run("import", store, "--users", users, "--strict", "--rejects", rejects)
    #expect(text.status == 1 && text.output.contains("valid") && !text.output.contains("added"), "\(text)")
    #expect(text.errors.contains("nothing was imported, because of --strict: 1 invalidRequest, 1 usernameTaken"))
    #expect(try lines(rejects).count == 2 && !FileManager.default.fileExists(atPath: store))
    let json = try BuiltKith.run("import", store, "--users", users, "--strict", "--json")
    #expect(json.status == 1, "\(json)")
    #expect(json.output.hasPrefix(#"{"committed":false,"files":[{"kind":"users""#), "\(json.output)")
    #expect(json.output.contains(#""rows":3,"valid":1,"#) && json.output.contains(#""rejected":2}"#), "\(json.output)")
  }

  @Test("A malformed line ends the import; what was rejected before it is in the file")
  func malformed() throws {
    let users = try workshop.file("u.tsv", "1\tann\n2\tann\n3\n")
    #expect(workshop.kith("import", store, "--users", users, "--rejects", rejects) == 1)
    #expect(try lines(rejects).count == 1 && !FileManager.default.fileExists(atPath: store))
  }

  @Test("Many rejects pass through a small buffer")
  func many() throws {
    let users = try workshop.file("u.tsv", "1\tann\n")
    let count = 30_000
    let follows = try workshop.file("f.tsv", (1...count).map { "1\t\($0 + 1)\t400000000000\n" }.joined())
    #expect(
      workshop.kith("import", store, "--users", users, "--follows", follows, "--rejects", rejects) == 3)
    let found = try lines(rejects)
    #expect(found.count == count && found.last?.contains(#""line":30000,"code":"unknownUser""#) == true)
  }
}

/// Times and columns of files of rows.
@Suite struct RowTimeTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func times(_ posts: String, as name: String, _ options: String...) throws -> [Int64] {
    let graph = SocialGraph()
    let users = try workshop.file("users", "1\tann\n2\tbob\n")
    _ = try fill(graph, ["--users", users, "--posts", try workshop.file(name, posts)] + options)
    return try graph.read { view in try view.searchPosts("").items.map(\.createdAt.rawValue) }
  }

  @Test("Times are milliseconds, seconds or texts, in every format")
  func units() throws {
    #expect(try times("7\t1\t1650000000\ta\n", as: "p.tsv") == [1_650_000_000])
    #expect(try times("7\t1\t1650000000\ta\n", as: "p.tsv", "--time-unit", "s") == [1_650_000_000_000])
    let text = "2022-04-15T05:20:00.25Z"
    #expect(try times("7\t1\t\(text)\ta\n", as: "p.tsv", "--time-unit", "iso") == [1_650_000_000_250])
    #expect(try times("7,1,2022-04-15 07:20:00+02:00,a\n", as: "p.csv", "--time-unit", "iso") == [1_650_000_000_000])
    let row = #"{"id":7,"user":1,"text":"a","createdAt":"#
    #expect(try times(row + "\"\(text)\"}\n", as: "p.jsonl", "--time-unit", "iso") == [1_650_000_000_250])
    #expect(try times(row + "1650000000}\n", as: "p.jsonl", "--time-unit", "s") == [1_650_000_000_000])
  }

  @Test("A header may leave out optional columns in the middle, and an edit has a time in the unit of the file")
  func optionalColumns() throws {
    let graph = SocialGraph(schema: SocialGraph.Schema())
    let users = try workshop.file("u.csv", "id,username,payload\n1,ann,AQI=\n")
    let posts = try workshop.file(
      "p.jsonl",
      #"{"id":7,"user":1,"text":"a","createdAt":"2022-04-15T05:20:00Z","editedAt":"2022-04-15T05:20:01Z"}"# + "\n")
    _ = try fill(graph, ["--users", users])
    _ = try fill(graph, ["--posts", posts, "--time-unit", "iso"])
    try graph.read { view in
      let ann = try view.adding(ResultDetails(includesPayloads: true), to: view.user(UserID(1)))
      #expect(ann.payload == [1, 2])
      #expect(try view.post(PostID(7)).editedAt == 1_650_000_001_000)
    }
  }

  @Test(
    "A time that is none is malformed",
    arguments: [
      ("p.tsv", "7\t1\t1650000000\ta\n", "iso", "\"1650000000\" is no time such as"),
      ("p.tsv", "7\t1\t9223372036854775807\ta\n", "s", "seconds are no time"),
      ("p.tsv", "7\t1\t2022-02-30T00:00:00\ta\n", "iso", "is no time"),
      ("p.jsonl", #"{"id":7,"user":1,"text":"a","createdAt":5}"# + "\n", "iso", "createdAt is no string with a time"),
      ("p.jsonl", #"{"id":7,"user":1,"text":"a","createdAt":"5"}"# + "\n", "s", "createdAt is no integer"),
    ])
  func noTimes(name: String, text: String, unit: String, reason: String) throws {
    let file = try workshop.file(name, text)
    let told = failure { () throws(CommandFailure) in
      _ = try fill(SocialGraph(), ["--posts", file, "--time-unit", unit])
    }
    #expect(told?.message.hasPrefix("\(file):1: ") == true && told?.message.contains(reason) == true, "\(told as Any)")
  }

  @Test("Milliseconds before 1980 are reported, once for a file, with what would help")
  func early() throws {
    let (store, users) = ("\(workshop.path)/store", try workshop.file("users", "1\tann\n2\tbob\n"))
    let posts = try workshop.file("p", "\n7\t1\t1650000000\ta\n8\t1\t1650000001\tb\n")
    let follows = try workshop.file("f", "1\t2\t1650000000000\n2\t1\t1650000000\n")
    let outcome = try BuiltKith.run(
      "import", store, "--users", users, "--posts", posts, "--follows", follows, "--at", "5")
    #expect(
      outcome.errors == """
        kith: \(follows): 1 time is before 1980, as line 2: 1970-01-20 02:20:00; if the file has seconds, give \
        --time-unit s
        kith: \(posts): all 2 times are before 1980, as line 2: 1970-01-20 02:20:00; if the file has seconds, give \
        --time-unit s

        """)
    #expect(outcome.status == 0)
    let seconds = try BuiltKith.run(
      "import", store + "2", "--users", users, "--posts", posts, "--time-unit", "s", "--json")
    #expect(seconds.errors == "" && seconds.output.contains(#""timesBefore1980":0"#), "\(seconds)")
  }

  @Test(
    "A header names the columns in any order, and others beside them",
    arguments: [
      ("users", "handle,id\nann,1\n\nbob,2\n", ["1\tann", "2\tbob"]),
      ("users", "id,created_at,name,mail\n1,5,ann,\"a,b\"\n2,,bob,\n", ["1\tann", "2\tbob"]),
      ("users", ",id,handle\n0,1,ann\n1,2,bob\n", ["1\tann", "2\tbob"]),
      (
        "posts", "text,post_id,time,user\n\"a\nb\",7,400000000000,1\nc,8,400000000000,2\n",
        ["7\t1\t400000000000\ta\\nb", "8\t2\t400000000000\tc"]
      ),
      ("follows", "at,to,from\n400000000000,2,1\n", ["1\t2\t400000000000"]),
      ("follows", "to,from,note\n2,1,x\n", ["1\t2\t7000"]),
      ("likes", "post,user\n7,1\n", ["1\t7\t7000"]), ("blocks", "target,user\n2,1\n", ["1\t2"]),
    ])
  func columns(kind: String, text: String, rows: [String]) throws {
    let store = "\(workshop.path)/\(UUID().uuidString)"
    let users = kind == "users" ? [] : ["--users", try workshop.file("users", "1\tann\n2\tbob\n")]
    let posts = kind == "likes" ? ["--posts", try workshop.file("posts", "7\t1\t400000000000\ta\n")] : []
    let file = try workshop.file("f.csv", text)
    let outcome = try BuiltKith.run(["import", store, "--\(kind)", file, "--at", "7000"] + users + posts)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try BuiltKith.run("export", store, "-", "--only", kind).lines == rows)
  }

  @Test(
    "A header that does not name each column once is malformed, and so is a row of another length",
    arguments: [
      ("users", "name,handle,id\na,b,1\n", 1, "in the header, \"name\" and \"handle\" can all be username"),
      ("users", "id,mail\n1,a\n", 1, "the header names no column username"),
      ("users", "mail,phone\na,b\n", 1, "\"mail\" is not a 64-bit integer"),
      ("users", "name,id\na,1\n\nb\n", 4, "1 field; the header names 2"),
      ("users", "name,id\na,1,x\n", 2, "3 fields; the header names 2"),
      ("users", "name,id\na,x\n", 2, "\"x\" is not a 64-bit integer"),
    ])
  func badHeaders(kind: String, text: String, line: Int, reason: String) throws {
    let file = try workshop.file("f.csv", text)
    let told = failure { () throws(CommandFailure) in _ = try fill(SocialGraph(), ["--\(kind)", file]) }
    #expect(told?.message.hasPrefix("\(file):\(line): \(reason)") == true, "\(told as Any)")
  }

  @Test("Columns in another order stay whole across block boundaries")
  func blocks() throws {
    let text = (1...60_000).map { "x\($0)\tname \($0)\t\($0)\n" }.joined()
    let graph = SocialGraph()
    let reports = try fill(graph, ["--users", try workshop.file("u", "extra\tname\tid\n" + text)])
    #expect(reports[0].addedCount == 60_000 && text.utf8.count > 1 << 20)
    #expect(graph.read { view in view.findUser(named: "name 59999") } == 59_999)
  }
}
