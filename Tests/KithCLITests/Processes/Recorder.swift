#if os(Linux)
  import Foundation
  import Testing

  /// A library that is loaded before the C library of a process and records, fails or ends its system calls: see
  /// `Tests/SystemCalls/recorder.c`.
  struct Recorder {
    private static let source = repositoryRoot.appendingPathComponent("Tests/SystemCalls/recorder.c").path

    private let path: String

    /// Compiles it. On Linux, Swift includes clang.
    init(in playground: Playground) throws {
      path = playground.path("recorder.so")
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      compiler.arguments = ["clang", "-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o", path, Self.source]
      try compiler.run()
      compiler.waitUntilExit()
      try #require(compiler.terminationStatus == 0, "the recorder is compiled")
    }

    /// The environment of a process with it.
    func environment(_ settings: [String: String?]) -> [String: String] {
      var environment = ProcessInfo.processInfo.environment
      environment["LD_PRELOAD"] = path
      for (name, value) in settings { environment[name] = value }
      return environment
    }

    /// Runs a command to its end.
    func run(
      _ arguments: [String], _ settings: [String: String?]
    ) throws -> (status: Int32, isKilled: Bool, errors: String) {
      let (process, input, output) = try BuiltKith.process(arguments)
      let errors = Pipe()
      process.standardError = errors
      process.environment = environment(settings)
      try process.run()
      try input.close()
      _ = try output.readToEnd()
      let text = try errors.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return (
        process.terminationStatus, process.terminationReason == .uncaughtSignal, String(decoding: text, as: UTF8.self)
      )
    }
  }
#endif
