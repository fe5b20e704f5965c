/// Finds the types, the public declarations and the conformances of one file, without a parser.
struct DeclarationScan {
  private(set) var types: [(path: String, isPublic: Bool)] = []
  private(set) var entries: [PublicAPI.Entry] = []
  private let file: SourceFile
  private var scopes: [Scope] = []

  /// What a brace opens.
  private struct Scope {
    /// The names of a type or an extension; empty for a body.
    var names: [String] = []
    /// Whether cases, or requirements of a protocol, are public without saying so.
    var showsCases = false
    var showsRequirements = false
    /// An extension's `where …`.
    var condition = ""
  }

  private static let typeWords: Set<String> = ["struct", "class", "enum", "protocol", "actor"]
  private static let memberWords: Set<String> = [
    "func", "init", "subscript", "var", "let", "typealias", "associatedtype", "case",
  ]
  private static let modifiers: Set<String> = [
    "public", "package", "internal", "fileprivate", "private", "open", "static", "class", "final", "mutating",
    "nonmutating", "consuming", "borrowing", "nonisolated", "indirect", "override", "convenience", "required", "lazy",
    "weak", "prefix", "postfix", "infix",
  ]
  /// Attributes that concern the compiler, not a host.
  private static let silentAttributes: Set<String> = ["inlinable", "inline", "usableFromInline", "safe"]

  init(_ file: SourceFile) {
    self.file = file
    var index = 0
    while index < file.tokens.count { index = step(index) }
  }

  private func text(_ index: Int) -> String { index < file.tokens.count ? file.tokens[index].text : "" }

  /// Reads what begins at a token. Returns where to go on.
  private mutating func step(_ index: Int) -> Int {
    switch text(index) {
    case "{": scopes.append(Scope())
    case "}": _ = scopes.popLast()
    case let word where file.tokens[index].kind == .word && (index == 0 || text(index - 1) != "."):
      // Within a body nothing is public.
      if scopes.last?.names.isEmpty == true { return index + 1 }
      if word == "extension" || isTypeWord(index) { return type(index) }
      if Self.memberWords.contains(word) { return member(index) }
    default: break
    }
    return index + 1
  }

  /// `class` may also be a modifier.
  private func isTypeWord(_ index: Int) -> Bool {
    Self.typeWords.contains(text(index)) && text(index + 1).first?.isUppercase == true
  }

  // MARK: - Types

  private mutating func type(_ index: Int) -> Int {
    let isExtension = text(index) == "extension"
    let start = start(of: index)
    let isPublic = (start..<index).contains { text($0) == "public" }
    let open = (index..<file.tokens.count).first { text($0) == "{" } ?? file.tokens.count
    let head = top(from: index + 1, to: open)
    let colon = head.first { text($0) == ":" } ?? open
    let clause = head.first { text($0) == "where" } ?? open
    let end = min(colon, clause)
    var names = [text(index + 1)]
    var next = index + 2
    while isExtension, text(next) == ".", next < end {
      names.append(text(next + 1))
      next += 2
    }
    let path = (scopes.last?.names ?? []) + names
    if !isExtension { types.append((path.joined(separator: "."), isPublic)) }
    if isPublic || isExtension && colon < clause {
      entries.append(
        PublicAPI.Entry(
          path: path, isType: !isExtension, text: render(start, end),
          inherited: colon < clause ? list(from: colon + 1, to: clause) : [], condition: render(clause, open),
          isConformance: isExtension))
    }
    scopes.append(
      Scope(
        names: path, showsCases: isPublic && text(index) == "enum",
        showsRequirements: isPublic && text(index) == "protocol", condition: isExtension ? render(clause, open) : ""))
    return open + 1
  }

  /// The tokens of a range that no bracket encloses.
  private func top(from start: Int, to end: Int) -> [Int] {
    var depth = 0
    return (start..<max(start, end)).filter { index in
      let text = text(index)
      if ["(", "[", "<"].contains(text) { depth += 1 }
      if [")", "]"].contains(text) || text == ">" && self.text(index - 1) != "-" { depth -= 1 }
      return depth == 0
    }
  }

  private func list(from start: Int, to end: Int) -> [String] {
    let commas = top(from: start, to: end).filter { text($0) == "," } + [end]
    return zip([start - 1] + commas, commas).map { render($0 + 1, $1) }
  }

  // MARK: - Members

  private mutating func member(_ index: Int) -> Int {
    let start = start(of: index)
    let isPublic = (start..<index).contains { text($0) == "public" && text($0 + 1) != "(" }
    let isCase = text(index) == "case" && scopes.last?.showsCases == true
    let (end, body) = end(of: index)
    if isPublic || isCase || scopes.last?.showsRequirements == true {
      entries.append(
        PublicAPI.Entry(
          path: scopes.last?.names ?? [], text: render(start, end) + accessors(index, body),
          condition: scopes.last?.condition ?? ""))
    }
    return body ?? max(end, index + 1)
  }

  /// The first attribute or modifier of the declaration whose keyword is at `index`.
  private func start(of index: Int) -> Int {
    var start = index
    while start > 0 {
      let before = text(start - 1)
      if before == ")" {
        let open = opening(start - 1)
        guard open > 0 else { return start }
        if open > 1, text(open - 2) == "@" {
          start = open - 2
        } else if isModifier(open - 1) {
          start = open - 1
        } else {
          return start
        }
      } else if start > 1, text(start - 2) == "@" {
        start -= 2
      } else if isModifier(start - 1) {
        start -= 1
      } else {
        return start
      }
    }
    return start
  }

  /// Whether a word is a modifier, not the name of a case: `case prefix`.
  private func isModifier(_ index: Int) -> Bool {
    Self.modifiers.contains(text(index)) && (index == 0 || !["case", ",", "."].contains(text(index - 1)))
  }

  private func opening(_ index: Int) -> Int {
    var depth = 0
    for place in stride(from: index, through: 0, by: -1) {
      if text(place) == ")" { depth += 1 }
      if text(place) == "(" { depth -= 1 }
      if depth == 0 { return place }
    }
    return 0
  }

  /// Where the text of a declaration ends, and its body, if it has one. A value is left out if a type is given.
  private func end(of index: Int) -> (end: Int, body: Int?) {
    let isVariable = text(index) == "var" || text(index) == "let"
    var place = index + 1
    var isTyped = false
    var value: Int?
    // An operator's name may hold what would end the search.
    if text(index) == "func" { while place < file.tokens.count, text(place) != "(" { place += 1 } }
    while place < file.tokens.count {
      if place > index + 1, isNewStatement(place) { return (value ?? place, nil) }
      switch text(place) {
      case "(", "[": place = file.closing(place)
      case "{":
        if value == nil { return (place, place) }
        place = file.closing(place)
      case "}", ";": return (value ?? place, nil)
      case ":": isTyped = true
      case "=" where isVariable && isTyped && value == nil: value = place
      default: break
      }
      place += 1
    }
    return (value ?? place, nil)
  }

  /// Whether a token on a line of its own begins something new: neither it nor the one before continues a declaration.
  private func isNewStatement(_ index: Int) -> Bool {
    let (token, before) = (file.tokens[index], file.tokens[index - 1])
    if token.line == before.line { return false }
    if ["where", "throws", "async", "{", "-", "=", ":", ",", ".", "+", "?", "&", ")", "]"].contains(token.text) {
      return false
    }
    return ![",", ":", "=", "(", "[", "&", "+", "."].contains(before.text)
      && !(before.text == ">" && before.touchesPrevious && text(index - 2) == "-")
  }

  /// Whether a computed property or a subscript can be set; nothing for other members.
  private func accessors(_ index: Int, _ body: Int?) -> String {
    guard let body, text(index) == "var" || text(index) == "subscript" else { return "" }
    let words = top(from: body + 1, to: file.closing(body)).map { text($0) }
    if words.contains("didSet") || words.contains("willSet") { return "" }
    return words.contains("set") || words.contains("_modify") ? " { get set }" : " { get }"
  }

  // MARK: - Text

  /// Tokens as one line, without the word public and without attributes for the compiler.
  private func render(_ start: Int, _ end: Int) -> String {
    var line = ""
    var index = start
    while index < end {
      if text(index) == "@", Self.silentAttributes.contains(text(index + 1)) {
        index = text(index + 2) == "(" ? file.closing(index + 2) + 1 : index + 2
        continue
      }
      if text(index) == "public", text(index + 1) != "(" {
        index += 1
        continue
      }
      let token = file.tokens[index]
      let isTight = ["(", "["].contains { line.hasSuffix($0) } || [")", "]"].contains(token.text)
      if !line.isEmpty, !isTight, !token.touchesPrevious { line += " " }
      line += token.kind == .string ? token.literal : token.text
      index += 1
    }
    return line
  }
}
