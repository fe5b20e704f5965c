/// How long one question took, asked again and again.
struct Latencies {
  private var sorted: [Duration] = []

  /// Asks until it was asked `count` times or half a second has passed, one caller, the clock around each call alone.
  ///
  /// `body` gets the number of the repetition; what it answers is let go after the clock has stopped.
  init<Answer>(count: Int, _ body: (Int) throws(CommandFailure) -> Answer) throws(CommandFailure) {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: .milliseconds(500))
    var samples: [Duration] = []
    samples.reserveCapacity(count)
    for repetition in 0..<count {
      let began = clock.now
      let answer = try body(repetition)
      let ended = clock.now
      withExtendedLifetime(answer) {}
      samples.append(ended - began)
      if ended > deadline { break }
    }
    sorted = samples.sorted()
  }

  var count: Int { sorted.count }
  var median: Duration { quantile(0.5) }
  var percentile99: Duration { quantile(0.99) }

  private func quantile(_ share: Double) -> Duration {
    guard !sorted.isEmpty else { return .zero }
    return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
  }
}
