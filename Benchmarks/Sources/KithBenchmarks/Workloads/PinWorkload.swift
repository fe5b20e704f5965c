import Kith

/// Pins, and changes beside them.
struct PinWorkload {
  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  func run(_ harness: inout Harness) throws -> [Measurement] {
    [harness.measure("pin, let go at once", questions: 1) { _ in graph.pin().view.sequence > 0 ? 1 : 0 }]
      + (try pinned(&harness))
  }

  /// Changes while a new pin is held; the baseline is the same without one.
  private func pinned(_ harness: inout Harness) throws -> [Measurement] {
    var random = RandomSource(seed: seed, stream: 71)
    var pin: SocialGraph.Pin?
    var number = 0
    let newest = network.times.max() ?? 0
    func change() throws -> Int {
      let user = Network.userID(random.below(network.userCount))
      let target = Network.userID(random.below(network.userCount))
      number += 1
      if user == target { return 0 }
      switch number % 4 {
      case 0: return try graph.follow(target, as: user) ? 1 : 0
      case 1: return try graph.unfollow(target, as: user) ? 1 : 0
      case 2: return try graph.like(Network.postID(random.below(network.authors.count)), as: user) ? 1 : 0
      default:
        // A second after the one before, as posts of this many users may be.
        let time = Timestamp(newest + Int64(number) * 1_000)
        return try graph.addPost("a post while a pin is held", by: user, createdAt: time).rawValue > 0 ? 1 : 0
      }
    }
    let measurement = try harness.measure("changes while a pin is held", questions: 1, samples: harness.samples * 10) {
      if number % 10_000 == 0 { pin = graph.pin() }
    } engine: { _ in
      try change()
    } baseline: { _ in
      pin = nil
      return try change()
    }
    precondition(pin == nil, "the last run was the baseline's")
    return [measurement]
  }
}
