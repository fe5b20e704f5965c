import Testing

@testable import Kith

/// Questions over several hops where lists are thousands long and of very different lengths, against sets.
@Suite struct LongListTests {
  private static let userCount = 6_000
  private static func user(_ row: Int) -> UserID { UserID(Int64(row) + 1) }

  /// Each follower follows users at random, so many as said; the rest of the users nobody.
  private struct Network {
    let graph = SocialGraph()
    var followees: [Set<Int>] = []

    init(degrees: [Int], seed: UInt64) throws {
      var random = SeededRandom(seed: seed)
      followees = degrees.enumerated().map { row, degree in
        var chosen: Set<Int> = []
        while chosen.count < degree { chosen.insert(random.below(LongListTests.userCount)) }
        return chosen.subtracting([row])
      }
      try graph.bulk { batch throws(KithError) in
        for row in 0..<LongListTests.userCount { try batch.apply(.addUser(id: nil, username: "user \(row)")) }
        for (row, targets) in followees.enumerated() {
          for target in targets.sorted() {
            try batch.apply(.follow(LongListTests.user(row), LongListTests.user(target), at: Timestamp(5_000)))
          }
        }
      }
    }
  }

  @Test("Those whom both follow, whatever the lengths of the lists")
  func mutualFollowees() throws {
    let network = try Network(degrees: [1, 3, 40, 700, 1_100, 2_600, 5_500, 5_900, 0], seed: 1)
    for one in network.followees.indices {
      for other in network.followees.indices {
        let expected = network.followees[one].intersection(network.followees[other]).sorted().map(Self.user)
        let found = try network.graph.read { view throws(KithError) in
          try view.mutualFollowees(
            of: Self.user(one), and: Self.user(other), MutualOptions(limit: 1_000, counting: true))
        }
        #expect(found.total == expected.count)
        #expect(found.map(\.id) == Array(expected.prefix(1_000)), "\(one) and \(other)")
      }
    }
  }

  @Test("Those who follow both, whichever plan finds them")
  func mutualFollowers() throws {
    let network = try Network(degrees: (0..<400).map { $0 % 9 * 300 }, seed: 2)
    let pairs = [(0, 1), (5_000, 5_001), (17, 5_999)]
    for (one, other) in pairs {
      let expected = network.followees.indices
        .filter { network.followees[$0].contains(one) && network.followees[$0].contains(other) }.map(Self.user)
      let found = try network.graph.read { view throws(KithError) in
        try view.mutualFollowers(of: Self.user(one), and: Self.user(other), MutualOptions(limit: 1_000))
      }
      #expect(!expected.isEmpty && found.map(\.id) == expected)
    }
    // One follower against a hundred: the one is asked.
    let few = try network.graph.addUser("few")
    try network.graph.follow(Self.user(300), few)
    let both = try network.graph.read { view throws(KithError) in
      try view.mutualFollowers(of: Self.user(17), and: few)
    }
    #expect(both.map(\.id) == (network.followees[300].contains(17) ? [Self.user(300)] : []))
  }

  @Test("Suggestions are counted exactly over long lists, and name the first mutuals")
  func suggestions() throws {
    let network = try Network(degrees: [4_000] + (0..<4_500).map { $0 % 60 == 0 ? 1_500 : $0 % 7 }, seed: 3)
    var counts: [Int: [Int]] = [:]
    for friend in network.followees[0].sorted() where friend < network.followees.count {
      for target in network.followees[friend] { counts[target, default: []].append(friend) }
    }
    let expected = counts.filter { $0.key != 0 && !network.followees[0].contains($0.key) }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    let page = try network.graph.read { view throws(KithError) in
      try view.suggestions(for: Self.user(0), SuggestionOptions(limit: 500, namedCount: 3))
    }
    #expect(!page.isTruncated && page.count == 500)
    for (suggestion, (candidate, friends)) in zip(page, expected) {
      #expect(suggestion.id == Self.user(candidate) && suggestion.mutualCount == friends.count)
      #expect(suggestion.mutuals.map(\.id) == friends.prefix(3).map(Self.user))
    }
  }

  @Test("A way through a celebrity is found from either end, and a limit gives up rather than lie")
  func distance() throws {
    let graph = SocialGraph()
    try graph.batch { batch throws(KithError) in
      for row in 0..<3_000 { try batch.apply(.addUser(id: nil, username: "user \(row)")) }
      // 1 → 2 → … → 9, and everybody from 100 on follows 5; 5 follows nobody but 6.
      for row in 0..<8 { try batch.apply(.follow(Self.user(row), Self.user(row + 1), at: nil)) }
      for row in 100..<2_900 { try batch.apply(.follow(Self.user(row), Self.user(4), at: nil)) }
    }
    func ask(_ one: Int, _ other: Int, _ options: DistanceOptions = DistanceOptions()) throws -> Distance {
      try graph.read { view throws(KithError) in
        try view.distance(from: Self.user(one), to: Self.user(other), options)
      }
    }
    #expect(try ask(0, 8) == .unreachable)
    #expect(try ask(0, 8, DistanceOptions(maximumHops: 8)) == .path((0...8).map(Self.user)))
    #expect(try ask(0, 8, DistanceOptions(maximumHops: 7)) == .unreachable)
    #expect(try ask(2_000, 8).hops == 5)
    #expect(try ask(2_000, 8, DistanceOptions(followLimit: 3)) == .gaveUp)
    #expect(try ask(2_000, 8, DistanceOptions(followLimit: 5)).hops == 5)
    #expect(try ask(8, 0) == .unreachable)
    #expect(try ask(2_999, 0, DistanceOptions(followLimit: 0)) == .unreachable)
    #expect(try ask(7, 7, DistanceOptions(maximumHops: 0, followLimit: 0)) == .path([Self.user(7)]))
  }
}
