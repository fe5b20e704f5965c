import Testing

/// How this repository is written, held by a walk over its sources. For each rule there is a test that it can fail.
@Suite("The house is tidy") struct TidyTests {
  private func expectNone(_ findings: [Finding], _ location: SourceLocation = #_sourceLocation) {
    for finding in findings { Issue.record("\(finding)", sourceLocation: location) }
  }

  @Test("The walk finds the sources, each of them cut into tokens to its end")
  func walk() {
    let paths = Repository.files.map(\.path)
    for path in ["Package.swift", "Sources/Kith/Engine/SocialGraph.swift", "Benchmarks/README.md", ".ci/run"] {
      #expect(paths.contains(path), "\(path) was not found below \(Repository.root.path)")
    }
    for file in Repository.files where file.isSwift {
      let braces = file.tokens.reduce(0) { $0 + ($1.text == "{" ? 1 : $1.text == "}" ? -1 : 0) }
      #expect(braces == 0, "\(file.path): the tokenizer of the tidy test lost its way")
    }
  }

  @Test("No floor names a type of a floor above")
  func floors() { expectNone(FloorRule.findings(in: Repository.files)) }

  @Test("Files, functions and lines are short")
  func lengths() {
    expectNone(LengthRules.longFiles(in: Repository.files))
    expectNone(LengthRules.longFunctions(in: Repository.files))
    expectNone(LengthRules.longLines(in: Repository.files))
  }

  @Test("Unsafe code stays in its rooms")
  func unsafeCode() { expectNone(RoomRules.unsafeCode(in: Repository.files)) }

  @Test("CZstd, the C library and Foundation stay in their rooms")
  func imports() { expectNone(RoomRules.imports(in: Repository.files)) }

  @Test("Every room is in use, every generated file is there")
  func rooms() {
    for room in RoomRules.unsafeRooms + RoomRules.systemRooms + LengthRules.generated {
      #expect(Repository.files.contains { $0.path.hasPrefix(room) }, "\(room) is gone; take it off its list")
    }
    for room in RoomRules.systemRooms {
      let modules = Repository.files.filter { $0.path == room }.flatMap { RoomRules.importedModules(of: $0) }
      #expect(modules.contains { $0.module == "Glibc" }, "\(room) needs no C library; take it off its list")
    }
  }

  @Test("Nothing is unwrapped, tried or cast by force outside the tests")
  func force() { expectNone(WritingRules.force(in: Repository.files)) }

  @Test("Everything public is documented")
  func documentation() { expectNone(WritingRules.undocumented(in: Repository.files)) }

  @Test("Nothing is marked as unfinished, no path of one machine is written down")
  func words() {
    expectNone(WritingRules.unfinished(in: Repository.files))
    expectNone(WritingRules.machinePaths(in: Repository.files))
  }
}

/// Each rule of the tidy test against a snippet that breaks it, and one that only looks as if.
@Suite("The rules of the tidy test can fail") struct TidyRuleTests {
  private func file(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, text: text) }
  private func engine(_ text: String) -> [SourceFile] { [file("Sources/Kith/Engine/A.swift", text)] }

  @Test("Comments and strings are no code, but what is interpolated is")
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

  @Test("A floor that names one above is found, by file and line")
  func floors() {
    let up = file("Sources/Kith/Memory/A.swift", "struct Low {\n  let high: High\n}")
    let high = file("Sources/Kith/Engine/B.swift", "extension Low { struct High { let low: Low; struct Inner {} } }")
    #expect(FloorRule.findings(in: [up, high]).map(\.line) == [2])
    let found = FloorRule.findings(in: [up, high]).map(\.description)
    #expect(found.allSatisfy { $0.hasPrefix("Sources/Kith/Memory/A.swift:2: Memory/ names High of Engine/") })
    let own = file("Sources/Kith/Memory/C.swift", "struct Pages { enum High {} ; let inner: Inner }")
    #expect(FloorRule.findings(in: [up, high, own]).isEmpty, "a name declared on several floors counts as the lowest")
    #expect(FloorRule.findings(in: [file("Sources/Kith/Cellar/D.swift", "let a = 1")]).count == 1)
  }

  @Test("A file, a function and a line that are too long are found")
  func lengths() {
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
    "Unsafe code outside its rooms is found",
    arguments: [
      "let a = unsafe b", "let a: UnsafeRawPointer", "a.withUnsafeBytes { _ in }", "nonisolated(unsafe) var a = 1",
      "let a: Unmanaged<B>", "@safe struct A {}",
    ])
  func unsafeCode(_ code: String) {
    #expect(RoomRules.unsafeCode(in: engine(code)).count == 1)
    #expect(RoomRules.unsafeCode(in: [file("Sources/KithCLI/A.swift", code)]).count == 1)
    #expect(RoomRules.unsafeCode(in: [file("Sources/Kith/Memory/A.swift", code)]).isEmpty)
    #expect(RoomRules.unsafeCode(in: engine("// \(code)\nlet a = \"unsafe\"")).isEmpty)
  }

  @Test(
    "A module outside its rooms is found",
    arguments: [
      "import CRegex", "import CZstd", "import Foundation", "import struct Foundation.Date",
      "@preconcurrency import Glibc", "#if os(macOS)\n  import Darwin\n#endif", "import Musl",
      "private import FoundationEssentials",
    ])
  func imports(_ code: String) {
    #expect(RoomRules.imports(in: engine(code)).count == 1)
    #expect(RoomRules.imports(in: [file("Tests/KithTests/A.swift", code)]).isEmpty)
    #expect(RoomRules.imports(in: engine("import Synchronization\n// \(code.replacing("\n", with: ""))")).isEmpty)
  }

  @Test(
    "Force is found",
    arguments: ["try! a()", "a as! B", "a!", "a()!.b", "a[0]!", "let a: B!", "a?.b!", "\"\\(a!)\"", "\"1\".first!"])
  func force(_ code: String) {
    #expect(WritingRules.force(in: engine(code)).count == 1)
    #expect(WritingRules.force(in: [file("Benchmarks/A.swift", code)]).count == 1)
    #expect(WritingRules.force(in: [file("Tests/A.swift", code)]).isEmpty)
    #expect(WritingRules.force(in: engine("if !a, b != c, !(d) { e(!f, [!g]) } // a!")).isEmpty)
  }

  @Test(
    "Something public without a documentation comment is found",
    arguments: [
      "public func a() {}", "// a remark\npublic var a = 1",
      "/// Of b.\nlet b = 1\n@inlinable @a(b(c)) public init() {}", "/// A.\npublic enum A {\n  case a\n}",
      "/// A.\npublic indirect enum A {\n  /// B.\n  case b, c\n  case d(B)\n}",
    ])
  func documentation(_ code: String) {
    #expect(WritingRules.undocumented(in: engine(code)).count == 1)
    #expect(WritingRules.undocumented(in: [file("Sources/KithCLI/A.swift", code)]).isEmpty)
    let function = "/// A.\n@discardableResult\n@a(b)\npublic func a() { switch b { case c: d } }\n"
    let documented = function + "/// E.\npublic enum E {\n  /// F.\n  case f\n  var g: H { switch i { case j: k } }\n}"
    #expect(WritingRules.undocumented(in: engine(documented)).isEmpty)
  }

  @Test("Marks of what is unfinished are found, in any file")
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
