import Kith

/// `kith bench`: measures queries, changes and memory on a store or a synthetic graph.
enum BenchCommand {
  private static let users = Option("--users", "N", "a synthetic graph of N users (20,000 without STORE)")
  private static let follows = Option("--follows", "N", "its follows (default 40 for each user)")
  private static let posts = Option("--posts", "N", "its posts (default 10 for each user)")
  private static let likes = Option("--likes", "N", "its likes (default 20 for each user)")
  private static let seed = Option("--seed", "S", "the seed of the synthetic graph and of the queries (default 1)")
  private static let samples = Option(
    "--samples", "N", "at most N queries of each kind (default 100,000), and at most a second")
  private static let growth = Option(
    "--growth", nil, "also measures synthetic graphs of a sixteenth and a quarter of the size")

  static let command = Command(
    name: "bench",
    summary: "measures search, timelines, lists, changes, throughput and memory, on your data or a synthetic graph",
    positionals: [Positional("STORE|SNAPSHOT", "a store directory or a snapshot; only read", isOptional: true)],
    options: [users, follows, posts, likes, seed, samples, growth, .compactLists, .compressTexts, .json],
    notes: [
      """
      Latency: one thread runs each kind of query for users drawn at random, with the clock around each call. Each
      percentile is that of single calls; "–" means too few samples. Throughput: all cores run queries, with and
      without a writer. The bench waits until the index of posts is built. Changes are made in a copy in memory: no
      store or snapshot is written, and no lock is taken. Run nothing else on the machine meanwhile. It takes at most a
      minute beside the time for opening.
      """
    ],
    examples: ["bench", "bench ./store", "bench --users 100000 --growth --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let sampleCount = Int(try arguments.integer(samples, in: 100...10_000_000) ?? 100_000)
    let seed = UInt64(try arguments.integer(seed, in: 0...Int64.max) ?? 1)
    let network = try network(arguments, seed: seed)
    if let warning = Machine.warning { Console.note("bench", warning) }
    let options = try arguments.graphOptions()
    var run = BenchRun(
      source: arguments.positional(0) ?? "synthetic graph, seed \(seed)", seed: seed, sampleCount: sampleCount,
      grows: arguments.flag(growth), options: options)
    let found = try run.measure { () throws(CommandFailure) in
      try graph(arguments.positional(0), or: network, options)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { found.write(to: &$0) }
    } else {
      try Console.write(found.text)
    }
    return 0
  }

  private static func graph(
    _ store: String?, or network: SeededNetwork, _ options: SocialGraph.Options
  ) throws(CommandFailure) -> SocialGraph {
    if let store { return try StoreAccess.openScratch(store, options) }
    let graph = SocialGraph(options: options)
    try SeedCommand.fill(graph, with: network)
    return graph
  }

  private static func network(_ arguments: Arguments, seed: UInt64) throws(CommandFailure) -> SeededNetwork {
    let sizes = [users, follows, posts, likes]
    if arguments.positional(0) != nil, let size = sizes.first(where: { arguments.value($0) != nil }) {
      throw arguments.misuse("a store or \(size.name), not both")
    }
    let userCount = Int(try arguments.integer(users, in: 2...100_000_000) ?? 20_000)
    func count(_ option: Option) throws(CommandFailure) -> Int? {
      try arguments.integer(option, in: 0...1_000_000_000).map { Int($0) }
    }
    return try SeededNetwork.checked(
      userCount: userCount, followCount: try count(follows), postCount: try count(posts),
      likeCount: try count(likes), seed: seed)
  }
}
