import Kith
import Testing

@testable import KithCLI

/// A seeded network in memory.
private func graph(
  users: Int, follows: Int, posts: Int, likes: Int, seed: UInt64 = 1, shape: SeededNetwork.Shape = .lognormal
) throws(CommandFailure) -> SocialGraph {
  let graph = SocialGraph()
  let network = SeededNetwork(
    userCount: users, followCount: follows, postCount: posts, likeCount: likes, seed: seed, shape: shape)
  try SeedCommand.fill(graph, with: network)
  return graph
}

@Suite struct SeedTests {
  @Test("The same numbers give the same network on every machine, other numbers another")
  func repeatable() throws {
    let hash = try GraphDigest(try graph(users: 300, follows: 2_000, posts: 500, likes: 900).pin().view).hashText
    // A recorded value: it must be the same on every platform and never change.
    #expect(hash == "67297cd3b3514a56")
    let other = try GraphDigest(try graph(users: 300, follows: 2_000, posts: 500, likes: 900, seed: 2).pin().view)
    #expect(other.hashText != hash)
    // Recorded too: many blocks of lists, and draws in whole and broken batches.
    let large = try graph(users: 9_000, follows: 150_000, posts: 4_000, likes: 9_000)
    #expect(try GraphDigest(large.pin().view).hashText == "4f50b2188d6417b8")
    let skewed = try graph(users: 9_000, follows: 150_000, posts: 4_000, likes: 9_000, shape: .powerLaw)
    #expect(try GraphDigest(skewed.pin().view).hashText == "088910f4a121a2c3")
  }

  @Test("A seeded store holds the network that is made in memory")
  func saved() throws {
    let directory = try TemporaryDirectory.make("seed-test")
    defer { TemporaryDirectory.remove(directory) }
    let store = directory + "/store"
    for shape in SeededNetwork.Shape.allCases {
      let words = [
        "--users", "700", "--follows", "9000", "--posts", "800", "--likes", "900", "--shape", shape.rawValue,
      ]
      let arguments = try Arguments(["\(store)-\(shape)"] + words, of: SeedCommand.command)
      #expect(try SeedCommand.command.run(arguments) == 0)
      let saved = try SocialGraph.open("\(store)-\(shape)", access: .readOnly)
      let made = try graph(users: 700, follows: 9_000, posts: 800, likes: 900, shape: shape)
      #expect(saved.read { view in view.verify() }.isEmpty)
      #expect(try GraphDigest(saved.pin().view).hashText == GraphDigest(made.pin().view).hashText)
    }
  }

  @Test("By power laws, one user in ten thousand has most of the followers, and counts are exact")
  func powerLaws() throws {
    let graph = try graph(users: 20_000, follows: 600_000, posts: 500, likes: 800, shape: .powerLaw)
    #expect(graph.read { view in view.verify() }.isEmpty)
    let pin = graph.pin()
    #expect(pin.view.counts.follows == 600_000)
    var users: [User] = []
    try pin.view.forEachUser { (id, _, _) throws(KithError) in users.append(try pin.view.user(id)) }
    let followers = users.map(\.followerCount).sorted(by: >)
    let followees = users.map(\.followeeCount).sorted(by: >)
    // 7.2 % of all follow the first, who follows 1.85 %: some of the draws repeat.
    #expect((1_100...1_500).contains(followers[0]) && (300...400).contains(followees[0]), "\(followers[0..<9])")
    // A straight line on logarithmic axes: as far down from rank 10 to 100 as from 100 to 1,000.
    for degrees in [followers, followees] {
      let (first, second) = (Double(degrees[9]) / Double(degrees[99]), Double(degrees[99]) / Double(degrees[999]))
      #expect((0.6...1.6).contains(first / second), "\(first), \(second)")
    }
  }

  @Test("Ranks are spread over all rows, each once, and degrees add up", arguments: [1, 2, 3, 10, 999, 4_097, 30_000])
  func spread(count: Int) {
    let spread = RankSpread(count: count, billionths: 618_033_988)
    #expect(Set((0..<count).map { spread.row($0) }).count == count)
    let law = PowerLaw(count: count, share: 0.1, spread: spread)
    for sum in [0, 1, count, 7 * count] where sum <= count * max(1, count - 1) {
      let counts = law.counts(sum: sum, limit: max(1, count - 1))
      #expect(counts.reduce(0) { $0 + Int($1) } == sum && counts.allSatisfy { $0 <= max(1, count - 1) })
    }
  }

  @Test("More posts do not change users and follows")
  func independence() throws {
    func users(_ posts: Int) throws -> [UInt8] {
      var bytes: [UInt8] = []
      let graph = try graph(users: 50, follows: 300, posts: posts, likes: 0)
      for kind in [GraphComponent.users, .follows] {
        _ = try RowEncoder.encode(.component(kind), of: graph.pin().view) { (piece) throws(CommandFailure) in
          bytes += piece
        }
      }
      return bytes
    }
    #expect(try users(10) == users(400))
  }

  @Test(
    "Counts are exact, up to every possible follow and like",
    arguments: [(0, 0, 0, 0), (1, 0, 3, 3), (2, 2, 1, 2), (10, 90, 7, 70), (40, 1_500, 30, 1_190), (500, 9_000, 0, 0)])
  func exactCounts(users: Int, follows: Int, posts: Int, likes: Int) throws {
    for shape in SeededNetwork.Shape.allCases {
      let graph = try graph(users: users, follows: follows, posts: posts, likes: likes, shape: shape)
      let counts = graph.read { view in view.counts }
      #expect([counts.users, counts.follows, counts.posts, counts.likes] == [users, follows, posts, likes])
      #expect(graph.read { view in view.verify() }.isEmpty)
    }
  }

  @Test(
    "Impossible counts are refused with the possible ones",
    arguments: [(0, 0, 1, 0, "1 posts need a user"), (3, 7, 0, 0, "6 times, not 7"), (2, 0, 3, 7, "6 times, not 7")])
  func impossible(users: Int, follows: Int, posts: Int, likes: Int, reason: String) throws {
    let network = SeededNetwork(userCount: users, followCount: follows, postCount: posts, likeCount: likes, seed: 1)
    #expect(try #require(network.impossibility).contains(reason))
  }

  @Test("Degrees, authors, likes, texts and names are skewed like those of real networks")
  func skew() throws {
    let graph = try graph(users: 10_000, follows: 200_000, posts: 20_000, likes: 40_000)
    let pin = graph.pin()
    var users: [User] = []
    var foreignCount = 0
    try pin.view.forEachUser { (id, name, _) throws(KithError) in
      users.append(try pin.view.user(id))
      if !name.utf8.allSatisfy({ $0 < 0x80 }) { foreignCount += 1 }
    }
    let followees = users.map(\.followeeCount).sorted(by: >)
    let followers = users.map(\.followerCount).sorted(by: >)
    let posts = users.map(\.postCount).sorted(by: >)
    // Lognormal: the mean is well above the median; one in a thousand follows over twenty times the mean.
    #expect((5...13).contains(followees[5_000]) && (300...900).contains(followees[10]), "\(followees[0..<20])")
    // Zipf's law: rank 100 has ten times as many as rank 1,000.
    #expect((6.0...14).contains(Double(followers[99]) / Double(followers[999])))
    #expect((1_700...2_500).contains(posts[0]) && (15...26).contains(posts[99]), "\(posts[0]), \(posts[99])")
    #expect((150...250).contains(foreignCount))
    var byteCount = 0
    var lateCount = 0
    var last = Timestamp(0)
    pin.view.forEachPost { _, _, time, _, text, _ in
      byteCount += text.utf8.count
      if time < last { lateCount += 1 }
      last = max(last, time)
      #expect((1_640_995_200_000...1_735_689_599_999).contains(time.rawValue))
    }
    #expect((95...110).contains(Double(byteCount) / 20_000))
    #expect((100...300).contains(lateCount))
  }

  @Test("Logarithm and exponential agree with published digits")
  func functions() {
    #expect(Lognormal.exponential(0) == 1 && Lognormal.naturalLogarithm(1) == 0)
    #expect(abs(Lognormal.exponential(1) - 2.718281828459045) < 1e-15)
    #expect(abs(Lognormal.exponential(-20) / 2.061153622438558e-9 - 1) < 1e-14)
    #expect(abs(Lognormal.naturalLogarithm(10) - 2.302585092994046) < 1e-15)
    #expect(abs(Lognormal.naturalLogarithm(1e-9) + 20.72326583694641) < 1e-13)
  }

  @Test("The generator gives the numbers of its reference implementation")
  func generator() {
    var random = RandomSource(seed: 0, stream: 0)
    // SplitMix64 of 0 begins with E220A8397B1DCDAF; xoshiro256** multiplies its second number, 6E789E6AA1B965F4.
    let second: UInt64 = 0x6E78_9E6A_A1B9_65F4
    let product = second &* 5
    #expect(random.next() == ((product << 7) | (product >> 57)) &* 9)
    #expect((0..<1_000).allSatisfy { _ in random.below(7) < 7 })
    #expect(random.permutation(100).sorted() == (0..<100).map(\.self))
  }

  @Test("An alias table draws in proportion to its weights")
  func aliasTable() {
    var random = RandomSource(seed: 9, stream: 9)
    let table = AliasTable(weights: [1, 0, 3, 4])
    var drawn = [0, 0, 0, 0]
    for _ in 0..<80_000 { drawn[table.draw(&random)] += 1 }
    #expect(drawn[1] == 0)
    for (index, share) in [(0, 10_000), (2, 30_000), (3, 40_000)] { #expect(abs(drawn[index] - share) < 600) }
  }
}
