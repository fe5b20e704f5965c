import Foundation
import Testing

/// What an operator reads when something is wrong: the path as they gave it, the option as they typed it, and what to
/// do next.
@Suite struct MessageTests {
  private let playground: Playground
  private let store: String

  init() throws {
    playground = try Playground()
    store = playground.path("store")
    let request = #"{"op":"addUser","username":"ann"}"#
    #expect(try BuiltKith.run("query", store, input: request + "\n").status == 0)
  }

  private func expect(_ words: [String], fail status: Int32, with message: String) throws {
    let outcome = try BuiltKith.run(words)
    #expect(outcome.status == status && outcome.errors == "kith: \(message)\n", "\(words): \(outcome.errors)")
  }

  @Test("A path that cannot be a store is named by itself, not by a file that would be in it")
  func paths() throws {
    try expect(["stats", "/dev/null"], fail: 2, with: "/dev/null: it is a FIFO, socket or device, not a directory")
    try expect(["stats", "/dev/null/store"], fail: 2, with: "/dev/null/store: no store there")
    try expect(["stats", "-"], fail: 1, with: "standard input: damaged at byte 0: the file ends after 0 bytes")
  }

  @Test("A damaged store and a damaged snapshot name the command that saves the rest")
  func damage() throws {
    let snapshot = try BuiltKith.run("snapshot", store, "--to", playground.path("copy")).lines[0]
    var bytes = try playground.bytes("copy")
    bytes[bytes.count / 2] ^= 0xFF
    try playground.write(bytes, to: "copy")
    let advice = "; kith salvage \(snapshot) NEW makes a store of what is readable\n"
    let (opened, restored) = (
      try BuiltKith.run("stats", snapshot), try BuiltKith.run("restore", snapshot, playground.path("new"))
    )
    #expect(opened.status == 2 && opened.errors.hasSuffix(advice), "\(opened.errors)")
    #expect(restored.status == 1 && restored.errors.hasSuffix(advice), "\(restored.errors)")
  }

  @Test("A restore to an earlier state warns of nothing when nothing is wrong")
  func earlierState() throws {
    #expect(try BuiltKith.run("query", store, input: #"{"op":"addUser","username":"bob"}"#).status == 0)
    let restored = try BuiltKith.run("restore", store, playground.path("new"), "--at-sequence", "1")
    #expect(restored.status == 0 && restored.errors.isEmpty, "\(restored.errors)")
  }

  @Test("A word that an option does not know gets the list of those it does")
  func choices() throws {
    for (words, message) in [
      (["import", store, "--users", "-", "--format", "xml"], "--format xml: tsv, csv or jsonl is needed"),
      (["export", store, "-", "--only", "all"], "--only all: users, follows, posts, likes, blocks or mutes is needed"),
      (["stats", store, "--color", "red"], "--color red: auto, always or never is needed"),
      (["followers", store, "ann", "--order", "age"], "--order age: newest or name is needed"),
      (["posts", store, "", "--followed"], "--followed needs --as USER"),
      (
        ["watch", store, "post"],
        "post cannot be watched: changes, user, likes, followers, timeline or search is needed"
      ),
    ] { try expect(words, fail: 2, with: "\(message); see kith \(words[0]) --help") }
  }

  @Test("seed needs the number of users alone; an empty store has no bytes for each user")
  func counts() throws {
    let seeded = try BuiltKith.run("seed", playground.path("seeded"), "--users", "50")
    #expect(seeded.output.hasPrefix("50 users, 1,250 follows, 500 posts, 1,000 likes, seed 1, in "), "\(seeded)")
    #expect(try BuiltKith.run("seed", playground.path("none"), "--users", "0").status == 0)
    #expect(try !BuiltKith.run("stats", playground.path("none")).output.contains("bytes a user"))
  }
}
