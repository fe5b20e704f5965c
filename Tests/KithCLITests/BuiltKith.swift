import Foundation
import Testing

/// The built `kith`, run as a process of its own.
enum BuiltKith {
  /// The executable is in the folder of the test bundle.
  static let executable: URL? = CommandLine.arguments.lazy
    .filter { $0.contains(".xctest") }
    .compactMap { argument -> URL? in
      var url = URL(fileURLWithPath: argument)
      while url.path != "/" {
        url.deleteLastPathComponent()
        let candidate = url.appendingPathComponent("kith")
        let isFile = (try? candidate.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        if isFile && FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        if !url.path.contains(".xctest") { return nil }
      }
      return nil
    }
    .first

  /// The result of a run.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// A process that is not started yet, with pipes for its input and output.
  static func process(_ arguments: [String]) throws -> (process: Process, input: FileHandle, output: FileHandle) {
    let process = Process()
    let url: URL = try #require(executable, "kith is built before its tests")
    process.executableURL = url
    process.arguments = arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    return (process, input.fileHandleForWriting, output.fileHandleForReading)
  }

  /// Runs to the end. The input must fit into a pipe's buffer, otherwise both sides would block.
  static func run(_ arguments: String..., input text: String = "") throws -> Outcome {
    try run(arguments, input: text)
  }

  static func run(_ arguments: [String], input text: String = "") throws -> Outcome {
    let (process, input, output) = try process(arguments)
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    try input.write(contentsOf: Data(text.utf8))
    try input.close()
    let outputBytes = try output.readToEnd() ?? Data()
    let errorBytes = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: String(decoding: outputBytes, as: UTF8.self),
      errors: String(decoding: errorBytes, as: UTF8.self))
  }

  /// Runs lines of shell in a directory, in which `kith` is the command; the output has the errors, too.
  static func shell(_ lines: String, in directory: String) throws -> (status: Int32, output: String) {
    let kith = try #require(executable).path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "kith() { '\(kith)' \"$@\"; }; cd '\(directory)'; exec 2>&1; \(lines)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }
}

/// A temporary directory, removed at the end of the test.
final class Playground {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("kith-play-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in a directory of it, in order.
  func names(_ directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(directory)).sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  /// All bytes of all files in a directory of it, by name.
  func contents(_ directory: String) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try names(directory) { contents[name] = try bytes("\(directory)/\(name)") }
    return contents
  }
}
