/// All measurements, as text and as JSON.
struct Report {
  let settings: Settings
  let network: Network
  let loadSeconds: Double
  /// The clock's share of every sample, which is not subtracted.
  let clockNanoseconds: Double
  let measurements: [Measurement]
  let rates: [Rate]

  // MARK: - Text

  var table: String {
    let parts = [heading + Self.table(measurements), throughputs, rates.isEmpty ? "" : Self.table(rates)]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  static func table(_ measurements: [Measurement]) -> String {
    var rows = [["", "of"] + Percentiles.names + ["p50 / baseline's", "allocations"]]
    for measurement in measurements {
      rows.append(
        [measurement.name, "kith"] + measurement.engine.all.map(microseconds)
          + [measurement.ratio.map { decimal($0, places: 2) } ?? "no baseline yet"]
          + [measurement.allocations.map { decimal($0, places: 1) } ?? ""])
      if let baseline = measurement.baseline {
        rows.append(["", "baseline"] + baseline.all.map(microseconds) + ["", ""])
      }
    }
    return text(of: rows, leftColumns: 2)
  }

  static func table(_ rates: [Rate]) -> String {
    let rows = rates.map { rate in
      [
        rate.name, grouped(Int(rate.enginePerSecond)), grouped(Int(rate.baselinePerSecond)),
        decimal(rate.ratio, places: 2),
      ]
    }
    return text(of: [["", "kith a second", "baseline a second", "baseline / kith"]] + rows, leftColumns: 1)
  }

  private static func text(of rows: [[String]], leftColumns: Int) -> String {
    let widths = rows[0].indices.map { column in rows.map(\.[column].count).max() ?? 0 }
    let lines = rows.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column < leftColumns ? cell.0 + space : space + cell.0
      }.joined(separator: "  ")
    }
    return lines.joined(separator: "\n")
  }

  /// Follows a second, if that is the measure.
  private var throughputs: String {
    let lines = measurements.compactMap { measurement -> String? in
      guard let follows = measurement.follows else { return nil }
      func rate(_ figures: Percentiles) -> String {
        "\(grouped(Int(Double(follows) / figures.p50 * 1_000))) M follows/s"
      }
      let baseline = measurement.baseline.map { "; baseline \(rate($0))" } ?? ""
      return "\(measurement.name): \(rate(measurement.engine))\(baseline)"
    }
    return lines.joined(separator: "\n")
  }

  private var heading: String {
    """
    \(grouped(network.userCount)) users, \(grouped(network.followCount)) follows, \
    \(grouped(network.authors.count)) posts, \(grouped(network.likeCount)) likes, seed \(settings.seed); \
    filled in \(decimal(loadSeconds, places: 1)) s by batches
    Microseconds, one thread, the clock's own \(decimal(clockNanoseconds / 1_000, places: 2)) included; \
    medians over \(settings.runs) runs of \(grouped(settings.samples)) questions
    Baseline: the same page from bare arrays in C, measured in turn. Answers were compared before

    """
  }

  // MARK: - JSON

  var json: String {
    let figures = measurements.map { measurement in
      var fields = ["\"name\":\"\(measurement.name)\"", "\"kith\":\(json(measurement.engine))"]
      if let baseline = measurement.baseline, let ratio = measurement.ratio {
        fields += ["\"baseline\":\(json(baseline))", "\"ratio\":\(decimal(ratio, places: 3))"]
      }
      if let allocations = measurement.allocations {
        fields.append("\"allocations\":\(decimal(allocations, places: 2))")
      }
      return "{" + fields.joined(separator: ",") + "}"
    }
    let rateFields = rates.map { rate in
      "{\"name\":\"\(rate.name)\",\"kithPerSecond\":\(decimal(rate.enginePerSecond, places: 0)),"
        + "\"baselinePerSecond\":\(decimal(rate.baselinePerSecond, places: 0))}"
    }
    let sizes = [
      ("users", network.userCount), ("follows", network.followCount), ("posts", network.authors.count),
      ("likes", network.likeCount), ("samples", settings.samples), ("runs", settings.runs),
    ]
    let fields =
      sizes.map { "\"\($0)\":\($1)" } + [
        "\"seed\":\(settings.seed)", "\"loadSeconds\":\(decimal(loadSeconds, places: 3))",
        "\"clockNanoseconds\":\(decimal(clockNanoseconds, places: 0))", "\"unit\":\"ns\"",
        "\"measurements\":[\(figures.joined(separator: ","))]", "\"rates\":[\(rateFields.joined(separator: ","))]",
      ]
    return "{" + fields.joined(separator: ",") + "}"
  }

  private func json(_ percentiles: Percentiles) -> String {
    let fields = zip(Percentiles.names, percentiles.all).map { "\"\($0)\":\(decimal($1, places: 0))" }
    return "{" + fields.joined(separator: ",") + "}"
  }
}

// MARK: - Numbers as text

private func microseconds(_ nanoseconds: Double) -> String {
  decimal(nanoseconds / 1_000, places: nanoseconds < 100_000 ? 2 : 0)
}

func decimal(_ value: Double, places: Int) -> String {
  let scale = (0..<places).reduce(1) { product, _ in product * 10 }
  let scaled = Int((value * Double(scale)).rounded())
  if places == 0 { return String(scaled) }
  let fraction = String(scaled % scale)
  return "\(scaled / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
}

/// A whole number with thousands separators.
func grouped(_ number: Int) -> String {
  var digits = String(number)[...]
  var groups: [Substring] = []
  while digits.count > 3 {
    groups.append(digits.suffix(3))
    digits = digits.dropLast(3)
  }
  return ([digits] + groups.reversed()).joined(separator: ",")
}
