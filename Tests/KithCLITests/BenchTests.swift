import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// `kith bench` measures a store and must not change it.
@Suite struct BenchTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

  @Test("A bench of a store runs every kind of query, reports in JSON, and does not change the store")
  func store() throws {
    let store = playground.path("store")
    let sizes = ["--users", "400", "--follows", "6000", "--posts", "900", "--likes", "1500"]
    #expect(try BuiltKith.run(["seed", store] + sizes).status == 0)
    let before = try playground.contents("store")
    let outcome = try BuiltKith.run("bench", store, "--samples", "100", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try playground.contents("store") == before)

    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(json["source"] as? String == store)
    #expect((json["counts"] as? [String: Int])?["follows"] == 6_000)
    let rows = try #require(json["latencies"] as? [[String: Any]])
    let groups = Set(rows.compactMap { $0["group"] as? String })
    #expect(groups == Set(BenchQuery.Group.allCases.map(\.rawValue)))
    for row in rows {
      let (count, median, maximum) = (row["count"] as? Int, row["p50"] as? Int, row["max"] as? Int)
      #expect(try #require(count) > 0 && #require(median) > 0 && #require(median) <= #require(maximum), "\(row)")
      #expect(row["p99.9"] is NSNull, "a hundred questions tell no thousandth")
    }
    let memory = try #require(json["memory"] as? [String: Any])
    let structures = try #require(memory["structures"] as? [String: Int])
    #expect(structures.values.reduce(0, +) == memory["bytes"] as? Int)
  }

  @Test("Words longer than a query, names of a bench's own, and ids that are used up are no failure")
  func oddStore() throws {
    let store = playground.path("store")
    var requests = (1...30).map { #"{"op":"addUser","username":"newcomer \#($0)"}"# }
    requests += (1...9).map { #"{"op":"addUser","username":"renamed \#($0)"}"# }
    let long = ["https://example.org/" + String(repeating: "w", count: 300), String(repeating: "é-", count: 200)]
    for post in 0..<60 {
      requests.append(#"{"op":"addPost","user":\#(1 + post % 30),"text":"\#(long[post % 2])"}"#)
    }
    for follow in 0..<200 {
      requests.append(#"{"op":"follow","user":\#(1 + follow % 30),"target":\#(1 + follow * 7 % 30)}"#)
    }
    let last = Int64.max
    requests.append(#"{"op":"addPost","id":\#(last),"user":1,"text":"\#(long[0])","createdAt":\#(last)}"#)
    #expect(try BuiltKith.run("query", store, input: requests.joined(separator: "\n")).status == 0)
    let outcome = try BuiltKith.run("bench", store, "--samples", "100", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    for name in ["posts with two words", "add a user", "rename a user"] {
      #expect(outcome.output.contains(#""\#(name)""#), "\(name)")
    }
    #expect(!outcome.output.contains(#""add a post""#))
  }

  @Test("The query of a word is within half the limits of a query")
  func wordQueries() {
    for word in ["snow", String(repeating: "é", count: 999), String(repeating: "a.b", count: 90), "\u{1F642}\n"] {
      let query = BenchSample.query(of: word[...])
      #expect(!query.isEmpty && word.hasPrefix(query) && 2 * query.utf8.count < SocialGraph.Limits.queryByteCount)
    }
    #expect(BenchSample.query(of: "snow") == "snow")
  }

  @Test("A synthetic graph is measured beside smaller ones; users without posts are no failure")
  func syntheticGraph() throws {
    let sizes = ["--users", "1600", "--follows", "9000", "--posts", "0", "--likes", "0"]
    let outcome = try BuiltKith.run(["bench", "--samples", "100", "--growth"] + sizes)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("synthetic graph, seed 1: 1,600 users, 9,000 follows, 0 posts, 0 likes\n"))
    for size in ["100 users", "400 users", "1,600 users"] { #expect(outcome.output.contains(size)) }
    #expect(outcome.output.contains("recommendations") && !outcome.output.contains("likers of a post"))
  }

  @Test("Settings that cannot be measured are refused before anything is opened or created") func refusals() throws {
    let empty = playground.path("empty")
    #expect(try BuiltKith.run("query", empty, input: "\n").status == 0)
    #expect(try BuiltKith.run("bench", empty).status == 1)
    #expect(try BuiltKith.run("bench", empty, "--users", "100").status == 2)
    #expect(try BuiltKith.run("bench", playground.path("absent")).status == 2)
    #expect(try BuiltKith.run("bench", "--users", "1").status == 2)
    #expect(try BuiltKith.run("bench", "--users", "10", "--follows", "91").status == 2)
  }

  @Test("A percentile is the smallest sufficient time, and is reported only with enough samples")
  func percentiles() {
    let some = Latencies(count: 1_000) { _ in 0 }
    #expect(some.count == 1_000 && some.tells(0.999) && !some.tells(0.9999))
    #expect(some.percentiles.last == .some(nil) && some.percentiles.first == some.quantile(0.5))
    #expect(some.quantile(0) <= some.quantile(0.5) && some.quantile(0.5) <= some.quantile(0.999))
    #expect(some.quantile(1) == some.maximum)
    let texts = [60, 999.4, 999.6, 1_254, 99_960, 310_000_000].map { latencyText($0 as Double) }
    #expect(texts == ["60 ns", "999 ns", "1.00 µs", "1.25 µs", "100 µs", "310 ms"])
  }
}
