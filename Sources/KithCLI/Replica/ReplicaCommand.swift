import Foundation
import Kith
import KithReplication

/// `kith replica`: a log in PostgreSQL, and replicas of its graph.
enum ReplicaCommand {
  private static let from = Option("--from", "STORE", "init: begins with the graph of a store or snapshot")
  private static let role = Option("--role", "ROLE", "init: a role of the server that may use the log, too")
  private static let alone = Option(
    "--without-quorum", nil, "init: takes records without a synchronous standby; for replicated storage, and trials")
  private static let retention = Option("--retention", "SECONDS", "init: how long records stay (default 86,400)")
  private static let partition = Option("--partition", "RECORDS", "init: records that leave together (default 2^20)")
  private static let socket = Option("--socket", "PATH", "run: answers clients there, as kith serve does")
  private static let rate = Option("--rate", "N", "bench: changes a second (default 10,000)")
  private static let seconds = Option("--seconds", "N", "bench: how long (default 10)")
  private static let reads = Option(
    "--reads", nil, "bench: measures queries, too, beside a graph that makes the changes by itself")
  private static let check = Option(
    "--check", nil, "status: writes what is wrong alone; exit code 0: nothing, 1: it can wait, 2: at once")
  private static let partitions: ClosedRange<Int64> = 2...(1 << 30)

  private static let reportSeconds = 3.0

  private enum Action: String, CaseIterable {
    case initialize = "init"
    case run, status, snapshot, trim, verify, bench, upgrade, migrate, forget, skip
  }

  static let command = Command(
    name: "replica",
    summary: "keeps copies of one graph on several hosts, by a log in PostgreSQL",
    positionals: [
      Positional(
        "ACTION", Action.allCases.map(\.rawValue).joined(separator: ", "), choices: Action.allCases.map(\.rawValue)),
      Positional(
        "SUBJECT", "run: the replica's directory; forget: a NAME; skip: a position", isOptional: true, isPath: true),
    ],
    options: ReplicaAccess.options + [
      from, role, alone, retention, partition, socket, rate, seconds, reads, check, .json,
    ],
    notes: [
      "init makes the log in the database of the URL (schema kith); if it was interrupted, repeat it. run keeps a "
        + "replica until it is stopped: it prints events as JSON Lines, and writes and checks snapshots. status "
        + "lists replicas, snapshots and what is wrong; with --check for a monitor. snapshot writes one now. trim "
        + "removes records that two checked snapshots hold, and that are older than the retention. verify plays the "
        + "log from the newest snapshot, and lets all replicas compare their states. bench fills a log, which should "
        + "be for that alone, and measures. forget removes a replica that will not return. upgrade lets the rules of "
        + "this release begin, once all replicas know them. migrate brings the tables of a log that an older release "
        + "made to this release's version; its owner runs it. skip makes replicas pass over a record that none can "
        + "apply.",
      "This command needs the package trait Replication and the C library libpq. docs/REPLICATION.md tells how to set "
        + "up the servers. kith query --log URL answers requests on a replica.",
    ],
    examples: [
      "replica init --log postgres://a,b,c/social", "replica run ./replica --log postgres://a,b,c/social --name web-1",
      "replica status --log postgres://a,b,c/social --json",
    ],
    isEndless: true, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let word = arguments.positionals[0]
    guard let action = Action(rawValue: word) else {
      let near = nearestWord(to: word, among: Action.allCases.map(\.rawValue)).map { ", perhaps \($0)" } ?? ""
      throw arguments.misuse("no action \(word)\(near)")
    }
    guard ReplicaAccess.isBuiltIn else { throw ReplicaAccess.missingTrait }
    guard let url = ReplicaAccess.url(arguments) else { throw arguments.misuse("--log URL is missing") }
    func subject(_ what: String) throws(CommandFailure) -> String {
      guard let text = arguments.positional(1) else { throw arguments.misuse("\(action.rawValue) needs \(what)") }
      return text
    }
    switch action {
    case .initialize: try initialize(url, arguments)
    case .run: try keep(url, in: try subject("the replica's directory"), arguments)
    case .status where arguments.flag(check): return try ReplicaReportText.check(url, asJSON: arguments.flag(.json))
    case .status: try ReplicaReportText.write(url, asJSON: arguments.flag(.json))
    case .snapshot where arguments.value(ReplicaAccess.snapshots) == nil:
      throw arguments.misuse("snapshot needs --snapshots, where other replicas find what it writes")
    case .snapshot, .trim, .verify, .bench, .upgrade: try inspect(url, action, arguments)
    case .migrate:
      #if Replication
        try ReplicaAccess.withLog(url) { (log) async throws(KithError) in try await log.migrate() }
      #endif
    case .forget:
      let name = try subject("the NAME of a replica")
      guard String.fromUTF8(name.pathBytes.span) != nil else { throw arguments.misuse("\(name): not valid UTF-8") }
      try ReplicaAccess.withLog(url) { (log) async throws(KithError) in try await log.forgetReplica(name) }
    case .skip:
      guard let position = UInt64(try subject("a position")), position > 0 else {
        throw arguments.misuse("a position is a whole number from 1 on")
      }
      // By then every replica that runs has reported what it has applied.
      Thread.sleep(forTimeInterval: reportSeconds)
      try ReplicaAccess.withLog(url) { (log) async throws(KithError) in try await log.skip(position) }
    }
    return 0
  }

  // MARK: Actions

  private static func initialize(_ url: String, _ arguments: Arguments) throws(CommandFailure) {
    #if Replication
      let seconds = try arguments.integer(retention, in: 0...Int64(Int32.max))
      let size = try arguments.integer(partition, in: partitions)
      let (role, isAlone) = (arguments.value(role), arguments.flag(alone))
      let seed = try arguments.value(from).map { (path) throws(CommandFailure) in
        guard let place = arguments.value(ReplicaAccess.snapshots) else {
          throw arguments.misuse("--from needs --snapshots, where the graph goes for all hosts")
        }
        return (graph: try StoreAccess.open(path, access: .readOnly), place: ReplicaAccess.place(place))
      }
      let scratch = try TemporaryDirectory.make("replica")
      defer { TemporaryDirectory.remove(scratch) }
      try ReplicaAccess.withLog(url) { (log) async throws(KithError) in
        try await log.create(
          requiresQuorum: !isAlone, partitionSize: size.map { Int($0) } ?? PostgresSchema.partitionSize,
          retention: seconds.map { .seconds($0) } ?? PostgresSchema.retention, role: role,
          isUnfinished: seed != nil)
        if let seed {
          let identity = try await log.identity(evenUnfinished: true)
          try await ReplicatedGraph.seed(
            log, from: seed.graph, to: seed.place, directory: scratch, as: "kith replica init", identity: identity)
          try await log.finish(identity)
        }
      }
    #endif
  }

  /// Keeps a replica until a signal arrives or it diverges.
  private static func keep(_ url: String, in directory: String, _ arguments: Arguments) throws(CommandFailure) {
    ByteStream.ignoreBrokenPipes()
    // Before any other thread exists, so that no thread is interrupted by the signals.
    let stop = StopFlag()
    try Signals.require(Signals.ends) { _ in stop.set() }
    let listener: SocketListener? = if let path = arguments.value(socket) { try SocketListener(path) } else { nil }
    defer { listener?.close() }
    let graph = try ReplicaAccess.open(url, directory: directory, ReplicaAccess.options(arguments)) { event in
      try? Console.writeJSON { event.write(to: &$0) }
      if case .diverged = event { stop.set() }
    }
    if let listener {
      let server = Server(writeTimeout: .seconds(Server.writeSeconds)) {
        QuerySession(graph.local, watches: Server.watchLimits, replica: ReplicaSession(graph: graph))
      }
      server.run(listener, until: stop)
    } else {
      while !stop.isSet { Thread.sleep(forTimeInterval: 0.1) }
    }
    let failure = graph.status.failure
    ReplicaAccess.close(graph)
    if let failure { throw .no(failure) }
  }

  /// What needs a replica for a moment.
  private static func inspect(_ url: String, _ action: Action, _ arguments: Arguments) throws(CommandFailure) {
    let directory = try TemporaryDirectory.make("replica")
    defer { TemporaryDirectory.remove(directory) }
    let graph = try ReplicaAccess.open(url, directory: directory, ReplicaAccess.options(arguments))
    defer {
      if arguments.value(ReplicaAccess.name) == nil {
        try? blocking { () async throws(KithError) in await graph.leave() }
        forget(ReplicaAccess.options(arguments).name, url)
      } else {
        ReplicaAccess.close(graph)
      }
    }
    if action == .bench {
      return try ReplicaBench.run(
        graph, rate: Int(try arguments.integer(rate, in: ReplicaBench.rates) ?? 10_000),
        seconds: Int(try arguments.integer(seconds, in: ReplicaBench.seconds) ?? 10),
        readsIn: arguments.flag(reads) ? directory : nil)
    }
    do throws(KithError) {
      switch action {
      case .snapshot:
        let position = try blocking { () async throws(KithError) in try await graph.snapshot() }
        try show { $0.member("position", position) }
      case .trim:
        let position = try blocking { () async throws(KithError) in try await graph.trim() }
        try show { $0.member("trimmable", position) }
      case .upgrade:
        let rules = try blocking { () async throws(KithError) in try await graph.upgrade() }
        try show { $0.member("rules", rules) }
      default:
        let found = try blocking { () async throws(KithError) in try await graph.digest() }
        try show { writer in
          writer.member("position", found.position)
          writer.member("digest", found.digest.hexadecimal)
        }
      }
    } catch {
      throw .no(error.sentence)
    }
  }

  /// Removes the report of a replica that was there for a moment. Without it, trimming would wait a day.
  private static func forget(_ name: String, _ url: String) {
    try? ReplicaAccess.withLog(url) { (log) async throws(KithError) in try await log.forgetReplica(name) }
  }

  private static func show(_ content: (inout JSONWriter) -> Void) throws(KithError) {
    do throws(CommandFailure) { try Console.writeJSON(content) } catch { throw .closed }
  }
}
