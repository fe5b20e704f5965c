import Kith

/// What follows and likes cost in bytes, before and after churn; what it costs to leave somebody whom many follow; and
/// how long the slowest entries of an index of ids take.
struct MemoryWorkload {
  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let before = graph.read { $0.memoryReport() }
    let churnCount = harness.samples * 500
    try churn(churnCount)
    let after = graph.read { $0.memoryReport() }
    for (name, report) in [("before", before), ("after \(grouped(churnCount)) follows and unfollows", after)] {
      let lines = report.units.map { "\(decimal($0.bytesEach ?? 0, places: 2)) a \($0.name)" }
      print("bytes \(name): \(lines.joined(separator: ", ")); in all \(grouped(report.byteCount))")
    }
    return [try celebrity(&harness), try identifiers(&harness)]
  }

  /// Follows at random, each taken back a little later.
  private func churn(_ count: Int) throws {
    var random = RandomSource(seed: seed, stream: 81)
    var waiting: [(UserID, UserID)] = []
    for _ in 0..<count {
      let (user, target) = (
        Network.userID(random.below(network.userCount)), Network.userID(random.below(network.userCount))
      )
      if user != target, try graph.follow(user, target, at: Timestamp(Network.edgeTime)) {
        waiting.append((user, target))
      }
      if waiting.count > 1_000 {
        let (user, target) = waiting.remove(at: random.below(waiting.count))
        try graph.unfollow(user, target)
      }
    }
    for (user, target) in waiting { try graph.unfollow(user, target) }
  }

  /// Everybody follows one user, all in the same second; then some at random leave, and come back.
  private func celebrity(_ harness: inout Harness) throws -> Measurement {
    let star = try graph.addUser("somebody whom all follow")
    for user in 0..<network.userCount { try graph.follow(Network.userID(user), star, at: Timestamp(Network.edgeTime)) }
    var random = RandomSource(seed: seed, stream: 82)
    var left: UserID?
    return try harness.measure(
      "unfollow one of \(grouped(network.userCount)) followers, all of one second", questions: 1
    ) {
      if let left { _ = try? graph.follow(left, star, at: Timestamp(Network.edgeTime)) }
    } engine: { _ in
      let user = Network.userID(random.below(network.userCount))
      left = user
      return try graph.unfollow(user, star) ? 1 : 0
    }
  }

  /// Users with ids of their own, one at a time, in a graph of their own.
  private func identifiers(_ harness: inout Harness) throws -> Measurement {
    let other = SocialGraph()
    var random = RandomSource(seed: seed, stream: 83)
    var number = 0
    let author = try other.addUser("author")
    return try harness.measure("post with an id of the host's own", questions: 1, samples: harness.samples * 20) { _ in
      number += 1
      let id = PostID(Int64(bitPattern: random.next() >> 2) + 1)
      return try other.addPost(by: author, "x", id: id, createdAt: Timestamp(Int64(number))).rawValue > 0 ? 1 : 0
    }
  }
}
