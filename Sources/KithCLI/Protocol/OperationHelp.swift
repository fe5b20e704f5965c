import Kith

/// The answer of `help`: the table that checks requests, as JSON.
extension Shape {
  /// - Parameter limits: of the session's watches; nil outside a session.
  func write(to writer: inout JSONWriter, _ limits: WatchLimits?) {
    writer.object { writer in
      writer.member("op", operation.name)
      let fields = required.map { ($0, true) } + optional.map { ($0, false) }
      writer.array("fields", fields) { $1.0.write(to: &$0, isRequired: $1.1) }
      writer.strings("answer", answer)
      if operation == .session(.watch), let limits {
        writer.object("limits") { writer in
          writer.member("watches", limits.count)
          writer.member("bytes", limits.byteCount)
        }
      }
    }
  }
}

extension Field {
  fileprivate func write(to writer: inout JSONWriter, isRequired: Bool) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("type", kind.name)
      switch kind {
      case .number(let range):
        writer.member("minimum", range.lowerBound)
        writer.member("maximum", range.upperBound)
      case .choice(let words), .words(let words):
        writer.strings("values", words)
      case .references(let count), .integers(let count), .texts(let count), .changes(let count), .edges(let count):
        writer.member("maximumCount", count)
      case .integer, .text, .flag, .reference, .payload, .question: break
      }
      writer.member("required", isRequired)
      switch defaultValue {
      case .integer(let integer): writer.member("default", integer)
      case .text(let text): writer.member("default", text)
      case .flag(let flag): writer.member("default", flag)
      default: break
      }
    }
  }
}

extension Field.Kind {
  /// Its name in `help`.
  fileprivate var name: String {
    switch self {
    case .integer, .number: "integer"
    case .text, .choice: "string"
    case .flag: "boolean"
    case .reference: "user"
    case .references: "users"
    case .integers: "integers"
    case .texts, .words: "strings"
    case .changes: "changes"
    case .edges: "edges"
    case .payload: "base64"
    case .question: "question"
    }
  }
}
