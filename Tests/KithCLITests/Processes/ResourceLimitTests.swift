import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if os(Linux)

  /// The built `kith` where the system gives it few descriptors, or no further thread: every kind of command does its
  /// work, or says what it lacks. None is ended by a signal, and none waits.
  @Suite struct ResourceLimitTests {
    private static let commands = [
      "search store ann", "stats store", "query store < requests", "verify store", "verify store --deep", "list store",
      "import new-$n --users users.tsv", "export store exported-$n", "snapshot store --to copy-$n.kith.zst",
      "restore store restored-$n", "salvage store salvaged-$n", "seed seeded-$n --users 200 --follows 400 --posts 50",
      "rank store", "inspect store",
    ]
    /// Those that end by a signal alone.
    private static let endless = ["serve store --socket s-$n", "explore store", "watch store search ann"]

    private let playground: Playground

    init() throws {
      playground = try Playground()
      try playground.write(Array("1\tann\n2\tbob\n".utf8), to: "users.tsv")
      try playground.write(
        Array("{\"op\":\"addUser\",\"username\":\"ann\"}\n{\"op\":\"stats\"}\n".utf8), to: "requests")
    }

    /// Runs a script in the playground. It prints a line for each command that ends as none may.
    /// - Parameter user: a user that is not root, if this one is.
    private func complaints(_ script: String, asOther user: String? = nil) throws -> String {
      let process = Process()
      let kith = try #require(BuiltKith.executable).path
      var words = ["/bin/bash", "-c", script]
      if let user { words = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + words }
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = words
      process.currentDirectoryURL = URL(fileURLWithPath: playground.path)
      var environment = ProcessInfo.processInfo.environment
      environment["kith"] = user == nil ? kith : playground.path("kith")
      environment["SWIFT_BACKTRACE"] = "enable=no"
      process.environment = environment
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: bytes, as: UTF8.self)
    }

    /// The functions that the scripts use: `try LIMIT COMMAND` and `tryEndless LIMIT COMMAND`.
    private static let functions = #"""
      # An error names what is missing. A signal is 128 and more; 124 is a command that waits.
      try() {
        timeout 60 bash -c "ulimit $1; exec \"$kith\" $2" > out 2>&1 < /dev/null; status=$?
        case $status in
          0) ;;
          1|2) grep -qiE 'too many open files|no further thread|EMFILE|EAGAIN' out \
            || echo "$1: $2: $(head -c 300 out)" ;;
          *) echo "$1: $2: status $status: $(head -c 300 out)" ;;
        esac
      }
      tryEndless() {
        # By a signal that nothing holds back: the threads of this process hold back SIGTERM, and so do their children.
        timeout -s KILL 1 bash -c "ulimit $1; exec \"$kith\" $2" > out 2>&1 < /dev/null; status=$?
        case $status in
          0|124|137) ;;
          1|2) grep -qiE 'too many open files|no further thread|resource temporarily|Explorer' out \
            || echo "$1: $2: $(head -c 300 out)" ;;
          *) echo "$1: $2: status $status: $(head -c 300 out)" ;;
        esac
      }

      """#

    private static func calls(_ limit: String) -> String {
      commands.map { "try '\(limit)' \"\($0.replacing("\"", with: "\\\""))\"\n" }.joined()
        + endless.map { "tryEndless '\(limit)' \"\($0.replacing("\"", with: "\\\""))\"\n" }.joined()
    }

    @Test("With few descriptors", arguments: [4, 5, 6, 7, 8, 9, 10, 12])
    func fewDescriptors(count: Int) throws {
      let script =
        "\(Self.functions)\"$kith\" query store < requests > /dev/null\nn=\(count)\n\(Self.calls("-n \(count)"))"
      let found = try complaints(script)
      #expect(found == "", "\(found)")
    }

    @Test("Without a further thread")
    func noThreads() throws {
      var user: String?
      if geteuid() == 0 {
        // Root may have any number. No user has this id, which must reach the command and the directory.
        user = "64322"
        try FileManager.default.copyItem(atPath: #require(BuiltKith.executable).path, toPath: playground.path("kith"))
        for path in [playground.path, playground.path("kith")] {
          try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        }
      }
      // The check for leaks of a sanitized build needs a thread.
      let script =
        "export ASAN_OPTIONS=detect_leaks=0\n\(Self.functions)"
        + "\"$kith\" query store < requests > /dev/null || echo no store\nn=0\n"
      let found = try complaints(script + Self.calls("-u 1"), asOther: user)
      #expect(found == "", "\(found)")
    }
  }
#endif
