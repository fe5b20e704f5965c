#if Replication
  import Foundation

  /// The programs of an installed PostgreSQL. Its servers refuse to run as root; then they run as another user.
  struct PostgresPrograms: Sendable {
    private static let roots = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"]
    private static let oldestVersion = 15
    /// Made by the package of Debian and Ubuntu.
    private static let user = "postgres"

    let directory: String
    private var isRoot: Bool { getuid() == 0 }

    /// The newest installation from 15 on; nil if there is none.
    static func find() -> PostgresPrograms? {
      let files = FileManager.default
      let found = roots.flatMap { root in
        ((try? files.contentsOfDirectory(atPath: root)) ?? []).compactMap { name -> (Int, String)? in
          let digits = name.hasPrefix("postgresql@") ? String(name.dropFirst("postgresql@".count)) : name
          let path = "\(root)/\(name)/bin"
          guard let version = Int(digits), version >= oldestVersion, files.fileExists(atPath: path + "/initdb") else {
            return nil
          }
          return (version, path)
        }
      }
      return found.max { $0.0 < $1.0 }.map { PostgresPrograms(directory: $0.1) }
    }

    /// Gives a file or directory to the user of the servers.
    func hand(over path: String, in place: String) throws(CommandFailure) {
      if isRoot { try Self.start("/usr/bin/env", ["chown", "-R", Self.user, path], in: place).waitUntilExit() }
    }

    /// Runs a program to its end, in a directory.
    ///
    /// It must not leave a process behind: the end of a child is noticed when all that inherited from it have ended.
    /// - Throws: its message, if it fails.
    func run(_ program: String, _ arguments: [String], in place: String) throws(CommandFailure) {
      let process = try start(program, arguments, in: place)
      process.waitUntilExit()
      if process.terminationStatus != 0 { throw .no("\(program) failed: \(Self.lastMessage(in: place))") }
    }

    /// Starts a program, whose messages go to a file of the directory.
    func start(_ program: String, _ arguments: [String], in place: String) throws(CommandFailure) -> Process {
      let path = "\(directory)/\(program)"
      if isRoot {
        let prefix = ["setpriv", "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups", path]
        return try Self.start("/usr/bin/env", prefix + arguments, in: place)
      }
      return try Self.start(path, arguments, in: place)
    }

    private static func start(
      _ path: String, _ arguments: [String], in place: String
    ) throws(CommandFailure) -> Process {
      let process = Process()
      let log = self.log(in: place)
      if !FileManager.default.fileExists(atPath: log) { _ = FileManager.default.createFile(atPath: log, contents: nil) }
      let messages = FileHandle(forWritingAtPath: log)
      _ = try? messages?.seekToEnd()
      process.executableURL = URL(fileURLWithPath: path)
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C", "HOME": place]) { $1 }
      process.currentDirectoryURL = URL(fileURLWithPath: place)
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = messages ?? FileHandle.nullDevice
      do { try process.run() } catch { throw .no("\(path): \(error.localizedDescription)") }
      return process
    }

    private static func log(in place: String) -> String { "\(place)/programs.log" }

    static func lastMessage(in place: String) -> String {
      let text = try? String(contentsOfFile: log(in: place), encoding: .utf8)
      return text?.split(separator: "\n").last.map(String.init) ?? "without a message"
    }
  }
#endif
