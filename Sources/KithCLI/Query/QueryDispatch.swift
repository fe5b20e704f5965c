import Kith

/// The declaration of `kith query`.
extension EntryPoint {
  private static let memory = Option("--memory", nil, "a graph in memory, instead of STORE")
  private static let timings = Option(
    "--timings", nil, "adds \"ns\" to each answer: the nanoseconds of the engine call")
  private static let readOnly = Option("--read-only", nil, "refuses changes, takes no lock")

  static let queryCommand = Command(
    name: "query",
    summary: "answers queries and applies changes as JSON Lines: one object a line in, one out",
    positionals: [
      Positional("STORE", "a store directory or a snapshot; with --log a replica's directory", isOptional: true)
    ],
    options: [memory, timings, readOnly, .compactLists, .compressTexts, .uniqueNames, .postIndex]
      + ReplicaAccess.options,
    notes: QueryCommand.notes,
    examples: [
      "query ./store --read-only < requests.jsonl", "query --memory --timings",
      "query --log postgres://a,b,c/social ./replica",
    ],
    isEndless: true
  ) { (arguments) throws(CommandFailure) in
    let store = arguments.positional(0)
    if arguments.value(ReplicaAccess.log) != nil {
      let excluded: [Option] = [memory, .uniqueNames, .postIndex, .compactLists, .compressTexts]
      guard !excluded.contains(where: { arguments.flag($0) }) else {
        throw arguments.misuse("--log excludes " + excluded.map(\.name).joined(separator: ", "))
      }
      return try QueryCommand.run(
        replicaOf: arguments, directory: store, timings: arguments.flag(timings), readOnly: arguments.flag(readOnly))
    }
    guard store != nil || arguments.flag(memory) else {
      throw arguments.misuse("a store is missing: give its path, or --memory")
    }
    guard store == nil || !arguments.flag(memory) else { throw arguments.misuse("a store or --memory, not both") }
    return QueryCommand.run(
      storePath: store, memory: arguments.flag(memory), timings: arguments.flag(timings),
      readOnly: arguments.flag(readOnly), options: try arguments.graphOptions())
  }
}
