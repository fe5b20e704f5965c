import Foundation
import Kith
import Testing

@testable import KithCLI

/// A temporary directory that goes with the test.
private final class Workshop {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("kith-import-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = "\(path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  func file(_ name: String, _ text: String) throws -> String { try file(name, Array(text.utf8)) }

  /// Runs the command line; answers its status.
  func kith(_ words: String...) -> Int32 { EntryPoint.run(words) }
}

/// Imports files in memory.
private func fill(_ graph: SocialGraph, _ words: [String]) throws(CommandFailure) -> [ImportReport] {
  let command = Command(name: "import", summary: "", options: ImportFiles.options, examples: []) {
    (_) throws(CommandFailure) in 0
  }
  let files = try ImportFiles(try Arguments(words, of: command))
  return try ImportCommand.fill(graph, from: try files.open(), files).reports
}

private func failure(_ body: () throws(CommandFailure) -> Void) -> CommandFailure? {
  do throws(CommandFailure) {
    try body()
    return nil
  } catch {
    return error
  }
}

@Suite("Import")
struct ImportTests {
  @Test("Escapes, empty lines, a last line without its end: all read")
  func shapes() throws {
    let workshop = try Workshop()
    let users = try workshop.file("users.tsv", "\n1\tann\n2\tB\\\\öb\n\n3\ttab\\there")
    let posts = try workshop.file("posts.tsv", "9\t2\t0\ta\\nb\\r\n10\t1\t7\t\n")
    let graph = SocialGraph()
    let reports = try fill(graph, ["--posts", posts, "--users", users])
    #expect(reports.map(\.kind) == [.users, .posts] && reports.map(\.addedCount) == [3, 2])
    let ids = graph.read { view in [view.findUser(named: "B\\öb"), view.findUser(named: "tab\there")] }
    #expect(ids == [2, 3])
    #expect(try graph.read { view in try [view.post(9).text, view.post(10).text] } == ["a\nb\r", ""])
  }

  @Test("However much a compressed file holds, about a megabyte of it is in memory at once")
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

  @Test("Rows that break a rule are counted by reason and passed over; the first one's line is told")
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
    "A malformed line is told with file, line and reason",
    arguments: [
      ("users", "1\ta\n2\n", 2, "1 field; a row of users is: id username"),
      ("users", "1\ta\n\n2\tb\tc\n", 3, "3 fields"), ("users", "x\ta", 1, "\"x\" is not a 64-bit integer"),
      ("users", "\ta", 1, "\"\" is not"), ("users", "9223372036854775808\ta", 1, "not a 64-bit integer"),
      ("users", "1\ta\\", 1, "a backslash"), ("users", "1\ta\\x", 1, "a backslash"),
      ("follows", "1\t2\t3\t4", 1, "4 fields"), ("follows", "1\t2\t", 1, "\"\" is not"),
      ("follows", "1 2", 1, "1 field"), ("follows", "1\t2\r\n", 1, "carriage return"),
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

  @Test("Invalid UTF-8 and an endless field are malformed")
  func badBytes() throws {
    let workshop = try Workshop()
    let invalid = try workshop.file("u", [0x31, 0x09, 0xFF, 0x0A])
    #expect(
      failure { () throws(CommandFailure) in _ = try fill(SocialGraph(), ["--users", invalid]) }?.message
        == "\(invalid):1: not valid UTF-8; a row is: id username")
    let limit = LineBlocks.maximumFieldByteCount
    for (count, reason) in [(limit, nil), (limit + 1, "a field of over"), (4 * limit, "a field of over")] {
      let long = try workshop.file("p", Array("7\t1\t1\t".utf8) + [UInt8](repeating: 0x61, count: count))
      let told = failure { () throws(CommandFailure) in _ = try fill(SocialGraph(), ["--posts", long]) }
      if let reason { #expect(told?.message.contains("p:1: \(reason)") == true) } else { #expect(told == nil) }
    }
  }

  @Test("Integers are read to their limits")
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

  @Test("Lines are whole however the file's blocks are cut")
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

@Suite("Stores on the command line")
struct StoreCommandTests {
  @Test("A failed import leaves an old store as it was, and of a new one nothing")
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

  @Test("An export comes back whole, and writes over nothing")
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

  @Test("Damage is told by verify with status 1, and nothing is restored from it")
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

  @Test("Commands that read create nothing")
  func reading() throws {
    let workshop = try Workshop()
    for words in [["search", "a"], ["timeline", "1"], ["user", "1"], ["post", "1"], ["snapshot"], ["inspect"]] {
      #expect(EntryPoint.run([words[0], "\(workshop.path)/absent"] + words.dropFirst()) == 2)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.path).isEmpty)
  }
}
