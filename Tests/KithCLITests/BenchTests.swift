import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// `kith bench` measures a store and must not change it.
@Suite struct BenchTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

  @Test("A bench of a store runs every kind of query, reports in JSON and HTML, and does not change the store")
  func store() throws {
    let (store, page) = (playground.path("store"), playground.path("bench.html"))
    let sizes = ["--users", "400", "--follows", "6000", "--posts", "900", "--likes", "1500"]
    #expect(try BuiltKith.run(["seed", store] + sizes).status == 0)
    let before = try playground.contents("store")
    let outcome = try BuiltKith.run("bench", store, "--samples", "100", "--json", "--report", page)
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

    let html = String(decoding: try playground.bytes("bench.html"), as: UTF8.self)
    #expect(html.hasPrefix("<!doctype html>") && html.hasSuffix("</html>\n"))
    // The page has no scripts and loads nothing.
    for needless in ["<script", "http:", "https:", "src=", "@import", "url("] { #expect(!html.contains(needless)) }
    for row in rows { #expect(html.contains(">\(row["name"] as? String ?? "?")</th>"), "\(row)") }
    let charts = groups.map { group in (rows.count { $0["group"] as? String == group } + 5) / 6 }
    #expect(html.components(separatedBy: "<figure>").count == 1 + charts.reduce(0, +) + 3)

    let again = try BuiltKith.run("bench", store, "--report", page)
    #expect(again.status == 2 && again.errors.contains("exists already"), "\(again.errors)")
    #expect(try playground.bytes("bench.html") == Array(html.utf8))
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
    #expect(try BuiltKith.run("bench", "--report", playground.path("no/such/bench.html")).status == 2)
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

  @Test("Texts of the graph are escaped in the HTML page") func escaping() {
    #expect(escaped("<b a=\"1\">&\n") == "&lt;b a=&quot;1&quot;&gt;&amp;\\n")
  }

  @Test("Values and ticks lie within their axis and in order") func axes() {
    let values = [3.0, 47, 47_000]
    let wide = ChartAxis.logarithmic("", holding: values) { "\($0)" }
    #expect(wide.ticks.map(\.value) == [1, 10, 100, 1_000, 10_000, 100_000])
    let narrow = ChartAxis.logarithmic("", holding: [30, 45]) { "\($0)" }
    #expect(narrow.ticks.map(\.value) == [20, 50])
    for (axis, values) in [(wide, values), (narrow, [30, 45]), (.nines(""), [0, 0.5, 0.9999])] {
      let places = (values + axis.ticks.map(\.value).sorted()).map(axis.place)
      #expect(places.allSatisfy { (-1e-9...1 + 1e-9).contains($0) })
      #expect(zip(values, values.dropFirst()).allSatisfy { axis.place($0) < axis.place($1) })
    }
  }
}
