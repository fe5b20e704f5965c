/// Unsafe code and the modules of C and Foundation, allowed only in named files.
enum AllowListRules {
  /// Files and folders (which end in a slash) that may hold unsafe code.
  static let unsafeFiles = [
    "Sources/Kith/Memory/", "Sources/Kith/Concurrency/", "Sources/Kith/Durability/Encoding/Zstd.swift",
    "Sources/Kith/Durability/Store/Disk.swift",
    "Sources/Kith/Durability/Store/System/",
    "Sources/Kith/Engine/Life/SocialGraph+Fork.swift", "Sources/Kith/Engine/SocialGraph+Observers.swift",
    "Sources/KithCLI/EntryPoint.swift", "Sources/KithCLI/Access/Blocking.swift",
    "Sources/KithFoundation/SocialGraph+URL.swift",
    "Sources/Kith/Model/MonotonicClock.swift", "Sources/Kith/Analytics/FolloweeRow.swift",
    "Sources/Kith/Indexes/NameSearch/CompiledExpression.swift", "Sources/Kith/Queries/Results/RawResults.swift",
    "Sources/KithC/", "Sources/KithReplication/Postgres/PostgresConnection.swift",
    "Sources/KithCLI/Console/ByteStream.swift", "Sources/KithCLI/Console/Signals.swift",
    "Sources/KithCLI/Serve/SocketListener.swift", "Sources/KithCLI/Serve/ServiceManager.swift",
    "Sources/KithCLI/Explore/HTTP/HTTPServer.swift",
    "Benchmarks/Sources/KithBenchmarks/Baselines/TimelineBaseline.swift",
    "Benchmarks/Sources/KithBenchmarks/Baselines/FollowBaseline.swift",
    "Benchmarks/Sources/KithBenchmarks/Baselines/JournalBaseline.swift",
    "Benchmarks/Sources/KithBenchmarks/Baselines/SearchBaseline.swift",
    "Benchmarks/Sources/KithBenchmarks/Baselines/PostBaseline.swift",
    "Benchmarks/Sources/KithBenchmarks/Baselines/EdgeBaseline.swift",
    "Benchmarks/Sources/KithBenchmarks/InstructionCounter.swift", "Benchmarks/Sources/KithBenchmarks/ThreadClock.swift",
    "Fuzz/Sources/KithFuzz/Fuzzer.swift", "Fuzz/Sources/KithFuzz/MemoryDisk.swift",
    "Fuzz/Sources/KithFuzz/Targets/TextsTarget.swift",
  ]

  static let systemFiles = [
    "Sources/Kith/Durability/Store/Disk.swift", "Sources/Kith/Durability/Store/System/SystemStream.swift",
    "Sources/Kith/Durability/Store/System/SystemCalls.swift",
    "Sources/Kith/Durability/Store/System/ProcessLimits.swift",
    "Sources/Kith/Model/MonotonicClock.swift", "Sources/KithCLI/Console/ByteStream.swift",
    "Sources/KithCLI/Console/Signals.swift", "Sources/KithCLI/EntryPoint.swift",
    "Sources/Kith/Durability/Store/System/SystemDisk+Paths.swift",
    "Sources/KithCLI/Console/Console.swift", "Sources/KithCLI/Serve/SocketListener.swift",
    "Sources/KithCLI/Serve/ServiceManager.swift",
    "Benchmarks/Sources/KithBenchmarks/Main.swift", "Benchmarks/Sources/KithBenchmarks/ThreadClock.swift",
    "Benchmarks/Sources/KithBenchmarks/Workloads/NameWorkload.swift",
    "Fuzz/Sources/KithFuzz/Fuzzer.swift",
  ]

  private static let ruled = ["Sources/", "Benchmarks/", "Fuzz/"]

  static func unsafeCode(in files: [SourceFile]) -> [Finding] {
    files.filter { $0.isIn(ruled) && !$0.isIn(unsafeFiles) }.flatMap { file in
      file.tokens.indices.compactMap { index in
        let token = file.tokens[index]
        guard token.kind == .word, isUnsafe(token.text) || isSafeAttribute(index, file) else { return nil }
        return Finding(
          path: file.path, line: token.line,
          advice: "\(token.text) outside the allowed files; use a safe form, or a type of Memory/ that fences it in")
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
    case "CZstd" where file.path != "Sources/Kith/Durability/Encoding/Zstd.swift":
      "imports CZstd; call what Durability/Encoding/Zstd.swift offers"
    case "CRegex" where file.path != "Sources/Kith/Indexes/NameSearch/CompiledExpression.swift":
      "imports CRegex; call what Indexes/NameSearch/CompiledExpression.swift offers"
    case "CPostgres" where file.path != "Sources/KithReplication/Postgres/PostgresConnection.swift":
      "imports CPostgres; call what Postgres/PostgresConnection.swift offers"
    case "CExplorer" where file.path != "Sources/KithCLI/Explore/HTTP/HTTPServer.swift":
      "imports CExplorer; call what Explore/HTTP/HTTPServer.swift offers"
    case "Glibc" where !file.isIn(systemFiles), "Darwin" where !file.isIn(systemFiles),
      "Musl" where !file.isIn(systemFiles):
      "imports the C library; call what Disk.swift, MonotonicClock.swift or ByteStream.swift offers"
    case _ where module.hasPrefix("Foundation") && !file.isIn(["Sources/KithCLI/", "Sources/KithFoundation/"]):
      "imports \(module), which only KithCLI, KithFoundation and tests may; the engine and its benchmarks do without"
    default: nil
    }
  }

  /// The C library of Linux is Glibc, or Musl in static programs: a file that imports one imports the other, and names
  /// the module of neither.
  static func cLibraries(in files: [SourceFile]) -> [Finding] {
    files.flatMap { file in
      let imported = importedModules(of: file)
      let libraries = imported.filter { ["Glibc", "Musl"].contains($0.module) }
      var findings: [Finding] = []
      if let first = libraries.first, Set(libraries.map(\.module)).count == 1 {
        findings.append(
          Finding(path: file.path, line: first.line, advice: "imports \(first.module) alone; import Glibc or Musl"))
      }
      for index in file.tokens.indices.dropLast() where file.tokens[index + 1].text == "." {
        let token = file.tokens[index]
        guard token.kind == .word, ["Glibc", "Musl", "Darwin"].contains(token.text) else { continue }
        findings.append(
          Finding(
            path: file.path, line: token.line,
            advice: "names the module \(token.text); call the function by its name alone, where no method hides it"))
      }
      return findings
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
