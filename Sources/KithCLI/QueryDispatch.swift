/// `kith query` as the other commands are declared; what it does is in Query/.
extension EntryPoint {
  private static let memory = Option("--memory", nil, "a graph in memory alone, in the place of STORE")
  private static let timings = Option(
    "--timings", nil, "adds \"ns\" to each answer: the time of the engine's call alone")
  private static let readOnly = Option("--read-only", nil, "refuses changes, takes no lock")

  static let queryCommand = Command(
    name: "query",
    summary: "answers questions and makes changes, one JSON object a line in, one out",
    positionals: [Positional("STORE", "a store directory or a snapshot", isOptional: true)],
    options: [memory, timings, readOnly],
    notes: QueryCommand.notes,
    examples: ["query ./store --read-only < requests.jsonl", "query --memory --timings"]
  ) { (arguments) throws(CommandFailure) in
    let store = arguments.positional(0)
    guard store != nil || arguments.flag(memory) else {
      throw arguments.misuse("which store? give its path, or --memory")
    }
    guard store == nil || !arguments.flag(memory) else { throw arguments.misuse("a store or --memory, not both") }
    return QueryCommand.run(
      storePath: store, memory: arguments.flag(memory), timings: arguments.flag(timings),
      readOnly: arguments.flag(readOnly))
  }
}
