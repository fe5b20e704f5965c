import Kith

/// The report as one self-contained HTML page: no network, no scripts, images inline.
struct BenchPage {
  let report: BenchReport

  var html: String {
    """
    <!doctype html>
    <html lang=en>
    <head>
    <meta charset=utf-8>
    <meta name=viewport content="width=device-width, initial-scale=1">
    <meta name=color-scheme content="light dark">
    <title>Kith bench: \(escaped(report.source))</title>
    <style>
    \(Self.style)
    </style>
    </head>
    <body>
    \(header)\(tiles)\(latencies)\(curves)\(growth)\(throughput)\(passes)\(memory)\(method)
    </body>
    </html>

    """
  }

  private var header: String {
    let warning = Machine.warning.map { "<p class=warning>\(escaped($0))</p>\n" } ?? ""
    let load = report.machine.load.map { "; load before: \($0)" } ?? ""
    return """
      <header>
      <h1>How fast Kith is here</h1>
      <p>\(escaped(report.source)): \(escaped(report.counts.text))</p>
      <p class=quiet>\(escaped(report.machine.text))\(escaped(load))<br>
      kith \(Version.text), \(report.machine.measuredAt)</p>
      \(warning)</header>

      """
  }

  /// The four figures at the top.
  private var tiles: String {
    var tiles: [(String, String)] = []
    for (group, label) in [(BenchQuery.Group.search, "a user search"), (.timelines, "a page of a timeline")] {
      guard let row = report.rows.first(where: { $0.group == group }) else { continue }
      tiles.append((latencyText(row.latencies.quantile(0.5)), "\(label); 99 % within \(Self.p99(row.latencies))"))
    }
    if let line = report.throughput.dropFirst().first, let rate = line.perSecond.last {
      let threads = counted(BenchThroughput.threadCounts.last ?? 1, "thread")
      tiles.append(("\(rateText(rate)) a second", "pages of timelines, \(threads)"))
    }
    tiles.append((byteText(report.memory.byteCount), "memory, \(report.bytesEach(report.counts.users)) bytes a user"))
    let items = tiles.map { "<li><b>\(escaped($0.0))</b><span>\(escaped($0.1))</span></li>" }
    return "<ul class=tiles>\n\(items.joined(separator: "\n"))\n</ul>\n"
  }

  private static func p99(_ latencies: Latencies) -> String { latencyText(latencies.quantile(0.99)) }

  // MARK: - Latency

  private var latencies: String {
    var rows = ""
    let names = Latencies.shareNames + ["max", "a second", "samples"]
    for (group, members) in report.groups {
      let heads = names.map { "<th scope=col>\($0)</th>" }.joined()
      rows += "<tr class=group><th scope=colgroup>\(escaped(group.rawValue))</th>\(heads)</tr>\n"
      for row in members { rows += Self.tableRow(row.name, BenchReport.cells(row.latencies)) }
    }
    return """
      <section>
      <h2>Latency</h2>
      <p>One thread, pages of 20, with the clock around each call; its own \(latencyText(report.clockNanoseconds)) are
      included. A dash means too few samples for that percentile.</p>
      \(Self.wide("Latency"))<table>
      \(rows)</table></div>
      </section>

      """
  }

  /// The beginning of a box in which a wide table scrolls, by touch, by mouse and by keys.
  static func wide(_ label: String) -> String {
    "<div class=\"wide many\" tabindex=0 role=region aria-label=\"\(escaped(label))\">"
  }

  static func tableRow(_ name: String, _ cells: [String]) -> String {
    let cells = cells.map { "<td>\(escaped($0))</td>" }.joined()
    return "<tr><th scope=row>\(escaped(name))</th>\(cells)</tr>\n"
  }

  // MARK: - Memory

  private var memory: String {
    let entries = report.memory.entries.filter { $0.byteCount > 0 }.sorted { $0.byteCount > $1.byteCount }
    let bars = BarChart(
      title: "Memory by structure", horizontal: "bytes",
      bars: entries.map { (name: $0.words, value: Double($0.byteCount), text: byteText($0.byteCount)) })
    return """
      <section>
      <h2>Memory</h2>
      <p>\(byteText(report.memory.byteCount)) in all, exact bytes of pages and directories.</p>
      <div class=charts>
      \(bars.html)</div>
      </section>

      """
  }

  private var method: String {
    """
    <footer>
    <p>Queries are for users drawn at random, each once or a few times, and for the posts of their timelines. Changes
    were made in a copy in memory, without a journal. Created by <code>kith bench --report</code>; <code>--json</code>
    prints the same figures as JSON.</p>
    </footer>
    """
  }
}
