import Kith

/// Single changes in memory: follows and likes of random users, most of them cold, and their removal.
struct ChangeWorkload {
  let network: Network
  let graph: SocialGraph
  let baseline: EdgeBaseline
  let seed: UInt64

  /// The next change, in a list that engine and baseline each go through once.
  private final class Walk {
    private let pairs: [(Int, Int)]
    private var place = 0

    init(_ pairs: [(Int, Int)]) { self.pairs = pairs }

    @inline(__always)
    func next() -> (Int, Int) {
      defer { place += 1 }
      return pairs[place]
    }

    func restart() { place = 0 }
  }

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let count = harness.samples * (harness.runs + 1)
    let follows = pairs(count, of: network.userCount, stream: 51) { baseline.isFollowing($0, $1) }
    let likes = pairs(count, of: network.authors.count, stream: 52) { _, _ in false }
    var measurements: [Measurement] = []
    let time = Timestamp(Network.edgeTime + 86_400_000)
    let second = UInt32(time.rawValue / 1_000)
    try measure(&harness, "follow", follows, &measurements) {
      try graph.follow(Network.userID($1), as: Network.userID($0), at: time)
    } baseline: {
      baseline.follow($0, $1, second: second)
    }
    try check(follows)
    try measure(&harness, "like", likes, &measurements) {
      try graph.like(Network.postID($1), as: Network.userID($0), at: time)
    } baseline: {
      baseline.like($0, $1, second: second)
    }
    try measure(&harness, "unlike", likes, &measurements) {
      try graph.unlike(Network.postID($1), as: Network.userID($0))
    } baseline: {
      baseline.unlike($0, $1)
    }
    try measure(&harness, "unfollow", follows, &measurements) {
      try graph.unfollow(Network.userID($1), as: Network.userID($0))
    } baseline: {
      baseline.unfollow($0, $1)
    }
    try check(follows)
    measurements.append(try posts(&harness))
    return measurements
  }

  private func measure(
    _ harness: inout Harness, _ name: String, _ pairs: [(Int, Int)], _ measurements: inout [Measurement],
    engine: (Int, Int) throws -> Bool, baseline: @escaping (Int, Int) -> Bool
  ) throws {
    let (own, other) = (Walk(pairs), Walk(pairs))
    var (changed, known) = (0, 0)
    measurements.append(
      try harness.measure(name, questions: 1) { _ in
        let (one, two) = own.next()
        if try engine(one, two) { changed += 1 }
        return changed
      } baseline: { _ in
        let (one, two) = other.next()
        if baseline(one, two) { known += 1 }
        return known
      })
    if changed != known { throw WrongAnswer(message: "\(name): \(changed) changed, of the baseline's \(known)") }
  }

  /// Posts of random users with the present time. Their baseline is not worth a figure: an append to four arrays.
  private func posts(_ harness: inout Harness) throws -> Measurement {
    var random = RandomSource(seed: seed, stream: 53)
    var time = Network.edgeTime
    return try harness.measure("post", questions: network.texts.count) { question in
      time += 1
      let author = Network.userID(random.below(network.userCount))
      return Int(try graph.addPost(network.texts[question], by: author, createdAt: Timestamp(time)).rawValue)
    }
  }

  private func pairs(
    _ count: Int, of targetCount: Int, stream: UInt64, besides isTaken: (Int, Int) -> Bool
  ) -> [(Int, Int)] {
    var random = RandomSource(seed: seed, stream: stream)
    var pairs: [(Int, Int)] = []
    while pairs.count < count {
      let (one, two) = (random.below(network.userCount), random.below(targetCount))
      if one != two && !isTaken(one, two) { pairs.append((one, two)) }
    }
    return pairs
  }

  private func check(_ pairs: [(Int, Int)]) throws {
    for (_, target) in pairs.prefix(5_000)
    where graph.read({ $0.followerCount(at: target) }) != baseline.followerCount(target) {
      throw WrongAnswer(message: "the followers of user row \(target) are not as many as the baseline's")
    }
  }
}
