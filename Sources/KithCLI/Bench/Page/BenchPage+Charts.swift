import Kith

/// The charts of the page.
extension BenchPage {
  /// The lines of one chart.
  static let lineLimit = 6

  /// One or two charts for each group: from the fastest query to the slowest in ten thousand.
  var curves: String {
    let shares = (0...80).map { 1 - 1 / Self.power(Double($0) / 20) }
    let charts = report.groups.flatMap(Self.divided).map { title, rows in
      let lines = rows.map { row in
        let told = shares.filter { $0 == 0 || row.latencies.tells($0) }
        let points = told.map { (x: $0, y: Double(max(1, row.latencies.quantile($0)))) }
        return Chart.Line(name: row.name, remark: latencyText(row.latencies.quantile(0.5)), points: points)
      }
      return Chart(
        title: title, horizontal: .nines("share of calls that are as fast, %"),
        vertical: .logarithmic("latency", holding: lines.flatMap { $0.points.map(\.y) }, latencyTick), lines: lines,
        showsPoints: false
      ).html
    }
    return """
      <section>
      <h2>Distribution of latency</h2>
      <p>Vertical: the time of a call. Horizontal: each mark leaves a tenth of the calls that the one before left.
      Beside each name is its median.</p>
      <div class=charts>
      \(charts.joined())</div>
      </section>

      """
  }

  /// The rows of a group, split into charts of about equal size.
  private static func divided(
    _ group: BenchQuery.Group, _ rows: [BenchReport.Row]
  ) -> [(title: String, rows: ArraySlice<BenchReport.Row>)] {
    let count = (rows.count + lineLimit - 1) / lineLimit
    return (0..<count).map { place in
      let title = count == 1 ? group.rawValue : "\(group.rawValue), \(place + 1) of \(count)"
      return (title, rows[rows.count * place / count..<rows.count * (place + 1) / count])
    }
  }

  /// Ten to a power from 0 to 4, in twentieths.
  private static func power(_ exponent: Double) -> Double { Lognormal.exponential(exponent * 2.302585092994046) }

  // MARK: - Growth

  /// How latency grows with the rows that a query reads, and with the graph.
  var growth: String {
    let byFanIn = report.fanIns.isEmpty ? "" : fanInChart.html
    let bySize = report.sizes.isEmpty ? "" : sizeChart.html
    if byFanIn.isEmpty && bySize.isEmpty { return "" }
    let hint = report.sizes.isEmpty ? " <code>kith bench --growth</code> adds growth with the graph." : ""
    return """
      <section>
      <h2>Growth</h2>
      <p>The first page of timelines by the number of followees.\(hint)</p>
      <div class=charts>
      \(byFanIn)\(bySize)</div>
      </section>

      """
  }

  private var fanInChart: Chart {
    let lines = zip(Latencies.shares, Latencies.shareNames).prefix(3).map { share, name in
      let points = report.fanIns.map { (Double($0.followeeCount), Double(max(1, $0.latencies.quantile(share)))) }
      return Chart.Line(name: name, remark: "", points: points)
    }
    return Chart(
      title: "First page of a timeline, by followees",
      horizontal: .logarithmic("followees", holding: report.fanIns.map { Double($0.followeeCount) }, countTick),
      vertical: .logarithmic("latency", holding: lines.flatMap { $0.points.map(\.y) }, latencyTick), lines: lines)
  }

  private var sizeChart: Chart {
    let lines = BenchRun.growing.enumerated().map { place, name in
      let points = report.sizes.map { (Double($0.userCount), Double(max(1, $0.latencies[place].quantile(0.5)))) }
      return Chart.Line(name: name, remark: "", points: points)
    }
    return Chart(
      title: "Median by users in the graph; the last is this one, the others are similar synthetic graphs",
      horizontal: .steps("users", at: report.sizes.map { Double($0.userCount) }, countTick),
      vertical: .logarithmic("latency", holding: lines.flatMap { $0.points.map(\.y) }, latencyTick), lines: lines)
  }

  // MARK: - Throughput and passes

  var throughput: String {
    guard !report.throughput.isEmpty else { return "" }
    let threads = BenchThroughput.threadCounts
    let lines = report.throughput.map { line in
      let points = zip(threads, line.perSecond).map { (x: Double($0), y: max(1, $1)) }
      return Chart.Line(name: line.name, remark: line.perSecond.last.map(rateText) ?? "", points: points)
    }
    let chart = Chart(
      title: "Queries a second, by threads",
      horizontal: .steps("threads", at: threads.map(Double.init), countTick),
      vertical: .logarithmic("queries a second", holding: lines.flatMap { $0.points.map(\.y) }, countTick), lines: lines
    )
    let heads = threads.map { "<th scope=col>\(counted($0, "thread"))</th>" }.joined()
    let rows = report.throughput.map { line in
      let changes = line.changesPerSecond.map(rateText)
      return Self.tableRow(line.name, line.perSecond.map(rateText))
        + (changes.isEmpty ? "" : Self.tableRow("changes meanwhile", changes))
    }
    return """
      <section>
      <h2>Throughput</h2>
      <p>Every thread runs queries without a pause. Beside a writer, one more thread follows and unfollows.</p>
      <div class=charts>
      \(chart.html)\(Self.wide("Throughput"))<table>
      <tr class=group><th scope=col>a second</th>\(heads)</tr>
      \(rows.joined())</table></div>
      </div>
      </section>

      """
  }

  var passes: String {
    guard !report.passes.isEmpty else { return "" }
    let rows = report.passes.map { Self.tableRow($0.name, [$0.duration.text]) }
    return """
      <section>
      <h2>Passes over the whole graph</h2>
      <p>Each once, on all cores. Reading and the index were measured at the start; the others read an MVCC snapshot,
      beside which writers can continue.</p>
      <div class=wide><table class=narrow>
      \(rows.joined())</table></div>
      </section>

      """
  }
}
