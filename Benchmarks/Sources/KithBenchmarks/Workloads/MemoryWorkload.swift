import Kith

/// The bytes of follows and likes, before and after churn; the cost of unfollowing a user with many followers; and the
/// latency of the slowest insertions into an index of ids.
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

  /// Random follows, each removed a little later.
  private func churn(_ count: Int) throws {
    var random = RandomSource(seed: seed, stream: 81)
    var waiting: [(UserID, UserID)] = []
    for _ in 0..<count {
      let (source, other) = (random.below(network.userCount), random.below(network.userCount))
      let (user, target) = (Network.userID(source), Network.userID(other))
      if user != target, try graph.follow(target, as: user, at: network.edgeTime(source, other)) {
        waiting.append((user, target))
      }
      if waiting.count > 1_000 {
        let (user, target) = waiting.remove(at: random.below(waiting.count))
        try graph.unfollow(target, as: user)
      }
    }
    for (user, target) in waiting { try graph.unfollow(target, as: user) }
  }

  /// This many follow one user, all in the same second; then random ones unfollow and follow again.
  private func celebrity(_ harness: inout Harness) throws -> Measurement {
    let count = harness.samples * 500
    let other = SocialGraph()
    let star = try other.addUser("somebody whom all follow")
    for start in stride(from: 0, to: count, by: 5_000) {
      try other.batch { batch throws(KithError) in
        for number in start..<min(count, start + 5_000) {
          let fan = try batch.apply(.addUser(id: nil, username: "fan \(number)")).user ?? star
          try batch.apply(.follow(as: fan, target: star, at: Timestamp(Network.edgeTime)))
        }
      }
    }
    var random = RandomSource(seed: seed, stream: 82)
    var left: UserID?
    let name = "unfollow one of \(grouped(count)) followers, all of one second"
    return try harness.measure(name, questions: 1, samples: min(harness.samples, 2_000)) {
      if let left { _ = try? other.follow(star, as: left, at: Timestamp(Network.edgeTime)) }
    } engine: { _ in
      let user = UserID(Int64(random.below(count)) + 2)
      left = user
      return try other.unfollow(star, as: user) ? 1 : 0
    }
  }

  /// Posts with ids of the host, one at a time, in a graph of their own, whose index of ids grows from nothing.
  private func identifiers(_ count: Int) throws {
    var options = SocialGraph.Options()
    options.postIndex = .off
    let other = SocialGraph(options: options)
    var random = RandomSource(seed: seed, stream: 83)
    let author = try other.addUser("author")
    let clock = ContinuousClock()
    var durations: [Int64] = []
    durations.reserveCapacity(count)
    for number in 0..<count {
      let id = PostID(Int64(bitPattern: random.next() >> 2) + 1)
      let began = clock.now
      try other.addPost("x", by: author, id: id, createdAt: Timestamp(Int64(number)))
      durations.append((clock.now - began).components.attoseconds / 1_000_000_000)
    }
    durations.sort()
    let figures = [(50_00, "p50"), (99_90, "p99.9"), (99_99, "p99.99"), (100_00, "max")].map { share, name in
      "\(name) \(decimal(Double(durations[(count * share + 9_999) / 10_000 - 1]) / 1_000, places: 2))"
    }
    print("a post with an id of the host's own, up to \(grouped(count)): \(figures.joined(separator: ", ")) µs")
  }
}
