import Kith

/// The report as one HTML page that needs nothing else: no network, no scripts, pictures inside.
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

  /// The four figures that are asked for first.
  private var tiles: String {
    var tiles: [(String, String)] = []
    for (group, label) in [(BenchQuestion.Group.search, "a search of names"), (.timelines, "a page of a timeline")] {
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
    let names = Latencies.shareNames + ["max", "a second", "asked"]
    for (group, members) in report.groups {
      let heads = names.map { "<th scope=col>\($0)</th>" }.joined()
      rows += "<tr class=group><th scope=colgroup>\(escaped(group.rawValue))</th>\(heads)</tr>\n"
      for row in members { rows += Self.tableRow(row.name, BenchReport.cells(row.latencies)) }
    }
    return """
      <section>
      <h2>Latency</h2>
      <p>One caller, pages of 20, the clock around each call; its own \(latencyText(report.clockNanoseconds)) are
      included. A dash: too few were asked to tell that percentile.</p>
      <div class=wide><table>
      \(rows)</table></div>
      </section>

      """
  }

  static func tableRow(_ name: String, _ cells: [String]) -> String {
    let cells = cells.map { "<td>\(escaped($0))</td>" }.joined()
    return "<tr><th scope=row>\(escaped(name))</th>\(cells)</tr>\n"
  }

  // MARK: - Memory

  private var memory: String {
    let entries = report.memory.entries.filter { $0.byteCount > 0 }.sorted { $0.byteCount > $1.byteCount }
    let largest = Double(entries.first?.byteCount ?? 1)
    let rows = entries.map { entry in
      let width = decimal(Double(entry.byteCount) * 100 / largest, places: 2)
      return """
        <tr><th scope=row>\(escaped(entry.words))</th><td>\(byteText(entry.byteCount))</td>\
        <td class=bar><svg aria-hidden=true><rect class=c0 width="\(width)%" height="100%"/></svg></td></tr>

        """
    }
    return """
      <section>
      <h2>Memory</h2>
      <p>\(byteText(report.memory.byteCount)) in all, exact bytes of pages and directories.</p>
      <div class=wide><table class=bars>
      \(rows.joined())</table></div>
      </section>

      """
  }

  private var method: String {
    """
    <footer>
    <p>Asked about users drawn at random, each once or a few times, and the posts of their timelines. Changes were
    made in a copy in memory and journalled nowhere. Made by <code>kith bench --report</code>; <code>--json</code> gives
    the same figures to a program.</p>
    </footer>
    """
  }
}
