/// Manual pages in roff, made from the declarations of the commands as the help is.
enum ManPage {
  /// The page of the program: all commands.
  static func overview(_ commands: [Command]) -> String {
    let items = commands.map {
      item("\(bold($0.name))", "\($0.summary.capitalizedFirst). See \(bold("kith-\($0.name)"))(1).")
    }
    return head("kith", "an embedded, thread-safe social graph")
      + section("SYNOPSIS", "\(bold("kith")) \(italic("COMMAND")) [\(italic("ARGUMENTS"))]\n")
      + section(
        "DESCRIPTION",
        paragraphs([
          "Keeps users, follows, posts, likes, blocks and mutes, with timelines and search, in a store directory.",
          "Begin with \(bold("kith demo")).",
        ]))
      + section("COMMANDS", items.joined())
      + section(
        "OPTIONS",
        options([.color]) + item(bold("--help"), "The help of a command.") + item(bold("--version"), "The version."))
      + section("EXIT STATUS", escaped(Help.exitStatus) + "\n")
      + section(
        "ENVIRONMENT",
        item(bold("NO_COLOR"), "If it is set, nothing is coloured.")
          + item(bold("TMPDIR"), "The directory for temporary files of \(bold("demo")) and \(bold("drill"))."))
  }

  static func text(of command: Command) -> String {
    let status = command.notes.first { $0.hasPrefix(Help.exitStatusPrefix) } ?? Help.exitStatus
    let notes = command.notes.filter { !$0.hasPrefix(Help.exitStatusPrefix) }
    let arguments = command.positionals.map { item(italic($0.name), escaped($0.help)) }.joined()
    let examples = command.examples.map { ".nf\n\(escaped("kith \($0)"))\n.fi\n" }.joined(separator: ".PP\n")
    return head("kith-\(command.name)", command.summary) + section("SYNOPSIS", synopsis(command))
      + section("DESCRIPTION", paragraphs([escaped(command.summary.capitalizedFirst) + "."] + notes.map(escaped)))
      + section("ARGUMENTS", arguments) + section("OPTIONS", options(command.options + [.color]))
      + section("EXIT STATUS", escaped(status) + "\n") + section("EXAMPLES", examples)
      + section("SEE ALSO", "\(bold("kith"))(1)\n")
  }

  private static func head(_ name: String, _ summary: String) -> String {
    ".TH \(name.uppercased().replacing("-", with: "\\-")) 1 \"\" \"kith \(Version.text)\" \"Kith\"\n"
      + section("NAME", "\(escaped(name)) \\- \(escaped(summary))\n")
  }

  private static func synopsis(_ command: Command) -> String {
    var words = ["\(bold("kith \(command.name)"))"]
    words += command.positionals.map { $0.isOptional ? "[\(italic($0.name))]" : italic($0.name) }
    words += command.options.map { $0.isRequired ? spelling($0) : "[\(spelling($0))]" }
    return words.joined(separator: "\n") + "\n"
  }

  private static func options(_ options: [Option]) -> String {
    options.map { item(spelling($0), escaped($0.help)) }.joined()
  }

  private static func spelling(_ option: Option) -> String {
    bold(option.name) + (option.value.map { " " + italic($0) } ?? "")
  }

  /// Nothing without content.
  private static func section(_ title: String, _ content: String) -> String {
    content.isEmpty ? "" : ".SH \(title)\n\(content)"
  }

  private static func item(_ term: String, _ text: String) -> String { ".TP\n\(term)\n\(text)\n" }

  private static func paragraphs(_ texts: [String]) -> String { texts.joined(separator: "\n.PP\n") + "\n" }

  private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
  private static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  /// Text in which no character is a command of roff: dashes stay dashes, and no line begins with a dot or a quote.
  static func escaped(_ text: String) -> String {
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let plain = words.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("…", with: "...")
      .replacing("–", with: "\\(en")
    return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
  }
}
