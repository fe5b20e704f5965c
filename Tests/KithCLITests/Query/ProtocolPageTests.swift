import Foundation
import Testing

@testable import KithCLI

/// docs/PROTOCOL.md lists every operation as in the table that checks requests and answers `help`.
@Suite struct ProtocolPageTests {
  private static let page = repositoryRoot.appendingPathComponent("docs/PROTOCOL.md")

  /// An operation as the page writes it: its fields with their defaults (the first word of a choice, `?` for an
  /// optional field without default), then the members of the answer.
  private static func entry(_ shape: Shape) -> String {
    let fields = shape.required.map { "`\($0.name)`" } + shape.optional.map { "`\($0.name)\(value(of: $0))`" }
    let answer = shape.answer.map { "`\($0)`" }
    return "**\(shape.operation.rawValue)** takes \(fields.isEmpty ? "nothing" : fields.joined(separator: ", "));"
      + " answers \(answer.joined(separator: ", "))."
  }

  private static func value(of field: Field) -> String {
    switch (field.kind, field.defaultValue) {
    case (.choice(let words), .text): "=\(words.joined(separator: "|"))"
    case (_, .text(let text)): "=\"\(text)\""
    case (_, .integer(let number)): "=\(number)"
    case (_, .flag(let flag)): "=\(flag)"
    default: "?"
    }
  }

  @Test("The page lists every operation with the fields, defaults and answers of the table")
  func pageListsOperations() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let begin = try #require(text.range(of: "<!-- operations:"))
    let end = try #require(text.range(of: "<!-- end of operations -->"))
    let lines = text[begin.upperBound..<end.lowerBound].split(separator: "\n").dropFirst()
    let entries = lines.joined(separator: " ").split(separator: "- **").map { entry in
      "**" + entry.split(separator: " ").joined(separator: " ")
    }
    #expect(entries == Shape.all(about: nil).map(Self.entry))
  }
}
