import Foundation
import Testing

@testable import KithCLI

/// `kith search`: fuzzy search and regular expressions.
@Suite struct SearchCommandTests {
  private let playground: Playground
  private let store: String

  init() throws {
    playground = try Playground()
    store = playground.path("store")
    let requests = ["Christopher", "kristofer", "alice", "alise", "Alyse", "bob"]
      .map { #"{"op":"addUser","username":"\#($0)"}"# + "\n" }
    #expect(try BuiltKith.run("query", store, input: requests.joined()).status == 0)
  }

  /// The printed names, from top to bottom.
  private func names(_ words: String...) throws -> [String] {
    let outcome = try BuiltKith.run(["search", store] + words)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    if outcome.output == "no users found\n" {
      #expect(outcome.status == 1)
      return []
    }
    #expect(outcome.status == 0)
    return outcome.lines.dropFirst().compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
  }

  @Test("--fuzzy finds names with one or two typos, those with fewest first")
  func fuzzy() throws {
    #expect(try names("alice") == ["alice"])
    #expect(try names("alice", "--fuzzy") == ["alice", "alise"])
    #expect(try names("alise", "--fuzzy") == ["alise", "alice", "Alyse"])
    #expect(try names("christofer", "--fuzzy") == ["Christopher", "kristofer"])
    #expect(try names("bxx", "--fuzzy") == [])
    let json = try BuiltKith.run("search", store, "alise", "--fuzzy", "--limit", "1", "--json")
    #expect(json.output.contains(#""username":"alise""#) && json.output.contains(#""count":3"#), "\(json.output)")
  }

  @Test("--regex finds matching names with the trait, and names the missing trait without it")
  func regex() throws {
    #if Regex
      #expect(try names("^al.[cs]e$", "--regex") == ["alice", "alise", "Alyse"])
      #expect(try names("R{2}", "--regex") == [])
      try refuses("(", because: "missing )")
    #else
      try refuses("^al", because: "trait Regex")
    #endif
  }

  private func refuses(_ pattern: String, because reason: String) throws {
    let outcome = try BuiltKith.run("search", store, pattern, "--regex")
    #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.errors.contains(reason), "\(outcome.errors)")
  }

  @Test("Options that exclude each other are refused before the store is opened")
  func misuse() throws {
    let cases = [
      (["--fuzzy", "--regex"], "--fuzzy or --regex, not both"), (["--prefix", "--fuzzy"], "--prefix or --fuzzy"),
      (["--fuzzy", "--order", "popular"], "ordered by edit distance"),
      (["--regex", "--strict"], "--regex cannot be combined with --strict"),
      (["--order", "age"], "--order age: name, prefixFirst, followedFirst or popular is needed"),
      (["--order", "followedFirst"], "--order followedFirst needs --as USER"),
    ]
    for (options, reason) in cases {
      let outcome = try BuiltKith.run(["search", playground.path("nowhere"), "al"] + options)
      #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(reason), "\(outcome.errors)")
    }
  }
}
