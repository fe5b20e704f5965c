/// The text of `--help`, made from the declarations, so that both agree.
enum Help {
  static let exitStatusPrefix = "Exit status"
  static let exitStatus = "Exit status: 0 success; 1 a negative answer or invalid data; 2 wrong usage or cannot open."
  private static let greatestWidth = 100
  private static let leastWidth = 30
  private static var width: Int { min(greatestWidth, ByteStream.output.columnCount ?? greatestWidth) }

  static func overview(_ commands: [Command]) -> String {
    let summary = "an embedded, thread-safe social graph: users, follows, posts, likes, timelines, search"
    return """
      \(wrapped("kith \(Version.text), \(summary)"))

      usage: kith COMMAND [ARGUMENTS]

      \(columns(commands.map { ($0.name, $0.summary) }))

      \(wrapped("kith COMMAND --help shows details and examples. Begin with: kith demo"))

      """
  }

  static func text(of command: Command) -> String {
    var parts = [usage(of: command), wrapped(command.summary.capitalizedFirst + ".")]
    let arguments = command.positionals.map { ($0.name, $0.help) }
    let options = (command.options + [.color]).map { ($0.spelling, $0.help) }
    parts.append(columns(arguments + options))
    parts += command.notes.map(wrapped)
    if !command.notes.contains(where: { $0.hasPrefix(exitStatusPrefix) }) { parts.append(wrapped(exitStatus)) }
    parts.append(([Color.bold("Examples:")] + command.examples.map { "  kith \($0)" }).joined(separator: "\n"))
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func wrapped(_ text: String) -> String {
    KithCLI.wrapped(text.split(whereSeparator: \.isWhitespace), to: width)
  }

  static func usage(of command: Command) -> String {
    var words = ["usage: kith \(command.name)"]
    words += command.positionals.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    words += command.options.map { $0.isRequired ? $0.spelling : "[\($0.spelling)]" }
    return KithCLI.wrapped(words, to: width, indentation: 4)
  }

  /// Two columns, the second one aligned and wrapped.
  private static func columns(_ rows: [(String, String)]) -> String {
    let start = (rows.map(\.0.count).max() ?? 0) + 4
    let lines = rows.map { first, second in
      let words = second.split(separator: " ")
      // In a narrow terminal, below the first column.
      if width - start < leastWidth {
        return "  \(first)\n      " + KithCLI.wrapped(words, to: width - 6, indentation: 6)
      }
      return "  " + first.padded(to: start - 2)
        + KithCLI.wrapped(words, to: width - start, indentation: 0)
        .replacing("\n", with: "\n" + String(repeating: " ", count: start))
    }
    return lines.joined(separator: "\n")
  }
}

extension Option {
  fileprivate var spelling: String { value.map { "\(name) \($0)" } ?? name }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
