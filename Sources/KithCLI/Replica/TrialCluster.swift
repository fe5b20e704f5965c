#if Replication
  import Foundation
  import Synchronization

  /// A primary and two standbys with quorum commit, on loopback in a directory of their own: for the demo and tests.
  ///
  /// Not for use by several threads.
  final class TrialCluster {
    /// A server. Its name is what its primary knows it by.
    struct Node: Equatable {
      let name: String
      let port: Int
      let directory: String
    }

    private static let user = "kith"
    private static let ports = 20_000...32_000
    /// The last port given to a server of this process. Each has a port of its own.
    private static let lastPort = Mutex(Int.random(in: ports))

    private static let startTries = 600
    private static let removalTries = 100
    private static let pauseSeconds = 0.05

    let nodes: [Node]
    private(set) var primary: Node
    private let programs: PostgresPrograms
    private let directory: String
    private let id = UInt64.random(in: .min ... .max)
    private var servers: [String: Process] = [:]

    /// Starts the servers.
    /// - Parameter directory: an existing directory; `remove()` leaves it.
    /// - Parameter count: 1, without standbys and quorum, or 3.
    init(in directory: String, count: Int, _ programs: PostgresPrograms) throws(CommandFailure) {
      self.directory = directory
      self.programs = programs
      nodes = (1...count).map { number in
        Node(name: "n\(number)", port: Self.nextPort(), directory: "\(directory)/n\(number)")
      }
      primary = nodes[0]
      try programs.hand(over: directory, in: directory)
      do throws(CommandFailure) {
        try start()
      } catch {
        remove()
        throw error
      }
    }

    /// The URL of a log in the cluster.
    var url: String {
      let hosts = nodes.map { _ in "127.0.0.1" }.joined(separator: ",")
      let ports = nodes.map { String($0.port) }.joined(separator: ",")
      return "host=\(hosts) port=\(ports) user=\(Self.user) dbname=postgres sslmode=disable gssencmode=disable"
    }

    private static func nextPort() -> Int {
      lastPort.withLock { port in
        port = port == ports.upperBound ? ports.lowerBound : port + 1
        return port
      }
    }

    private func start() throws(CommandFailure) {
      try programs.run(
        "initdb",
        [
          "-k", "-N", "-D", primary.directory, "-U", Self.user, "-A", "trust", "--no-locale", "-E", "UTF8",
          "--wal-segsize=1",
        ], in: directory)
      append(
        """
        listen_addresses='127.0.0.1'
        unix_socket_directories=''
        wal_level=replica
        max_wal_senders=8
        synchronous_commit=on
        jit=off
        shared_buffers=32MB
        wal_keep_size=128MB
        wal_retrieve_retry_interval=200ms
        include_if_exists='node.conf'

        """, to: "\(primary.directory)/postgresql.conf")
      append("host replication \(Self.user) 127.0.0.1/32 trust\n", to: "\(primary.directory)/pg_hba.conf")
      configure(primary, following: nil)
      try startServer(primary)
      for node in nodes.dropFirst() { try clone(node) }
    }

    private func startServer(_ node: Node) throws(CommandFailure) {
      let process = try programs.start("postgres", ["-D", node.directory], in: directory)
      servers[node.name] = process
      for _ in 0..<Self.startTries {
        // Another server may have the port: then this one ends.
        let name = Self.output(of: "\(programs.directory)/psql", query("SHOW cluster_name", node))
        if name.hasPrefix(clusterName(of: node)) { return }
        if !process.isRunning { break }
        Thread.sleep(forTimeInterval: Self.pauseSeconds)
      }
      throw .no("a server does not start: \(PostgresPrograms.lastMessage(in: directory))")
    }

    /// Makes a node a standby with a new copy of the primary.
    func clone(_ node: Node) throws(CommandFailure) {
      try? FileManager.default.removeItem(atPath: node.directory)
      try programs.run(
        "pg_basebackup",
        [
          "-h", "127.0.0.1", "-p", String(primary.port), "-U", Self.user, "-D", node.directory, "-X", "stream", "-c",
          "fast", "-N",
        ], in: directory)
      configure(node, following: primary)
      append("", to: "\(node.directory)/standby.signal")
      try programs.hand(over: "\(node.directory)/standby.signal", in: directory)
      try startServer(node)
    }

    /// Ends a server and all its processes at once, as a crash does.
    func kill(_ node: Node) {
      for process in processes(of: node) { _ = Foundation.kill(process, SIGKILL) }
      try? FileManager.default.removeItem(atPath: "\(node.directory)/postmaster.pid")
    }

    /// Makes the standby that received most the primary, after both were told to follow nobody, and the other its
    /// standby.
    func promote() throws(CommandFailure) {
      let standbys = nodes.filter { $0 != primary }
      for node in standbys {
        configure(node, following: nil)
        try reload(node)
      }
      guard let best = standbys.max(by: { received($0) < received($1) }) else { return }
      try programs.run("pg_ctl", ["-w", "-s", "-D", best.directory, "promote"], in: directory)
      primary = best
      for node in standbys where node != best {
        configure(node, following: best)
        try reload(node)
      }
    }

    /// Ends all servers.
    func remove() {
      for node in nodes {
        kill(node)
        // Until all processes have ended, they may write into it.
        for _ in 0..<Self.removalTries where FileManager.default.fileExists(atPath: node.directory) {
          if (try? FileManager.default.removeItem(atPath: node.directory)) == nil {
            Thread.sleep(forTimeInterval: Self.pauseSeconds)
          }
        }
      }
    }

    private func reload(_ node: Node) throws(CommandFailure) {
      try programs.run("pg_ctl", ["-s", "-D", node.directory, "reload"], in: directory)
    }

    private func configure(_ node: Node, following upstream: Node?) {
      let others = nodes.filter { $0 != node }.map(\.name).joined(separator: ",")
      let source = upstream.map {
        "host=127.0.0.1 port=\($0.port) user=\(Self.user) application_name=\(node.name) connect_timeout=2"
      }
      let text = """
        port=\(node.port)
        cluster_name='\(clusterName(of: node))'
        synchronous_standby_names='\(others.isEmpty ? "" : "ANY 1 (\(others))")'
        primary_conninfo='\(source ?? "")'

        """
      try? text.write(toFile: "\(node.directory)/node.conf", atomically: false, encoding: .utf8)
      try? programs.hand(over: "\(node.directory)/node.conf", in: directory)
    }

    private func append(_ text: String, to path: String) {
      let old = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      try? (old + text).write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// The server's first process and its children.
    private func processes(of node: Node) -> [Int32] {
      let lines = (try? String(contentsOfFile: "\(node.directory)/postmaster.pid", encoding: .utf8)) ?? ""
      guard let first = lines.split(separator: "\n").first.flatMap({ Int32($0) }) else { return [] }
      return [first]
        + (Self.output(of: "pgrep", ["-P", String(first)]).split(separator: "\n").compactMap { Int32($0) })
    }

    /// How much of the write-ahead log a standby has. What was received alone says less than what was replayed when the
    /// receiver was started anew.
    private func received(_ node: Node) -> UInt64 {
      let position = "greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())"
      let text = Self.output(
        of: "\(programs.directory)/psql", query("SELECT pg_wal_lsn_diff(\(position), '0/0')", node))
      return UInt64(text.split(separator: "\n").first ?? "") ?? 0
    }

    /// What a server calls itself, unlike any other's.
    private func clusterName(of node: Node) -> String { "\(node.name)-\(id)" }

    private func query(_ text: String, _ node: Node) -> [String] {
      ["-XAtq", "-h", "127.0.0.1", "-p", String(node.port), "-U", Self.user, "-d", "postgres", "-c", text]
    }

    private static func output(of program: String, _ arguments: [String]) -> String {
      let (process, pipe) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [program] + arguments
      process.standardOutput = pipe
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return "" }
      let data = (try? pipe.fileHandleForReading.readToEnd()) ?? nil
      process.waitUntilExit()
      return String(decoding: data ?? Data(), as: UTF8.self)
    }
  }
#endif
