import Kith

/// The cost of blocks and mutes: the same queries of the same users, with a hundred of each, and without them as the
/// baseline.
struct BlockWorkload {
  private static let count = 100

  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let without = graph.pin()
    var asking: [(count: Int, users: [Int])] = []
    for fanIn in network.fanIns {
      let users = Array(fanIn.users.prefix(50))
      asking.append((fanIn.followeeCount, users))
      for user in users { try addBlocksAndMutes(of: user) }
    }
    let with = graph.pin()
    var measurements: [Measurement] = []
    for (count, users) in asking {
      measurements.append(
        try harness.measure("timeline, \(grouped(count)) followed, blocks and mutes", questions: users.count) {
          try with.view.timeline(of: Network.userID(users[$0])).count
        } baseline: {
          try without.view.timeline(of: Network.userID(users[$0])).count
        })
    }
    let users = asking.flatMap(\.users)
    let queries = queries(users.count * 5)
    for (name, match) in [("search", UserQuery.Match.substring), ("autocomplete", .prefix)] {
      func ask(_ question: Int, _ view: borrowing GraphView) throws -> Int {
        let viewer = Network.userID(users[question % users.count])
        return try view.searchUsers(queries[question], UserQuery(match: match, excludedUser: viewer, viewer: viewer))
          .count
      }
      measurements.append(
        try harness.measure("\(name), blocks and mutes", questions: queries.count) {
          try ask($0, with.view)
        } baseline: {
          try ask($0, without.view)
        })
    }
    for (count, users) in asking where count <= 1_000 {
      measurements.append(
        try harness.measure("suggestions, \(grouped(count)) followed, blocks and mutes", questions: users.count) {
          try with.view.suggestions(for: Network.userID(users[$0])).count
        } baseline: {
          try without.view.suggestions(for: Network.userID(users[$0])).count
        })
    }
    return measurements
  }

  /// Fifty whom the user blocks and fifty who block them; and mutes, half of them of followees.
  private func addBlocksAndMutes(of user: Int) throws {
    var random = RandomSource(seed: seed, stream: UInt64(1_000 + user))
    let followees = network.followees[user]
    let step = max(1, followees.count * 2 / Self.count)
    var muted = Set(
      stride(from: 0, to: followees.count, by: step).prefix(min(followees.count / 2, Self.count / 2)).map {
        Int(followees[followees.startIndex + $0])
      })
    var blocked: Set<Int> = []
    func stranger() -> Int {
      while true {
        let other = random.below(network.userCount)
        let isAsking = network.fanIns.contains { $0.users.contains(other) }
        if other != user && !isAsking && !followees.contains(UInt32(other)) { return other }
      }
    }
    while muted.count < Self.count { muted.insert(stranger()) }
    while blocked.count < Self.count { blocked.insert(stranger()) }
    let own = Network.userID(user)
    try graph.batch { batch throws(KithError) in
      for other in muted.sorted() { try batch.apply(.mute(as: own, target: Network.userID(other))) }
      for (index, other) in blocked.sorted().enumerated() {
        let other = Network.userID(other)
        try batch.apply(index % 2 == 0 ? .block(as: own, target: other) : .block(as: other, target: own))
      }
    }
  }

  private func queries(_ count: Int) -> [String] {
    var random = RandomSource(seed: seed, stream: 31)
    return (0..<count).map { index in
      String(random.pick(network.names).prefix(1 + index % 6))
    }
  }
}
