import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// The commands for stores with journals, run as processes of their own.
@Suite struct JournalCommandTests {
  private let playground: Playground
  private let store: String

  /// Three users in the first journal, a follow in the second; then a snapshot, and a batch of two in the third.
  init() throws {
    playground = try Playground()
    store = playground.path("store")
    try query(user(1), user(2), user(3))
    try query(follow(1, 2), #"{"op":"snapshot"}"#, #"{"op":"batch","changes":[\#(follow(2, 3)),\#(follow(3, 1))]}"#)
  }

  private func user(_ id: Int) -> String { #"{"op":"addUser","id":\#(id),"username":"user \#(id)"}"# }
  private func follow(_ user: Int, _ target: Int) -> String {
    #"{"op":"follow","user":\#(user),"target":\#(target),"at":5000}"#
  }

  private func query(_ requests: String...) throws {
    let outcome = try BuiltKith.run("query", store, input: requests.map { $0 + "\n" }.joined())
    #expect(outcome.status == 0 && outcome.lines.count == requests.count)
    #expect(outcome.lines.allSatisfy { $0.hasPrefix(#"{"ok":true"#) }, "\(outcome.output)")
  }

  private func digest(_ path: String) throws -> GraphDigest {
    try GraphDigest(try SocialGraph.open(path, access: .readOnly).pin().view)
  }

  private var newestJournal: String {
    get throws { try #require(try playground.names("store").last { $0.hasPrefix("wal-") }) }
  }

  @Test("A list shows what each file holds and restores, and changes nothing") func list() throws {
    let before = try playground.contents("store")
    let listing = try StoreTools.list(store)
    #expect(listing.problems == [] && listing.lastSequence == 6 && listing.acknowledged == 6)
    #expect(listing.snapshots.map(\.restorable) == [4...6])
    #expect(listing.journals.map(\.changeCount) == [3, 1, 2] && listing.journals.last?.frameCount == 1)
    #expect(listing.journals.map(\.end) == [.clean, .clean, .clean])
    #expect(listing.restorableByJournal == [1...3, 4...4, 5...6])
    let json = try BuiltKith.run("list", store, "--json")
    #expect(json.status == 0 && json.errors.isEmpty && json.lines.count == 1)
    #expect(json.output.contains(#""restores":{"first":4,"last":6}"#), "\(json.output)")
    let text = try BuiltKith.run("list", store)
    #expect(text.lines.count == 6 && text.lines[0].contains("leads to change 6"), "\(text.output)")
    #expect(try BuiltKith.run("inspect", store).output.contains("2 changes in 1 frame, "))
    #expect(try BuiltKith.run("list", playground.path("absent")).status == 2)
    #expect(try BuiltKith.run("list", playground.path("store/LOCK")).status == 2)
    #expect(try playground.contents("store") == before)
  }

  @Test("Every command reports a torn tail above the watermark on standard error, and none calls it damage")
  func torn() throws {
    let name = try newestJournal
    // In the space that the writer reserves after the last frame.
    var bytes = try playground.bytes("store/\(name)")
    bytes.replaceSubrange(bytes.count - 512..<bytes.count - 509, with: [1, 2, 3])
    try playground.write(bytes, to: "store/\(name)")
    let before = try playground.contents("store")
    let remark = "kith: \(store): dropped 3 bytes of a torn frame at the end of \(name): "
    let target = playground.path("copy.kith.zst")
    for words in [
      ["verify", store], ["verify", store, "--deep"], ["search", store, "user"], ["user", store, "1"],
      ["timeline", store, "1"], ["export", store, playground.path("tsv")], ["snapshot", store, "--to", target],
      ["restore", store, playground.path("restored")], ["query", store, "--read-only"],
    ] {
      let outcome = try BuiltKith.run(words)
      #expect(outcome.status == 0 && !outcome.output.contains("dropped"), "\(words): \(outcome.output)")
      #expect(outcome.errors.hasPrefix(remark) && outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }
    let json = try BuiltKith.run(["verify", store, "--json"])
    #expect(json.errors.isEmpty && json.output.contains(#""problems":[],"notes":["dropped 3 bytes"#), "\(json.output)")
    #expect(try BuiltKith.run(["list", store]).output.contains("torn, 3 B"))
    #expect(try playground.contents("store") == before)
    // Once a newer journal exists, the torn tail is no longer reported.
    try query(user(4))
    let later = try BuiltKith.run(["verify", store])
    #expect(later.status == 0 && later.errors.isEmpty)
    #expect(try BuiltKith.run(["list", store]).output.contains("superseded, 3 B"))
    #expect(try StoreTools.list(store).lastSequence == 7)
  }

  @Test("verify reports damage in any file with its place; repairable damage does not stop opening")
  func damage() throws {
    let whole = try playground.contents("store")
    for (name, bytes) in whole where name != "LOCK" && name != "ACK" {
      var damaged = bytes
      // In a journal: the first frame.
      damaged[name.hasPrefix("wal-") ? 4_100 : bytes.count / 2] ^= 1
      try playground.write(damaged, to: "store/\(name)")
      let outcome = try BuiltKith.run("verify", store)
      #expect(outcome.status == 1 && outcome.output.contains(name), "\(name): \(outcome.output)")
      let json = try BuiltKith.run("verify", store, "--json")
      #expect(json.output.hasPrefix(#"{"problems":[{"code":"corrupt","where":""#), "\(json.output)")
      if name.hasPrefix("snap-") {
        let opened = try BuiltKith.run("user", store, "1")
        #expect(opened.status == 0 && opened.errors.hasPrefix("kith: \(store): passed over \(name): "))
      }
      try playground.write(bytes, to: "store/\(name)")
    }
    try playground.write([UInt8](repeating: 0, count: 1_024), to: "store/ACK")
    #expect(try BuiltKith.run("verify", store).status == 1 && BuiltKith.run("list", store).status == 1)
    try playground.write(try #require(whole["ACK"]), to: "store/ACK")
    #expect(try BuiltKith.run("verify", store, "--deep").status == 0)
    let name = try newestJournal
    try playground.write(Array(try #require(whole[name]).dropLast(900)), to: "store/\(name)")
    let short = try BuiltKith.run("verify", store)
    #expect(short.status == 1 && short.output.contains("changes up to 6 were acknowledged"), "\(short.output)")
    #expect(try BuiltKith.run("list", store).status == 1 && BuiltKith.run("restore", store, "\(store)2").status == 1)
    #expect(!FileManager.default.fileExists(atPath: "\(store)2"))
  }

  @Test("A missing journal between two others is reported as a gap")
  func gap() throws {
    try FileManager.default.removeItem(atPath: "\(store)/\(try #require(try playground.names("store").last))")
    let lost = try BuiltKith.run("verify", store)
    #expect(lost.status == 1 && lost.output.contains("were acknowledged"), "\(lost.output)")
    let names = try playground.names("store")
    for name in names where name.hasPrefix("snap-") {
      try FileManager.default.removeItem(atPath: "\(store)/\(name)")
    }
    try FileManager.default.removeItem(atPath: "\(store)/\(try #require(names.first { $0.hasPrefix("wal-") }))")
    let beheaded = try BuiltKith.run("verify", store)
    #expect(beheaded.status == 1 && beheaded.output.contains("begins with change 4"), "\(beheaded.output)")
    #expect(try StoreTools.list(store).lastSequence == nil)
  }

  @Test("A snapshot to a file holds the journals' changes, also beside a writer, and overwrites nothing")
  func snapshotToFile() throws {
    let (process, input, output) = try BuiltKith.process(["query", store])
    try process.run()
    try input.write(contentsOf: Data((user(9) + "\n").utf8))
    #expect(!output.availableData.isEmpty)
    let file = playground.path("copy.kith.zst")
    let before = try playground.names("store")
    #expect(try BuiltKith.run("snapshot", store).status == 2, "the store is held")
    let written = try BuiltKith.run("snapshot", store, "--to", file)
    #expect(written.status == 0 && written.output == "\(file)\n" && written.errors.isEmpty, "\(written)")
    #expect(try playground.names("store") == before)
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    #expect(try digest(file) == digest(store) && SocialGraph.open(file).read { $0.findUser(named: "user 9") } == 9)
    #expect(try BuiltKith.run("verify", file, "--deep").status == 0)
    #expect(try StoreTools.inspect(file)[0].storeID == StoreTools.inspect(store)[0].storeID)
    let bytes = try playground.bytes("copy.kith.zst")
    let again = try BuiltKith.run("snapshot", store, "--to", file)
    #expect(again.status == 2 && again.errors.contains("something is there already"))
    #expect(try playground.bytes("copy.kith.zst") == bytes)
    let (inside, nowhere) = ("\(store)/copy.kith.zst", playground.path("none/copy"))
    let places = ["", playground.path, playground.path("copy/"), inside, nowhere]
    for place in places {
      #expect(try BuiltKith.run("snapshot", store, "--to=\(place)").status == 2, "\(place)")
    }
    #expect(try playground.names("") == ["copy.kith.zst", "store"] && playground.names("store") == before)
    try input.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test("A restored store includes journaled changes, a restored snapshot only its own; the copy gets its own identity")
  func restore() throws {
    let snapshot = try #require(try playground.names("store").first { $0.hasPrefix("snap-") })
    let before = try playground.contents("store")
    let (copy, old) = (playground.path("copy"), playground.path("old"))
    let restored = try BuiltKith.run("restore", store, copy, "--json")
    #expect(restored.status == 0 && restored.output.contains(#""sequence":6"#), "\(restored.output)")
    #expect(try digest(copy) == digest(store))
    #expect(try StoreTools.list(copy).storeID != StoreTools.list(store).storeID)
    #expect(try BuiltKith.run("restore", "\(store)/\(snapshot)", old).status == 0)
    #expect(try SocialGraph.open(old, access: .readOnly).read { ($0.sequence, $0.counts.follows) } == (4, 1))
    for target in [copy, store, "\(store)/inside"] {
      #expect(try BuiltKith.run("restore", store, target).status == 2, "\(target)")
    }
    #expect(try playground.contents("store") == before)
    // The new store has a journal of its own.
    let added = try BuiltKith.run("query", copy, input: user(4) + "\n" + follow(4, 1) + "\n")
    #expect(added.lines.last?.contains(#""sequence":8"#) == true, "\(added.output)")
    #expect(try BuiltKith.run("verify", copy, "--deep").output == "\(copy): sound, as of change 8\n")
  }
}
