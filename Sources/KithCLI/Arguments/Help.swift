/// The text of `--help`, made from the declarations so that it cannot say something else.
enum Help {
  static func overview(_ commands: [Command]) -> String {
    """
    kith \(Version.text), an embedded social graph: people, follows, posts, likes, found and merged in microseconds

    usage: kith COMMAND [ARGUMENTS]

    \(columns(commands.map { ($0.name, $0.summary) }))

    kith COMMAND --help tells more, with examples. Begin with: kith demo

    """
  }

  static func text(of command: Command) -> String {
    var parts = [usage(of: command), command.summary.capitalizedFirst + "."]
    let arguments = command.positionals.map { ($0.name, $0.help) }
    let options = command.options.map { ($0.spelling, $0.help) }
    if !arguments.isEmpty || !options.isEmpty { parts.append(columns(arguments + options)) }
    parts += command.notes.map { wrapped($0.split(whereSeparator: \.isWhitespace).map(String.init)) }
    if !command.notes.contains(where: { $0.hasPrefix("Exit status") }) {
      parts.append("Exit status: 0 done; 1 the answer is \"no\" or the data is bad; 2 wrong usage or cannot open.")
    }
    parts.append((["Examples:"] + command.examples.map { "  kith \($0)" }).joined(separator: "\n"))
    return parts.joined(separator: "\n\n") + "\n"
  }

  static func usage(of command: Command) -> String {
    var words = ["usage: kith \(command.name)"]
    words += command.positionals.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    words += command.options.map { $0.isRequired ? $0.spelling : "[\($0.spelling)]" }
    return wrapped(words, indentation: 4)
  }

  /// Two columns, the second one aligned.
  private static func columns(_ rows: [(String, String)]) -> String {
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.map { "  " + $0.padded(to: width) + $1 }.joined(separator: "\n")
  }

  private static func wrapped(_ words: [String], indentation: Int = 0) -> String {
    var lines = [words[0]]
    for word in words.dropFirst() {
      if lines[lines.count - 1].count + 1 + word.count > 100 {
        lines.append(String(repeating: " ", count: indentation) + word)
      } else {
        lines[lines.count - 1] += " " + word
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension Option {
  fileprivate var spelling: String { value.map { "\(name) \($0)" } ?? name }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
