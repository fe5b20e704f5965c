/// One axis of a chart: the positions and labels of values.
struct ChartAxis {
  struct Tick {
    let value: Double
    let text: String
  }

  let label: String
  let ticks: [Tick]
  /// From a value to its position, 0 at the beginning and 1 at the end.
  let place: (Double) -> Double

  /// A logarithmic axis that holds all values, from tick to tick.
  ///
  /// - Parameter values: above zero.
  static func logarithmic(_ label: String, holding values: [Double], _ text: (Double) -> String) -> ChartAxis {
    let low = values.min() ?? 1
    let high = max(values.max() ?? 1, low)
    let decades = (-3...15).map { power($0) }
    // Over less than two decades, powers of ten alone are too few labels.
    let steps: [Double] = high / low > 60 ? [1] : [1, 2, 5]
    let candidates = decades.flatMap { decade in steps.map { decade * $0 } }
    let first = candidates.last { $0 <= low } ?? low
    let last = candidates.first { $0 >= high && $0 > first } ?? high
    let ticks = candidates.filter { $0 >= first && $0 <= last }
    return ChartAxis(label: label, ticks: ticks.map { Tick(value: $0, text: text($0)) }) {
      Lognormal.naturalLogarithm(max($0, first) / first) / Lognormal.naturalLogarithm(last / first)
    }
  }

  /// A logarithmic axis with a tick at each of some values, and some space before the first and after the last.
  static func steps(_ label: String, at values: [Double], _ text: (Double) -> String) -> ChartAxis {
    let first = Lognormal.naturalLogarithm(values.first ?? 1)
    let span = Lognormal.naturalLogarithm(values.last ?? 1) - first
    return ChartAxis(label: label, ticks: values.map { Tick(value: $0, text: text($0)) }) {
      span > 0 ? 0.06 + 0.88 * (Lognormal.naturalLogarithm($0) - first) / span : 0.5
    }
  }

  /// Shares of a whole with the tail stretched out: each nine has equal length.
  static func nines(_ label: String) -> ChartAxis {
    let last = Lognormal.naturalLogarithm(10_000)
    let ticks = [(0, "0"), (0.5, "50"), (0.9, "90"), (0.99, "99"), (0.999, "99.9"), (0.9999, "99.99")]
    return ChartAxis(label: label, ticks: ticks.map { Tick(value: $0.0, text: $0.1) }) {
      -Lognormal.naturalLogarithm(max(1 - $0, 1e-4)) / last
    }
  }

  private static func power(_ exponent: Int) -> Double {
    (0..<exponent.magnitude).reduce(1.0) { product, _ in exponent < 0 ? product / 10 : product * 10 }
  }
}
