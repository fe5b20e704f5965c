import Kith

@testable import KithCLI

/// A graph in memory that answers request lines.
struct RequestConsole {
  private var session: QuerySession

  init(timings: Bool = false, readOnly: Bool = false, schema: SocialGraph.Schema? = nil) {
    session = QuerySession(SocialGraph(schema: schema), timings: timings, readOnly: readOnly)
  }

  /// The whole answer, without its line break.
  mutating func answer(_ line: String) -> String {
    var writer = JSONWriter()
    session.answer(.line(Array(line.utf8)), to: &writer)
    return String(decoding: writer.bytes.dropLast(), as: UTF8.self)
  }

  /// The answer as a value.
  mutating func ask(_ line: String) throws -> JSONValue { try JSONReader.parse(Array(answer(line).utf8)) }

  /// The code of a refusal.
  mutating func code(_ line: String) throws -> String? { try ask(line)["error"]?["code"]?.text }

  mutating func add(_ names: String...) {
    for name in names { _ = answer(#"{"op":"addUser","username":"\#(name)"}"#) }
  }
}

extension JSONValue {
  subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members.named(name)?.value } else { nil }
  }

  subscript(index: Int) -> JSONValue? {
    if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
}
