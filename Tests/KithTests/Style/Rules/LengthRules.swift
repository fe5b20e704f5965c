/// The greatest lengths of folders, files, functions and lines.
enum LengthRules {
  static let folderFileCount = 16
  static let fileLineCount = 400
  static let functionLineCount = 70
  static let lineCharacterCount = 120

  /// Files that a script writes.
  static let generated = ["Sources/Kith/Text/UnicodeTables.swift"]

  /// A header that others include as one file.
  static let long = ["Sources/CKith/include/kith.h"]

  /// Folders with too many files of code, those of folders below not counted.
  static func fullFolders(in files: [SourceFile]) -> [Finding] {
    let code = files.filter { $0.isSwift || $0.path.hasSuffix(".c") }
    let folders = Dictionary(grouping: code) { $0.path.prefix(upTo: $0.path.lastIndex(of: "/") ?? $0.path.startIndex) }
    return folders.filter { $0.value.count > folderFileCount }.map { folder, files in
      Finding(
        path: String(folder), line: 1,
        advice: "the folder has \(files.count) files, \(folderFileCount) are allowed; part it by topic")
    }
  }

  static func longFiles(in files: [SourceFile]) -> [Finding] {
    files.compactMap { file in
      guard file.language != nil, !(generated + long).contains(file.path) else { return nil }
      let count = file.lines.count - (file.lines.last == "" ? 1 : 0)
      if count <= fileLineCount { return nil }
      return Finding(
        path: file.path, line: fileLineCount + 1,
        advice: "the file has \(count) lines, \(fileLineCount) are allowed; part it by topic")
    }
  }

  /// The formatters hold the rest: comments and strings of several lines are not their business. A tab counts as two.
  static func longLines(in files: [SourceFile]) -> [Finding] {
    files.flatMap { file -> [Finding] in
      if file.language == nil { return [] }
      return file.lines.enumerated().compactMap { index, line in
        let count = line.utf8.count * 2 > lineCharacterCount ? line.count + line.prefix { $0 == "\t" }.count : 0
        if count <= lineCharacterCount { return nil }
        return Finding(
          path: file.path, line: index + 1,
          advice: "the line has \(count) characters, \(lineCharacterCount) are allowed; break it")
      }
    }
  }

  static func longFunctions(in files: [SourceFile]) -> [Finding] {
    files.flatMap { file in
      (file.isSwift ? bodies(in: file) : FunctionOutline.bodies(in: file)).compactMap { body in
        let count = body.lastLine - body.firstLine + 1
        if count <= functionLineCount { return nil }
        return Finding(
          path: file.path, line: body.firstLine,
          advice: "\(body.name) has \(count) lines, \(functionLineCount) are allowed; take steps out by name")
      }
    }
  }

  // MARK: - Bodies

  struct Body {
    let name: String
    let firstLine: Int
    let lastLine: Int
  }

  /// Functions, initialisers, subscripts and computed properties with a body.
  static func bodies(in file: SourceFile) -> [Body] {
    file.tokens.indices.compactMap { index in
      let token = file.tokens[index]
      guard token.kind == .word, index + 1 < file.tokens.count else { return nil }
      let isMember = index > 0 && file.tokens[index - 1].text == "."
      let next = file.tokens[index + 1]
      switch token.text {
      case "func", "var":
        return body(named: next.text, from: index, in: file)
      case "deinit" where !isMember, "subscript" where !isMember:
        return body(named: token.text, from: index, in: file)
      case "init" where !isMember && ["(", "<", "?", "!"].contains(next.text):
        return body(named: token.text, from: index, in: file)
      default:
        return nil
      }
    }
  }

  /// What begins another declaration, so that the one before has no body.
  private static let boundaries: Set<String> = [
    "func", "var", "let", "init", "deinit", "subscript", "case", "static", "mutating", "struct", "class", "enum",
    "extension", "protocol", "typealias", "associatedtype", "public", "package", "internal", "fileprivate", "private",
    "import", "}", "=", ";", "@",
  ]

  private static func body(named name: String, from index: Int, in file: SourceFile) -> Body? {
    var place = index + 1
    // An operator's name may hold what would end the search.
    if file.tokens[index].text == "func" {
      while place < file.tokens.count, file.tokens[place].text != "(" { place += 1 }
    }
    while place < file.tokens.count {
      switch file.tokens[place].text {
      case "(", "[":
        place = file.closing(place)
      case "{":
        return Body(
          name: name, firstLine: file.tokens[index].line, lastLine: file.tokens[file.closing(place)].line)
      case let text where boundaries.contains(text):
        return nil
      default: break
      }
      place += 1
    }
    return nil
  }
}
