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
    try identifiers(harness.samples * 1_000)
    return [try celebrity(&harness)]
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

  /// So many follow one user, all in the same second; then some at random leave, and come back.
  private func celebrity(_ harness: inout Harness) throws -> Measurement {
    let count = harness.samples * 500
    let other = SocialGraph()
    let star = try other.addUser("somebody whom all follow")
    for start in stride(from: 0, to: count, by: 5_000) {
      try other.batch { batch throws(KithError) in
        for number in start..<min(count, start + 5_000) {
          let fan = try batch.apply(.addUser(id: nil, username: "fan \(number)")).user ?? star
          try batch.apply(.follow(fan, star, at: Timestamp(Network.edgeTime)))
        }
      }
    }
    var random = RandomSource(seed: seed, stream: 82)
    var left: UserID?
    let name = "unfollow one of \(grouped(count)) followers, all of one second"
    return try harness.measure(name, questions: 1, samples: min(harness.samples, 2_000)) {
      if let left { _ = try? other.follow(left, star, at: Timestamp(Network.edgeTime)) }
    } engine: { _ in
      let user = UserID(Int64(random.below(count)) + 2)
      left = user
      return try other.unfollow(user, star) ? 1 : 0
    }
  }

  /// Posts with ids of the host's own, one at a time, in a graph of their own, whose index of ids grows from nothing.
  private func identifiers(_ count: Int) throws {
    let other = SocialGraph(options: Options(postIndex: .off))
    var random = RandomSource(seed: seed, stream: 83)
    let author = try other.addUser("author")
    let clock = ContinuousClock()
    var durations: [Int64] = []
    durations.reserveCapacity(count)
    for number in 0..<count {
      let id = PostID(Int64(bitPattern: random.next() >> 2) + 1)
      let began = clock.now
      try other.addPost(by: author, "x", id: id, createdAt: Timestamp(Int64(number)))
      durations.append((clock.now - began).components.attoseconds / 1_000_000_000)
    }
    durations.sort()
    let figures = [(50_00, "p50"), (99_90, "p99.9"), (99_99, "p99.99"), (100_00, "max")].map { share, name in
      "\(name) \(decimal(Double(durations[(count * share + 9_999) / 10_000 - 1]) / 1_000, places: 2))"
    }
    print("a post with an id of the host's own, up to \(grouped(count)): \(figures.joined(separator: ", ")) µs")
  }
}
