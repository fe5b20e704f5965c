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

  @Test("Files are named for what they hold")
  func fileNames() { expectNone(FileNameRule.findings(in: Repository.files)) }

  @Test("No circle of files is larger than three")
  func circles() { expectNone(CircleRule.findings(in: Repository.files)) }

  @Test("A pin carries every stored property")
  func pins() {
    expectNone(PinRule.findings(in: Repository.files))
    let properties = PinRule.properties(in: Repository.files)
    for (type, name) in [
      ("Adjacency", "defersBackward"), ("PostTable", "firstUnlisted"), ("UserTable", "defersSearch"),
      ("Popularity", "isDeferred"), ("TextColumn", "used"), ("PageTable", "epoch"), ("GraphState", "sequence"),
    ] {
      #expect(properties.contains(PinRule.Property(type: type, name: name)), "\(type).\(name) is not checked")
    }
    #expect(Set(properties.map(\.type)).count == 19 && properties.count > 80)
    for path in PinRule.derived {
      #expect(properties.contains { "\($0.type).\($0.name)" == path }, "\(path) does not exist; remove it")
    }
  }

  @Test("Files of each language are found, by their names or by their first lines")
  func languages() {
    for (path, language) in [
      ("Sources/CSupport/support.c", SourceFile.Language.c), ("Sources/CKith/include/kith.h", .c),
      ("Sources/CRegex/regex.cpp", .c), ("Sources/CExplorer/Page/app.js", .javaScript),
      ("bindings/python/src/kith/_rows.py", .python), ("bindings/c/check-abi", .python),
      ("Examples/service/service.py", .python), ("Scripts/setup", .shell), (".ci/run", .shell),
    ] {
      #expect(Repository.files.first { $0.path == path }?.language == language, "\(path)")
    }
    for file in Repository.files where file.language != nil && file.lines.count > 100 {
      let isDeclaring = file.path.hasSuffix(".h") || file.path.hasPrefix("Benchmarks/")
      #expect(isDeclaring || file.isSwift || !FunctionOutline.bodies(in: file).isEmpty, "\(file.path) has no function")
    }
  }

  @Test("What the pages name exists")
  func pages() {
    expectNone(PageRule.findings(in: Repository.files))
    // In two parts, so that the name is in no file.
    let gone = "Graph" + "Gone"
    let page = "`Sources/Kith/\(gone).swift` `Kith/Model/Change.swift` `\(gone).swift` `\(gone).pin` `GraphState.pin`"
    let files = Repository.files + [SourceFile(path: "docs/page.md", text: page + "\n```\n`\(gone)`\n```\n")]
    #expect(
      PageRule.findings(in: files).map(\.advice) == [
        "there is no Sources/Kith/\(gone).swift", "there is no \(gone).swift", "there is no \(gone).pin",
      ])
  }

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

  @Test("A file that needs the C library of Linux takes Glibc and Musl alike")
  func cLibraries() {
    expectNone(AllowListRules.cLibraries(in: Repository.files))
    let files = Repository.files.filter { file in
      AllowListRules.importedModules(of: file).contains { $0.module == "Musl" }
    }
    #expect(files.count >= AllowListRules.systemFiles.count)
  }

  @Test("Every allowed file exists and needs its place on the list")
  func allowLists() {
    for path in AllowListRules.unsafeFiles + AllowListRules.systemFiles + LengthRules.generated {
      #expect(Repository.files.contains { $0.path.hasPrefix(path) }, "\(path) does not exist; remove it from its list")
    }
    for path in LengthRules.long {
      let count = Repository.files.first { $0.path == path }?.lines.count ?? 0
      #expect(count > LengthRules.fileLineCount, "\(path) is short or does not exist; remove it from its list")
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

  @Test("Comments are written as a manual")
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

  @Test("A layer of the command is checked, too, and what is outside of its folders is above all")
  func layersOfTheCommand() {
    let low = file("Sources/KithCLI/Console/A.swift", "struct Low { let top: Top; let high: High }")
    let high = file("Sources/KithCLI/Serve/B.swift", "struct High { let low: Low }")
    let top = file("Sources/KithCLI/Top.swift", "struct Top { let high: High }")
    let advice = LayerRule.findings(in: [low, high, top]).map(\.advice)
    #expect(advice.count == 2 && advice[0].hasPrefix("Console/ names Top of Sources/KithCLI/, a layer above"))
    #expect(advice.last?.hasPrefix("Console/ names High of Serve/, a layer above") == true)
  }

  @Test("A file that is not named for its type is found")
  func fileNames() {
    func fits(_ path: String, _ text: String) -> Bool {
      FileNameRule.findings(in: [file("Sources/Kith/Memory/\(path).swift", text)]).isEmpty
    }
    #expect(fits("Low", "private struct A {}\nstruct Low { struct B {} }\nextension Low: C {}"))
    #expect(!fits("High", "struct Low { struct High {} }"))
    #expect(fits("High", "struct Low {}\nstruct High2 {}") && fits("High", "func low() {}"))
    #expect(fits("Order+Rows", "extension Query.Order {}\nprivate struct A {}") && !fits("Rows", "extension A {}"))
    #expect(!fits("High+Rows", "extension Low {}") && fits("Rows", "extension Low { struct Rows {} }"))
  }

  @Test("A property that a pin may forget, or does forget, is found")
  func pins() {
    func advice(_ properties: String, _ pin: String) -> [String] {
      let text = """
        struct Table: ~Copyable {
          static let size = 3
          let anchor = Atomic<UInt8>(0)
          \(properties)
          var isEmpty: Bool { count == 0 }
          mutating func pin() -> Table { Table(\(pin)) }
        }
        """
      return PinRule.findings(in: engine(text)).map(\.advice)
    }
    #expect(advice("let shift: Int\n  var rows: Column<Int>", "shift: shift, rows: rows.pin()") == [])
    #expect(advice("private(set) var count: Int", "") == ["the pin of Table does not name count"])
    let hasDefault = advice("private(set) var count = 0", "count: count")
    #expect(hasDefault.count == 1 && hasDefault[0].hasPrefix("Table.count has a default value"))
    let isNil = advice("var first: UInt32?", "first: first")
    #expect(isNil.count == 1 && isNil[0].hasPrefix("Table.first is nil by default"))
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
    for path in ["A/a.c", "A/a.h", "A/a.py", "A/a.js", "A/a.cpp"] {
      #expect(LengthRules.longFiles(in: [file(path, lines(401))]).count == 1)
      #expect(LengthRules.longLines(in: [file(path, "\t" + String(repeating: "a", count: 119))]).count == 1)
      #expect(LengthRules.longLines(in: [file(path, "\t" + String(repeating: "a", count: 118))]).isEmpty)
    }
    #expect(LengthRules.longFiles(in: [file("Scripts/a", "#!/bin/sh\n" + lines(400))]).count == 1)
    #expect(LengthRules.longFiles(in: [file("docs/a.md", lines(401))]).isEmpty)
  }

  @Test(
    "A function of each language is measured from its first line to its last",
    arguments: [
      ("a.c", "static int *a(\n  int b) {", "}"), ("a.c", "void a(void) {", "}"), ("a.js", "function a(b) {", "}"),
      ("a.js", "export async function a() {", "}"), ("a.js", "class A {\n\ta(b) {", "\t}\n}"),
      ("a.js", "const a = async (b) => {", "};"), ("a.py", "def a(b):", "c = 1"),
      ("a.py", "class A:\n  async def a(\n    b,\n  ) -> int:", "c = 1"), ("a.sh", "#!/bin/sh\na() {", "}"),
    ])
  func functions(_ name: String, _ head: String, _ end: String) {
    func found(_ count: Int) -> [Finding] {
      let body = String(repeating: "\t\t    b();\n\n", count: count)
      return LengthRules.longFunctions(in: [file(name, "\(head)\n\(body)\(end)\n\(head)\n\(end)\n")])
    }
    #expect(found(20).isEmpty && found(36).count == 1)
    #expect(found(36)[0].advice.hasPrefix("a has "))
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

  @Test(
    "Code for Glibc alone is found",
    arguments: [
      "#if canImport(Darwin)\n  import Darwin\n#else\n  import Glibc\n#endif", "import Glibc",
      "#if os(Linux)\n  private import Glibc\n#endif", "import Musl", "let a = Glibc.open(b)",
      "let a = unsafe Darwin.open",
    ])
  func cLibraries(_ code: String) {
    #expect(AllowListRules.cLibraries(in: engine(code)).count == 1)
    #expect(AllowListRules.cLibraries(in: [file("Tests/KithTests/A.swift", code)]).count == 1)
    #expect(AllowListRules.cLibraries(in: engine("// \(code.replacing("\n", with: ""))")).isEmpty)
    let both = "#if canImport(Glibc)\n  import Glibc\n#elseif canImport(Musl)\n  import Musl\n#endif\nopen(a.Glibcs)"
    #expect(AllowListRules.cLibraries(in: engine(both)).isEmpty)
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
      for path in ["KithCLI/A.swift", "KithReplication/A.swift", "Kith/Engine/A.swift", "CExplorer/Page/a.js"] {
        #expect(!WritingRules.retired(in: [file("Sources/\(path)", "print(\"a \(word)\")")]).isEmpty)
      }
      let tests = "// \(word)\n@Test(\"A \(word)\") func a() {}\n@Test(\n  \"A \(word)\",\n  arguments: [])"
      #expect(WritingRules.retired(in: [file("Tests/A.swift", tests)]).map(\.line) == [2, 4])
    }
    #expect(WritingRules.retired(in: [file("README.md", ["made", "up"].joined(separator: "-"))]).count == 1)
    for (path, word) in zip(["A/a.c", "A/a.h", "A/a.py", "A/a.js"], WritingRules.retiredWords) {
      #expect(WritingRules.retired(in: [file(path, "is\(word.capitalized)_a()")]).count == 1)
    }
  }

  @Test("Retired words are found in comments, not in code, nor in comments of Swift's tests")
  func comments() {
    for word in WritingRules.retiredCommentWords {
      for comment in ["/// A \(word).", "  // \(word.capitalized) a", "let a = 1  // a\n/// \(word)"] {
        #expect(WritingRules.retiredInComments(in: engine(comment)).count == 1)
      }
      #expect(WritingRules.retiredInComments(in: [file("Sources/CSupport/support.c", "// \(word)")]).count == 1)
      for (path, comment) in [
        ("Sources/KithCLI/A.swift", "// \(word)"), ("A/a.js", "/** \(word) */"), ("A/a.py", "a = 1  # \(word)"),
        ("A/a.py", "def a():\n  \"\"\"One\n\n  \(word)\"\"\""), ("A/a", "#!/bin/sh\n# \(word)"),
      ] {
        #expect(WritingRules.retiredInComments(in: [file(path, comment)]).count == 1)
      }
      #expect(WritingRules.retiredInComments(in: [file("Tests/A.swift", "// \(word)")]).isEmpty)
      #expect(WritingRules.retiredInComments(in: [file("A/a.py", "a = \"\"\"b\n\(word)\"\"\"")]).isEmpty)
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

  @Test("Paths of one machine are found, in any file") func machinePaths() {
    for folder in WritingRules.machineFolders {
      #expect(WritingRules.machinePaths(in: [file(".ci/run", "#\ncd \(folder)kith")]).map(\.line) == [2])
      #expect(WritingRules.machinePaths(in: engine("open(\"./a\(folder)b\")")).isEmpty)
    }
  }
}
