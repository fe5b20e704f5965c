import Foundation
import Kith

/// `kith shell`: the operations of the protocol as words, with answers to read.
enum ShellCommand {
  private static let readOnly = Option("--read-only", nil, "refuses changes, takes no lock")

  static let command = Command(
    name: "shell",
    summary: "asks and changes a store, or one that kith serve has open, in words: users ann limit=5",
    positionals: [
      Positional("STORE|SOCKET", "a store directory, a snapshot, or the socket of kith serve", isPath: true)
    ],
    options: [readOnly, SchemaFile.option, .compactLists, .compressTexts, .uniqueNames],
    notes: [
      """
      A line is an operation of kith query with its fields: followers ann limit=5 order=name. Values without a name are
      those of the fields that it needs, in order. A user is an id, #17 or a name, a time is as in lists or in
      milliseconds, quotation marks keep spaces, and lists are separated by commas. A line that begins with { is a
      request as JSON.
      """,
      """
      .help lists the operations, .help followers tells about one. .mode table or .mode json, .timing on or off, .quit.
      If the input is no terminal, there is no prompt, and answers are JSON.
      """,
      "Exit status: 0 at the end of input; 1 when a stream failed; 2 for wrong usage or a store that cannot be opened.",
    ],
    examples: ["shell ./store", "shell /run/kith.sock", "shell ./store --read-only < requests.txt"],
    isEndless: true
  ) { (arguments) throws(CommandFailure) in
    ByteStream.ignoreBrokenPipes()
    let path = arguments.positionals[0]
    var link: any ShellLink
    if ByteStream.isSocket(path) {
      link = try ShellSocket(path)
    } else {
      let graph = try StoreAccess.open(
        path, access: arguments.flag(readOnly) ? .readOnly : .readWrite, try arguments.graphOptions(),
        schema: try arguments.schema())
      link = ShellStore(QuerySession(graph, timings: true, readOnly: arguments.flag(readOnly)))
    }
    var shell = Shell(isInteractive: ByteStream.input.isTerminal && ByteStream.output.isTerminal)
    let status = shell.run(&link)
    try link.close()
    return status
  }
}

/// Reads lines and shows answers.
struct Shell {
  enum Mode: String, CaseIterable {
    case table, json
  }

  private static let prompt = "kith> "
  let isInteractive: Bool
  private(set) var mode: Mode
  private var showsTime = true

  init(isInteractive: Bool) {
    self.isInteractive = isInteractive
    mode = isInteractive ? .table : .json
  }

  /// Returns the exit status.
  mutating func run(_ link: inout any ShellLink) -> Int32 {
    if isInteractive { try? Console.write("kith \(Version.text), .help lists the operations, .quit or Ctrl-D ends\n") }
    var splitter = LineSplitter()
    do throws(CommandFailure) {
      while let line = try nextLine(&splitter) {
        let words = line.trimmingCharacters(in: .whitespaces)
        if words.isEmpty { continue }
        if words.hasPrefix(".") {
          if try !command(words) { break }
        } else {
          try answer(words, &link)
        }
      }
      return 0
    } catch {
      Console.printError(error)
      return error.status
    }
  }

  /// The next line of the input; nil at its end.
  private func nextLine(_ splitter: inout LineSplitter) throws(CommandFailure) -> String? {
    if isInteractive { try Console.write(Color.bold(Self.prompt)) }
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      switch splitter.next() {
      case .line(let bytes): return String(decoding: bytes, as: UTF8.self)
      case .tooLong: throw .no("a line is at most \(LineSplitter.maximumByteCount) bytes long")
      case nil: break
      }
      let count: Int
      do throws(ByteStream.Failure) { count = try ByteStream.input.read(into: &chunk) } catch { throw .no("\(error)") }
      if count == 0 {
        if isInteractive { try Console.write("\n") }
        guard case .line(let bytes)? = splitter.last() else { return nil }
        return String(decoding: bytes, as: UTF8.self)
      }
      splitter.feed(chunk[..<count])
    }
  }

  // MARK: Commands of the shell

  /// Runs a command that begins with a point; false if it ends the shell.
  private mutating func command(_ line: String) throws(CommandFailure) -> Bool {
    let words = line.split(separator: " ").map(String.init)
    switch (words[0], words.count > 1 ? words[1] : nil) {
    case (".quit", nil), (".exit", nil): return false
    case (".help", let name): try Console.write(ShellHelp.text(about: name))
    case (".mode", let name?) where Mode(rawValue: name) != nil: mode = Mode(rawValue: name) ?? mode
    case (".timing", "on"): showsTime = true
    case (".timing", "off"): showsTime = false
    default:
      let known = [".help", ".mode", ".timing", ".quit"]
      let near = nearestWord(to: words[0], among: known).map { ", perhaps \($0)" } ?? ""
      try say("\(printable(line)): no such command\(near); .help, .mode table|json, .timing on|off, .quit")
    }
    return true
  }

  private func say(_ text: String) throws(CommandFailure) {
    try Console.write(Color.red("error", on: .output) + ": \(text)\n")
  }

  // MARK: Requests

  private func answer(_ line: String, _ link: inout any ShellLink) throws(CommandFailure) {
    let request: [UInt8]
    do throws(ShellLine.Mistake) {
      request = try ShellLine.request(line)
    } catch {
      if mode == .table { return try say(error.message) }
      return try Console.write(
        JSONWriter.bytes { $0.members(of: RequestError.malformed(error.message)) } + [UInt8(ascii: "\n")])
    }
    let clock = ContinuousClock()
    let began = clock.now
    let answers = try link.ask(request)
    let roundTrip = began.duration(to: clock.now)
    for answer in answers {
      try mode == .json
        ? Console.write(answer + [UInt8(ascii: "\n")])
        : Console.write(ShellAnswer(answer).text(time: showsTime ? roundTrip : nil))
    }
  }
}
