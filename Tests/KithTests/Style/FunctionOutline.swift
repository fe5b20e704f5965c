/// The functions of C, Python, JavaScript and shell by their indentation, which their formatters hold.
enum FunctionOutline {
  /// A function reaches as far as lines are indented deeper than its first, and has the mark that closes it.
  static func bodies(in file: SourceFile) -> [LengthRules.Body] {
    file.lines.indices.compactMap { index in
      guard let name = name(of: file.lines[index], in: file.language) else { return nil }
      return LengthRules.Body(name: name, firstLine: index + 1, lastLine: lastLine(from: index, in: file) + 1)
    }
  }

  private static func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " || $0 == "\t" }.count }

  private static func lastLine(from first: Int, in file: SourceFile) -> Int {
    let depth = indentation(file.lines[first])
    var last = first
    for index in file.lines.indices.dropFirst(first + 1) where !file.lines[index].isEmpty {
      let line = file.lines[index]
      if indentation(line) <= depth {
        // The end of parameters that have a line each.
        if line.dropFirst(depth).hasPrefix(")") { continue }
        return line.dropFirst(depth).hasPrefix("}") ? index : last
      }
      last = index
    }
    return last
  }

  /// The name of the function that begins in a line. The brace is escaped, because the tokenizer knows no literals of
  /// regular expressions.
  private static func name(of line: Substring, in language: SourceFile.Language?) -> String? {
    let text = line.drop { $0 == " " || $0 == "\t" }
    switch language {
    case .c:
      guard text.startIndex == line.startIndex else { return nil }
      return text.prefixMatch(of: /[A-Za-z][\w \*]*?(\w+)\(/).map { String($0.1) }
    case .python:
      return text.prefixMatch(of: /(?:async )?def (\w+)/).map { String($0.1) }
    case .javaScript:
      if let function = text.prefixMatch(of: /(?:export )?(?:async )?function (\w+)/) { return String(function.1) }
      if let arrow = text.wholeMatch(of: /(?:export )?const (\w+) = .*=> \x7B/) { return String(arrow.1) }
      guard let method = text.wholeMatch(of: /(?:static |async |get |set )*(\w+)\(.*\) \x7B/) else { return nil }
      return ["if", "for", "while", "switch"].contains(method.1) ? nil : String(method.1)
    case .shell:
      return text.prefixMatch(of: /(\w+)\(\) \x7B/).map { String($0.1) }
    case .swift, nil:
      return nil
    }
  }
}
