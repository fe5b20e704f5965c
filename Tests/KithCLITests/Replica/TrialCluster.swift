#if Replication
  import Foundation

  @testable import KithCLI

  /// A cluster of PostgreSQL on loopback, as `Tests/Replication/cluster.py` makes it: a process that takes commands.
  final class TrialCluster {
    private static let script = repositoryRoot.appendingPathComponent("Tests/Replication/cluster.py").path

    /// Whether there is a PostgreSQL of a supported version, and Python.
    static let isInstalled: Bool = {
      let process = python("--installed")
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }()

    /// The URL of a log in the cluster.
    let url: String
    let nodes: [String]
    private(set) var primary = "n1"
    private let process: Process
    private let (input, output) = (Pipe(), Pipe())

    /// Starts the servers.
    /// - Parameter count: 1, without standbys and quorum, or 3.
    init(count: Int) throws {
      process = Self.python("--nodes", String(count))
      process.standardInput = input
      process.standardOutput = output
      nodes = (1...count).map { "n\($0)" }
      try process.run()
      url = try Self.line(of: output.fileHandleForReading)
    }

    /// Ends a server and all its processes at once, as a crash does.
    func kill(_ node: String) throws { _ = try answer("kill \(node)") }

    /// Sends a signal to all processes of a server: STOP, so that it answers nothing, or CONT.
    func signal(_ node: String, _ name: String) throws { _ = try answer("signal \(node) \(name)") }

    /// Makes the standby that received most the primary, and the other its standby.
    func promote() throws { primary = try answer("promote") }

    /// Ends all servers and removes what they wrote.
    func remove() {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    private func answer(_ command: String) throws -> String {
      try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
      return try Self.line(of: output.fileHandleForReading)
    }

    private static func line(of output: FileHandle) throws -> String {
      var line = Data()
      while line.last != UInt8(ascii: "\n") {
        let data = output.availableData
        if data.isEmpty { throw CommandFailure.no("\(script) ended; standard error says why") }
        line += data
      }
      return String(decoding: line.dropLast(), as: UTF8.self)
    }

    private static func python(_ arguments: String...) -> Process {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", "-B", script] + arguments
      return process
    }
  }
#endif
