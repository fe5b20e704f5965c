import Foundation
import Testing

/// The Swift snippets of the articles in `Kith.docc` are the tests in `Tests/KithHostTests/Articles`, so that they
/// compile and run. All snippets of one article are one function, in their order. Each code file of the tutorial is
/// one.
@Suite struct ArticleTests {
  private static let catalog = "Sources/Kith/Kith.docc/"
  private static let tests = "Tests/KithHostTests/Articles/"

  /// The lines of the Swift snippets of a page, with an empty line between two snippets.
  static func snippets(of page: String) -> [Substring] {
    var lines: [Substring] = []
    var isInside = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```swift" {
        if !lines.isEmpty { lines.append("") }
        isInside = true
      } else if line == "```" {
        isInside = false
      } else if isInside {
        lines.append(line)
      }
    }
    return lines
  }

  /// The test of an article; nil without a snippet.
  static func test(of name: String, page: String) -> String? {
    let lines = snippets(of: page)
    if lines.isEmpty { return nil }
    let function = "\(name.prefix(1).lowercased())\(name.dropFirst())"
    return file(from: "\(name).md", [Self.function(function, "The snippets of \(name) compile and run", lines)])
  }

  /// The tests of the tutorial's code files, in their order, without their imports.
  static func test(ofTutorial codes: [SourceFile]) -> String {
    let functions = codes.enumerated().map { index, code in
      var lines = code.lines.dropLast().drop { $0.hasPrefix("import ") || $0.isEmpty }
      if lines.first == "@main struct Friends {" {
        lines = ["struct Friends {"] + lines.dropFirst() + ["try await Friends.main()"]
      }
      return function("friendSearch\(index + 1)", "Code file \(index + 1) of the tutorial compiles and runs", lines)
    }
    return file(from: "Resources", functions)
  }

  private static func function(_ name: String, _ title: String, _ lines: some Sequence<Substring>) -> String {
    let body = lines.map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
    return "  @Test(\"\(title)\")\n  func \(name)() async throws {\n\(body)\n  }"
  }

  private static func file(from source: String, _ functions: [String]) -> String {
    """
    import Kith
    import Testing

    // Made from \(catalog)\(source) by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
    extension ArticleSnippets {
    \(functions.joined(separator: "\n\n"))
    }

    """
  }

  @Test("Every Swift snippet of an article is compiled and run")
  func compiled() throws {
    let articles = Repository.files.filter { $0.path.hasPrefix(Self.catalog) && $0.path.hasSuffix(".md") }
    #expect(articles.count >= 7)
    for article in articles {
      let name = String(article.path.dropFirst(Self.catalog.count).dropLast(3))
      guard let test = Self.test(of: name, page: article.text) else { continue }
      try expectCommitted(test, at: "\(name)Snippets.swift")
    }
  }

  @Test("Every code file of the tutorial is compiled and run, and shown in a step")
  func tutorial() throws {
    let codes = Repository.files.filter { $0.path.hasPrefix("\(Self.catalog)Resources/") }.sorted { $0.path < $1.path }
    #expect(codes.count >= 6)
    try expectCommitted(Self.test(ofTutorial: codes), at: "FriendSearchTutorial.swift")
    let url = Repository.root.appendingPathComponent("\(Self.catalog)Tutorials/FriendSearch.tutorial")
    let tutorial = try String(contentsOf: url, encoding: .utf8)
    for code in codes { #expect(tutorial.contains("file: \"\(code.path.split(separator: "/").last!)\"")) }
  }

  private func expectCommitted(_ test: String, at name: String) throws {
    let url = Repository.root.appendingPathComponent("\(Self.tests)\(name)")
    if ProcessInfo.processInfo.environment["KITH_WRITE_ARTICLES"] != nil {
      try test.write(to: url, atomically: true, encoding: .utf8)
    }
    let committed = try? String(contentsOf: url, encoding: .utf8)
    #expect(
      committed == test,
      "\(name) differs from its source in \(Self.catalog): KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests")
  }

  @Test("The landing page of a module lists its public types", arguments: [("Kith", 40), ("KithReplication", 5)])
  func landingPage(module: String, least: Int) throws {
    let path = "Sources/\(module)/\(module).docc/\(module).md"
    let page = try #require(Repository.file(at: path)).lines
    let api = try #require(Repository.file(at: PublicAPI.path)).lines
    let own = api.drop { $0 != "## \(module)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
    let types = Set(own.compactMap { $0.firstMatch(of: /^(\w+): .*\b(?:struct|enum|class|protocol) \1\b/)?.1 })
    #expect(types.count > least)
    for type in types.sorted() { #expect(page.contains("- ``\(type)``"), "\(path) lacks \(type)") }
  }

  @Test("Snippets are taken in order, and other blocks are not")
  func order() {
    let page = "a\n```swift\nlet b = 1\n```\nc\n```\nd\n```\n```swift\nlet e = b\n```\n"
    #expect(Self.snippets(of: page) == ["let b = 1", "", "let e = b"])
    #expect(Self.test(of: "A", page: "a\n```\nb\n```\n") == nil)
  }
}
