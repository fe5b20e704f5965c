import Foundation

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

/// What a rule found: where, and what to do.
struct Finding: Equatable, CustomStringConvertible {
  let path: String
  let line: Int
  let advice: String

  var description: String { "\(path):\(line): \(advice)" }
}

/// The text files of this repository, found from where this file stands.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let files = folders.flatMap(files(in:)) + singles.compactMap(file(at:))

  /// Links to folders are not followed: what they lead to is read where it stands.
  private static let folders = ["Sources", "Tests", "Benchmarks", "Fuzz/Sources", "Scripts", "Snapshots", ".ci"]
  private static let singles = ["Package.swift", "README.md", "Fuzz/Package.swift", "Fuzz/README.md", "Fuzz/run"]
  /// Of files that people write; scripts have none.
  private static let extensions: Set<String> = ["swift", "c", "h", "modulemap", "md", "py", "sh", ""]

  private static func files(in folder: String) -> [SourceFile] {
    let url = root.appendingPathComponent(folder)
    let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    return paths.sorted().compactMap { path in
      if path.split(separator: "/").contains(where: { $0.hasPrefix(".") || $0 == "__pycache__" }) { return nil }
      guard extensions.contains((path as NSString).pathExtension) else { return nil }
      return file(at: "\(folder)/\(path)")
    }
  }

  static func file(at path: String) -> SourceFile? {
    guard let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) else { return nil }
    return SourceFile(path: path, text: text)
  }
}
