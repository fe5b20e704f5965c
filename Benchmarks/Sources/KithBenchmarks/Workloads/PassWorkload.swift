import Kith

/// Passes over the whole graph, on one core like their baseline, and on all.
struct PassWorkload {
  private static let rounds = 3
  private static let damping = 0.85

  let network: Network
  let graph: SocialGraph

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let baseline = FollowBaseline(network)
    let pin = graph.pin()
    let options = PageRank.Options(damping: Self.damping, tolerance: 0, maximumRounds: Self.rounds)
    let scores = try pin.pageRank(options).scores
    let known = baseline.pageRankScores(rounds: Self.rounds, damping: Self.damping)
    guard zip(scores, known).allSatisfy({ abs($0 - $1) <= 1e-12 }) else {
      throw WrongAnswer(message: "scores differ from the baseline's")
    }
    var measurements: [Measurement] = []
    for (name, limit) in [("one core", 1), ("all cores", nil)] as [(String, Int?)] {
      var measurement = try harness.measure("PageRank, \(Self.rounds) rounds, \(name)", questions: 1, samples: 3) { _ in
        try pin.pageRank(options, control: PassControl(taskLimit: limit)).rounds
      } baseline: { _ in
        baseline.pageRankDigest(rounds: Self.rounds, damping: Self.damping)
      }
      measurement.follows = Self.rounds * network.followCount
      measurements.append(measurement)
    }
    var components = try harness.measure("connected components, all cores", questions: 1, samples: 3) { _ in
      try pin.connectedComponents().components.count
    }
    components.follows = network.followCount
    measurements.append(components)
    measurements.append(
      try harness.measure("degree distribution, all cores", questions: 1, samples: 3) { _ in
        try pin.degreeDistribution().followers.buckets.count
      })
    return measurements
  }
}
