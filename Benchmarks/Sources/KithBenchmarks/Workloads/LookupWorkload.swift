import Kith

/// Lookups: `isFollowing`, follower counts, likers of a post.
struct LookupWorkload {
  private static let hotCount = 200

  let network: Network
  let graph: SocialGraph
  let baseline: EdgeBaseline
  let seed: UInt64

  /// All rounds run inside one view and read lock; the baseline has none.
  func run(_ harness: inout Harness) throws -> [Measurement] {
    var random = RandomSource(seed: seed, stream: 41)
    let pairs = (0..<100_000).map { index in
      let user = random.below(network.userCount)
      let followees = network.followees[user]
      // Half of the pairs follow.
      let target =
        index % 2 == 0 && !followees.isEmpty ? Int(random.pick(Array(followees))) : random.below(network.userCount)
      return (user: user, target: target)
    }
    let posts = Array(0..<network.authors.count).sorted { baselineRank($0) < baselineRank($1) }.suffix(5_000)
    try check(pairs, Array(posts))
    let pin = graph.pin()
    var measurements: [Measurement] = []
    for (name, count) in [("hot", Self.hotCount), ("cold", pairs.count)] {
      measurements.append(
        try harness.measure("isFollowing, \(name)", questions: count, samples: max(harness.samples, count)) {
          try pin.view.isFollowing(Network.userID(pairs[$0].target), as: Network.userID(pairs[$0].user)) ? 1 : 0
        } baseline: {
          baseline.isFollowing(pairs[$0].user, pairs[$0].target) ? 1 : 0
        })
    }
    measurements.append(
      harness.measure("followers counted", questions: Self.hotCount, samples: 10_000) {
        pin.view.followerCount(at: pairs[$0].target)
      } baseline: {
        baseline.followerCount(pairs[$0].target)
      })
    let liked = Array(posts)
    measurements.append(
      try harness.measure("likers, first 20 with names", questions: Self.hotCount) {
        try pin.view.likers(of: Network.postID(liked[liked.count - 1 - $0])).count
      } baseline: {
        baseline.likers(liked[liked.count - 1 - $0])
      })
    return measurements
  }

  /// Posts with more likes are chosen more often.
  private func baselineRank(_ post: Int) -> Int { baseline.likers(post) * network.authors.count + post }

  private func check(_ pairs: [(user: Int, target: Int)], _ posts: [Int]) throws {
    for pair in pairs.prefix(2_000) {
      let answer = try graph.read { view throws(KithError) in
        try view.isFollowing(Network.userID(pair.target), as: Network.userID(pair.user))
      }
      let count = graph.read { $0.followerCount(at: pair.target) }
      if answer != baseline.isFollowing(pair.user, pair.target) || count != baseline.followerCount(pair.target) {
        throw WrongAnswer(message: "whether user row \(pair.user) follows \(pair.target) differs from the baseline's")
      }
    }
    for post in posts.suffix(200) {
      let likers = try graph.read { view throws(KithError) in
        try view.likers(of: Network.postID(post)).map { $0.id }
      }
      let known = baseline.lastLikers(baseline.likers(post)).map { Network.userID($0.user) }
      if likers != known { throw WrongAnswer(message: "the likers of post row \(post) differ from the baseline's") }
    }
  }
}
