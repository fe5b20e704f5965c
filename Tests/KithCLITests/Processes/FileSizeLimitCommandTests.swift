import Foundation
import Testing

@testable import KithCLI

/// The built `kith` under a file size limit (`ulimit -f`): it reports the error and ends normally.
@Suite struct FileSizeLimitCommandTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

  /// Runs `kith` from a shell that limits files to this many blocks (512 bytes each; kilobytes in some shells).
  private func run(
    _ arguments: [String], blocks: Int, input text: String = "", into file: String? = nil
  ) throws -> BuiltKith.Outcome {
    let kith = try #require(BuiltKith.executable, "kith is built before its tests")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let redirection = file.map { " > '\($0)'" } ?? ""
    process.arguments =
      ["-c", "ulimit -f \(blocks); kith=$0; exec \"$kith\" \"$@\"\(redirection)", kith.path] + arguments
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    // A process inherits the signal mask of its Dispatch thread, which blocks signals: they are unblocked here.
    var signals = sigset_t()
    // Unsafe: the addresses of locals that outlive the calls.
    let isUnblocked =
      unsafe sigemptyset(&signals) == 0 && sigaddset(&signals, SIGXFSZ) == 0
      && pthread_sigmask(SIG_UNBLOCK, &signals, nil) == 0
    #expect(isUnblocked)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    let outputBytes = try output.fileHandleForReading.readToEnd() ?? Data()
    let errorBytes = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit, "\(arguments[0]) was ended by signal \(process.terminationStatus)")
    return .init(
      status: process.terminationStatus, output: String(decoding: outputBytes, as: UTF8.self),
      errors: String(decoding: errorBytes, as: UTF8.self))
  }

  @Test("Every command that writes reports the file size limit")
  func writersReportTheLimit() throws {
    let store = playground.path("store")
    #expect(
      try BuiltKith.run("seed", store, "--users", "2000", "--follows", "9000", "--posts", "2000", "--likes", "9").status
        == 0)
    let seeded = try run(
      ["seed", playground.path("other"), "--users", "2000", "--follows", "9000", "--posts", "2000", "--likes", "9"],
      blocks: 8)
    let exported = try run(["export", store, playground.path("rows")], blocks: 8)
    let printed = try run(
      ["query", store, "--read-only"], blocks: 0, input: #"{"op":"stats"}"# + "\n", into: playground.path("out"))
    let saved = try run(["snapshot", store, "--to", "-"], blocks: 8, into: playground.path("saved"))
    for (name, outcome) in [("seed", seeded), ("export", exported), ("query", printed), ("snapshot", saved)] {
      #expect(outcome.status != 0 && outcome.status < 126, "\(name): \(outcome.status)")
      #expect(outcome.errors.lowercased().contains("too large"), "\(name): \(outcome.errors)")
    }
    #expect(try BuiltKith.run("verify", store).status == 0)
  }

  @Test("A change that the limit keeps from the disk is answered as such")
  func changeIsAnswered() throws {
    let store = playground.path("store")
    #expect(try BuiltKith.run("query", store, input: #"{"op":"addUser","username":"ann"}"# + "\n").status == 0)
    let text = String(repeating: "x", count: 3_000)
    let requests = (0..<18).map { _ in #"{"op":"addPost","user":1,"text":"\#(text)"}"# + "\n" }.joined()
    let outcome = try run(["query", store], blocks: 40, input: requests)
    #expect(outcome.lines.count == 18)
    #expect(outcome.lines.first?.contains(#""ok":true"#) == true || outcome.output.contains("too large"))
    #expect(outcome.output.contains("indeterminate") && outcome.output.contains("too large"))
    #expect(try BuiltKith.run("verify", store).status == 0)
  }
}
