import Foundation

/// No undocumented public cases, no unfinished work, no paths of one machine. The formatter checks the rest.
enum WritingRules {
  // MARK: - Documentation

  /// Cases of the engine's public enumerations without a documentation comment: the formatter looks at declarations
  /// alone.
  static func undocumentedCases(in files: [SourceFile]) -> [Finding] {
    files.filter { $0.path.hasPrefix("Sources/Kith/") }.flatMap { file in
      file.tokens.indices.flatMap { index -> [Finding] in
        guard file.tokens[index].text == "enum",
          file.tokens[..<index].suffix(2).contains(where: { $0.text == "public" }),
          let open = file.tokens[index...].firstIndex(where: { $0.text == "{" })
        else { return [] }
        return undocumentedCases(in: file, from: open + 1)
      }
    }
  }

  private static func undocumentedCases(in file: SourceFile, from start: Int) -> [Finding] {
    var findings: [Finding] = []
    var place = start
    while place < file.tokens.count, file.tokens[place].text != "}" {
      let token = file.tokens[place]
      if token.text == "{" || token.text == "(" {
        place = file.closing(place)
      } else if token.text == "case", !token.isDocumented, !file.tokens[place - 1].isDocumented {
        findings.append(
          Finding(path: file.path, line: token.line, advice: "a public case without a documentation comment"))
      }
      place += 1
    }
    return findings
  }

  // MARK: - Words

  /// The marks of unfinished work. Concatenated here, so that this file has none.
  static let unfinishedMarks = [["TO", "DO"], ["FIX", "ME"], ["X", "XX"]].map { $0.joined() }

  static func unfinished(in files: [SourceFile]) -> [Finding] {
    occurrences(of: unfinishedMarks, in: files) { mark, line, range in
      let before = range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : " "
      let after = range.upperBound < line.endIndex ? line[range.upperBound] : " "
      if before.isLetter || before.isNumber || after.isLetter || after.isNumber { return nil }
      return "\(mark): finish it, or keep it in the issue"
    }
  }

  // MARK: - Retired words

  /// Home-made terms that gave way to the field's: visibility, decision, signal, typo, prefilter, layer, baseline,
  /// comparison, synthetic. Concatenated here, so that this file has none.
  static let retiredWords = Set(
    [
      ["si", "ght"], ["judge", "ment"], ["wak", "er"], ["sl", "ip"], ["sl", "ips"], ["cl", "ue"], ["cl", "ues"],
      ["fl", "oors"], ["riv", "al"], ["riv", "als"], ["ru", "ins"], ["made", "up"],
    ].map { $0.joined() })

  /// Words that plain technical prose does without: it names the user, the caller or the thread, and says deleted,
  /// reported, inside.
  static let vagueWords = Set(
    [
      ["no", "body"], ["some", "body"], ["any", "body"], ["every", "body"], ["who", "ever"], ["to", "ld"],
      ["di", "es"], ["mid", "st"], ["an", "ew"],
    ].map { $0.joined() })

  /// Retired words in identifiers; these and vague words in the pages, in titles of tests, and in lines of the sources
  /// that have a text: help, messages, the page.
  static func retired(in files: [SourceFile]) -> [Finding] {
    files.flatMap { file -> [Finding] in
      let prose = words(in: file) { index in
        if file.language == nil { return true }
        if file.path.hasPrefix("Tests/") { return isTitle(index, in: file) }
        return file.path.hasPrefix("Sources/") && file.lines[index].contains { "\"'`".contains($0) }
      }
      var named = file.tokens.filter { $0.kind == .word }.flatMap { token in
        parts(of: token.text).map { (word: $0, line: token.line) }
      }
      if !file.isSwift, file.language != nil {
        named = file.lines.enumerated().flatMap { index, line in
          line.split { !$0.isLetter }.flatMap { parts(of: String($0)) }.map { (word: $0, line: index + 1) }
        }
      }
      return findings(prose, of: retiredWords.union(vagueWords), in: file) + findings(named, of: retiredWords, in: file)
    }
  }

  /// Words of tales, not of manuals, that comments avoid. Put together here, so that this file has none.
  static let retiredCommentWords = Set(
    [
      ["who", "ever"], ["whom", "ever"], ["some", "body"], ["some", "one"], ["no", "body"], ["every", "body"],
      ["any", "body"], ["any", "one"], ["one", "self"], ["sta", "nds"], ["sto", "od"], ["di", "es"], ["de", "ad"],
      ["tel", "ls"], ["to", "ld"], ["he", "als"], ["hea", "led"], ["an", "ew"], ["vou", "ch"], ["vouch", "es"],
    ].map { $0.joined() })

  /// Retired words in comments of the modules, and in those of every file that is not Swift, outside of code in
  /// backticks.
  static func retiredInComments(in files: [SourceFile]) -> [Finding] {
    files.filter { !$0.isSwift || $0.isIn(["Sources/"]) }.flatMap { file in
      comments(in: file).flatMap { comment, line -> [Finding] in
        let prose = comment.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: " ")
        return prose.lowercased().split { !$0.isLetter }.filter { retiredCommentWords.contains(String($0)) }.map {
          Finding(path: file.path, line: line, advice: "\($0): name who or what is meant")
        }
      }
    }
  }

  /// The comments of a file, and in Python its documentation strings, line by line.
  static func comments(in file: SourceFile) -> [(text: Substring, line: Int)] {
    guard let language = file.language else { return [] }
    let marks = language == .python || language == .shell ? ["# "] : ["// ", "/** "]
    var isDocumentation = false
    var isString = false
    return file.lines.enumerated().compactMap { index, line in
      let quotes = language == .python ? line.split(separator: "\"\"\"", omittingEmptySubsequences: false).count - 1 : 0
      if quotes > 0, !isString { isDocumentation = line.drop { $0 == " " }.hasPrefix("\"\"\"") }
      if !quotes.isMultiple(of: 2) { isString.toggle() }
      if isDocumentation, isString || quotes > 0 { return (line, index + 1) }
      guard let start = marks.compactMap({ line.range(of: $0) }).first else { return nil }
      return (line[start.upperBound...], index + 1)
    }
  }

  /// Whether the line begins the title of a test, in the line of its attribute or the one after it.
  private static func isTitle(_ index: Int, in file: SourceFile) -> Bool {
    let attribute = "@Test("
    if file.lines[index].contains(attribute + "\"") { return true }
    return index > 0 && file.lines[index - 1].hasSuffix(attribute)
  }

  private static func findings(
    _ words: [(word: String, line: Int)], of unwanted: Set<String>, in file: SourceFile
  ) -> [Finding] {
    words.filter { unwanted.contains($0.word) }.map {
      Finding(path: file.path, line: $0.line, advice: "\($0.word) is a retired word; docs/GLOSSARY.md has the field's")
    }
  }

  /// The words of an identifier: `nameIndex` is name and index.
  private static func parts(of identifier: String) -> [String] {
    var parts: [String] = []
    for character in identifier {
      if parts.isEmpty || character.isUppercase || character == "_" { parts.append("") }
      parts[parts.count - 1] += character == "_" ? "" : character.lowercased()
    }
    return parts
  }

  private static func words(
    in file: SourceFile, where isRead: (Int) -> Bool
  ) -> [(word: String, line: Int)] {
    file.lines.enumerated().flatMap { index, line -> [(word: String, line: Int)] in
      guard file.path.hasSuffix(".md") || file.language != nil, isRead(index) else { return [] }
      let text = line.lowercased().replacing("made-up", with: "madeup")
      return text.split { !$0.isLetter }.map { (String($0), index + 1) }
    }
  }

  /// Where the files of one machine live.
  static let machineFolders = ["home", "Users", "root", "work", "mnt"].map { "/\($0)/" }

  static func machinePaths(in files: [SourceFile]) -> [Finding] {
    occurrences(of: machineFolders, in: files) { folder, line, range in
      let before = range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : " "
      if before.isLetter || before.isNumber || "._-}~".contains(before) { return nil }
      return "a path below \(folder) exists on one machine; take it from an argument or from #filePath"
    }
  }

  private static func occurrences(
    of words: [String], in files: [SourceFile], objection: (String, Substring, Range<String.Index>) -> String?
  ) -> [Finding] {
    files.flatMap { file -> [Finding] in
      let present = words.filter { file.text.contains($0) }
      if present.isEmpty { return [] }
      return file.lines.enumerated().flatMap { index, line in
        present.compactMap { word in
          guard let range = line.range(of: word), let advice = objection(word, line, range) else { return nil }
          return Finding(path: file.path, line: index + 1, advice: advice)
        }
      }
    }
  }
}
