#if Replication
  import Foundation
  import Kith
  import Testing

  @testable import KithCLI
  @testable import KithReplication

  /// `kith replica`, `kith query` and `kith watch` on a log, as processes.
  @Suite(.serialized, .enabled(if: TrialCluster.isInstalled, "PostgreSQL 15 or newer, or Python, is not installed"))
  struct ReplicaCommandTests {
    /// Runs a command to its end, with the log in the variable.
    private func kith(
      _ arguments: String..., log: String, input text: String = ""
    ) throws -> (status: Int32, output: String) {
      let (process, input, output) = try BuiltKith.process(arguments)
      process.environment = ProcessInfo.processInfo.environment.merging([ReplicaAccess.variable: log]) { $1 }
      process.standardError = process.standardOutput
      try process.run()
      try input.write(contentsOf: Data(text.utf8))
      try input.close()
      let bytes = try output.readToEnd() ?? Data()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    private func withCluster(_ count: Int, _ body: (TrialCluster, String) async throws -> Void) async throws {
      let directory = try TemporaryDirectory.make("replica-test")
      defer { TemporaryDirectory.remove(directory) }
      let cluster = try TrialCluster(count: count)
      defer { cluster.remove() }
      try await body(cluster, directory)
    }

    @Test("The variable means the log for every command; tokens answer the first result for ever; skip has a guard")
    func variable() async throws {
      try await withCluster(1) { cluster, directory async throws in
        let log = cluster.url
        #expect(try kith("replica", "init", "--without-quorum", log: log).status == 0)
        let (ann, post) = (String(repeating: "1", count: 32), String(repeating: "2", count: 32))
        let add = "{\"op\":\"addUser\",\"username\":\"ann\",\"requestToken\":\"\(ann)\"}\n"
        let say = "{\"op\":\"addPost\",\"user\":2,\"text\":\"x\",\"requestToken\":\"\(post)\"}\n"
        let bob = "{\"op\":\"addUser\",\"username\":\"bob\"}\n"
        let remove = "{\"op\":\"removePost\",\"post\":1}\n{\"op\":\"removeUser\",\"user\":1}\n"
        let answers = try kith("query", "--name", "one", log: log, input: add + bob + say + remove + add + say).output
        let lines = answers.split(separator: "\n")
        #expect(lines.count == 7)
        #expect(lines[5].hasPrefix("{\"ok\":true,\"user\":{\"id\":1},\"sequence\":1,"))
        #expect(lines[6].hasPrefix("{\"ok\":true,\"post\":{\"id\":1},\"sequence\":3,"))
        #expect(try kith("watch", "changes", "--count", "0", log: log).status == 2)
        #expect(try kith("watch", "user", "bob", "--count", "1", log: log).output.contains("\"bob\""))

        let store = directory + "/store"
        _ = try BuiltKith.run("query", store, input: bob)
        let refused = try kith("query", store, log: log, input: bob)
        #expect(refused.status == 2 && refused.output.contains("is a store of its own"))
        #expect(try kith("query", "--memory", log: log).status == 2)

        let skipped = try kith("replica", "skip", "2", log: log)
        #expect(skipped.status == 2 && skipped.output.contains("has applied record 2"))
        #expect(try kith("replica", "skip", "99", log: log).status == 2)
        let unshared = try kith("replica", "snapshot", log: log)
        #expect(unshared.status == 2 && unshared.output.contains("--snapshots"))
      }
    }

    @Test("A monitor reads from the exit code whether something is wrong; a watch goes on through a failover")
    func checkAndWatch() async throws {
      try await withCluster(3) { cluster, directory async throws in
        let log = cluster.url
        #expect(try kith("replica", "init", log: log).status == 0)
        let good = try kith("replica", "status", "--check", log: log)
        #expect(good.status == 0 && good.output == "ok\n")

        let (watch, input, output) = try BuiltKith.process(["watch", "changes", "--from", "1", "--name", "w"])
        watch.environment = ProcessInfo.processInfo.environment.merging([ReplicaAccess.variable: log]) { $1 }
        try watch.run()
        defer {
          try? input.close()
          watch.terminate()
        }
        func add(_ name: String) throws -> String {
          let line = "{\"op\":\"addUser\",\"username\":\"\(name)\"}\n"
          return try kith("query", "--name", "q", log: log, input: line).output
        }
        var seen = Data()
        func expectLine(_ name: String) throws {
          while !String(decoding: seen, as: UTF8.self).contains("\"\(name)\"") {
            let more = output.availableData
            if more.isEmpty {
              Issue.record("the watch ended before \(name)")
              return
            }
            seen += more
          }
        }
        #expect(try add("ann").contains("\"ok\":true"))
        try expectLine("ann")
        try cluster.kill(cluster.primary)
        let down = try kith("replica", "status", "--check", log: log)
        #expect(down.status == 2 && down.output.hasPrefix("critical noLog"))
        try cluster.promote()
        #expect(try add("bob").contains("\"ok\":true"))
        try expectLine("bob")
        #expect(watch.isRunning)
        let degraded = try kith("replica", "status", "--check", "--json", log: log)
        #expect(degraded.status == 1 && degraded.output.contains("\"serverAway\""))

        for node in cluster.nodes where node != cluster.primary { try cluster.kill(node) }
        try await Task.sleep(for: .seconds(1))
        let alone = try kith("replica", "status", "--check", log: log)
        #expect(alone.status == 2 && alone.output.contains("critical noQuorum"))
        let status = try kith("replica", "status", log: log)
        #expect(status.status == 0 && status.output.contains("0 connected, 1 needed"), "it needs no quorum")
        #expect(try add("cid").contains("no quorum"))
      }
    }
  }
#endif
