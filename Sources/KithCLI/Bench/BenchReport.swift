import Kith

/// The results of a bench.
struct BenchReport: Sendable {
  /// The latencies of one kind of query or change.
  struct Row: Sendable {
    let group: BenchQuery.Group
    let name: String
    let latencies: Latencies
  }

  /// Timelines of users with similar numbers of followees.
  struct FanIn: Sendable {
    let followeeCount: Int
    let userCount: Int
    let latencies: Latencies
  }

  /// The same queries on a graph of another size.
  struct Size: Sendable {
    let userCount: Int
    /// In the order of `BenchRun.growing`.
    let latencies: [Latencies]
  }

  /// A pass over the whole graph.
  struct Pass: Sendable {
    let name: String
    let duration: Duration
  }

  let source: String
  let counts: SocialGraph.Counts
  let machine: Machine
  /// The clock's share of every sample, which is not subtracted.
  let clockNanoseconds: Int64
  var rows: [Row] = []
  var fanIns: [FanIn] = []
  /// Ascending; the graph itself is the last. Empty without `--growth`.
  var sizes: [Size] = []
  var throughput: [BenchThroughput.Line] = []
  var passes: [Pass] = []
  let memory: MemoryReport

  var groups: [(group: BenchQuery.Group, rows: [Row])] {
    BenchQuery.Group.allCases.compactMap { group in
      let rows = rows.filter { $0.group == group }
      return rows.isEmpty ? nil : (group, rows)
    }
  }

  /// Bytes of the graph per element.
  func bytesEach(_ count: Int) -> String { grouped(memory.byteCount / max(1, count)) }

  // MARK: - Text

  var text: String {
    var text = """
      \(printable(source)): \(counts.text)
      \(printable(machine.text))

      Latency, one caller, pages of 20; the clock's own \(latencyText(clockNanoseconds)) included

      """
    let names = Latencies.shareNames + ["max", "a second", "samples"]
    // What a narrow terminal has no room for.
    let dispensable = ["p90", "p99.9", "p99.99", "samples", "a second"].compactMap { names.firstIndex(of: $0) }
    var table = Table([.whole] + names.map { _ in .right }, dispensable: dispensable.map { $0 + 1 })
    for (group, rows) in groups {
      table.addHeading(cells: [group.rawValue] + names)
      for row in rows { table.add(cells: ["  " + row.name] + Self.cells(row.latencies)) }
      if group == .timelines {
        for fanIn in fanIns {
          table.add(cells: ["  first page, \(grouped(fanIn.followeeCount)) followed"] + Self.cells(fanIn.latencies))
        }
      }
    }
    text += table.text()
    text += section("Thousands of queries a second by threads", throughputTable)
    text += section("Latency by size of the graph, p50 and p99", sizeTable)
    text += section("Passes over the whole graph, all cores", passTable)
    text += section("Memory: \(byteText(memory.byteCount)), \(bytesEach(counts.users)) bytes a user", memory.table)
    return text
  }

  static func cells(_ latencies: Latencies) -> [String] {
    latencies.percentiles.map { $0.map(latencyText) ?? "–" } + [
      latencyText(latencies.maximum), grouped(Int(latencies.perSecond)), grouped(latencies.count),
    ]
  }

  private func section(_ title: String, _ table: Table?) -> String {
    table.map { "\n\(title)\n\($0.text())" } ?? ""
  }

  private var throughputTable: Table? {
    guard !throughput.isEmpty else { return nil }
    var table = Table([.left] + BenchThroughput.threadCounts.map { _ in .right })
    table.addHeading(cells: [""] + BenchThroughput.threadCounts.map { counted($0, "thread") })
    for line in throughput {
      table.add(cells: [line.name] + line.perSecond.map { grouped(Int($0 / 1_000)) })
      if !line.changesPerSecond.isEmpty {
        table.add(cells: ["  its changes"] + line.changesPerSecond.map { grouped(Int($0 / 1_000)) })
      }
    }
    return table
  }

  private var sizeTable: Table? {
    guard !sizes.isEmpty else { return nil }
    var table = Table([.left] + sizes.map { _ in .right })
    table.addHeading(cells: [""] + sizes.map { counted($0.userCount, "user") })
    for (place, name) in BenchRun.growing.enumerated() {
      table.add(
        cells: [name]
          + sizes.map { size in
            let latencies = size.latencies[place]
            return "\(latencyText(latencies.quantile(0.5)))  \(latencyText(latencies.quantile(0.99)))"
          })
    }
    return table
  }

  private var passTable: Table? {
    guard !passes.isEmpty else { return nil }
    var table = Table([.left, .right])
    for pass in passes { table.add(pass.name, pass.duration.text) }
    return table
  }
}
