import Foundation

/// What the pages about this tree name in code voice exists: paths, files, types and members.
enum PageRule {
  /// The pages that describe the tree. Articles of the library are compared with the API by `ArticleTests`.
  static func isPage(_ file: SourceFile) -> Bool {
    file.path.hasPrefix("docs/") && file.path.hasSuffix(".md") && file.path != "docs/REPLICATION.md"
      || ["CONTRIBUTING.md", "README.md", "Tests/README.md", "Snapshots/FORMAT.md"].contains(file.path)
  }

  /// Where a path that begins in the middle of the tree may stand.
  private static let roots = ["", "Sources/", "Sources/Kith/", "Tests/", "Tests/KithTests/"]
  private static let endings: Set<Substring> = ["swift", "py", "c", "h", "js", "md", "sh"]

  static func findings(in files: [SourceFile]) -> [Finding] {
    var names: Set<Substring> = []
    var words: Set<Substring> = []
    for file in files {
      names.formUnion(file.path.split(separator: "/"))
      if file.path.hasSuffix(".md") { continue }
      words.formUnion(file.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    }
    return files.filter(isPage).flatMap { page in
      codes(in: page).compactMap { line, code in
        let isThere =
          if isPath(code) {
            roots.contains { FileManager.default.fileExists(atPath: Repository.root.appending(path: $0 + code).path) }
          } else if isFile(code) {
            names.contains(code)
          } else if isSymbol(code) {
            code.prefix { $0 != "(" }.split(separator: ".").allSatisfy { words.contains($0) || names.contains($0) }
          } else {
            true
          }
        return isThere ? nil : Finding(path: page.path, line: line, advice: "there is no \(code)")
      }
    }
  }

  /// The texts between single backticks on one line, outside blocks of code.
  private static func codes(in page: SourceFile) -> [(line: Int, code: Substring)] {
    var isBlock = false
    return page.lines.enumerated().flatMap { index, line -> [(Int, Substring)] in
      if line.hasPrefix("```") { isBlock.toggle() }
      if isBlock || line.hasPrefix("```") { return [] }
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      return parts.indices.filter { !$0.isMultiple(of: 2) && $0 < parts.count - 1 }.map { (index + 1, parts[$0]) }
    }
  }

  /// Whether it is a path below the root: two parts or more, none of them hidden.
  private static func isPath(_ code: Substring) -> Bool {
    let parts = code.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count > 1 && parts[0].first?.isLetter == true
      && code.allSatisfy { $0.isLetter || $0.isNumber || "/._+-".contains($0) }
  }

  /// Whether it is the name of a file of the tree.
  private static func isFile(_ code: Substring) -> Bool {
    let parts = code.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && endings.contains(parts[1])
      && parts[0].allSatisfy { $0.isLetter || $0.isNumber || "_+-".contains($0) }
  }

  /// Whether it is a type, or a member of one: `GraphState`, `GraphState.apply`, `Adjacency.pin()`.
  private static func isSymbol(_ code: Substring) -> Bool {
    let parts = code.prefix { $0 != "(" }.split(separator: ".", omittingEmptySubsequences: false)
    return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isLetter) } && parts[0].first?.isUppercase == true
      && parts[0].contains { $0.isLowercase }
  }
}
