/// A command as it is declared: all that its arguments are read by, that its help says, and what runs it.
struct Command: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  var positionals: [Positional] = []
  var options: [Option] = []
  /// Paragraphs of the help, after the options.
  var notes: [String] = []
  /// Command lines to try, without the leading `kith`.
  let examples: [String]
  /// Answers the exit status.
  let run: @Sendable (Arguments) throws(CommandFailure) -> Int32
}

/// An argument known by its place.
struct Positional: Sendable {
  let name: String
  let help: String
  let isOptional: Bool

  init(_ name: String, _ help: String, isOptional: Bool = false) {
    self.name = name
    self.help = help
    self.isOptional = isOptional
  }
}

/// An argument known by its name, which begins with two dashes.
struct Option: Sendable {
  let name: String
  /// What its value is called; nil for a flag.
  let value: String?
  let help: String
  let isRequired: Bool

  init(_ name: String, _ value: String? = nil, _ help: String, isRequired: Bool = false) {
    self.name = name
    self.value = value
    self.help = help
    self.isRequired = isRequired
  }

  static let json = Option("--json", nil, "one JSON object, for a program")
  static let limit = Option("--limit", "N", "at most so many, 1 to 1,000 (20 without it)")
}

/// Why a command ends without having done its work: the exit status, and one line for standard error that says what,
/// where, and what to do next.
struct CommandFailure: Error, Equatable {
  let status: Int32
  let message: String
  /// Whether the message begins with `file:line:`.
  var isAboutLine = false

  /// The answer is "no", or the data is bad.
  static func no(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }

  /// Wrong usage, or something cannot be opened.
  static func usage(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }

  /// A line of a file is bad.
  static func line(_ line: Int, of path: String, _ reason: String) -> CommandFailure {
    CommandFailure(status: 1, message: "\(path):\(line): \(reason)", isAboutLine: true)
  }
}
