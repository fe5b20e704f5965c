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
  private static let history = Option(
    "--history", "WEEKS", "a network that grew over so many weeks, every change of them in the journal (1 to 520)")
  private static let until = Option(
    "--until", "TIME", "when the history ends (default the last full quarter of an hour)")
  private static let tsv = Option("--tsv", "DIRECTORY", "also writes the network as TSV files")

  static let command = Command(
    name: "seed",
    summary: "fills a new store with a synthetic graph, the same for the same arguments",
    positionals: [Positional("STORE", "a store directory; created if it does not exist, must be empty")],
    options: [
      users, follows, posts, likes, seed, shape, history, until, tsv, SchemaFile.option, .compactLists, .compressTexts,
      .uniqueNames,
    ],
    notes: [
      """
      Skewed like real networks: out-degrees are lognormal; in-degrees, the activity of authors and likes follow Zipf's
      law; texts are 100 bytes on average, over 50,000 words; times are in 2022 to 2024.
      """,
      """
      With --history, N users join one after the other, and follow, post, reply, like and leave, in communities, by day
      and night, with sentences that can be read. Relations reply, mention, friend and bookmark are declared. Each week
      ends with a snapshot, so the store can be restored to every instant. Without --until it ends now, so that only the
      same end gives the same history.
      """,
    ],
    examples: [
      "seed ./store --users 10000",
      "seed ./store --users 100000 --follows 4000000 --posts 1000000 --likes 2000000 --seed 1",
      "seed ./store --users 1000 --follows 20000 --posts 5000 --likes 9000 --tsv ./tsv",
      "seed ./store --users 1500 --history 6",
    ],
    writes: { [$0.positionals[0]] + [$0.value(tsv)].compactMap(\.self) }, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let began = ContinuousClock().now
    if arguments.value(history) != nil { return try grow(arguments, began) }
    if arguments.value(until) != nil { throw arguments.misuse("--until needs --history") }
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

  /// Makes a store with a history.
  private static func grow(_ arguments: Arguments, _ began: ContinuousClock.Instant) throws(CommandFailure) -> Int32 {
    for other in [follows, posts, likes, shape, tsv, SchemaFile.option] where arguments.value(other) != nil {
      throw arguments.misuse("\(other.name) and --history: one or the other")
    }
    let store = arguments.positionals[0]
    if PathAccess.exists(store) { throw .usage("\(store): is there already; give a new directory") }
    let count = try arguments.integer(users, in: 1...Int64(SeededHistory.userLimit)) ?? 1
    let weeks = try arguments.integer(history, in: 1...Int64(SeededHistory.weekLimit)) ?? 1
    let now = Timestamp.now().rawValue
    var end = now / SeededHistory.tick * SeededHistory.tick
    if let text = arguments.value(until) {
      guard let time = parseTime(text, missingMilliseconds: 0), time <= now else {
        throw arguments.misuse("--until \(text): a time not later than now is needed, such as 2026-02-28T23:59:07Z")
      }
      end = time
    }
    let made = SeededHistory(
      userCount: Int(count), weekCount: Int(weeks), seed: UInt64(try arguments.integer(seed, in: 0...Int64.max) ?? 1),
      end: end)
    guard made.start >= 0 else { throw arguments.misuse("--history \(weeks): begins before 1970") }
    let counts = try made.write(to: store, try arguments.graphOptions())
    let seconds = decimal((ContinuousClock().now - began).seconds, places: 2)
    try Console.write(
      """
      \(counts.text), seed \(made.seed), in \(seconds) s
      \(timeText(made.start)) to \(timeText(made.end)) (UTC): any instant of it can be restored

      """)
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
