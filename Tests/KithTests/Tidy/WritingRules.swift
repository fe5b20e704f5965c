import Foundation

/// Nothing that traps, nothing undocumented, nothing unfinished, nothing of one machine alone.
enum WritingRules {
  /// `try!`, `as!`, forced and implicit unwrapping outside the tests.
  static func force(in files: [SourceFile]) -> [Finding] {
    files.filter { !$0.path.hasPrefix("Tests/") }.flatMap { file in
      file.tokens.indices.compactMap { index in
        guard index > 0, file.tokens[index].text == "!", file.tokens[index].touchesPrevious else { return nil }
        let previous = file.tokens[index - 1]
        let advice: String
        switch (previous.kind, previous.text) {
        case (.word, "try"): advice = "try! traps on any error; handle it or pass it on"
        case (.word, "as"): advice = "as! traps on another type; use as? and say what follows"
        case (.word, _), (.number, _), (.string, _), (.mark, ")"), (.mark, "]"), (.mark, "}"), (.mark, "?"),
          (.mark, ">"):
          advice = "forced unwrapping; use guard let, or precondition with the rule as its message"
        default: return nil
        }
        return Finding(path: file.path, line: file.tokens[index].line, advice: advice)
      }
    }
  }

  // MARK: - Documentation

  /// Public declarations of the engine, and the cases of its public enumerations, without a documentation comment.
  static func undocumented(in files: [SourceFile]) -> [Finding] {
    files.filter { $0.path.hasPrefix("Sources/Kith/") }.flatMap { file in
      file.tokens.indices.compactMap { index in
        guard file.tokens[index].kind == .word, file.tokens[index].text == "public" else { return nil }
        let isDocumented = (start(of: index, in: file)...index).contains { file.tokens[$0].isDocumented }
        let isImport = index + 1 < file.tokens.count && file.tokens[index + 1].text == "import"
        if isDocumented || isImport { return nil }
        return Finding(
          path: file.path, line: file.tokens[index].line,
          advice: "public without a documentation comment: say what it is, its limits, order and errors")
      } + undocumentedCases(in: file)
    }
  }

  /// Where a declaration begins: before its attributes and modifiers.
  private static func start(of index: Int, in file: SourceFile) -> Int {
    let modifiers: Set<String> = [
      "final", "static", "nonisolated", "indirect", "mutating", "borrowing", "consuming", "override", "convenience",
      "required", "prefix", "postfix", "public",
    ]
    var start = index
    while start > 0 {
      var place = start - 1
      if file.tokens[place].text == ")" {
        var depth = 0
        repeat {
          if file.tokens[place].text == ")" { depth += 1 }
          if file.tokens[place].text == "(" { depth -= 1 }
          place -= 1
        } while place > 0 && depth > 0
      }
      if place > 0, file.tokens[place - 1].text == "@" {
        start = place - 1
      } else if modifiers.contains(file.tokens[place].text) {
        start = place
      } else {
        break
      }
    }
    return start
  }

  private static func undocumentedCases(in file: SourceFile) -> [Finding] {
    file.tokens.indices.flatMap { index -> [Finding] in
      guard file.tokens[index].text == "enum",
        (start(of: index, in: file)..<index).contains(where: { file.tokens[$0].text == "public" }),
        let open = file.tokens[index...].firstIndex(where: { $0.text == "{" })
      else { return [] }
      var findings: [Finding] = []
      let close = file.closing(open)
      var place = open + 1
      while place < close {
        let token = file.tokens[place]
        if token.text == "{" || token.text == "(" {
          place = file.closing(place)
        } else if token.text == "case", token.kind == .word,
          !(start(of: place, in: file)...place).contains(where: { file.tokens[$0].isDocumented })
        {
          findings.append(
            Finding(path: file.path, line: token.line, advice: "a public case without a documentation comment"))
        }
        place += 1
      }
      return findings
    }
  }

  // MARK: - Words

  /// The marks by which people remember what is not done. Put together here, so that this file has none.
  static let unfinishedMarks = [["TO", "DO"], ["FIX", "ME"], ["X", "XX"]].map { $0.joined() }

  static func unfinished(in files: [SourceFile]) -> [Finding] {
    occurrences(of: unfinishedMarks, in: files) { mark, line, range in
      let before = range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : " "
      let after = range.upperBound < line.endIndex ? line[range.upperBound] : " "
      if before.isLetter || before.isNumber || after.isLetter || after.isNumber { return nil }
      return "\(mark): finish it, or keep it in the issue"
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
