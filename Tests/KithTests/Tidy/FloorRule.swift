/// A folder of Sources/Kith may name only the types of its own floor and of those below.
enum FloorRule {
  /// From the ground up.
  static let floors = ["Memory", "Search", "Graph", "Durability", "Engine", "Live"]

  static func findings(in files: [SourceFile]) -> [Finding] {
    let files = files.compactMap { file in floor(of: file).map { (file: file, floor: $0) } }
    var declarations: [String: Declaration] = [:]
    for (file, floor) in files {
      for (name, isReachable) in types(declaredIn: file) {
        declarations[name, default: Declaration(floor: floor)].add(floor, isReachable: isReachable)
      }
    }
    return files.flatMap { file, floor in
      file.tokens.compactMap { token in
        guard token.kind == .word, let declaration = declarations[token.text] else { return nil }
        guard declaration.isReachable, declaration.floor > floor else { return nil }
        return Finding(
          path: file.path, line: token.line,
          advice: "\(floors[floor])/ names \(token.text) of \(floors[declaration.floor])/, a floor above; "
            + "move what needs it up, or the type down")
      }
    } + strays(files)
  }

  private struct Declaration {
    /// The lowest floor that declares the name.
    var floor: Int
    /// Whether any declaration can be named without the type around it.
    var isReachable = false

    mutating func add(_ floor: Int, isReachable: Bool) {
      self.floor = min(self.floor, floor)
      self.isReachable = self.isReachable || isReachable
    }
  }

  private static func floor(of file: SourceFile) -> Int? {
    guard file.isSwift, file.path.hasPrefix("Sources/Kith/") else { return nil }
    let folder = file.path.split(separator: "/")[2]
    return floors.firstIndex { $0 == folder } ?? -1
  }

  private static func strays(_ files: [(file: SourceFile, floor: Int)]) -> [Finding] {
    files.filter { $0.floor < 0 }.map {
      Finding(path: $0.file.path, line: 1, advice: "stands on no floor; move it into \(floors.joined(separator: ", "))")
    }
  }

  /// The names of all types a file declares; reachable are those at its top level and in extensions.
  static func types(declaredIn file: SourceFile) -> [(name: String, isReachable: Bool)] {
    let keywords: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    var found: [(name: String, isReachable: Bool)] = []
    /// For each open brace, whether it opens an extension.
    var scopes: [Bool] = []
    var opensExtension = false
    for (index, token) in file.tokens.enumerated() {
      switch (token.kind, token.text) {
      case (.word, "extension"):
        opensExtension = true
      case (.word, let word) where keywords.contains(word):
        guard index + 1 < file.tokens.count, file.tokens[index + 1].kind == .word else { continue }
        let name = file.tokens[index + 1].text
        // `class func` and the like declare no type.
        guard name.first?.isUppercase == true else { continue }
        found.append((name, scopes.allSatisfy(\.self)))
        opensExtension = false
      case (.mark, "{"):
        scopes.append(opensExtension)
        opensExtension = false
      case (.mark, "}"):
        _ = scopes.popLast()
      default: break
      }
    }
    return found
  }
}
