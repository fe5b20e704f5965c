import Kith

/// The arguments of one run, checked against the declaration of their command.
///
/// Options can stand anywhere, as `--name value` or `--name=value`; after `--` every word is a positional. An option
/// that is given twice is refused, since one of its values would be ignored.
struct Arguments: Sendable {
  private(set) var positionals: [String] = []
  private var values: [String: String] = [:]
  private var repeated: [String: [(String, String)]] = [:]
  private let command: Command

  init(_ words: some Collection<String>, of command: Command) throws(CommandFailure) {
    self.command = command
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        for word in rest { try take(positional: word) }
        break
      } else if word.hasPrefix("-"), word != "-" {
        try take(option: word, from: &rest)
      } else {
        try take(positional: word)
      }
    }
    let needed = command.positionals.filter { !$0.isOptional }
    guard positionals.count >= needed.count else {
      throw misuse("\(needed[positionals.count].name) is missing: \(needed[positionals.count].help)")
    }
    for option in command.options where option.isRequired && values[option.name] == nil {
      throw misuse("\(option.name) is missing: \(option.help)")
    }
  }

  /// Whether the words ask for help.
  static func askForHelp(_ words: some Collection<String>) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  // MARK: Reading

  func flag(_ option: Option) -> Bool { values[option.name] != nil }

  func value(_ option: Option) -> String? { values[option.name] }

  /// The values of an option that takes two, in the order given.
  func pairs(_ option: Option) -> [(String, String)] { repeated[option.name] ?? [] }

  /// A path for Foundation, which would repair bytes that are not UTF-8: they are refused.
  func plainPath(_ option: Option) throws(CommandFailure) -> String? {
    guard let path = values[option.name] else { return nil }
    return try text(path, option.name)
  }

  func positional(_ place: Int) -> String? { place < positionals.count ? positionals[place] : nil }

  /// A whole number in decimal digits, within the range.
  func integer(_ option: Option, in range: ClosedRange<Int64>) throws(CommandFailure) -> Int64? {
    guard let text = values[option.name] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw misuse("\(option.name) \(text): a whole number from \(range.lowerBound) to \(range.upperBound) is needed")
    }
    return number
  }

  /// One of an option's words; nil if it is not given.
  func choice<Word: RawRepresentable<String> & CaseIterable>(
    _ option: Option, of type: Word.Type = Word.self
  ) throws(CommandFailure) -> Word? {
    guard let text = values[option.name] else { return nil }
    guard let word = Word(rawValue: text) else {
      throw misuse("\(option.name) \(text): \(alternatives(Word.allCases.map(\.rawValue))) is needed")
    }
    return word
  }

  /// The value of `--color`.
  func color() throws(CommandFailure) -> Color.Choice { try choice(.color) ?? .auto }

  /// The value of `--unique-names`.
  private func uniqueNames() throws(CommandFailure) -> SocialGraph.UniqueNames { try choice(.uniqueNames) ?? .exact }

  /// The options of a graph, by the flags that the command has.
  func graphOptions() throws(CommandFailure) -> SocialGraph.Options {
    var options = SocialGraph.Options()
    options.postIndex = try postIndex()
    options.compactLists = flag(.compactLists)
    options.compressTexts = flag(.compressTexts)
    options.uniqueNames = try uniqueNames()
    return options
  }

  /// The value of `--post-index`.
  private func postIndex() throws(CommandFailure) -> SocialGraph.PostIndexing {
    try choice(.postIndex) ?? .textsAndAuthors
  }

  /// The value of `--memory`, the allowed size of a file's graph; nil if it is not given.
  func memory() throws(CommandFailure) -> Int? { try integer(.memory, in: 1...Int64.max).map { Int($0) } }

  /// Checks that an option comes with another one.
  func check(_ name: String, needs companion: Option) throws(CommandFailure) {
    guard value(companion) != nil else { throw misuse("\(name) needs \(companion.name) \(companion.value ?? "")") }
  }

  /// A failure that points to the command's help.
  func misuse(_ message: String) -> CommandFailure {
    .usage("\(message); see kith \(command.name) --help")
  }

  // MARK: Parsing

  private mutating func take(positional word: String) throws(CommandFailure) {
    guard positionals.count < command.positionals.count else {
      throw misuse("one argument too many: \"\(word)\"")
    }
    let positional = command.positionals[positionals.count]
    positionals.append(positional.isPath ? word : try text(word, positional.name))
  }

  /// A word that is no path: its bytes must be UTF-8.
  private func text(_ word: String, _ name: String) throws(CommandFailure) -> String {
    guard let text = String.fromUTF8(word.pathBytes.span) else { throw misuse("\(name) \(word): not valid UTF-8") }
    return text
  }

  private mutating func take(option word: String, from rest: inout ArraySlice<String>) throws(CommandFailure) {
    // By bytes, because a combining character after the sign would hide it.
    let sign = UInt8(ascii: "=")
    let parts = word.utf8.split(separator: sign, maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let name = parts[0]
    let options = command.options + [.color]
    guard let option = options.first(where: { $0.name == name }) else {
      let nearest = nearestWord(to: name, among: options.map(\.name))
      throw misuse("no option \(name)" + (nearest.map { ", perhaps \($0)" } ?? ""))
    }
    if option.isRepeated {
      guard parts.count == 1, rest.count >= 2, !rest[rest.startIndex].hasPrefix("--") else {
        throw misuse("\(name) needs two values: \(name) \(option.value ?? "")")
      }
      repeated[name, default: []].append((try text(rest.removeFirst(), name), rest.removeFirst()))
      return
    }
    guard values[name] == nil else { throw misuse("\(name) is given twice") }
    guard let valueName = option.value else {
      guard parts.count == 1 else { throw misuse("\(name) takes no value") }
      values[name] = ""
      return
    }
    if parts.count == 2 {
      values[name] = option.isPath ? parts[1] : try text(parts[1], name)
    } else if let next = rest.first, !next.hasPrefix("--") {
      values[name] = option.isPath ? next : try text(next, name)
      rest.removeFirst()
    } else {
      throw misuse("\(name) needs a value: \(name) \(valueName)")
    }
  }
}
