import Kith

/// What calls cost from Swift, for comparison with `Tests/CLibrary/bench.c` and `bindings/python/benchmarks/calls.py`:
/// the same calls with the same random numbers on the same file, as lines of a name and nanoseconds.
enum Border {
  /// - Parameter words: `measured` or `instrument`, to see what these cost; then the number of pages (40,000).
  static func run(_ path: String, _ words: [String]) throws {
    var options = SocialGraph.Options()
    options.measuresLatency = words.first == "measured"
    let instrument = words.first == "instrument" ? Silent() : nil
    let graph = try SocialGraph.open(path, options: options, instrument: instrument)
    let userCount = UInt64(graph.read { $0.counts.users })
    var random = RandomNumbers(bound: userCount)
    var sum = 0
    let pageCount = words.count > 1 ? Int(words[1]) ?? 1 : 40_000
    let pairCount = 100 * pageCount
    let pairs = (0..<2 * pairCount).map { _ in random.user() }
    try measure("isFollowing, random pairs", pairCount) { index in
      let (user, target) = (pairs[2 * index], pairs[2 * index + 1])
      sum += try graph.read { (view) throws(KithError) in try view.isFollowing(target, as: user) } ? 1 : 0
    }
    try measure("isFollowing, the same pair", pairCount) { _ in
      sum += try graph.read { (view) throws(KithError) in try view.isFollowing(UserID(2), as: UserID(1)) } ? 1 : 0
    }
    let viewers = (0..<pageCount).map { _ in random.user() }
    try measure("timeline, random users", pageCount) { index in
      sum += try graph.read { (view) throws(KithError) in try view.timeline(of: viewers[index]) }.count
    }
    try measure("timeline, the same user", pageCount) { _ in
      sum += try graph.read { (view) throws(KithError) in try view.timeline(of: viewers[0]) }.count
    }
    let texts = (0..<10).map { "er0000\($0)" }
    try measure("search of users", pageCount) { index in
      sum += try graph.read { (view) throws(KithError) in try view.searchUsers(texts[index % 10]) }.count
    }
    let small = SocialGraph(options: options, instrument: instrument)
    let (ann, bob) = (try small.addUser("ann"), try small.addUser("bob"))
    try measure("follow or unfollow, in memory", pairCount / 10) { index in
      if index.isMultiple(of: 2) { try small.follow(bob, as: ann) } else { try small.unfollow(bob, as: ann) }
    }
    print("sum\t\(sum)")
  }

  /// Prints what a call costs in the best of three runs.
  private static func measure(_ name: String, _ count: Int, _ call: (Int) throws -> Void) rethrows {
    let clock = ContinuousClock()
    var best = Duration.seconds(3_600)
    for _ in 0..<3 {
      let began = clock.now
      for index in 0..<count { try call(index) }
      best = min(best, clock.now - began)
    }
    print("\(name)\t\(best / .nanoseconds(count))")
  }
}

/// An instrument that does nothing.
private struct Silent: GraphInstrument {}

/// The random numbers of `bench.c`.
private struct RandomNumbers {
  private var state: UInt64 = 1
  private let bound: UInt64

  init(bound: UInt64) { self.bound = bound }

  mutating func user() -> UserID {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UserID(Int64(1 + (state >> 33) % bound))
  }
}
