import CBaseline

/// The measurement of one kind of query.
struct Measurement {
  let name: String
  let engine: Percentiles
  /// The same work on bare arrays, measured in turn with the engine; nil without a baseline.
  let baseline: Percentiles?

  /// The engine's allocations for a query, on average; nil where they are not counted.
  var allocations: Double? = nil

  /// The follows that one query reads, if that is the measure.
  var follows: Int? = nil

  /// The engine's median divided by the baseline's.
  var ratio: Double? { baseline.map { engine.p50 / $0.p50 } }
}

/// Runs queries one at a time, from one thread, with the clock around each.
struct Harness {
  let samples: Int
  let runs: Int
  /// Results are folded into this, so that no call can be optimised away.
  private(set) var digest = 0

  init(_ settings: Settings) {
    samples = settings.samples
    runs = settings.runs
  }

  /// Runs of the engine and of its baseline in turn, so that disturbances affect both; an unmeasured run comes first.
  ///
  /// Sample `i` runs query `i` modulo `questions`. Both return a number that depends on the result.
  /// - Parameter prepare: is called before each sample, and not timed.
  mutating func measure(
    _ name: String, questions: Int, samples: Int? = nil, preparing prepare: () -> Void = {},
    engine: (Int) throws -> Int, baseline: ((Int) throws -> Int)? = nil
  ) rethrows -> Measurement {
    let samples = samples ?? self.samples
    var engineRuns: [Percentiles] = []
    var baselineRuns: [Percentiles] = []
    var allocations: Double?
    for run in 0...runs {
      let engineRun: Percentiles
      (engineRun, allocations) = try time(questions, samples, prepare, engine)
      let baselineRun = try baseline.map { try time(questions, samples, prepare, $0).figures }
      if run == 0 { continue }
      engineRuns.append(engineRun)
      if let baselineRun { baselineRuns.append(baselineRun) }
    }
    return Measurement(
      name: name, engine: Percentiles(medianOf: engineRuns),
      baseline: baselineRuns.isEmpty ? nil : Percentiles(medianOf: baselineRuns), allocations: allocations)
  }

  private mutating func time(
    _ questions: Int, _ samples: Int, _ prepare: () -> Void, _ body: (Int) throws -> Int
  ) rethrows -> (figures: Percentiles, allocations: Double?) {
    let clock = ContinuousClock()
    var durations: [Int64] = []
    durations.reserveCapacity(samples)
    var allocationCount: Int64 = 0
    for sample in 0..<samples {
      prepare()
      let before = baseline_allocation_count()
      let began = clock.now
      let answer = try body(sample % questions)
      let ended = clock.now
      allocationCount += baseline_allocation_count() - before
      digest = digest &* 31 &+ answer
      durations.append((ended - began).components.attoseconds / 1_000_000_000)
    }
    let counts = baseline_allocation_count() >= 0
    return (Percentiles(durations), counts ? Double(allocationCount) / Double(samples) : nil)
  }
}

/// A result that differs from the plain recomputation: there is nothing to measure then.
struct WrongAnswer: Error {
  let message: String
}
