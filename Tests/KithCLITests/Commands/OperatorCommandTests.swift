import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// Point-in-time recovery, salvage, erasing, snapshots through pipes, and the recovery drill on the command line.
@Suite struct OperatorCommandTests {
  private let playground: Playground
  private let store: String

  /// Three users, a follow and a post in three writes; then a snapshot, and a batch of two.
  init() throws {
    playground = try Playground()
    store = playground.path("store")
    try query(
      #"{"op":"batch","changes":[\#(user(1)),\#(user(2)),\#(user(3))]}"#, follow(1, 2),
      #"{"op":"addPost","id":7,"user":1,"text":"a secret","createdAt":5000}"#)
    try query(#"{"op":"snapshot"}"#, #"{"op":"batch","changes":[\#(follow(2, 3)),\#(follow(3, 1))]}"#)
  }

  private func user(_ id: Int) -> String { #"{"op":"addUser","id":\#(id),"username":"user \#(id)"}"# }
  private func follow(_ user: Int, _ target: Int) -> String {
    #"{"op":"follow","user":\#(user),"target":\#(target),"at":5000}"#
  }

  private func query(_ requests: String...) throws {
    let outcome = try BuiltKith.run("query", store, input: requests.map { $0 + "\n" }.joined())
    #expect(outcome.status == 0 && outcome.lines.allSatisfy { $0.hasPrefix(#"{"ok":true"#) }, "\(outcome.output)")
  }

  private func counts(_ path: String) throws -> SocialGraph.Counts {
    try SocialGraph.open(path, access: .readOnly).read { $0.counts }
  }

  @Test("A restore goes to a sequence number or a time, never into the middle of a batch") func goingBack() throws {
    for (sequence, follows, reached) in [(3, 0, 3), (4, 1, 4), (5, 1, 5), (6, 1, 5), (7, 3, 7)] {
      let target = playground.path("back\(sequence)")
      let outcome = try BuiltKith.run("restore", store, target, "--at-sequence", "\(sequence)")
      #expect(outcome.output == "\(target): restored as of change \(reached)\n", "\(outcome)")
      #expect(try counts(target).follows == follows)
      #expect(try BuiltKith.run("verify", target, "--deep").status == 0)
    }
    let now = playground.path("now")
    let late = timeText(Timestamp.now().rawValue)
    #expect(try BuiltKith.run("restore", store, now, "--at-time", late).status == 0)
    #expect(try counts(now) == counts(store))
    let refused = playground.path("refused")
    for words in [
      ["--at-sequence", "8"], ["--at-sequence", "0"], ["--at-sequence", "2"], ["--at-time", "1999-01-01T00:00:00Z"],
      ["--at-time", "2999-01-01T00:00:00Z"], ["--at-time", "yesterday"],
      ["--at-sequence", "3", "--at-time", "2020-01-01 00:00:00"], ["--only", "user"],
    ] {
      let outcome = try BuiltKith.run(["restore", store, refused] + words)
      #expect(outcome.status == 2 && !outcome.errors.isEmpty, "\(words): \(outcome)")
    }
    #expect(try BuiltKith.run("restore", store, refused, "--only", "user").errors.contains("perhaps users"))
    #expect(!FileManager.default.fileExists(atPath: refused))
  }

  @Test("A file name with the highest number of all is damage to every command") func highestName() throws {
    let number = String(UInt64.max)
    try playground.write(Array("no snapshot".utf8), to: "store/snap-\(number)-\(number).kith.zst")
    let saved = playground.path("saved")
    for format in [[], ["--json"]] {
      for command in ["list", "inspect", "verify"] {
        let outcome = try BuiltKith.run([command, store] + format)
        #expect(outcome.status == 1 && (outcome.errors + outcome.output).contains(number), "\(outcome)")
      }
      let outcome = try BuiltKith.run(["salvage", store, saved] + format)
      #expect(outcome.status == 0 && outcome.output.contains("\(number).kith.zst is no file of a store"), "\(outcome)")
      try? FileManager.default.removeItem(atPath: saved)
    }
  }

  @Test("A partial restore holds its components and what they need") func parts() throws {
    let target = playground.path("people")
    #expect(try BuiltKith.run("restore", store, target, "--only", "follows,mutes").status == 0)
    #expect(try counts(target) == SocialGraph.Counts(users: 3, posts: 0, follows: 3, likes: 0, blocks: 0, mutes: 0))
    #expect(try BuiltKith.run("verify", target, "--deep").status == 0)
  }

  @Test("Salvage builds a store from what is readable, and reports what is lost") func salvage() throws {
    let names = try playground.names("store")
    let snapshot = try #require(names.first { $0.hasPrefix("snap-") })
    let journals = names.filter { $0.hasPrefix("wal-") }
    let whole = try BuiltKith.run("salvage", store, playground.path("whole"))
    #expect(whole.status == 0 && whole.output.contains("nothing is known to be lost"), "\(whole)")
    #expect(try counts(playground.path("whole")) == counts(store))
    // The snapshot and the follow of the first journal are lost.
    try FileManager.default.removeItem(atPath: "\(store)/\(snapshot)")
    var bytes = try playground.bytes("store/\(journals[0])")
    bytes[4_096 + 512 + 50] ^= 1
    try playground.write(bytes, to: "store/\(journals[0])")
    #expect(try BuiltKith.run("restore", store, playground.path("no")).status == 1)
    let target = playground.path("saved")
    let saved = try BuiltKith.run("salvage", store, target)
    #expect(saved.status == 1 && saved.output.contains("lost: 1 change: 4: cannot be read"), "\(saved)")
    #expect(try counts(target) == SocialGraph.Counts(users: 3, posts: 1, follows: 2, likes: 0, blocks: 0, mutes: 0))
    #expect(try BuiltKith.run("verify", target, "--deep").status == 0)
    let json = try BuiltKith.run("salvage", store, playground.path("json"), "--json")
    #expect(json.status == 1 && json.output.contains(#""lost":[{"first":4,"last":4}],"notMade":[]"#), "\(json.output)")
    #expect(try BuiltKith.run("salvage", store, target).status == 2, "never over anything")
    for name in names { try playground.write([1, 2, 3], to: "store/\(name)") }
    let nothing = try BuiltKith.run("salvage", store, playground.path("nothing"))
    #expect(nothing.status == 1 && nothing.errors.contains("nothing of it can be saved"), "\(nothing)")
    #expect(!FileManager.default.fileExists(atPath: playground.path("nothing")))
  }

  @Test("After an erase no file holds removed data, and the report says what was rewritten") func erase() throws {
    try query(#"{"op":"removePost","post":7}"#)
    func holdsSecret() throws -> Bool {
      try playground.contents("store").values.contains { Data($0).range(of: Data("a secret".utf8)) != nil }
    }
    #expect(try holdsSecret())
    let before = try playground.names("store")
    let erased = try BuiltKith.run("snapshot", store, "--erase")
    #expect(erased.status == 0, "\(erased)")
    let after = try playground.names("store")
    let snapshots = after.filter { $0.hasPrefix("snap-") }
    #expect(snapshots.count == 2 && !snapshots.contains { before.contains($0) })
    for name in before where !after.contains(name) { #expect(erased.output.contains("  removed \(name)\n")) }
    #expect(try !holdsSecret())
    #expect(try BuiltKith.run("verify", store, "--deep").status == 0)
    for words in [["--to", playground.path("x")], ["--keep", "3"]] {
      #expect(try BuiltKith.run(["snapshot", store, "--erase"] + words).status == 2)
    }
    #expect(try BuiltKith.run("snapshot", store, "--keep", "1").status == 2)
  }

  @Test("Retention follows count, age and bytes") func retention() throws {
    func snapshots() throws -> Int { try playground.names("store").count { $0.hasPrefix("snap-") } }
    for expected in [2, 3, 4, 4] {
      #expect(try BuiltKith.run("snapshot", store, "--keep", "4").status == 0)
      #expect(try snapshots() == expected)
    }
    #expect(try BuiltKith.run("snapshot", store, "--keep", "2", "--keep-hours", "1").status == 0)
    #expect(try snapshots() == 5, "all of them are of this hour")
    #expect(try BuiltKith.run("snapshot", store, "--keep-hours", "1", "--keep-bytes", "1").status == 0)
    #expect(try snapshots() == 2, "bytes go before age, but never below two")
  }

  @Test("A snapshot goes through a pipe and can be restored from it") func pipes() throws {
    let kith = try #require(BuiltKith.executable).path
    func shell(_ line: String) throws -> Int32 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", line]
      process.standardError = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
    let (file, target) = (playground.path("piped"), playground.path("restored"))
    // No temporary file is written.
    #expect(try shell("TMPDIR=/nowhere \(kith) snapshot \(store) --to - | cat > \(file)") == 0)
    #expect(try shell("cat \(file) | TMPDIR=/nowhere \(kith) restore - \(target)") == 0)
    #expect(try counts(target) == counts(store) && counts(file) == counts(store))
    #expect(try shell("cat \(file) | \(kith) inspect - | grep -q '^-$'") == 0)
    #expect(try shell("cat \(file) | \(kith) verify - --deep") == 0)
    #expect(try shell("head -c 3000 \(file) | \(kith) verify -") == 1)
    #expect(try shell("\(kith) restore - \(playground.path("none")) < /dev/null") != 0)
    #expect(try shell("cat \(file) | \(kith) restore - \(playground.path("none")) --at-sequence 1") == 2)
    let full = "/dev/full"
    if FileManager.default.fileExists(atPath: full) {
      #expect(try shell("\(kith) snapshot \(store) --to - > \(full)") == 2)
    }
  }

  /// The golden snapshots, and a store for each golden journal with its `ACK`.
  private func goldenFiles() throws -> [String] {
    let folder = repositoryRoot.appendingPathComponent("Snapshots").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let snapshots = names.filter { $0.hasSuffix(".kith.zst") }.map { "\(folder)/\($0)" }
    let versions = names.filter { $0.hasSuffix(".journal") }.map { String($0.dropLast(8)) }
    for version in versions {
      let store = playground.path(version)
      try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
      let journal = StoreNames.journal(generation: 1)
      try FileManager.default.copyItem(atPath: "\(folder)/\(version).journal", toPath: "\(store)/\(journal)")
      try FileManager.default.copyItem(atPath: "\(folder)/\(version).ack", toPath: "\(store)/ACK")
    }
    return snapshots + versions.map { playground.path($0) }
  }

  @Test("The recovery drill restores everything, from the files of every format version")
  func drills() throws {
    let golden = try goldenFiles()
    #expect(golden.count > 1)
    for path in golden {
      let outcome = try BuiltKith.run("drill", path, "--changes", "200")
      #expect(outcome.status == 0 && outcome.lines.last == "every state was restored exactly", "\(path): \(outcome)")
    }
    let own = try BuiltKith.run("drill", store, "--changes", "40", "--json")
    #expect(own.status == 0 && own.output.hasPrefix(#"{"steps":[{"name":"a store""#), "\(own)")
    #expect(try BuiltKith.run("drill", playground.path("absent")).status == 2)
  }

  @Test("Times are read as RFC 3339 and as they are shown") func times() {
    #expect(parseTime("1970-01-01T00:00:00.000Z") == 0)
    #expect(parseTime("2024-02-29 23:59:07") == 1_709_251_147_999)
    #expect(parseTime("2024-02-29") == parseTime("2024-02-29 23:59:59"))
    #expect(parseTime("2024-02-29", missingMilliseconds: 0) == 1_709_164_800_000)
    #expect(parseTime("2024-02-30") == nil && parseTime("2024-2-290") == nil)
    #expect(parseTime("2024-02-29T23:59:07.5+01:30") == 1_709_245_747_500)
    #expect(parseTime("2024-12-31T23:59:59.25-00:01") == 1_735_689_659_250)
    #expect(parseTime("2024-02-29t23:59:07.500999z") == parseTime("2024-02-29 23:59:07.5"))
    for text in [
      "", "2024-02-30 00:00:00", "2023-02-29 00:00:00", "2024-13-01 00:00:00", "2024-01-01 24:00:00",
      "2024-01-01 00:00:00.", "2024-01-01 00:00:00.1234567890",
      "2024-01-01 00:00:00.12a", "24-01-01 00:00:00", "2024-01-01T00:00:00+1:00", "+01:00",
      "２024-01-01 00:00:00",
    ] {
      #expect(parseTime(text) == nil, "\(text)")
    }
    for (day, next) in [("2024-02-29", "2024-03-01"), ("1999-12-31", "2000-01-01"), ("2100-02-28", "2100-03-01")] {
      let parsed = [day, next].map { parseTime("\($0) 00:00:00.0") ?? 0 }
      #expect(parsed[1] - parsed[0] == 86_400_000 && timeText(parsed[0]).hasPrefix(day))
    }
  }
}
