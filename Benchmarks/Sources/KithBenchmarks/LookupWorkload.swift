import Kith

/// Questions that look at one place: does one follow another, how many follow them, who likes a post.
struct LookupWorkload {
  private static let hotCount = 200

  let network: Network
  let graph: SocialGraph
  let floor: EdgeFloor
  let seed: UInt64

  /// All rounds ask from inside one view and read lock, as the floor does without any.
  func run(_ harness: inout Harness) throws -> [Measurement] {
    var random = RandomSource(seed: seed, stream: 41)
    let pairs = (0..<100_000).map { index in
      let user = random.below(network.userCount)
      let followees = network.followees[user]
      // Half of them follow.
      let target =
        index % 2 == 0 && !followees.isEmpty ? Int(random.pick(Array(followees))) : random.below(network.userCount)
      return (user: user, target: target)
    }
    let posts = Array(0..<network.authors.count).sorted { floorRank($0) < floorRank($1) }.suffix(5_000)
    try check(pairs, Array(posts))
    let pin = graph.pin()
    var measurements: [Measurement] = []
    for (name, count) in [("hot", Self.hotCount), ("cold", pairs.count)] {
      measurements.append(
        try harness.measure("isFollowing, \(name)", questions: count, samples: max(harness.samples, count)) {
          try pin.view.isFollowing(Network.userID(pairs[$0].user), Network.userID(pairs[$0].target)) ? 1 : 0
        } floor: {
          floor.isFollowing(pairs[$0].user, pairs[$0].target) ? 1 : 0
        })
    }
    measurements.append(
      harness.measure("followers counted", questions: Self.hotCount, samples: 10_000) {
        pin.view.followerCount(at: pairs[$0].target)
      } floor: {
        floor.followerCount(pairs[$0].target)
      })
    let liked = Array(posts)
    measurements.append(
      try harness.measure("likers, first 20 with names", questions: Self.hotCount) {
        try pin.view.likers(of: Network.postID(liked[liked.count - 1 - $0])).count
      } floor: {
        floor.likers(liked[liked.count - 1 - $0])
      })
    return measurements
  }

  /// Posts that more like rank higher.
  private func floorRank(_ post: Int) -> Int { floor.likers(post) * network.authors.count + post }

  private func check(_ pairs: [(user: Int, target: Int)], _ posts: [Int]) throws {
    for pair in pairs.prefix(2_000) {
      let answer = try graph.read { view throws(KithError) in
        try view.isFollowing(Network.userID(pair.user), Network.userID(pair.target))
      }
      let count = graph.read { $0.followerCount(at: pair.target) }
      if answer != floor.isFollowing(pair.user, pair.target) || count != floor.followerCount(pair.target) {
        throw WrongAnswer(message: "whether user row \(pair.user) follows \(pair.target) differs from the floor's")
      }
    }
    for post in posts.suffix(200) {
      let likers = try graph.read { view throws(KithError) in
        try view.likers(of: Network.postID(post)).map { $0.id }
      }
      let known = floor.lastLikers(floor.likers(post)).map { Network.userID($0.user) }
      if likers != known { throw WrongAnswer(message: "the likers of post row \(post) differ from the floor's") }
    }
  }
}
