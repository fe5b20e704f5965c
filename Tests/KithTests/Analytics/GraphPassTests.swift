import Synchronization
import Testing

@testable import Kith

/// Passes over graphs of many chunks. The model tests check their results.
@Suite struct GraphPassTests {
  private static let userCount = 20_000

  /// Every user follows some of the next ones, many follow user 1, a few are removed.
  private static func network() throws -> SocialGraph {
    let graph = SocialGraph()
    var random = SeededRandom(seed: 5)
    try graph.bulk { batch throws(KithError) in
      for row in 0..<userCount { try batch.apply(.addUser(id: nil, username: "user \(row)")) }
      for row in 0..<userCount - 60 {
        for _ in 0..<random.below(6) {
          let target = row + 1 + random.below(50)
          try batch.apply(.follow(as: UserID(Int64(row) + 1), target: UserID(Int64(target) + 1), at: nil))
        }
        if row > 0 && row % 3 == 0 { try batch.apply(.follow(as: UserID(Int64(row) + 1), target: 1, at: nil)) }
      }
    }
    for user in [7, 1_024, 19_999] as [UserID] { try graph.apply(.removeUser(user)) }
    return graph
  }

  @Test("Every row is visited once, with any number of cores")
  func rows() throws {
    let pin = try Self.network().pin()
    for limit in [nil, 1, 2, 64] as [Int?] {
      let pass = GraphPass(pin, control: PassControl(taskLimit: limit), rounds: 3)
      #expect(pass.rowCount == Self.userCount)
      #expect(try pass.map(0) { _, row in row } == Array(0..<Self.userCount))
      let visits = Atomic<Int>(0)
      try pass.forEach { view, row in
        if view.user(at: row) != nil { visits.add(1, ordering: .relaxed) }
      }
      #expect(visits.load(ordering: .relaxed) == Self.userCount - 3)
      let order = try pass.reduce([Int]()) { list, _, row in
        list.append(row)
      } merge: {
        $0 += $1
      }
      #expect(order == Array(0..<Self.userCount))
      #expect(pass.control.fraction == 1)
    }
  }

  @Test("Neighbour lists lent by a pass are those of the graph")
  func lists() throws {
    let pin = try Self.network().pin()
    let pass = GraphPass(pin)
    let counts = try pass.map(0) { view, row in
      var count = 0
      view.forEachFollowees(at: row) { followees in
        for index in followees.indices where followees[index].second > 0 {
          count += view.isFollowing(row: Int(followees[index].row), asRow: row) ? 1 : 1_000
        }
      }
      view.forEachFollowers(at: row) { followers in
        for index in followers.indices { count += view.isFollowing(row: row, asRow: Int(followers[index])) ? 1 : 1_000 }
      }
      return count
    }
    for row in counts.indices {
      #expect(counts[row] == pin.view.followeeCount(at: row) + pin.view.followerCount(at: row))
    }
    #expect(counts.reduce(0, +) == 2 * pin.view.counts.follows)
  }

  @Test("Scores are the same bit for bit on one core and on all, add up to one and order users")
  func pageRank() throws {
    let graph = try Self.network()
    let pin = graph.pin()
    let ranks = try pin.pageRank()
    let alone = try pin.pageRank(control: PassControl(taskLimit: 1))
    #expect(ranks.scores == alone.scores && ranks.isSettled && ranks.rounds > 2)
    #expect(abs(ranks.scores.reduce(0, +) - 1) < 1e-9)
    let top = ranks.top(5, in: pin.view)
    #expect(top.first?.user == 1 && top.map(\.score) == top.map(\.score).sorted(by: >))

    // A score read in a later view: an added user has none, a removed one is not listed.
    let late = try graph.addUser("late")
    try graph.apply(.removeUser(top[1].user))
    try graph.read { view throws(KithError) in
      let found = try view.users([late, top[2].user, 1]).compactMap(\.self)
      #expect(ranks.sorted(found, in: view).map(\.id) == [1, top[2].user, late])
      #expect(ranks.score(of: late, in: view) == 0 && ranks.score(of: top[1].user, in: view) == 0)
      #expect(ranks.top(3, in: view).map(\.user) == [1, top[2].user, top[3].user])
    }
  }

  @Test("A cancelled pass throws and leaves nothing running")
  func cancelling() throws {
    let pin = try Self.network().pin()
    let control = PassControl()
    let visits = Atomic<Int>(0)
    #expect(throws: KithError.cancelled) {
      try GraphPass(pin, control: control).forEach { _, _ in
        if visits.add(1, ordering: .relaxed).newValue == 3_000 { control.cancel() }
      }
    }
    let visited = visits.load(ordering: .relaxed)
    #expect(visited < Self.userCount && control.fraction < 1)
    #expect(throws: KithError.cancelled) { try pin.pageRank(control: control) }
    #expect(throws: KithError.cancelled) { try GraphPass(pin, control: control).map(0) { _, row in row } }
    #expect(visits.load(ordering: .relaxed) == visited)
  }

  @Test("A graph without users has no components, degrees or scores")
  func empty() throws {
    let pin = SocialGraph().pin()
    #expect(try pin.connectedComponents().components.isEmpty)
    #expect(try pin.degreeDistribution().followers.quantile(0.5) == nil)
    #expect(try pin.degreeDistribution().followers.mean == 0)
    #expect(try pin.pageRank().scores.isEmpty)
    let wrong = KithError.RequestProblem.pageRank(damping: 1.5, tolerance: 1e-6, maximumRounds: 100)
    #expect(throws: KithError.invalidRequest(wrong)) {
      try pin.pageRank(PageRank.Options(damping: 1.5))
    }
  }

  @Test("Medians and means of known numbers are right")
  func degrees() throws {
    let graph = SocialGraph()
    for name in ["a", "b", "c", "d"] { try graph.addUser(name) }
    for user in [2, 3, 4] as [UserID] { try graph.follow(1, as: user) }
    try graph.follow(2, as: 1)
    let degrees = try graph.pin().degreeDistribution()
    #expect(degrees.followers.buckets.map(\.degree) == [0, 1, 3] && degrees.followers.mean == 1)
    #expect(degrees.followers.quantile(0.5) == 0 && degrees.followers.quantile(0.75) == 1)
    #expect(degrees.followees.buckets == [.init(degree: 1, userCount: 4)])
  }
}
