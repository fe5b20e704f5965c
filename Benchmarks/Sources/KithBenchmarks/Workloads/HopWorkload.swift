import Kith

/// Queries over several hops: mutual followees, suggestions, distances, and timelines over two hops.
struct HopWorkload {
  private static let limit = 20
  private static let questionCount = 200

  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let baseline = FollowBaseline(network)
    var measurements = try mutuals(&harness, baseline)
    for count in [10, 40, 100, 300] {
      let users = users(following: count)
      if users.count < 10 { continue }
      measurements.append(try suggestions(&harness, baseline, count, users))
    }
    measurements.append(try distances(&harness, baseline))
    measurements.append(try twoHops(&harness))
    return measurements
  }

  /// Users with about this many followees, a twentieth more or less.
  private func users(following count: Int) -> [Int] {
    let offsets = network.followees.offsets
    let range = (count - count / 20)...(count + count / 20)
    return Array(
      (0..<network.userCount).filter { range.contains(Int(offsets[$0 + 1] - offsets[$0])) }.prefix(Self.questionCount))
  }

  // MARK: - Mutuals

  private func mutuals(_ harness: inout Harness, _ baseline: FollowBaseline) throws -> [Measurement] {
    let typical = users(following: 40)
    let (few, many) = (users(following: 10), users(following: 5_000))
    var measurements: [Measurement] = []
    for (name, one, other) in [
      ("40 and 40", typical, typical), ("10 and 5,000", few, many), ("5,000 each", many, many),
    ] {
      if one.count < 2 || other.count < 2 { continue }
      let pairs = (0..<Self.questionCount).map { (one[$0 % one.count], other[($0 + 1) % other.count]) }
      for (one, other) in pairs { try check(one, other, baseline) }
      measurements.append(
        try harness.measure("mutual followees, first page, \(name)", questions: pairs.count) { question in
          let (one, other) = (Network.userID(pairs[question].0), Network.userID(pairs[question].1))
          return try graph.read { view throws(KithError) in try view.mutualFollowees(of: one, and: other) }.count
        } baseline: { question in
          baseline.mutuals(pairs[question].0, pairs[question].1, limit: Self.limit)
        })
      measurements.append(
        try harness.measure("mutual followees, count, \(name)", questions: pairs.count) { question in
          let (one, other) = (Network.userID(pairs[question].0), Network.userID(pairs[question].1))
          return try graph.read { view throws(KithError) in try view.mutualFolloweeCount(of: one, and: other) }
        } baseline: { question in
          baseline.mutuals(pairs[question].0, pairs[question].1, limit: 0)
        })
    }
    return measurements
  }

  private func check(_ one: Int, _ other: Int, _ baseline: FollowBaseline) throws {
    let page = try graph.read { view throws(KithError) in
      try view.mutualFollowees(of: Network.userID(one), and: Network.userID(other), MutualQuery(countsMatches: true))
    }
    let count = baseline.mutuals(one, other, limit: Self.limit)
    let known = baseline.people(min(count, Self.limit))
    if page.total != count || page.map({ person($0, 0) }) != known {
      throw WrongAnswer(
        message: "whom users \(one + 1) and \(other + 1) both follow differs from the baseline's answer")
    }
  }

  private func person(_ user: User, _ weight: Int) -> FollowBaseline.Person {
    FollowBaseline.Person(
      id: user.id.rawValue, username: user.username, weight: weight,
      counts: [user.followerCount, user.followeeCount, user.postCount])
  }

  // MARK: - Suggestions

  private func suggestions(
    _ harness: inout Harness, _ baseline: FollowBaseline, _ count: Int, _ users: [Int]
  ) throws -> Measurement {
    for user in users {
      let page = try graph.read { view throws(KithError) in try view.suggestions(for: Network.userID(user)) }
      let known = baseline.people(baseline.suggestions(user, limit: Self.limit))
      if page.map({ person($0.user, $0.mutualCount) }) != known {
        throw WrongAnswer(message: "the suggestions for user \(user + 1) differ from the baseline's answer")
      }
    }
    return try harness.measure("suggestions, \(grouped(count)) followed", questions: users.count) { question in
      let user = Network.userID(users[question])
      return try graph.read { view throws(KithError) in try view.suggestions(for: user) }.count
    } baseline: { question in
      baseline.suggestions(users[question], limit: Self.limit)
    }
  }

  // MARK: - Distances

  private func distances(_ harness: inout Harness, _ baseline: FollowBaseline) throws -> Measurement {
    var random = RandomSource(seed: seed, stream: 21)
    let pairs = (0..<1_000).map { _ in (random.below(network.userCount), random.below(network.userCount)) }
    for (from, to) in pairs {
      let distance = try graph.read { view throws(KithError) in
        try view.shortestPath(from: Network.userID(from), to: Network.userID(to))
      }
      if distance != .gaveUp && distance.hops ?? -1 != baseline.distance(from, to, maximum: 6) {
        throw WrongAnswer(message: "the way from \(from + 1) to \(to + 1) differs from the baseline's answer")
      }
    }
    return try harness.measure("distance of two users at random", questions: pairs.count) { question in
      let (from, to) = (Network.userID(pairs[question].0), Network.userID(pairs[question].1))
      return try graph.read { view throws(KithError) in try view.shortestPath(from: from, to: to) }.hops ?? -1
    } baseline: { question in
      baseline.distance(pairs[question].0, pairs[question].1, maximum: 6)
    }
  }

  // MARK: - Timelines of two hops

  private func twoHops(_ harness: inout Harness) throws -> Measurement {
    let baseline = TimelineBaseline(network)
    let users = users(following: 40)
    for user in users {
      let page = try graph.read { view throws(KithError) in try view.twoHopTimeline(of: Network.userID(user)) }
      let known = baseline.twoHopPosts(of: user, limit: Self.limit)
      if page.map(\.id.rawValue) != known.map(\.id) || page.map(\.text) != known.map(\.text) {
        throw WrongAnswer(message: "the timeline of two hops of user \(user + 1) differs from the baseline's answer")
      }
    }
    return try harness.measure("timeline of two hops, 40 followed", questions: users.count) { question in
      let user = Network.userID(users[question])
      return try graph.read { view throws(KithError) in try view.twoHopTimeline(of: user) }.count
    } baseline: { question in
      baseline.twoHopPage(of: users[question], limit: Self.limit)
    }
  }
}
