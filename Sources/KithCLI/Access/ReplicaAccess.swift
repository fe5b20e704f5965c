import Foundation
import Kith
import KithReplication

/// Opening replicas and their log from the command line.
enum ReplicaAccess {
  /// The variable that may hold the URL: unlike an argument it is not seen by other users of the machine.
  static let variable = "KITH_LOG"

  static let log = Option("--log", "URL", "the log: postgres://HOST,HOST/DATABASE; or the variable \(variable)")
  static let name = Option("--name", "NAME", "the replica's name, of its own (default: host and process)")
  static let snapshots = Option(
    "--snapshots", "DIRECTORY", "where all hosts keep snapshots; log: in the log, up to 2 GiB each")
  static let options = [log, name, snapshots]

  /// The URL; nil if there is none.
  static func url(_ arguments: Arguments) -> String? {
    if let url = arguments.value(log) { return url }
    guard let url = ProcessInfo.processInfo.environment[variable], !url.isEmpty else { return nil }
    return url
  }

  /// Whether a command works on a replica: `--log` and the variable mean the same.
  static func isMeant(_ arguments: Arguments) -> Bool { url(arguments) != nil }

  /// Refuses the path of a store where a replica's directory is meant: the store would be left alone without a word.
  static func checkDirectory(_ path: String?, _ arguments: Arguments) throws(CommandFailure) {
    guard let path, let listing = try? StoreTools.list(path), listing.storeID != nil else { return }
    throw arguments.misuse("\(path.shownPath) is a store of its own, and \(log.name) or \(variable) names a log")
  }

  static func options(_ arguments: Arguments) -> ReplicaOptions {
    let host = ProcessInfo.processInfo.hostName
    let own = "\(host)-\(ProcessInfo.processInfo.processIdentifier)"
    let place = arguments.value(snapshots).map { Self.place($0) }
    return ReplicaOptions(name: arguments.value(name) ?? own, snapshots: place ?? .none)
  }

  /// A directory, or the log; `./log` is a directory of that name.
  static func place(_ text: String) -> ReplicaOptions.SnapshotPlace { text == "log" ? .log : .directory(text) }

  /// Why a command that needs a log does not run.
  static let missingTrait = CommandFailure.usage(
    "this kith was built without the package trait Replication; install libpq (apt: libpq-dev, brew: libpq) and build "
      + "with swift build --traits Replication")

  #if Replication
    static let isBuiltIn = true

    static func open(
      _ url: String, directory: String?, _ options: ReplicaOptions,
      onEvent: (@Sendable (ReplicaEvent) -> Void)? = nil
    ) throws(CommandFailure) -> ReplicatedGraph {
      do throws(KithError) {
        return try blocking { () async throws(KithError) in
          try await ReplicatedGraph.open(log: url, directory: directory, options: options, onEvent: onEvent)
        }
      } catch {
        if case .noStore(let path) = error {
          throw .usage("the log begins with the snapshot \(path), which is not here; give --snapshots DIRECTORY")
        }
        throw .usage(error.sentence)
      }
    }

    /// Lends the log.
    static func withLog<R: Sendable>(
      _ url: String, _ body: @escaping @Sendable (PostgresLog) async throws(KithError) -> R
    ) throws(CommandFailure) -> R {
      do throws(KithError) {
        let log = try PostgresLog(url: url, name: "kith replica")
        return try blocking { () async throws(KithError) in
          do throws(KithError) {
            let result = try await body(log)
            await log.close()
            return result
          } catch {
            await log.close()
            throw error
          }
        }
      } catch {
        throw .usage(error.sentence)
      }
    }
  #else
    static let isBuiltIn = false

    static func open(
      _ url: String, directory: String?, _ options: ReplicaOptions,
      onEvent: (@Sendable (ReplicaEvent) -> Void)? = nil
    ) throws(CommandFailure) -> ReplicatedGraph { throw missingTrait }

    static func withLog<R: Sendable>(
      _ url: String, _ body: @escaping @Sendable (any ReplicationLog) async throws(KithError) -> R
    ) throws(CommandFailure) -> R { throw missingTrait }
  #endif

  static func close(_ graph: ReplicatedGraph) {
    try? blocking { () async throws(KithError) in await graph.close() }
  }
}
