import Foundation
import Kith

/// `kith seed`: a synthetic graph for tests and benches.
enum SeedCommand {
  private static let users = Option("--users", "N", "how many users", isRequired: true)
  private static let follows = Option("--follows", "N", "how many follows (default 40 for each user)")
  private static let posts = Option("--posts", "N", "how many posts (default 10 for each user)")
  private static let likes = Option("--likes", "N", "how many likes (default 20 for each user)")
  private static let seed = Option("--seed", "S", "the seed of the random numbers (default 1)")
  private static let shape = Option(
    "--shape", "SHAPE", "lognormal (the default), or power-law: both degrees by power laws, as in Twitter in 2010",
    choices: SeededNetwork.Shape.allCases.map(\.rawValue))
  private static let tsv = Option("--tsv", "DIRECTORY", "also writes the network as TSV files")

  static let command = Command(
    name: "seed",
    summary: "fills a new store with a synthetic graph, the same for the same arguments",
    positionals: [Positional("STORE", "a store directory; created if it does not exist, must be empty")],
    options: [
      users, follows, posts, likes, seed, shape, tsv, SchemaFile.option, .compactLists, .compressTexts, .uniqueNames,
    ],
    notes: [
      """
      Skewed like real networks: out-degrees are lognormal; in-degrees, the activity of authors and likes follow Zipf's
      law; texts are 100 bytes on average, over 50,000 words; times are in 2022 to 2024.
      """
    ],
    examples: [
      "seed ./store --users 10000",
      "seed ./store --users 100000 --follows 4000000 --posts 1000000 --likes 2000000 --seed 1",
      "seed ./store --users 1000 --follows 20000 --posts 5000 --likes 9000 --tsv ./tsv",
    ],
    writes: { [$0.positionals[0]] + [$0.value(tsv)].compactMap(\.self) }, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let began = ContinuousClock().now
    let network = try network(arguments)
    let store = arguments.positionals[0]
    if let directory = arguments.value(tsv) { try RowDirectory(path: directory).checkFree() }
    let isNew = !PathAccess.exists(store)
    var options = try arguments.graphOptions()
    options.postIndex = .off
    let schema = try arguments.schema()
    let graph = try StoreAccess.openUnfinished(store, options)
    guard graph.read({ view in view.sequence }) == 0 else {
      throw .usage("\(store): holds a graph already; seed into a new directory")
    }
    do throws(CommandFailure) {
      try fill(graph, with: network, schema: schema, isForSaving: true)
      let snapshot = try StoreAccess.snapshot(graph)
      if let directory = arguments.value(tsv) { _ = try ExportCommand.write(graph, to: RowDirectory(path: directory)) }
      let counts = graph.read { view in view.counts }
      try StoreAccess.close(graph)
      let seconds = decimal((ContinuousClock().now - began).seconds, places: 2)
      try Console.write("\(counts.text), seed \(network.seed), in \(seconds) s\n\(printable(snapshot.path))\n")
    } catch {
      StoreAccess.giveUp(graph, at: store, isNew: isNew)
      throw error
    }
    return 0
  }

  /// - Parameter isForSaving: whether the graph is only saved afterwards (`SocialGraph.bulk`).
  static func fill(
    _ graph: SocialGraph, with network: SeededNetwork, schema: SocialGraph.Schema? = nil, isForSaving: Bool = false
  ) throws(CommandFailure) {
    var progress = Progress()
    defer { progress.finish() }
    do throws(KithError) {
      try graph.bulk(isForSaving: isForSaving) { (batch) throws(KithError) in
        if let schema { try batch.declare(schema) }
        try network.apply(to: &batch, &progress)
        if !isForSaving { progress.note("building the index of names…") }
      }
    } catch {
      throw .no("the network could not be created: \(error.sentence)")
    }
  }

  private static func network(_ arguments: Arguments) throws(CommandFailure) -> SeededNetwork {
    func count(_ option: Option) throws(CommandFailure) -> Int? {
      try arguments.integer(option, in: 0...4_000_000_000).map { Int($0) }
    }
    return try SeededNetwork.checked(
      userCount: try count(users) ?? 0, followCount: try count(follows), postCount: try count(posts),
      likeCount: try count(likes), seed: UInt64(try arguments.integer(seed, in: 0...Int64.max) ?? 1),
      shape: try arguments.choice(shape) ?? .lognormal)
  }
}

extension SeededNetwork {
  /// A network of these counts; nil for a usual number for each user.
  static func checked(
    userCount: Int, followCount: Int?, postCount: Int?, likeCount: Int?, seed: UInt64,
    shape: Shape = .lognormal
  ) throws(CommandFailure) -> SeededNetwork {
    let posts = postCount ?? 10 * userCount
    let network = SeededNetwork(
      userCount: userCount, followCount: followCount ?? min(40, userCount / 2) * userCount, postCount: posts,
      likeCount: likeCount ?? min(20, userCount, posts) * userCount, seed: seed, shape: shape)
    if let impossibility = network.impossibility { throw .usage("\(impossibility); ask for less") }
    return network
  }
}
