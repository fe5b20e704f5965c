import Testing

/// The rules for the text of this repository, checked on all files. Each rule has a test that it can fail.
@Suite struct StyleTests {
  private func expectNone(_ findings: [Finding], _ location: SourceLocation = #_sourceLocation) {
    for finding in findings { Issue.record("\(finding)", sourceLocation: location) }
  }

  @Test("The walk finds the sources and tokenizes each of them to its end")
  func walk() {
    let paths = Repository.files.map(\.path)
    for path in ["Package.swift", "Sources/Kith/Engine/SocialGraph.swift", "Benchmarks/README.md", ".ci/run"] {
      #expect(paths.contains(path), "\(path) was not found below \(Repository.root.path)")
    }
    for file in Repository.files where file.isSwift {
      let braces = file.tokens.reduce(0) { $0 + ($1.text == "{" ? 1 : $1.text == "}" ? -1 : 0) }
      #expect(braces == 0, "\(file.path): the tokenizer of the style test failed")
    }
  }

  @Test("No layer names a type or a member of a layer above")
  func layers() { expectNone(LayerRule.findings(in: Repository.files)) }

  @Test("No circle of files is larger than three")
  func circles() { expectNone(CircleRule.findings(in: Repository.files)) }

  @Test("Folders, files, functions and lines are short")
  func lengths() {
    expectNone(LengthRules.fullFolders(in: Repository.files))
    expectNone(LengthRules.longFiles(in: Repository.files))
    expectNone(LengthRules.longFunctions(in: Repository.files))
    expectNone(LengthRules.longLines(in: Repository.files))
  }

  @Test("Unsafe code stays in the allowed files")
  func unsafeCode() { expectNone(AllowListRules.unsafeCode(in: Repository.files)) }

  @Test("Only allowed files import CZstd, the C library and Foundation")
  func imports() { expectNone(AllowListRules.imports(in: Repository.files)) }

  @Test("Every allowed file exists and needs its place on the list")
  func allowLists() {
    for path in AllowListRules.unsafeFiles + AllowListRules.systemFiles + LengthRules.generated {
      #expect(Repository.files.contains { $0.path.hasPrefix(path) }, "\(path) does not exist; remove it from its list")
    }
    for path in AllowListRules.systemFiles {
      let modules = Repository.files.filter { $0.path == path }.flatMap { AllowListRules.importedModules(of: $0) }
      #expect(modules.contains { $0.module == "Glibc" }, "\(path) needs no C library; remove it from its list")
    }
  }

  @Test("Every public case is documented")
  func documentation() { expectNone(WritingRules.undocumentedCases(in: Repository.files)) }

  @Test("No text contains a retired word")
  func vocabulary() { expectNone(WritingRules.retired(in: Repository.files)) }

  @Test("Comments of the library are written as a manual")
  func comments() { expectNone(WritingRules.retiredInComments(in: Repository.files)) }

  @Test("Nothing is marked as unfinished, and no path of one machine is written")
  func words() {
    expectNone(WritingRules.unfinished(in: Repository.files))
    expectNone(WritingRules.machinePaths(in: Repository.files))
  }
}

/// Each style rule against a snippet that breaks it, and one that does not.
@Suite struct StyleRuleTests {
  private func file(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, text: text) }
  private func engine(_ text: String) -> [SourceFile] { [file("Sources/Kith/Engine/A.swift", text)] }

  @Test("Comments and strings are no code, interpolations are")
  func tokens() {
    let text = ##"""
      a /* b /* c */ d */ "e \(f + "\(g)") h" // i
      #"j \(k) \#(l)"# """
        m " \(n)
        """ o!
      """##
    #expect(
      Tokenizer.tokens(Array(text.utf8)).filter { $0.kind == .word }.map(\.text) == ["a", "f", "g", "l", "n", "o"])
    #expect(Tokenizer.tokens(Array(text.utf8)).last?.line == 4)
  }

  @Test("A layer that names a type of one above is found, by file and line")
  func layers() {
    let up = file("Sources/Kith/Memory/A.swift", "struct Low {\n  let high: High\n}")
    let high = file("Sources/Kith/Engine/B.swift", "extension Low { struct High { let low: Low; struct Inner {} } }")
    let found = LayerRule.findings(in: [up, high])
    #expect(found.map(\.line) == [2])
    #expect(found[0].description.hasPrefix("Sources/Kith/Memory/A.swift:2: Memory/ names High of Engine/"))
    let own = file("Sources/Kith/Memory/C.swift", "struct Pages { enum High {} ; let inner: Inner }")
    #expect(LayerRule.findings(in: [up, high, own]).isEmpty, "a name declared in several layers counts as the lowest")
    #expect(LayerRule.findings(in: [file("Sources/Kith/Cellar/D.swift", "let a = 1")]).count == 1)
  }

  @Test("A type above may be the namespace of a type below, and nothing more")
  func namespaces() {
    let high = file("Sources/Kith/Engine/A.swift", "class Graph { let limits: Limits }")
    let low = file("Sources/Kith/Memory/B.swift", "extension Graph { enum Limits {} }\nlet a = Graph.Limits.one")
    #expect(LayerRule.findings(in: [high, low]).isEmpty)
    #expect(CircleRule.findings(in: [high, low]).isEmpty)
    let use = file("Sources/Kith/Memory/C.swift", "let a = Graph.Limits.one\nlet b: Graph\nlet c = Graph.open()")
    #expect(LayerRule.findings(in: [high, low, use]).map(\.line) == [2, 3])
    let method = file("Sources/Kith/Memory/B.swift", "extension Graph { enum Limits {}\n func open() {} }")
    #expect(LayerRule.findings(in: [high, method]).map(\.line) == [1])
  }

  @Test("A layer that uses a member which one above adds is found")
  func members() {
    let low = file("Sources/Kith/Memory/A.swift", "struct Time {}\nlet a = Time.now()\nlet b = c.now")
    let high = file("Sources/Kith/Engine/B.swift", "extension Time { static func now() -> Time { Time() } }")
    #expect(LayerRule.findings(in: [low, high]).map(\.line) == [2, 3])
    let own = file("Sources/Kith/Memory/C.swift", "struct D { var now: Int }")
    #expect(LayerRule.findings(in: [low, high, own]).isEmpty, "a member that a lower layer declares, too, is that one")
    let nested = file("Sources/Kith/Engine/B.swift", "extension Time { struct E { var now: Int } }")
    #expect(LayerRule.findings(in: [low, nested]).isEmpty)
  }

  @Test("A circle of four files is found, one of three is none")
  func circles() {
    let names = ["A", "B", "C", "D"]
    func ring(_ count: Int, in folder: String = "Sources/Kith/Engine") -> [SourceFile] {
      (0..<count).map { index in
        file("\(folder)/\(names[index]).swift", "struct \(names[index]) { let a: \(names[(index + 1) % count])? }")
      }
    }
    #expect(CircleRule.findings(in: ring(4)).map(\.path) == ["Sources/Kith/Engine/A.swift"])
    #expect(CircleRule.findings(in: ring(4, in: "Fuzz/Sources/KithFuzz")).count == 1)
    #expect(CircleRule.findings(in: ring(3)).isEmpty)
    let chain = file("Sources/Kith/Engine/D.swift", "extension E { struct D {} } // A")
    #expect(CircleRule.findings(in: ring(4).dropLast() + [chain]).isEmpty)
    let nested = file("Sources/Kith/Engine/D.swift", "extension E { struct D { let a: A } }")
    #expect(CircleRule.findings(in: ring(4).dropLast() + [nested]).count == 1)
    let twice = file("Sources/Kith/Engine/E.swift", "extension E { struct D {} }")
    #expect(CircleRule.findings(in: ring(4) + [twice]).isEmpty, "a name that two files declare is nobody's")
    let circles = CircleRule.circles(of: [[1], [2], [0, 3], [4], [], [4]]).map { $0.sorted() }
    #expect(circles.sorted { $0[0] < $1[0] } == [[0, 1, 2], [3], [4], [5]])
  }

  @Test("A folder, a file, a function and a line that are too long are found")
  func lengths() {
    let folder = (0..<17).map { file("Sources/Kith/Engine/\($0).swift", "") }
    #expect(LengthRules.fullFolders(in: folder).map(\.path) == ["Sources/Kith/Engine"])
    #expect(LengthRules.fullFolders(in: folder.dropLast() + [file("Sources/Kith/Engine/View/A.swift", "")]).isEmpty)
    let lines = { (count: Int) in String(repeating: "  a()\n", count: count) }
    #expect(LengthRules.longFiles(in: engine(lines(401))).map(\.line) == [401])
    #expect(LengthRules.longFiles(in: engine(lines(400))).isEmpty)
    let long = engine("\nfunc a(_ b: Int = { 1 }()) -> [Int] {\n\(lines(69))}")
    #expect(LengthRules.longFunctions(in: long).map(\.line) == [2])
    #expect(LengthRules.longFunctions(in: engine("init?() where A: B {\n\(lines(69))}")).count == 1)
    #expect(LengthRules.longFunctions(in: engine("var a: Int {\n\(lines(69))}")).count == 1)
    #expect(LengthRules.longFunctions(in: engine("static func < (a: A, b: A) -> Bool {\n\(lines(69))}")).count == 1)
    #expect(LengthRules.longFunctions(in: engine("func a() {\n\(lines(68))}")).isEmpty)
    #expect(LengthRules.longFunctions(in: engine("protocol P { func a() }\nstruct S {\n\(lines(99))}")).isEmpty)
    #expect(LengthRules.longLines(in: engine("\n" + String(repeating: "a", count: 121))).map(\.line) == [2])
    #expect(LengthRules.longLines(in: engine(String(repeating: "ä", count: 120))).isEmpty)
  }

  @Test(
    "Unsafe code outside the allowed files is found",
    arguments: [
      "let a = unsafe b", "let a: UnsafeRawPointer", "a.withUnsafeBytes { _ in }", "nonisolated(unsafe) var a = 1",
      "let a: Unmanaged<B>", "@safe struct A {}",
    ])
  func unsafeCode(_ code: String) {
    #expect(AllowListRules.unsafeCode(in: engine(code)).count == 1)
    #expect(AllowListRules.unsafeCode(in: [file("Sources/KithCLI/A.swift", code)]).count == 1)
    #expect(AllowListRules.unsafeCode(in: [file("Sources/Kith/Memory/A.swift", code)]).isEmpty)
    #expect(AllowListRules.unsafeCode(in: engine("// \(code)\nlet a = \"unsafe\"")).isEmpty)
  }

  @Test(
    "A forbidden import is found",
    arguments: [
      "import CExplorer", "import CRegex", "import CZstd", "import Foundation", "import struct Foundation.Date",
      "@preconcurrency import Glibc", "#if os(macOS)\n  import Darwin\n#endif", "import Musl",
      "private import FoundationEssentials",
    ])
  func imports(_ code: String) {
    #expect(AllowListRules.imports(in: engine(code)).count == 1)
    #expect(AllowListRules.imports(in: [file("Tests/KithTests/A.swift", code)]).isEmpty)
    #expect(AllowListRules.imports(in: engine("import Synchronization\n// \(code.replacing("\n", with: ""))")).isEmpty)
  }

  @Test("A public case without a documentation comment is found")
  func documentation() {
    let cases = [
      "/// A.\npublic enum A {\n  case a\n}",
      "/// A.\npublic indirect enum A {\n  /// B.\n  case b, c\n  case d(B)\n}",
    ]
    for code in cases {
      #expect(WritingRules.undocumentedCases(in: engine(code)).count == 1)
      #expect(WritingRules.undocumentedCases(in: [file("Sources/KithCLI/A.swift", code)]).isEmpty)
    }
    let documented = "/// E.\npublic enum E {\n  /// F.\n  case f\n  var g: H { switch i { case j: k } }\n}"
    #expect(WritingRules.undocumentedCases(in: engine(documented + "\nenum L { case m }")).isEmpty)
  }

  @Test("Retired words are found in identifiers, titles, pages and messages, not in comments")
  func retiredWords() {
    for word in WritingRules.retiredWords {
      #expect(WritingRules.retired(in: engine("let a\(word.capitalized) = 1")).count == 1)
      #expect(WritingRules.retired(in: engine("print(\"a \(word)\")")).count == 1)
      #expect(WritingRules.retired(in: engine("// \(word)\nlet a\(word)b = 1")).isEmpty)
    }
    for word in WritingRules.retiredWords.union(WritingRules.vagueWords) {
      #expect(WritingRules.retired(in: [file("Benchmarks/README.md", "a\n\(word), b")]).map(\.line) == [2])
      #expect(WritingRules.retired(in: [file("Sources/KithCLI/A.swift", "print(\"a \(word)\")")]).count == 1)
      let tests = "// \(word)\n@Test(\"A \(word)\") func a() {}\n@Test(\n  \"A \(word)\",\n  arguments: [])"
      #expect(WritingRules.retired(in: [file("Tests/A.swift", tests)]).map(\.line) == [2, 4])
    }
    #expect(WritingRules.retired(in: [file("README.md", ["made", "up"].joined(separator: "-"))]).count == 1)
  }

  @Test("Retired words are found in comments of the library, not in code or in other files")
  func comments() {
    for word in WritingRules.retiredCommentWords {
      for comment in ["/// A \(word).", "  // \(word.capitalized) a", "let a = 1  // a\n/// \(word)"] {
        #expect(WritingRules.retiredInComments(in: engine(comment)).count == 1)
      }
      #expect(WritingRules.retiredInComments(in: [file("Sources/CSupport/support.c", "// \(word)")]).count == 1)
      #expect(WritingRules.retiredInComments(in: [file("Sources/KithCLI/A.swift", "// \(word)")]).isEmpty)
      #expect(WritingRules.retiredInComments(in: engine("/// `\(word)`, a\(word)")).isEmpty)
      #expect(WritingRules.retiredInComments(in: engine("let \(word) = \"\(word)\"")).isEmpty)
    }
  }

  @Test("Marks of unfinished work are found, in any file")
  func unfinished() {
    for mark in WritingRules.unfinishedMarks {
      #expect(WritingRules.unfinished(in: [file("README.md", "a\n\(mark): b")]).map(\.line) == [2])
      #expect(WritingRules.unfinished(in: engine("// \\u\(mark)X, a\(mark), \(mark)1")).isEmpty)
    }
  }

  @Test("Paths of one machine are found, in any file")
  func machinePaths() {
    for folder in WritingRules.machineFolders {
      #expect(WritingRules.machinePaths(in: [file(".ci/run", "#\ncd \(folder)kith")]).map(\.line) == [2])
      #expect(WritingRules.machinePaths(in: engine("open(\"./a\(folder)b\")")).isEmpty)
    }
  }
}
