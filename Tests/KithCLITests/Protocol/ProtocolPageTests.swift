import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// docs/PROTOCOL.md lists every operation as in the table that checks requests and answers `help`.
@Suite struct ProtocolPageTests {
  private static let page = repositoryRoot.appendingPathComponent("docs/PROTOCOL.md")

  /// An operation as the page writes it: its fields with their defaults (the first word of a choice, `?` for an
  /// optional field without default), then the members of the answer.
  private static func entry(_ shape: Shape) -> String {
    let fields = shape.required.map { "`\($0.name)`" } + shape.optional.map { "`\($0.name)\(value(of: $0))`" }
    let answer = shape.answer.map { "`\($0)`" }
    return "**\(shape.operation.name)** takes \(fields.isEmpty ? "nothing" : fields.joined(separator: ", "));"
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

  /// The entries of the page between two comments, without line breaks.
  private static func entries(from begin: String, to end: String) throws -> [String] {
    let text = try String(contentsOf: page, encoding: .utf8)
    let begin = try #require(text.range(of: begin))
    let end = try #require(text.range(of: end))
    let lines = text[begin.upperBound..<end.lowerBound].split(separator: "\n").dropFirst()
    return lines.joined(separator: " ").split(separator: "- **").map { entry in
      "**" + entry.split(separator: " ").joined(separator: " ")
    }
  }

  @Test("The page lists every operation with the fields, defaults and answers of the table")
  func pageListsOperations() throws {
    let entries = try Self.entries(from: "<!-- operations:", to: "<!-- end of operations -->")
    #expect(entries == ShapeTable.graph.shapes.map(Self.entry))
  }

  @Test("The page lists what a replica has beside them; its other requests have atLeast, its changes a token")
  func pageListsReplicas() throws {
    let entries = try Self.entries(from: "<!-- operations of replicas:", to: "<!-- end of operations of replicas -->")
    let added = ShapeTable.replica.shapes.dropFirst(ShapeTable.graph.shapes.count)
    #expect(entries == added.map(Self.entry))
    for (one, other) in zip(ShapeTable.graph.shapes, ShapeTable.replica.shapes) {
      let isChange = one.operation.isChange || one.operation == .graph(.batch)
      let fields = other.optional.map(\.name).filter { name in !one.optional.contains { $0.name == name } }
      #expect(fields == ["atLeast"] + (isChange ? ["requestToken"] : []), "\(one.operation)")
      #expect(isChange == other.answer.contains("position") || one.operation == .session(.snapshot))
    }
  }
}
