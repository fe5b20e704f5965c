import Foundation
import Kith
import Testing

@testable import KithCLI

/// A temporary directory, removed at the end of the test.
final class Workshop {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("kith-import-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = "\(path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  func file(_ name: String, _ text: String) throws -> String { try file(name, Array(text.utf8)) }

  /// Runs the command line and returns its status.
  func kith(_ words: String...) -> Int32 { EntryPoint.run(words) }
}

/// Imports files in memory.
func fill(_ graph: SocialGraph, _ words: [String]) throws(CommandFailure) -> [ImportReport] {
  let command = Command(name: "import", summary: "", options: ImportFiles.options, examples: []) {
    (_) throws(CommandFailure) in 0
  }
  let files = try ImportFiles(try Arguments(words, of: command))
  return try ImportCommand.fill(graph, from: try files.open(), files).reports
}

func failure(_ body: () throws(CommandFailure) -> Void) -> CommandFailure? {
  do throws(CommandFailure) {
    try body()
    return nil
  } catch {
    return error
  }
}

@Suite struct ImportTests {
  @Test("Escapes, empty lines and a last line without a line break are read")
  func shapes() throws {
    let workshop = try Workshop()
    let users = try workshop.file("users.tsv", "\n1\tann\n2\tB\\\\öb\n\n3\ttab\\there")
    let posts = try workshop.file("posts.tsv", "9\t2\t0\ta\\nb\\r\n10\t1\t7\t\n")
    let graph = SocialGraph()
    let reports = try fill(graph, ["--posts", posts, "--users", users])
    #expect(reports.map(\.kind) == [.component(.users), .component(.posts)] && reports.map(\.addedCount) == [3, 2])
    let ids = graph.read { view in [view.findUser(named: "B\\öb"), view.findUser(named: "tab\there")] }
    #expect(ids == [2, 3])
    #expect(try graph.read { view in try [view.post(9).text, view.post(10).text] } == ["a\nb\r", ""])
  }

  @Test("Edges in the order of an export, in any other, and with rows that break rules give the same graph")
  func orders() throws {
    let workshop = try Workshop()
    let users = try workshop.file("users.tsv", (1...60).map { "\($0 * 3)\tuser \($0)\n" }.joined())
    let texts = (1...40).map { "\($0)\t\(3 + 3 * ($0 % 50))\t\($0)\thello\n" }
    let posts = try workshop.file("posts.tsv", texts.joined())
    var random = RandomSource(seed: 5, stream: 1)
    func rows(_ targets: Int, step: Int) -> [String] {
      (1...60).flatMap { user in
        (1...targets).filter { $0 != user && random.below(3) == 0 }.map { target in
          "\(user * 3)\t\(target * step)\t\(random.below(4_000_000))\n"
        }
      }
    }
    let (follows, likes) = (rows(60, step: 3), rows(40, step: 1))
    func hash(_ follows: [String], _ likes: [String]) throws -> (String, [ImportReport]) {
      let graph = SocialGraph()
      let files = [
        "--users", users, "--posts", posts, "--follows", try workshop.file("follows.tsv", follows.joined()),
        "--likes", try workshop.file("likes.tsv", likes.joined()),
      ]
      let reports = try fill(graph, files)
      #expect(graph.read { view in view.verify() }.isEmpty)
      return (try GraphDigest(graph.pin().view).hashText, reports)
    }
    let (wanted, reports) = try hash(follows, likes)
    #expect(reports.map(\.addedCount) == [60, follows.count, 40, likes.count])
    let (shuffled, _) = try hash(
      random.permutation(follows.count).map { follows[Int($0)] }, random.permutation(likes.count).map { likes[Int($0)] }
    )
    #expect(shuffled == wanted)
    // A repeat, oneself, strangers and an impossible time, in order and after a row out of order.
    let bad = ["3\t3\t7\n", "3\t1000\t7\n", "1\t3\t7\n", "3\t6\t-7\n"]
    for place in [1, follows.count / 2] {
      var mixed = follows
      mixed.insert(contentsOf: bad + [follows[place - 1]], at: place)
      for rows in [mixed, mixed + [follows[0]], [follows[place]] + mixed] {
        let (found, reports) = try hash(rows, likes)
        #expect(found == wanted)
        #expect(reports[1].addedCount == follows.count && reports[1].skippedCount == rows.count - follows.count)
        #expect(reports[1].skipped.count == 4, "\(reports[1].skipped)")
      }
    }
  }

  @Test("A compressed file of any size needs about a megabyte of memory at once")
  func bomb() throws {
    // A frame of 512 blocks of 131,072 line feeds, each in four bytes: 64 MiB in 2 KB.
    let blocks = (1...512).flatMap { [$0 == 512 ? 0x03 : 0x02, 0x00, 0x10, 0x0A] as [UInt8] }
    let workshop = try Workshop()
    var file = try InputFile(workshop.file("bomb.zst", [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38] + blocks))
    var (total, longest) = (0, 0)
    var block: [UInt8] = []
    while try file.read(into: &block) {
      total += block.count
      longest = max(longest, block.count)
      block.removeAll(keepingCapacity: true)
    }
    #expect(total + block.count == 64 << 20 && block.isEmpty)
    #expect(longest < 1_300_000)
  }

  @Test("Rows that break a rule are skipped and counted by reason; the first one's line is reported")
  func skipped() throws {
    let workshop = try Workshop()
    let users = try workshop.file("u", "1\tann\n2\tbob\n1\tagain\n3\tann\n0\tzero\n4\t\n")
    let follows = try workshop.file("f", "1\t2\t5999\n\n1\t2\t6000\n2\t2\n1\t99\n2\t1\t-1\n2\t1\n")
    let graph = SocialGraph()
    let reports = try fill(graph, ["--users", users, "--follows", follows, "--at", "1234567"])
    func skipped(_ report: ImportReport) -> [String] {
      report.skipped.map { "\($0.count) \($0.reason) \($0.firstLine)" }
    }
    #expect(skipped(reports[0]) == ["1 idTaken 3", "1 usernameTaken 4", "1 invalidRequest 5", "1 invalidUsername 6"])
    #expect(skipped(reports[1]) == ["1 duplicate 3", "1 cannotFollowSelf 4", "1 unknownUser 5", "1 invalidRequest 6"])
    let times = try graph.read { view in try [1, 2].map { try view.followees(of: $0)[0].followedAt } }
    #expect(times == [5_000, 1_234_000])
  }

  @Test(
    "A malformed line is reported with file, line and reason",
    arguments: [
      ("users", "1\ta\n2\n", 2, "1 field; a row of users is: id username"),
      ("users", "1\ta\n\n2\tb\t\t\t\tc\td\te\n", 3, "8 fields"), ("users", "x\ta", 1, "\"x\" is not a 64-bit integer"),
      ("users", "\ta", 1, "\"\" is not"), ("users", "9223372036854775808\ta", 1, "not a 64-bit integer"),
      ("users", "1\ta\t\t\t2\n", 1, "is_private is 1 or 0, not 2"),
      ("posts", "1\t2\t3\ta\t\t\t\t\tfriends\n", 1, "an audience is one of everyone, unlisted"),
      ("users", "1\ta\\", 1, "a backslash"), ("users", "1\ta\\x", 1, "a backslash"),
      ("follows", "1\t2\t3\t4", 1, "4 fields"), ("follows", "1\t\t5", 1, "\"\" is not"),
      ("blocks", "1\t2\t", 1, "3 fields"), ("posts", "1\t1\t\ttext", 1, "\"\" is not"),
      ("users", "1\ta\n\n2\tb\r\n3\tc\n", 3, "carriage return"), ("users", "1\ta\n2\tb\r", 2, "carriage return"),
      ("users", "\n1\ta\r\n", 2, "carriage return"), ("users", "\nid\tname\r\n1\ta\n", 2, "carriage return"),
      ("users", "id\tname\n1\ta\r\n", 2, "carriage return"), ("users", "id\tname\r\n1\ta\n", 2, "in LF alone"),
      ("posts", "1\t1\t5\ta\n2\t1\t5\tb\r\n", 2, "carriage return"),
      ("posts", "1\t1\t5\ta\rb\n2\t1\t5\tb\r\n", 2, "carriage return"),
      ("likes", "1\t1\t5\n2\t1\t\r\n", 2, "carriage return"), ("mutes", "1\t2\n2\t1\r\n", 2, "carriage return"),
      ("follows", "1 2", 1, "1 field"), ("follows", "1\t2\n1\t3\r\n", 2, "carriage return"),
      ("users", "1\ta\r\n\r\n2\tb\n3\tc\r\n", 3, "ends in LF alone; the first line ends in CR LF"),
      ("posts", "1\t1\t5\ta\r\n2\t1\t5\r\n3\n", 2, "3 fields"), ("follows", "1\t2\r\n\n", 2, "in LF alone"),
      ("users", "\r\n1\ta\r\n2\tb\n", 3, "in LF alone"),
      ("users", "username\tid\n1\ta\n", 2, "\"a\" is not a 64-bit integer"),
      ("users", "x\ty\n1\ta\n", 1, "a header names the columns: id username"),
      ("users", "id\tname\nid\tname\n", 2, "\"id\" is not"),
      ("users", "\u{FEFF}user_id,name\r\n1,a\r\n", 1, "is it CSV? --format csv"),
      ("posts", "5\t1\tsoon\ttext", 1, "\"soon\" is not"), ("posts", "5\t1\t1", 1, "3 fields"),
      ("likes", "1\t2\t1.0", 1, "\"1.0\" is not"), ("mutes", "1\t2\t3", 1, "3 fields"),
      ("blocks", "-\t2", 1, "\"-\" is not"),
    ])
  func malformed(kind: String, text: String, line: Int, reason: String) throws {
    let workshop = try Workshop()
    let file = try workshop.file("bad.tsv", text)
    let told = try #require(failure { () throws(CommandFailure) in _ = try fill(SocialGraph(), ["--\(kind)", file]) })
    #expect(told.status == 1 && told.message.hasPrefix("\(file):\(line): "), "\(told.message)")
    #expect(told.message.contains(reason), "\(told.message)")
  }

  @Test(
    "A first line with the names of the columns is passed over",
    arguments: [
      ("users", "id\tusername\n1\ta\n"), ("users", "\u{FEFF}\r\nUser-ID\tName\r\n1\ta\r\n"),
      ("follows", "from\tto\tunix_ms\n1\t1\n"), ("posts", "post_id\tauthor\tcreated_at\ttext\n1\t1\t5\ta\n"),
    ])
  func headers(kind: String, text: String) throws {
    let workshop = try Workshop()
    let reports = try fill(SocialGraph(), ["--\(kind)", try workshop.file("f.tsv", text)])
    #expect(reports[0].rowCount == 1)
  }

  @Test("Only a first line that begins with no number can be a header")
  func noHeader() throws {
    let workshop = try Workshop()
    for (kind, text) in [
      ("users", "1\ta\nx\tb\n"), ("users", "1,a\n"), ("follows", "-\t2\n"), ("posts", "1\t1\tsoon\tx"),
    ] {
      let file = try workshop.file("f.tsv", text)
      let told = failure { () throws(CommandFailure) in _ = try fill(SocialGraph(), ["--\(kind)", file]) }
      #expect(told?.message.contains("header") == false, "\(text): \(told?.message ?? "")")
    }
  }

  @Test("A row that exists already with the same values is a duplicate")
  func duplicates() throws {
    let workshop = try Workshop()
    let users = try workshop.file("u", "1\tann\n2\tK\n")
    let posts = try workshop.file("p", "7\t1\t5\ttext\n")
    let follows = try workshop.file("f", "1\t2\t1000\n")
    let words = ["--users", users, "--posts", posts, "--follows", follows]
    let graph = SocialGraph()
    _ = try fill(graph, words)
    let again = try fill(graph, words)
    #expect(
      again.map { $0.skipped.map { "\($0.count) \($0.reason)" } } == [
        ["2 duplicate"], ["1 duplicate"], ["1 duplicate"],
      ])
    let other = try workshop.file("o", "1\tANN\n2\t\u{212A}\n3\tann\n")
    let others = try workshop.file("q", "7\t2\t5\ttext\n7\t1\t6\ttext\n7\t1\t5\ttexts\n7\t1\t5\ttext\n")
    let odd = try fill(graph, ["--users", other, "--posts", others])
    #expect(odd[0].skipped.map { "\($0.count) \($0.reason)" } == ["2 idTaken", "1 usernameTaken"])
    #expect(odd[1].skipped.map { "\($0.count) \($0.reason)" } == ["3 idTaken", "1 duplicate"])
    #expect(ImportSummary.text(of: odd).contains("skipped 1 post, duplicate; "))
    #expect(ImportSummary.text(of: odd).contains("skipped 2 users, idTaken; "))
    #expect(graph.read { $0.verify() } == [])
  }

  @Test("Invalid UTF-8 and a field that is too long are malformed")
  func badBytes() throws {
    let workshop = try Workshop()
    let invalid = try workshop.file("u", [0x31, 0x09, 0xFF, 0x0A])
    #expect(
      failure { () throws(CommandFailure) in _ = try fill(SocialGraph(), ["--users", invalid]) }?.message
        == "\(invalid):1: not valid UTF-8; a row is: id username [flags payload is_private display_name kind]")
    let limit = LineBlocks.maximumFieldByteCount
    for (count, reason) in [(limit, nil), (limit + 1, "a field of over"), (4 * limit, "a field of over")] {
      let long = try workshop.file("p", Array("7\t1\t1\t".utf8) + [UInt8](repeating: 0x61, count: count))
      let told = failure { () throws(CommandFailure) in _ = try fill(SocialGraph(), ["--posts", long]) }
      if let reason { #expect(told?.message.contains("p:1: \(reason)") == true) } else { #expect(told == nil) }
    }
  }

  @Test("Integers are read up to their limits")
  func integers() throws {
    for (text, value) in [
      ("0", 0), ("-7", -7), ("007", 7), ("999999999999999999", 999_999_999_999_999_999),
      ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
    ] {
      var parser = RowParser()
      #expect(try parser.integer(Array("\(text)\n".utf8)) == value)
      #expect(parser.offset == text.utf8.count + 1)
    }
  }

  @Test("Lines stay whole across block boundaries")
  func blocks() throws {
    let workshop = try Workshop()
    var text = ""
    for id in 1...60_000 { text += "\(id)\tuser number \(id) with a long enough name\n" }
    let graph = SocialGraph()
    let reports = try fill(graph, ["--users", try workshop.file("u", text)])
    #expect(reports[0].addedCount == 60_000)
    #expect(graph.read { view in view.findUser(named: "user number 31415 with a long enough name") } == 31_415)
  }
}

@Suite struct StoreCommandTests {
  @Test("A failed import leaves an old store unchanged and creates no new one")
  func failedImport() throws {
    let workshop = try Workshop()
    let (store, users) = ("\(workshop.path)/store", try workshop.file("u", "1\tann\n2\tbob\n"))
    let bad = try workshop.file("bad", "3\tcy\n4\n")
    #expect(workshop.kith("import", store, "--users", bad) == 1)
    #expect(!FileManager.default.fileExists(atPath: store))
    #expect(workshop.kith("import", store, "--users", "\(workshop.path)/absent") == 2)
    #expect(!FileManager.default.fileExists(atPath: store))
    #expect(workshop.kith("import", store, "--users", users) == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: store).sorted()
    #expect(workshop.kith("import", store, "--users", bad) == 1)
    #expect(workshop.kith("import", store, "--users", users, "--strict") == 1)
    #expect(workshop.kith("import", store, "--users", users) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: store).sorted() == files)
    #expect(workshop.kith("search", store, "ANN", "--json") == 0)
    #expect(workshop.kith("search", store, "cy") == 1)
  }

  @Test("An import that adds nothing fails, unless a row existed already")
  func fruitless() throws {
    let workshop = try Workshop()
    let (store, users) = ("\(workshop.path)/store", try workshop.file("u", "1\tann\n"))
    let (empty, broken) = (try workshop.file("empty", "\n"), try workshop.file("broken", "1\t2\n1\t1\n"))
    for words in [["--users", empty], ["--follows", broken], ["--users", empty, "--follows", broken, "--json"]] {
      #expect(EntryPoint.run(["import", store] + words) == 1)
      #expect(!FileManager.default.fileExists(atPath: store), "of a new store nothing remains")
    }
    #expect(workshop.kith("import", store, "--users", users, "--follows", broken) == 0, "judged over the whole import")
    let files = try FileManager.default.contentsOfDirectory(atPath: store).sorted()
    #expect(workshop.kith("import", store, "--follows", broken) == 1)
    #expect(workshop.kith("import", store, "--users", users) == 0)
    #expect(workshop.kith("import", store, "--users", users, "--follows", broken) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: store).sorted() == files)
    let outcome = try BuiltKith.run("import", store, "--follows", broken)
    #expect(outcome.errors.contains("nothing was imported") && outcome.output.contains("skipped 1 follow, unknownUser"))
  }

  @Test("A dash is refused as a store to write")
  func dash() throws {
    let workshop = try Workshop()
    let users = try workshop.file("u", "1\tann\n")
    for words in [
      ["import", "-", "--users", users], ["query", "-"],
      ["seed", "-", "--users", "1", "--follows", "0", "--posts", "0", "--likes", "0"],
    ] {
      let outcome = try BuiltKith.run(words)
      #expect(outcome.status == 2 && outcome.errors.contains("is no store; give a directory"), "\(words): \(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: "-"))
  }

  @Test("An export can be imported whole, and overwrites nothing")
  func exportAndBack() throws {
    let workshop = try Workshop()
    let (one, two, tsv) = ("\(workshop.path)/one", "\(workshop.path)/two", "\(workshop.path)/tsv")
    #expect(
      workshop.kith(
        "seed", one, "--users", "200", "--follows", "900", "--posts", "150", "--likes", "400", "--tsv", tsv) == 0)
    #expect(workshop.kith("export", one, tsv) == 2)
    #expect(
      workshop.kith(
        "import", two, "--users", "\(tsv)/users.tsv", "--follows", "\(tsv)/follows.tsv", "--posts", "\(tsv)/posts.tsv",
        "--likes", "\(tsv)/likes.tsv", "--strict") == 0)
    #expect(workshop.kith("restore", two, "\(workshop.path)/three") == 0)
    #expect(workshop.kith("restore", two, one) == 2)
    let digests = try ["one", "two", "three"].map { name in
      try GraphDigest(try StoreAccess.open("\(workshop.path)/\(name)", access: .readOnly).pin().view)
    }
    #expect(digests[0] == digests[1] && digests[1] == digests[2])
    #expect(workshop.kith("verify", "\(workshop.path)/three") == 0)
    #expect(workshop.kith("inspect", two) == 0)
    #expect(workshop.kith("seed", one, "--users", "1", "--follows", "0", "--posts", "0", "--likes", "0") == 2)
  }

  @Test("verify reports damage with status 1, and restore refuses it")
  func damage() throws {
    let workshop = try Workshop()
    let store = "\(workshop.path)/store"
    #expect(workshop.kith("import", store, "--users", try workshop.file("u", "1\tann\n")) == 0)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: store).first { $0.hasPrefix("snap-") })
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(store)/\(name)")))
    bytes[bytes.count / 2] ^= 1
    let damaged = try workshop.file("damaged.kith.zst", bytes)
    #expect(workshop.kith("verify", damaged) == 1)
    #expect(workshop.kith("restore", damaged, "\(workshop.path)/new") == 1)
    #expect(!FileManager.default.fileExists(atPath: "\(workshop.path)/new"))
    #expect(workshop.kith("verify", try workshop.file("text", "no snapshot")) == 2)
    #expect(workshop.kith("verify", "\(workshop.path)/absent") == 2)
  }

  @Test("Read-only commands create nothing")
  func reading() throws {
    let workshop = try Workshop()
    for words in [["search", "a"], ["timeline", "1"], ["user", "1"], ["post", "1"], ["snapshot"], ["inspect"]] {
      #expect(EntryPoint.run([words[0], "\(workshop.path)/absent"] + words.dropFirst()) == 2)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.path).isEmpty)
  }
}
