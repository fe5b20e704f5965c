import Kith

/// `kith demo`: the main features from start to finish, on a synthetic graph or on your files.
enum DemoCommand {
  static let command = Command(
    name: "demo",
    summary: "shows the main features, start to finish, on a synthetic graph or on your files",
    options: ImportFiles.options,
    notes: [
      """
      Searches a name letter by letter, follows the user, shows the changed timeline, likes a post, saves a snapshot,
      restores it into a new store and compares both. Works in a temporary directory, and removes it.
      """
    ],
    examples: ["demo", "demo --users users.tsv --follows follows.tsv --posts posts.tsv"],
    run: run)

  /// Large enough to be a network, small enough to grow in two or three seconds; it ends now.
  private static var network: SeededHistory {
    let end = Timestamp.now().rawValue / SeededHistory.tick * SeededHistory.tick
    return SeededHistory(userCount: 1_500, weekCount: 6, seed: 1, end: end)
  }

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let began = ContinuousClock().now
    let files = try ImportFiles(arguments)
    let readers = try files.open()
    let directory = try TemporaryDirectory.make("demo")
    defer { TemporaryDirectory.remove(directory) }
    try Console.write("A network\n")
    let grown = network
    if files.isEmpty { _ = try grown.write(to: "\(directory)/store", SocialGraph.Options()) }
    let graph = try StoreAccess.open("\(directory)/store", access: .readWrite)
    defer { try? graph.close() }
    if !files.isEmpty {
      let filled = try ImportCommand.fill(graph, from: readers, files)
      try Console.write(ImportSummary.text(of: filled.reports))
    }
    let counts = graph.read { view in view.counts }
    let origin = files.isEmpty ? "synthetic, grown over \(grown.weekCount) weeks," : "read"
    try Console.write("  \(counts.text)\n  \(origin) and indexed in \((ContinuousClock().now - began).text)\n")
    // Bulk changes are not in the journal; all later ones are.
    _ = try StoreAccess.snapshot(graph)
    guard let cast = try StoreAccess.ask(graph, { (view) throws(KithError) in try DemoCast(view) }) else {
      throw .no("a network without users shows nothing; give --users FILE")
    }
    let tour = DemoTour(graph: graph, cast: cast)
    try tour.typeName()
    try tour.followAndLike()
    try tour.measure()
    try tour.saveAndRestore(in: directory)
    try Console.write("\nDone in \((ContinuousClock().now - began).text). Next: kith --help\n")
    return 0
  }
}
