import Kith

/// `kith query`: one JSON object a line on standard input, one on standard output.
enum QueryCommand {
  private static let memory = Option("--memory", nil, "a graph in memory, instead of STORE")
  private static let timings = Option(
    "--timings", nil, "adds \"ns\" to each answer: the nanoseconds of the engine call")
  private static let readOnly = Option("--read-only", nil, "refuses changes, takes no lock")

  static let command = Command(
    name: "query",
    summary: "answers queries and applies changes as JSON Lines: one object a line in, one out",
    positionals: [
      Positional("STORE", "a store directory or a snapshot; with --log a replica's directory", isOptional: true)
    ],
    options: [
      memory, timings, readOnly, SchemaFile.option, .compactLists, .compressTexts, .uniqueNames, .postIndex,
      EventLog.option,
    ] + ReplicaAccess.options,
    notes: notes,
    examples: [
      "query ./store --read-only < requests.jsonl", "query --memory --timings",
      "query --log postgres://a,b,c/social ./replica",
    ],
    isEndless: true
  ) { (arguments) throws(CommandFailure) in
    let store = arguments.positional(0)
    if ReplicaAccess.isMeant(arguments) {
      let excluded: [Option] = [
        memory, SchemaFile.option, .uniqueNames, .postIndex, .compactLists, .compressTexts,
        EventLog.option,
      ]
      guard !excluded.contains(where: { arguments.flag($0) || arguments.value($0) != nil }) else {
        throw arguments.misuse(
          "--log, or \(ReplicaAccess.variable), excludes " + excluded.map(\.name).joined(separator: ", "))
      }
      return try run(
        replicaOf: arguments, directory: store, timings: arguments.flag(timings), readOnly: arguments.flag(readOnly))
    }
    guard store != nil || arguments.flag(memory) else {
      throw arguments.misuse("a store is missing: give its path, or --memory")
    }
    guard store == nil || !arguments.flag(memory) else { throw arguments.misuse("a store or --memory, not both") }
    return run(
      storePath: store, events: try EventLog(store ?? "", arguments), memory: arguments.flag(memory),
      timings: arguments.flag(timings), readOnly: arguments.flag(readOnly), options: try arguments.graphOptions(),
      schema: try arguments.schema())
  }

  /// Paragraphs of the command's help, after its options.
  private static let notes = [
    "STORE is a store directory, created if it does not exist, or a snapshot file, which is only read.",
    "A change is in the store's write-ahead log (journal) and synced to the disk before it is answered: an answered "
      + "change survives a crash. The request {\"op\":\"snapshot\"} writes a snapshot now. Background snapshots are "
      + "written an hour after the first change, after a gibibyte of journal or after ten million changes.",
    "The request {\"op\":\"help\"} lists every operation with its fields and answers. Users are searched by substring, "
      + "prefix, regular expression or fuzzy matching (typos). A search box should debounce its requests.",
    "With --log the graph is a replica of one that several hosts share: a change is answered when it is on a quorum of "
      + "the log's servers, with its \"position\". A request with \"atLeast\" waits for that position. The requests "
      + "catchUp, replica, digest and outcome are about the replica.",
    "Exit status: 0 at the end of input, with any answers; 1 when input or output failed or the store could "
      + "not be closed; 2 for wrong usage or a store that cannot be opened.",
  ]

  /// Answers requests on a replica until the input ends; returns the exit status.
  private static func run(
    replicaOf arguments: Arguments, directory: String?, timings: Bool, readOnly: Bool
  ) throws(CommandFailure) -> Int32 {
    guard ReplicaAccess.isBuiltIn else { throw ReplicaAccess.missingTrait }
    guard let url = ReplicaAccess.url(arguments) else { throw arguments.misuse("--log URL is missing") }
    try ReplicaAccess.checkDirectory(directory, arguments)
    ByteStream.ignoreBrokenPipes()
    let replica = try ReplicaAccess.open(url, directory: directory, ReplicaAccess.options(arguments))
    defer { ReplicaAccess.close(replica) }
    var session = QuerySession(
      replica.local, timings: timings, readOnly: readOnly, replica: ReplicaSession(graph: replica))
    return answerAll(in: &session, isShared: true) ? 0 : 1
  }

  /// Runs until the input ends; returns the exit status. Without a path the graph is in memory.
  private static func run(
    storePath: String?, events: EventLog, memory: Bool, timings: Bool, readOnly: Bool, options: SocialGraph.Options,
    schema: SocialGraph.Schema?
  ) -> Int32 {
    ByteStream.ignoreBrokenPipes()
    let graph: SocialGraph
    do throws(CommandFailure) {
      if let storePath, !memory {
        graph = try StoreAccess.open(
          storePath, access: readOnly ? .readOnly : .readWrite, options, schema: schema, events: events)
      } else {
        graph = try inMemory(options, schema)
      }
    } catch {
      Console.printError(error)
      return error.status
    }
    var session = QuerySession(graph, timings: timings, readOnly: readOnly)
    let answered = answerAll(in: &session)
    let closed = close(session.graph)
    return answered && closed ? 0 : 1
  }

  /// Answers requests to the end; false when a stream failed, or the reader of the answers has closed its end.
  private static func answerAll(in session: inout QuerySession, isShared: Bool = false) -> Bool {
    do throws(ByteStream.Failure) {
      try RequestLoop(input: .input, output: .output, isShared: isShared).run(&session)
      return true
    } catch {
      let reason = error.isBrokenPipe ? "the reader of the answers has closed; requests after those are not made" : nil
      Console.printError(.no(reason ?? "\(error); the answers end here"))
      return false
    }
  }

  /// Closes the store; prints an error and returns false if that failed.
  private static func close(_ graph: SocialGraph) -> Bool {
    do throws(KithError) {
      try graph.close()
      return true
    } catch {
      Console.printError(.no(error.sentence))
      return false
    }
  }

  /// A graph in memory; a schema that is refused is the command's failure.
  private static func inMemory(
    _ options: SocialGraph.Options, _ schema: SocialGraph.Schema?
  ) throws(CommandFailure) -> SocialGraph {
    do throws(KithError) {
      try schema?.check()
    } catch {
      throw .usage(error.sentence)
    }
    return SocialGraph(options: options, schema: schema)
  }
}
