#if Replication
  import Kith

  extension ReplicatedGraph {
    /// Opens a replica of the log at a URL of PostgreSQL 15 or newer.
    ///
    /// ```swift
    /// let graph = try await ReplicatedGraph.open(
    ///   log: "postgres://kith@a,b,c/social?sslmode=verify-full", directory: "./replica",
    ///   options: ReplicaOptions(name: "web-1", snapshots: .directory("/srv/snapshots")))
    /// ```
    ///
    /// Of the URL's servers the one that takes changes is used; when it fails, the others are tried in turn.
    /// - Parameters:
    ///   - url: as libpq reads it, or a list of `name=value`. It is in no message.
    ///   - directory: where the replica keeps its own snapshots; nil for nowhere.
    ///   - onEvent: called on one thread, in order.
    /// - Throws: `invalidRequest` if the URL is none, `unavailable`, `unsupportedVersion`, and what a snapshot throws
    ///   that cannot be read.
    /// - Complexity: O(snapshot and the records after it)
    public static func open(
      log url: String, directory: String?, options: ReplicaOptions,
      onEvent: (@Sendable (ReplicaEvent) -> Void)? = nil
    ) async throws(KithError) -> ReplicatedGraph {
      let log = try PostgresLog(url: url, name: options.name)
      do throws(KithError) {
        return try await open(log: log, directory: directory, options: options, onEvent: onEvent)
      } catch {
        await log.close()
        throw error
      }
    }
  }
#endif
