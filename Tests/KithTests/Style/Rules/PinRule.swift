/// A pin carries every stored property. No `var` of a type with a `pin` has a default value, so the compiler refuses an
/// initialiser that forgets one; and `pin` names each of them.
enum PinRule {
  /// Properties that an initialiser derives of others.
  static let derived = ["PageTable.directory", "TextColumn.tables", "GraphView.isPlain"]

  private static let sources = ["Sources/"]

  /// A stored property of a type that is pinned.
  struct Property: Equatable {
    let type: String
    let name: String
  }

  static func findings(in files: [SourceFile]) -> [Finding] {
    files.filter { $0.isIn(sources) }.flatMap { file in
      pins(in: file).flatMap { pin in
        properties(of: pin, in: file).flatMap { findings(for: $0, named: pin.names, of: pin.type, in: file) }
      }
    }
  }

  /// The stored properties that are checked.
  static func properties(in files: [SourceFile]) -> [Property] {
    files.filter { $0.isIn(sources) }.flatMap { file in
      pins(in: file).flatMap { pin in
        properties(of: pin, in: file).map { Property(type: pin.type, name: file.tokens[$0 + 1].text) }
      }
    }
  }

  private static func findings(
    for index: Int, named names: Set<String>, of type: String, in file: SourceFile
  ) -> [Finding] {
    let (name, line) = (file.tokens[index + 1].text, file.tokens[index].line)
    var advice: [String] = []
    let rest = file.tokens[(index + 2)...].prefix { $0.line == line }
    if file.tokens[index].text == "var" {
      if rest.contains(where: { $0.text == "=" }) {
        advice.append("\(type).\(name) has a default value, with which a pin may forget it; set it in the initialisers")
      } else if rest.last?.text == "?" {
        advice.append("\(type).\(name) is nil by default, so that a pin may forget it; write Optional<…>")
      }
    }
    if !names.contains(name), !derived.contains("\(type).\(name)") {
      advice.append("the pin of \(type) does not name \(name)")
    }
    return advice.map { Finding(path: file.path, line: line, advice: $0) }
  }

  private struct Pin {
    let type: String
    /// The words in the body of `pin`.
    let names: Set<String>
    let body: Range<Int>
  }

  /// The types of a file that have a `pin` which returns the type itself.
  private static func pins(in file: SourceFile) -> [Pin] {
    let texts = file.tokens.map(\.text)
    return texts.indices.compactMap { index in
      guard texts[index] == "func", texts[(index + 1)...].prefix(3) == ["pin", "(", ")"],
        let open = texts[index...].firstIndex(of: "{")
      else { return nil }
      let type = texts[open - 1]
      let starts = texts.indices.dropLast().filter { texts[$0] == "struct" && texts[$0 + 1] == type }
      guard let start = starts.first, let brace = texts[start...].firstIndex(of: "{")
      else { return nil }
      return Pin(
        type: type, names: Set(texts[open...file.closing(open)]), body: brace + 1..<file.closing(brace))
    }
  }

  /// The places of `var` and `let` of the stored properties. A `let` with a value is a constant.
  private static func properties(of pin: Pin, in file: SourceFile) -> [Int] {
    var places: [Int] = []
    var index = pin.body.lowerBound
    while index < pin.body.upperBound {
      let token = file.tokens[index]
      if token.text == "{" {
        index = file.closing(index)
      } else if token.text == "var" || token.text == "let", token.kind == .word {
        let line = file.tokens[index...].prefix { $0.line == token.line }
        let before = file.tokens[..<index].reversed().prefix { $0.line == token.line }
        let isStatic = before.contains { $0.text == "static" }
        let isComputed = line.contains { $0.text == "{" } || file.tokens[line.endIndex].text == "{"
        let isConstant = token.text == "let" && line.contains { $0.text == "=" }
        if !isStatic, !isComputed, !isConstant { places.append(index) }
      }
      index += 1
    }
    return places
  }
}
