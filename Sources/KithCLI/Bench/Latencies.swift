/// The latencies of one query, run repeatedly.
struct Latencies: Sendable {
  /// The percentiles that are shown, as shares of the samples.
  static let shares = [0.5, 0.9, 0.99, 0.999, 0.9999]
  static let shareNames = ["p50", "p90", "p99", "p99.9", "p99.99"]

  /// Nanoseconds, ascending.
  private let sorted: [Int64]

  /// Runs `body` `count` times or until `limit` has passed, in one thread, with the clock around each call.
  ///
  /// `body` gets the number of the repetition; its result is released after the clock has stopped.
  init<Answer, E: Error>(
    count: Int, limit: Duration = .milliseconds(500), _ body: (Int) throws(E) -> Answer
  ) throws(E) {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: limit)
    var samples: [Int64] = []
    samples.reserveCapacity(count)
    for repetition in 0..<count {
      let began = clock.now
      let answer = try body(repetition)
      let ended = clock.now
      withExtendedLifetime(answer) {}
      samples.append((ended - began).nanoseconds)
      if ended > deadline { break }
    }
    sorted = samples.sorted()
  }

  var count: Int { sorted.count }
  var median: Duration { .nanoseconds(quantile(0.5)) }
  var percentile99: Duration { .nanoseconds(quantile(0.99)) }
  /// Nanoseconds; zero without samples.
  var maximum: Int64 { sorted.last ?? 0 }
  var perSecond: Double { sorted.isEmpty ? 0 : Double(count) * 1e9 / Double(max(1, sorted.reduce(0, +))) }

  /// Nanoseconds that at least this share of the samples did not exceed.
  func quantile(_ share: Double) -> Int64 {
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(count, max(1, Int((share * Double(count)).rounded(.up)))) - 1]
  }

  /// Whether there are enough samples beyond this share: with fewer, a percentile would be the maximum.
  func tells(_ share: Double) -> Bool { Double(count) * (1 - share) >= 0.999 }

  /// The nanoseconds of the shown percentiles; nil without enough samples.
  var percentiles: [Int64?] { Self.shares.map { tells($0) ? quantile($0) : nil } }
}

extension Duration {
  /// Whole nanoseconds, for up to some centuries.
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}

/// Nanoseconds in the unit that suits their size, to three digits: `60 ns`, `1.25 µs`, `310 ms`.
func latencyText(_ nanoseconds: Double) -> String {
  var (value, unit) = (nanoseconds, "ns")
  for larger in ["µs", "ms", "s"] where value >= 999.5 { (value, unit) = (value / 1_000, larger) }
  let places = unit == "ns" || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
  return "\(decimal(value, places: places)) \(unit)"
}

func latencyText(_ nanoseconds: Int64) -> String { latencyText(Double(nanoseconds)) }
