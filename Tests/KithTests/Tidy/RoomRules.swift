/// What may stand only in a few named places: unsafe code, and the modules of C and Foundation.
enum RoomRules {
  /// Folders end in a slash.
  static let unsafeRooms = [
    "Sources/Kith/Memory/", "Sources/Kith/Durability/Zstd.swift", "Sources/Kith/Durability/Disk.swift",
    "Sources/Kith/Durability/SystemStream.swift", "Sources/Kith/Engine/Clock.swift",
    "Sources/Kith/Search/RegularExpression.swift",
    "Sources/KithCLI/Query/StandardStream.swift",
    "Benchmarks/Sources/KithBenchmarks/TimelineFloor.swift", "Benchmarks/Sources/KithBenchmarks/FollowFloor.swift",
    "Benchmarks/Sources/KithBenchmarks/JournalFloor.swift", "Benchmarks/Sources/KithBenchmarks/SearchFloor.swift",
    "Benchmarks/Sources/KithBenchmarks/PostFloor.swift",
    "Benchmarks/Sources/KithBenchmarks/EdgeFloor.swift", "Benchmarks/Sources/KithBenchmarks/InstructionCounter.swift",
    "Fuzz/Sources/KithFuzz/Fuzzer.swift", "Fuzz/Sources/KithFuzz/MemoryDisk.swift",
  ]

  static let systemRooms = [
    "Sources/Kith/Durability/Disk.swift", "Sources/Kith/Durability/SystemStream.swift",
    "Sources/Kith/Engine/Clock.swift", "Sources/KithCLI/Query/StandardStream.swift",
    "Sources/KithCLI/Console/Console.swift",
    "Benchmarks/Sources/KithBenchmarks/Main.swift", "Benchmarks/Sources/KithBenchmarks/NameWorkload.swift",
    "Fuzz/Sources/KithFuzz/Fuzzer.swift",
  ]

  private static let ruled = ["Sources/", "Benchmarks/", "Fuzz/"]

  static func unsafeCode(in files: [SourceFile]) -> [Finding] {
    files.filter { $0.isIn(ruled) && !$0.isIn(unsafeRooms) }.flatMap { file in
      file.tokens.indices.compactMap { index in
        let token = file.tokens[index]
        guard token.kind == .word, isUnsafe(token.text) || isSafeAttribute(index, file) else { return nil }
        return Finding(
          path: file.path, line: token.line,
          advice: "\(token.text) outside its rooms; use a safe form, or a type of Memory/ that fences it in")
      }
    }
  }

  private static func isUnsafe(_ word: String) -> Bool {
    word == "unsafe" || word == "unsafelyUnwrapped" || word == "unsafeBitCast" || word == "Unmanaged"
      || word.hasPrefix("Unsafe") || word.hasPrefix("withUnsafe")
  }

  /// `@safe` promises what the compiler cannot check.
  private static func isSafeAttribute(_ index: Int, _ file: SourceFile) -> Bool {
    index > 0 && file.tokens[index].text == "safe" && file.tokens[index - 1].text == "@"
  }

  static func imports(in files: [SourceFile]) -> [Finding] {
    files.filter { $0.isIn(ruled) }.flatMap { file in
      importedModules(of: file).compactMap { module, line in
        guard let advice = objection(to: module, in: file) else { return nil }
        return Finding(path: file.path, line: line, advice: advice)
      }
    }
  }

  private static func objection(to module: String, in file: SourceFile) -> String? {
    switch module {
    case "CZstd" where file.path != "Sources/Kith/Durability/Zstd.swift":
      "imports CZstd; call what Durability/Zstd.swift offers"
    case "CRegex" where file.path != "Sources/Kith/Search/RegularExpression.swift":
      "imports CRegex; call what Search/RegularExpression.swift offers"
    case "Glibc" where !file.isIn(systemRooms), "Darwin" where !file.isIn(systemRooms),
      "Musl" where !file.isIn(systemRooms):
      "imports the C library; call what Disk.swift, Clock.swift or StandardStream.swift offers"
    case _ where module.hasPrefix("Foundation") && !file.path.hasPrefix("Sources/KithCLI/"):
      "imports \(module), which only KithCLI and tests may; the engine and its benchmarks do without"
    default: nil
    }
  }

  /// Also `import struct Foundation.Date` and imports with attributes.
  static func importedModules(of file: SourceFile) -> [(module: String, line: Int)] {
    let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    return file.tokens.indices.compactMap { index in
      guard file.tokens[index].kind == .word, file.tokens[index].text == "import" else { return nil }
      let rest = file.tokens[(index + 1)...].prefix(2).map(\.text)
      guard let module = rest.first(where: { !kinds.contains($0) }) else { return nil }
      return (module, file.tokens[index].line)
    }
  }
}
