/// One text file of the repository.
struct SourceFile {
  /// From the root of the repository.
  let path: String
  let text: String
  let lines: [Substring]
  let language: Language?
  /// Of Swift files; empty for the rest.
  let tokens: [Token]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    language = Language(path: path, firstLines: lines.prefix(2))
    tokens = language == .swift ? Tokenizer.tokens(Array(text.utf8)) : []
  }

  var isSwift: Bool { language == .swift }

  enum Language {
    case swift, c, javaScript, python, shell

    /// Nil for pages and the like. Scripts are found by their first lines.
    init?(path: String, firstLines: some Sequence<Substring>) {
      let name = path.split(separator: "/").last ?? ""
      switch name.split(separator: ".").dropFirst().last {
      case "swift": self = .swift
      case "c", "cpp", "h": self = .c
      case "js": self = .javaScript
      case "py", "pyi": self = .python
      default:
        let head = firstLines.joined(separator: "\n")
        if head.contains("#!/usr/bin/env python") {
          self = .python
        } else if head.hasPrefix("#!") || head.contains("shellcheck shell=") {
          self = .shell
        } else {
          return nil
        }
      }
    }
  }

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
