/// A file is named for what it holds: `GraphState.swift` declares `GraphState`, `GraphState+Apply.swift` extends it.
///
/// A file of several types, of functions or constants, or of extensions of three types or more has a name of its own.
enum FileNameRule {
  /// Programs without declarations of their own, and snippets that are named for their articles.
  private static let excluded = ["Tests/Sanitizers/", "Tests/Apple/", "Tests/KithHostTests/Articles/"]

  static func findings(in files: [SourceFile]) -> [Finding] {
    files.filter { $0.path.hasPrefix("Sources/") || $0.path.contains("/Sources/") || $0.path.hasPrefix("Tests/") }
      .compactMap { file in
        guard file.isSwift, !file.isIn(excluded), !file.path.contains(".docc/"), let name = name(of: file) else {
          return nil
        }
        let outline = Outline(file)
        if outline.allows(name) { return nil }
        return Finding(path: file.path, line: 1, advice: "is not named for what it declares: \(outline)")
      }
  }

  private static func name(of file: SourceFile) -> Substring? {
    file.path.split(separator: "/").last.map { $0.dropLast(".swift".count) }
  }

  /// What a file declares at its top level, and in extensions at its top level, but for what is private.
  private struct Outline: CustomStringConvertible {
    private var types: [String] = []
    private var nested: [String] = []
    private var extended: [String] = []
    private var hasFunctions = false

    init(_ file: SourceFile) {
      LayerRule.walk(file) { index, scopes in
        let (word, next) = (file.tokens[index].text, index + 1)
        if scopes.isEmpty, ["func", "let", "var"].contains(word) { hasFunctions = true }
        if scopes.isEmpty, word == "extension" { extended.append(Self.path(after: index, in: file)) }
        guard Self.keywords.contains(word), next < file.tokens.count, file.tokens[next].kind == .word,
          file.tokens[next].text.first?.isUppercase == true, !Self.isPrivate(index, file)
        else { return }
        if scopes.isEmpty { types.append(file.tokens[next].text) }
        if scopes.count == 1, scopes[0] != nil { nested.append(file.tokens[next].text) }
      }
    }

    func allows(_ name: Substring) -> Bool {
      let stem = name.prefix { $0 != "+" }
      if name.contains("+") { return extended.contains { $0 == stem || $0.hasSuffix(".\(stem)") } }
      if types.count == 1 { return types[0] == name || nested.contains(String(name)) }
      return types.count > 1 || hasFunctions || nested.contains(String(name)) || Set(extended).count > 2
    }

    var description: String {
      types.isEmpty ? "an extension of \(extended.joined(separator: ", "))" : types.joined(separator: ", ")
    }

    private static let keywords: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias"]

    private static func isPrivate(_ index: Int, _ file: SourceFile) -> Bool {
      let before = file.tokens[..<index].suffix(3).filter { $0.line == file.tokens[index].line }
      return before.contains { $0.text == "private" || $0.text == "fileprivate" }
    }

    /// `UserQuery.Order` of `extension UserQuery.Order: Sendable`.
    private static func path(after index: Int, in file: SourceFile) -> String {
      var path = ""
      for token in file.tokens[(index + 1)...] {
        let isPart = token.kind == .word && (path.isEmpty || path.last == ".")
        guard isPart || token.text == "." else { break }
        path += token.text
      }
      return path
    }
  }
}
