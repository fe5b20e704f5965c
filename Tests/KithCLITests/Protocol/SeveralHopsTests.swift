import Foundation
import Testing

@testable import KithCLI

/// Mutuals, suggestions, distances and ranks as the command answers them.
@Suite struct SeveralHopsTests {
  private let store = FileManager.default.temporaryDirectory
    .appendingPathComponent("kith-hops-\(UUID().uuidString)").path

  /// ann → bob, cy, dan → eve; bob, cy → fay; eve → gus → ann; hal is alone.
  private static let requests =
    ["ann", "bob", "cy", "dan", "eve", "fay", "gus", "hal"].map { #"{"op":"addUser","username":"\#($0)"}"# }
    + [(1, 2), (1, 3), (1, 4), (2, 5), (3, 5), (4, 5), (2, 6), (3, 6), (5, 7), (7, 1)].map {
      #"{"op":"follow","user":\#($0.0),"target":\#($0.1),"at":1000}"#
    }

  private func query(_ lines: [String]) throws -> [String] {
    let run = try BuiltKith.run(["query", store], input: lines.joined(separator: "\n") + "\n")
    #expect(run.status == 0)
    return run.lines
  }

  @Test("The operations of the protocol answer with exactly their fields")
  func operations() throws {
    defer { try? FileManager.default.removeItem(atPath: store) }
    _ = try query(Self.requests)
    let answers = try query([
      #"{"op":"suggestions","user":1,"limit":1}"#, #"{"op":"mutuals","user":2,"target":3,"limit":1}"#,
      #"{"op":"mutuals","user":5,"target":{"username":"fay"},"of":"followers"}"#,
      #"{"op":"distance","user":1,"target":7}"#, #"{"op":"distance","user":1,"target":7,"max":2}"#,
      #"{"op":"distance","user":1,"target":8,"max":9223372036854775807}"#, #"{"op":"distance","user":8,"target":8}"#,
      #"{"op":"suggestions","user":99}"#, #"{"op":"mutuals","user":1,"target":2,"cursor":"x"}"#,
    ])
    let eve = #""id":5,"username":"eve","followerCount":3,"followeeCount":1,"postCount":0"#
    #expect(
      answers[0] == #"{"ok":true,"users":[{\#(eve),"following":false,"mutualCount":3}],"truncated":false}"#)
    #expect(answers[1].hasPrefix(#"{"ok":true,"users":[{\#(eve)}],"next":""#))
    #expect(answers[2].contains(#""username":"bob""#) && answers[2].contains(#""username":"cy""#))
    #expect(answers[3] == #"{"ok":true,"value":3,"complete":true}"#)
    #expect(answers[4] == #"{"ok":true,"value":null,"complete":true}"#)
    #expect(answers[5] == #"{"ok":true,"value":null,"complete":true}"#)
    #expect(answers[6] == #"{"ok":true,"value":0,"complete":true}"#)
    #expect(answers[7].contains("unknownUser") && answers[8].contains("invalidCursor"))
  }

  @Test("suggest, path and rank print recommendations, a shortest path and scores")
  func commands() throws {
    defer { try? FileManager.default.removeItem(atPath: store) }
    _ = try query(Self.requests)
    let suggestions = try BuiltKith.run("suggest", store, "ann")
    #expect(suggestions.status == 0)
    #expect(suggestions.output == "  5  eve  followed by bob, cy and 1 other\n  6  fay  followed by bob, cy\n")
    #expect(try BuiltKith.run("suggest", store, "hal").output == "no users found\n")
    #expect(try BuiltKith.run("suggest", store, "hal").status == 1)
    #expect(try BuiltKith.run("suggest", store, "1", "--json").output.contains(#""mutualCount":3"#))

    let path = try BuiltKith.run("path", store, "ann", "gus")
    #expect(path.status == 0)
    #expect(path.lines.map { $0.trimmingCharacters(in: .whitespaces) }.first == "ann  (user 1)")
    #expect(path.lines.count == 4 && path.lines.dropFirst().allSatisfy { $0.hasPrefix("  follows ") })
    let far = try BuiltKith.run("path", store, "ann", "gus", "--max", "2")
    #expect(far.status == 1 && far.output == "no path of at most 2 follows\n")
    let none = try BuiltKith.run("path", store, "ann", "hal", "--json")
    #expect(none.status == 1 && none.output == #"{"value":null,"complete":true,"path":[]}"# + "\n")
    #expect(try BuiltKith.run("path", store, "ann", "nobody").status == 1)

    let ranks = try BuiltKith.run("rank", store, "--limit", "2")
    #expect(ranks.status == 0 && ranks.output.contains("components 2, the largest of 7 users"))
    #expect(ranks.output.contains("followers  median 1, 90 % at most 3, at most 3"))
    #expect(try BuiltKith.run("rank", store, "--json").output.contains(#""components":2,"largestComponent":7"#))
  }
}
