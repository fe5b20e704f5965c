import Testing

@testable import Kith

/// Queries over several hops with lists of thousands and of very different lengths, against sets.
@Suite struct OverflowListTests {
  private static let userCount = 6_000
  private static func user(_ row: Int) -> UserID { UserID(Int64(row) + 1) }

  /// Each follower follows this many random users; the other users follow none.
  private struct Network {
    let graph: SocialGraph
    var followees: [Set<Int>] = []

    init(degrees: [Int], seed: UInt64, _ form: ListForm) throws {
      graph = SocialGraph(options: SocialGraph.Options { $0.compactLists = form == .compact })
      var random = SeededRandom(seed: seed)
      followees = degrees.enumerated().map { row, degree in
        var chosen: Set<Int> = []
        while chosen.count < degree { chosen.insert(random.below(OverflowListTests.userCount)) }
        return chosen.subtracting([row])
      }
      try graph.bulk { batch throws(KithError) in
        for row in 0..<OverflowListTests.userCount { try batch.apply(.addUser(id: nil, username: "user \(row)")) }
        for (row, targets) in followees.enumerated() {
          for target in targets.sorted() {
            try batch.apply(
              .follow(as: OverflowListTests.user(row), target: OverflowListTests.user(target), at: Timestamp(5_000)))
          }
        }
      }
    }
  }

  @Test("Common followees are found for lists of any length", arguments: ListForm.allCases)
  func mutualFollowees(form: ListForm) throws {
    let network = try Network(degrees: [1, 3, 40, 700, 1_100, 2_600, 5_500, 5_900, 0], seed: 1, form)
    for one in network.followees.indices {
      for other in network.followees.indices {
        let expected = network.followees[one].intersection(network.followees[other]).sorted().map(Self.user)
        let found = try network.graph.read { view throws(KithError) in
          try view.mutualFollowees(
            of: Self.user(one), and: Self.user(other), MutualQuery(countsMatches: true, limit: 1_000))
        }
        #expect(found.total == expected.count)
        #expect(found.map(\.id) == Array(expected.prefix(1_000)), "\(one) and \(other)")
      }
    }
  }

  @Test("Common followers are found by every plan", arguments: ListForm.allCases)
  func mutualFollowers(form: ListForm) throws {
    let network = try Network(degrees: (0..<400).map { $0 % 9 * 300 }, seed: 2, form)
    let pairs = [(0, 1), (5_000, 5_001), (17, 5_999)]
    for (one, other) in pairs {
      let expected = network.followees.indices
        .filter { network.followees[$0].contains(one) && network.followees[$0].contains(other) }.map(Self.user)
      let found = try network.graph.read { view throws(KithError) in
        try view.mutualFollowers(of: Self.user(one), and: Self.user(other), MutualQuery(limit: 1_000))
      }
      #expect(!expected.isEmpty && found.map(\.id) == expected)
    }
    // One follower against a hundred: the one's list is read.
    let few = try network.graph.addUser("few")
    try network.graph.follow(few, as: Self.user(300))
    let both = try network.graph.read { view throws(KithError) in
      try view.mutualFollowers(of: Self.user(17), and: few)
    }
    #expect(both.map(\.id) == (network.followees[300].contains(17) ? [Self.user(300)] : []))
  }

  @Test("Suggestions are counted exactly over long lists, and name the first mutuals", arguments: ListForm.allCases)
  func suggestions(form: ListForm) throws {
    let network = try Network(degrees: [4_000] + (0..<4_500).map { $0 % 60 == 0 ? 1_500 : $0 % 7 }, seed: 3, form)
    var counts: [Int: [Int]] = [:]
    for friend in network.followees[0].sorted() where friend < network.followees.count {
      for target in network.followees[friend] { counts[target, default: []].append(friend) }
    }
    let expected = counts.filter { $0.key != 0 && !network.followees[0].contains($0.key) }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    let page = try network.graph.read { view throws(KithError) in
      try view.suggestions(for: Self.user(0), SuggestionQuery(namedCount: 3, limit: 500))
    }
    #expect(!page.isTruncated && page.count == 500)
    for (suggestion, (candidate, friends)) in zip(page, expected) {
      #expect(suggestion.id == Self.user(candidate) && suggestion.mutualCount == friends.count)
      #expect(suggestion.mutuals.map(\.id) == friends.prefix(3).map(Self.user))
    }
  }

  @Test(
    "A shortest path through a celebrity is found from either end; at the limit there is no answer",
    arguments: ListForm.allCases)
  func distance(form: ListForm) throws {
    let graph = SocialGraph(options: SocialGraph.Options { $0.compactLists = form == .compact })
    try graph.batch { batch throws(KithError) in
      for row in 0..<3_000 { try batch.apply(.addUser(id: nil, username: "user \(row)")) }
      // 1 → 2 → … → 9, and every user from 100 on follows 5; 5 follows only 6.
      for row in 0..<8 { try batch.apply(.follow(as: Self.user(row), target: Self.user(row + 1), at: nil)) }
      for row in 100..<2_900 { try batch.apply(.follow(as: Self.user(row), target: Self.user(4), at: nil)) }
    }
    func ask(_ one: Int, _ other: Int, _ options: PathQuery = PathQuery()) throws -> ShortestPath {
      try graph.read { view throws(KithError) in
        try view.shortestPath(from: Self.user(one), to: Self.user(other), options)
      }
    }
    #expect(try ask(0, 8) == .unreachable)
    #expect(try ask(0, 8, PathQuery(maximumHops: 8)) == .path((0...8).map(Self.user)))
    #expect(try ask(0, 8, PathQuery(maximumHops: 7)) == .unreachable)
    #expect(try ask(2_000, 8).hops == 5)
    #expect(try ask(2_000, 8, PathQuery(followLimit: 3)) == .gaveUp)
    #expect(try ask(2_000, 8, PathQuery(followLimit: 5)).hops == 5)
    #expect(try ask(8, 0) == .unreachable)
    #expect(try ask(2_999, 0, PathQuery(followLimit: 0)) == .unreachable)
    #expect(try ask(7, 7, PathQuery(maximumHops: 0, followLimit: 0)) == .path([Self.user(7)]))
  }
}
