/// One text file of the repository.
struct SourceFile {
  /// From the root of the repository.
  let path: String
  let text: String
  let lines: [Substring]
  /// Of Swift files; empty for the rest.
  let tokens: [Token]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    tokens = path.hasSuffix(".swift") ? Tokenizer.tokens(Array(text.utf8)) : []
  }

  var isSwift: Bool { path.hasSuffix(".swift") }

  func isIn(_ folders: [String]) -> Bool { folders.contains { path.hasPrefix($0) } }

  /// The index of the mark that closes the one at `index`, or the last token where nothing does.
  func closing(_ index: Int) -> Int {
    let open = tokens[index].text
    let close = ["(": ")", "[": "]", "{": "}"][open] ?? open
    var depth = 0
    for place in index..<tokens.count where tokens[place].kind == .mark {
      if tokens[place].text == open { depth += 1 }
      if tokens[place].text == close {
        depth -= 1
        if depth == 0 { return place }
      }
    }
    return tokens.count - 1
  }
}

/// A finding of a rule: its place, and what to do.
struct Finding: Equatable, CustomStringConvertible {
  let path: String
  let line: Int
  let advice: String

  var description: String { "\(path):\(line): \(advice)" }
}
