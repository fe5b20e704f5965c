import Foundation
import Kith
import Testing

@testable import KithCLI

/// How lines of imported files end, and what an empty last field of them is.
@Suite struct LineEndTests {
  @Test("A file can begin with a byte-order mark and end its lines in CR LF")
  func marksAndLineEnds() throws {
    let workshop = try Workshop()
    func names(_ text: String) throws -> [String] {
      let graph = SocialGraph()
      _ = try fill(graph, ["--users", try workshop.file("u", text)])
      return try graph.read { try $0.searchUsers("").map(\.username) }
    }
    #expect(try names("1\tann\r\n2\tbob\r\n") == ["ann", "bob"])
    #expect(try names("\u{FEFF}1\tann\n2\tbob\n") == ["ann", "bob"])
    #expect(try names("\u{FEFF}\r\n1\tann\r\n\r\n2\tbob") == ["ann", "bob"])
    #expect(try names("1\tann\r\n2\tbob\r") == ["ann", "bob"], "a last line that is cut within its end")
    #expect(try names("\u{FEFF}") == [] && names("") == [] && names("\r\n") == [])
    #expect(try names("1\t\u{FEFF}a") == ["\u{FEFF}a"], "elsewhere it is text")
    let odd = "1\tann\r\n2\t" + String(repeating: "x", count: 300) + "\r\n"
    #expect(try names(odd) == ["ann"], "what is too long is told as such, not as a line's end")
    // White space in texts is kept.
    let graph = SocialGraph()
    let users = try workshop.file("users", "1\tann\n")
    let plain = try workshop.file("plain", "1\t1\t5\ta\n2\t1\t5\tb\\r\n3\t1\t5\t\rc \n")
    let windows = try workshop.file("windows", "4\t1\t5\ta\\r\r\n5\t1\t5\tb\rc\r\r\n")
    _ = try fill(graph, ["--users", users, "--posts", plain])
    _ = try fill(graph, ["--posts", windows])
    let texts = try graph.read { view in try (1...5).map { try view.post(PostID($0)).text } }
    #expect(texts == ["a", "b\r", "\rc ", "a\r", "b\rc\r"])
  }

  @Test("A line that ends in CR LF after many that end in LF alone is reported by number, and none after it is read")
  func lateCarriageReturn() throws {
    let workshop = try Workshop()
    var text = ""
    for id in 1...60_000 { text += "\(id)\tuser number \(id) with a long enough name\n" }
    let bad = try workshop.file("bad", text + "60001\tlast\r\n60002\tmore\n")
    let told = failure { () throws(CommandFailure) in _ = try fill(SocialGraph(), ["--users", bad]) }
    #expect(told?.message.contains("bad:60001: a carriage return") == true)
  }

  @Test("An empty time of a follow or a like is none", arguments: ["tsv", "csv"], ["\n", "\r\n"])
  func emptyTimes(format: String, end: String) throws {
    let workshop = try Workshop()
    func file(_ name: String, _ rows: [String]) throws -> String {
      let lines = rows.map { format == "csv" ? $0.replacingOccurrences(of: "\t", with: ",") : $0 }
      return try workshop.file("\(name).\(format)", lines.joined(separator: end))
    }
    let graph = SocialGraph()
    let reports = try fill(
      graph,
      [
        "--users", try file("users", ["1\tann", "2\tbob", ""]),
        "--posts", try file("posts", ["1\t1\t5\thi", ""]),
        "--follows", try file("follows", ["from\tto\ttime", "1\t2\t", "2\t1\t5000", ""]),
        "--likes", try file("likes", ["1\t1\t7000", "2\t1\t"]), "--at", "9000",
      ])
    #expect(reports.allSatisfy { $0.rowCount == $0.addedCount && $0.rowCount > 0 })
    var times: [Int64?] = []
    graph.read { view in
      view.forEachEdge(of: .follow) { _, _, time in times.append(time?.rawValue) }
      view.forEachEdge(of: .like) { _, _, time in times.append(time?.rawValue) }
    }
    #expect(times == [9_000, 5_000, 7_000, 9_000])
  }

  @Test("Lines in CR LF stay whole across block boundaries; a bad one is reported by number")
  func windowsBlocks() throws {
    let workshop = try Workshop()
    var text = ""
    for id in 1...60_000 { text += "\(id)\tuser number \(id) with a long enough name\r\n" }
    let graph = SocialGraph()
    let reports = try fill(graph, ["--users", try workshop.file("u", text)])
    #expect(reports[0].addedCount == 60_000)
    #expect(graph.read { view in view.findUser(named: "user number 31415 with a long enough name") } == 31_415)
    let bad = try workshop.file("bad", text + "60001\tlast\n60002\tmore\r\n")
    let told = failure { () throws(CommandFailure) in _ = try fill(SocialGraph(), ["--users", bad]) }
    #expect(told?.message.contains("bad:60001: it ends in LF alone") == true)
  }
}
