@testable import Kith

extension Draw {
  /// A query of its kind: a name with typos, a regular expression, or plain text.
  mutating func nameQuery(_ model: ReferenceModel, _ match: UserQuery.Match) -> String {
    switch match {
    case .fuzzy: slipped(seldom(3) ? nameQuery(model) : model.users[user(model)]?.text ?? "snow")
    case .regex: seldom(8) ? nameQuery(model) : pattern(of: (0..<4).map { _ in nameQuery(model) })
    case .substring, .prefix, .exact: nameQuery(model)
    }
  }

  /// A text after up to three edits.
  mutating func slipped(_ text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    for _ in 0..<below(4) where !scalars.isEmpty {
      let place = below(scalars.count)
      switch below(4) {
      case 0: scalars.remove(at: place)
      case 3: scalars.swapAt(place, min(place + 1, scalars.count - 1))
      case 1: scalars.insert(pick(["x", "é", "日", scalars[place]]), at: place)
      default: scalars[place] = pick(["y", "a", scalars[below(scalars.count)]])
      }
    }
    return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
  }

  /// A few parts, each of which can be repeated, optional or anchored; rarely an invalid expression.
  mutating func pattern(of texts: [String]) -> String {
    if seldom(30) { return pick(["(", "[", "a**", "(?=a)", "(a)\\1", "\\", "(?:a{999}){999}", "", "^$", "\\C"]) }
    var pattern = seldom(4) ? "^" : ""
    for _ in 0..<1 + below(3) {
      let (piece, other) = (escaped(pick(texts)), escaped(pick(texts)))
      let classes = ["[a-m]", "[^n]", ".", ".*", "\\w", "\\d?", "\\pL", "(?-i)S", "[ßé]", "\\b", "x?"]
      pattern += pick([piece, piece, "(\(piece)|\(other))", "(\(piece))?", pick(classes)])
      if seldom(9) { pattern += "|" }
    }
    return pattern + (seldom(5) ? "$" : "")
  }

  private func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      if "\\.[](){}*+?|^$".unicodeScalars.contains(scalar) { escaped += "\\" }
      escaped.unicodeScalars.append(scalar)
    }
  }
}
