import Foundation
import Kith
import Testing

@testable import KithCLI

/// Synthetic histories, and what differs between two of their instants.
@Suite struct HistoryTests {
  private static let end: Int64 = 1_767_225_600_000
  private let directory: String
  private let store: String

  init() throws {
    directory = try TemporaryDirectory.make("history-test")
    store = directory + "/store"
  }

  private func seed(_ options: String...) throws -> Int32 {
    let words = [store, "--users", "120", "--history", "2", "--until", "2026-01-01"] + options
    return try SeedCommand.command.run(try Arguments(words, of: SeedCommand.command))
  }

  private func counts(at time: Int64) throws -> SocialGraph.Counts {
    try SocialGraph.read(store, at: .time(Timestamp(time)), control: ReadControl()).read { view in view.counts }
  }

  @Test("A history is the same for the same arguments, sound, and leads to each of its instants")
  func repeatable() throws {
    defer { TemporaryDirectory.remove(directory) }
    #expect(try seed() == 0)
    let graph = try SocialGraph.open(store, access: .readOnly)
    #expect(graph.read { view in view.verify() }.isEmpty)
    let again = directory + "/again"
    let words = [again, "--users", "120", "--history", "2", "--until", "2026-01-01"]
    #expect(try SeedCommand.command.run(try Arguments(words, of: SeedCommand.command)) == 0)
    let other = try SocialGraph.open(again, access: .readOnly)
    #expect(try GraphDigest(graph.pin().view).hashText == GraphDigest(other.pin().view).hashText)
    let listing = try StoreTools.list(store)
    #expect(listing.snapshots.map { $0.report?.writtenAt.rawValue } == [Self.end - 7 * 86_400_000 - 1, Self.end - 1])
    var users: [Int] = []
    for day in 1...14 { users.append(try counts(at: Self.end - Int64(14 - day) * 86_400_000 - 1).users) }
    #expect(users[0] > 5 && users[13] > 100 && zip(users, users.dropFirst()).allSatisfy { $0 <= $1 + 3 }, "\(users)")
    let pin = graph.pin()
    #expect(pin.view.schema == SeededHistory.schema)
    for relation in SeededHistory.schema.relations { #expect(try pin.view.edgeCount(relation) > 10, "\(relation)") }
    // Readable: no text lacks a word, and names begin with a letter.
    pin.view.forEachPost { _, _, _, _, text, _ in #expect(!text.contains("<") && !text.isEmpty, "\(text)") }
    pin.view.forEachUser { _, name, _ in #expect(name.first?.isLetter == true, "\(name)") }
  }

  @Test("Arguments that contradict a history are refused")
  func refused() throws {
    defer { TemporaryDirectory.remove(directory) }
    for option in ["--follows", "--posts", "--likes"] {
      #expect(throws: CommandFailure.self) { try seed(option, "1") }
    }
    #expect(throws: CommandFailure.self) {
      try SeedCommand.command.run(
        try Arguments([store, "--users", "9", "--history", "1", "--until", "9999-01-01"], of: SeedCommand.command))
    }
    #expect(throws: CommandFailure.self) {
      try SeedCommand.command.run(
        try Arguments([store, "--users", "9", "--until", "2026-01-01"], of: SeedCommand.command))
    }
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test("kith diff lists what differs, and its status says whether anything does")
  func difference() throws {
    defer { TemporaryDirectory.remove(directory) }
    #expect(try seed() == 0)
    let found = try BuiltKith.run("diff", store, "--from", "2025-12-25", "--to", "2025-12-28", "--limit", "2")
    #expect(found.status == 0 && found.lines[0].hasPrefix("2025-12-25 00:00:00 to 2025-12-28 00:00:00 (UTC)"))
    for heading in ["joined: ", "posts: ", "follow, new: ", "reply, new: "] {
      #expect(found.lines.contains { $0.hasPrefix(heading) }, "\(found.output)")
    }
    #expect(found.output.contains("  and "))
    let json = try BuiltKith.run("diff", store, "--from", "2025-12-25T00:00:00Z", "--json")
    #expect(json.status == 0 && json.lines.count == 1 && json.output.contains(#""joined":{"count":"#))
    let none = try BuiltKith.run("diff", store, "--from", "2025-12-25", "--to", "2025-12-25")
    #expect(none.status == 1 && none.output.hasSuffix("no difference\n"))
    for wrong in [["--from", "x"], ["--from", "2025-12-25", "--to", "2025-12-24"], ["--from", "1971-01-01"], []] {
      #expect(try BuiltKith.run(["diff", store] + wrong).status == 2, "\(wrong)")
    }
  }
}
