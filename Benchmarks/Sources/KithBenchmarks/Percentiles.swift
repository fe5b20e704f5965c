/// The percentiles of a run, in nanoseconds.
struct Percentiles {
  let p50: Double
  let p90: Double
  let p99: Double
  let p999: Double
  let max: Double

  static let names = ["p50", "p90", "p99", "p99.9", "max"]
  var all: [Double] { [p50, p90, p99, p999, max] }

  /// - Parameter samples: at least one, in any order.
  init(_ samples: [Int64]) {
    let sorted = samples.sorted()
    /// The smallest sample that at least this many of a thousand do not exceed.
    func rank(_ thousandths: Int) -> Double {
      Double(sorted[Swift.max(0, (sorted.count * thousandths + 999) / 1_000 - 1)])
    }
    (p50, p90, p99, p999, max) = (rank(500), rank(900), rank(990), rank(999), rank(1_000))
  }

  /// Each figure is the median of that figure over runs.
  init(medianOf runs: [Percentiles]) {
    func median(_ figure: (Percentiles) -> Double) -> Double {
      let sorted = runs.map(figure).sorted()
      return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
    p50 = median(\.p50)
    p90 = median(\.p90)
    p99 = median(\.p99)
    p999 = median(\.p999)
    max = median(\.max)
  }
}
