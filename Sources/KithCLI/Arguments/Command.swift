import Kith

/// The declaration of a command: its arguments, its help, and the function that runs it.
struct Command: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  var positionals: [Positional] = []
  var options: [Option] = []
  /// Paragraphs of the help, after the options.
  var notes: [String] = []
  /// Example command lines, without the leading `kith`.
  let examples: [String]
  /// The paths that it may write to.
  var writes: @Sendable (Arguments) -> [String] = { _ in [] }
  /// Whether it runs until it is stopped, so that an interruption needs no explanation.
  var isEndless = false
  /// Returns the exit status.
  let run: @Sendable (Arguments) throws(CommandFailure) -> Int32
}

/// A positional argument.
struct Positional: Sendable {
  let name: String
  let help: String
  let isOptional: Bool
  /// The words that it takes, for completion; none if it takes others.
  let choices: [String]
  /// Whether it may be the path of a file, whose bytes need not be UTF-8.
  let isPath: Bool

  init(_ name: String, _ help: String, isOptional: Bool = false, choices: [String] = [], isPath: Bool? = nil) {
    self.name = name
    self.help = help
    self.isOptional = isOptional
    self.choices = choices
    self.isPath = isPath ?? PathPlaceholder.isPath(name)
  }
}

/// The word for a path in the help.
private enum PathPlaceholder {
  private static let words = ["FILE", "DIRECTORY", "PATH", "STORE", "SNAPSHOT", "TARGET"]

  static func isPath(_ placeholder: String) -> Bool { words.contains { placeholder.contains($0) } }
}

/// An option, whose name begins with two dashes.
struct Option: Sendable {
  let name: String
  /// The name of its value in the help; nil for a flag.
  let value: String?
  let help: String
  let isRequired: Bool
  /// The words that it takes, for completion; none if it takes others.
  let choices: [String]
  /// Whether it takes two values, a name and a path, and may be given several times.
  let isRepeated: Bool

  init(
    _ name: String, _ value: String? = nil, _ help: String, isRequired: Bool = false, choices: [String] = [],
    isRepeated: Bool = false
  ) {
    self.name = name
    self.value = value
    self.help = help
    self.isRequired = isRequired
    self.choices = choices
    self.isRepeated = isRepeated
  }

  /// Whether its value is the path of a file, whose bytes need not be UTF-8.
  var isPath: Bool { value.map(PathPlaceholder.isPath) ?? false }

  /// Of every command.
  static let color = Option(
    "--color", "WHEN", "colours: auto (the default: on a terminal), always or never",
    choices: Color.Choice.allCases.map(\.rawValue))
  static let json = Option("--json", nil, "prints one JSON object")
  static let uniqueNames = Option(
    "--unique-names", "RULE",
    "loose: names that differ only in case and accents count as equal; exact (the default): only equal text",
    choices: SocialGraph.UniqueNames.allCases.map(\.rawValue))
  static let compactLists = Option(
    "--compact-lists", nil, "keeps follows and likes in fewer bytes, which are slower to read and to change")
  static let compressTexts = Option(
    "--compress-texts", nil, "keeps the texts of posts compressed in memory; files do not depend on it")
  static let postIndex = Option(
    "--post-index", "KIND", "the index of posts by words: off, texts, or textsAndAuthors (the default)",
    choices: SocialGraph.PostIndexing.allCases.map(\.rawValue))
  static let memory = Option(
    "--memory", "BYTES", "the memory that a file's graph may take, if above 1 GiB and 200 times the file")
  static let limit = Option("--limit", "N", "at most N results, 1 to 1,000 (default 20)")
  static let cursor = Option("--cursor", "CURSOR", "the next page: what the page before it printed")
}
