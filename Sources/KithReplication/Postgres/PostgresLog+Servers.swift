#if Replication
  import Kith

  extension PostgresLog {
    private static let askingTime = Duration.seconds(2)

    package func serverTroubles() async -> [ReplicaTrouble] {
      var found: [ReplicaTrouble] = []
      for server in address.servers {
        if let trouble = await trouble(of: server) { found.append(trouble) }
      }
      return found
    }

    private func trouble(of server: PostgresAddress.Server) async -> ReplicaTrouble? {
      let text = address.connectionText(to: server, application: "kith replica", takesChanges: false)
      let statement = """
        SELECT coalesce((SELECT min(name) FROM pg_catalog.pg_settings
          WHERE name IN ('fsync', 'full_page_writes') AND setting <> 'on'), '')
        """
      do throws(PostgresFailure) {
        let setting = try await WorkQueue().run { () throws(PostgresFailure) in
          let deadline = ContinuousClock.now.advanced(by: Self.askingTime)
          let connection = try PostgresConnection(text, by: deadline) { false }
          var row = PostgresRow(try connection.run(statement, by: deadline))
          return row.text()
        }
        if setting.isEmpty { return nil }
        return ReplicaTrouble(
          kind: .unsafeServer,
          reason: "server \(server) has \(setting) = off, and could lose what it says it has: set \(setting) = on")
      } catch {
        return ReplicaTrouble(kind: .serverAway, reason: "server \(server) does not answer: \(error.reason)")
      }
    }
  }
#endif
