import CFloor

/// One kind of question as it was measured.
struct Measurement {
  let name: String
  let engine: Percentiles
  /// The same work on bare arrays, measured in turn with the engine; nil where there is none yet.
  let floor: Percentiles?

  /// How many allocations of memory the engine made for a question, on average; nil where nobody counts them.
  var allocations: Double? = nil

  /// How many follows one question reads, where that is what counts.
  var follows: Int? = nil

  /// How many times the floor's median the engine's is.
  var ratio: Double? { floor.map { engine.p50 / $0.p50 } }
}

/// Asks questions one at a time, from one thread, with the clock around each.
struct Harness {
  let samples: Int
  let runs: Int
  /// What answers are folded into, so that no call can be optimised away.
  private(set) var digest = 0

  init(_ settings: Settings) {
    samples = settings.samples
    runs = settings.runs
  }

  /// Runs of the engine and of its floor in turn, so that whatever disturbs the machine meets both; one unmeasured
  /// first.
  ///
  /// Sample `i` asks question `i` modulo `questions`. Both answer a number that depends on the answer.
  /// - Parameter prepare: is called before each sample, and not timed.
  mutating func measure(
    _ name: String, questions: Int, samples: Int? = nil, preparing prepare: () -> Void = {},
    engine: (Int) throws -> Int, floor: ((Int) throws -> Int)? = nil
  ) rethrows -> Measurement {
    let samples = samples ?? self.samples
    var engineRuns: [Percentiles] = []
    var floorRuns: [Percentiles] = []
    var allocations: Double?
    for run in 0...runs {
      let engineRun: Percentiles
      (engineRun, allocations) = try time(questions, samples, prepare, engine)
      let floorRun = try floor.map { try time(questions, samples, prepare, $0).figures }
      if run == 0 { continue }
      engineRuns.append(engineRun)
      if let floorRun { floorRuns.append(floorRun) }
    }
    return Measurement(
      name: name, engine: Percentiles(medianOf: engineRuns),
      floor: floorRuns.isEmpty ? nil : Percentiles(medianOf: floorRuns), allocations: allocations)
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
      let before = floor_allocation_count()
      let began = clock.now
      let answer = try body(sample % questions)
      let ended = clock.now
      allocationCount += floor_allocation_count() - before
      digest = digest &* 31 &+ answer
      durations.append((ended - began).components.attoseconds / 1_000_000_000)
    }
    let counts = floor_allocation_count() >= 0
    return (Percentiles(durations), counts ? Double(allocationCount) / Double(samples) : nil)
  }
}

/// An answer that differs from the plain recomputation: there is nothing to measure then.
struct WrongAnswer: Error {
  let message: String
}
