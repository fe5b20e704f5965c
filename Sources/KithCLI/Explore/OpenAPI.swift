import Kith

/// The description of the interface in OpenAPI 3.1, made from the table of endpoints and the table of operations.
enum OpenAPI {
  private static let schemas = "#/components/schemas/"

  /// The document as JSON.
  static let bytes = JSONWriter.bytes { writer in
    writer.member("openapi", "3.1.0")
    writer.object("info") { writer in
      writer.member("title", "kith explore")
      writer.member("version", Version.text)
      writer.member(
        "description",
        "The interface of kith explore: it reads a store, and changes nothing. Every path needs the token of the run.")
    }
    writer.object("paths") { writer in
      for endpoint in Endpoint.allCases {
        writer.object(Endpoint.prefix + endpoint.rawValue) { writer in
          writer.object(endpoint.method.lowercased()) { endpoint.write(to: &$0) }
        }
      }
    }
    writer.object("components") { writer in
      writer.object("schemas") { components(&$0) }
      writer.object("securitySchemes") { writer in
        writer.object("token") { writer in
          writer.member("type", "http")
          writer.member("scheme", "bearer")
        }
      }
    }
    writer.objects("security", 0..<1) { writer, _ in
      writer.strings("token", [String]())
    }
  }

  /// The operations that an explorer answers.
  private static let operations = ShapeTable.graph.shapes.filter(\.operation.isQuestion)

  private static func components(_ writer: inout JSONWriter) {
    writer.object("Request") { writer in
      writer.array("oneOf", operations) { writer, shape in
        writer.object { $0.member("$ref", schemas + shape.operation.name) }
      }
      writer.object("discriminator") { $0.member("propertyName", "op") }
    }
    for shape in operations {
      writer.object(shape.operation.name) { shape.writeSchema(to: &$0) }
    }
    writer.object("Answer") { writer in
      writer.member("type", "object")
      writer.object("properties") { writer in
        writer.object("ok") { $0.member("type", "boolean") }
        writer.object("error") { $0.member("$ref", schemas + "Error") }
      }
      writer.strings("required", ["ok"])
    }
    writer.object("Error") { writer in
      writer.member("type", "object")
      writer.object("properties") { writer in
        for name in ["code", "message"] { writer.object(name) { $0.member("type", "string") } }
      }
      writer.strings("required", ["code", "message"])
    }
  }
}

extension Endpoint {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("operationId", self == .openapi ? "openapi" : rawValue)
    writer.member("summary", summary)
    let (required, optional) = parameters
    writer.objects("parameters", required.map { ($0, true) } + optional.map { ($0, false) }) { writer, parameter in
      writer.member("name", parameter.0.name)
      writer.member("in", "query")
      writer.member("required", parameter.1)
      writer.object("schema") { parameter.0.writeSchema(to: &$0) }
    }
    if self == .query {
      writer.requestBody { $0.member("$ref", "#/components/schemas/Request") }
    } else if self == .past {
      writer.requestBody { writer in
        writer.member("type", "object")
        writer.object("properties") { writer in writer.object("at") { Field.at.writeSchema(to: &$0) } }
        writer.strings("required", ["at"])
      }
    }
    writer.object("responses") { writer in
      writer.response("200", isStream ? "Server-sent events." : "The answer.", isStream ? "text/event-stream" : nil)
      for (status, meaning) in [
        ("400", "Invalid."), ("401", "The token is missing."), ("403", "Host or origin is refused."),
        ("404", "Unknown."), ("405", "Not a read."), ("413", "The body is too long."), ("429", "Too many at once."),
        ("503", "Not available."),
      ] { writer.response(status, meaning, nil) }
    }
  }
}

extension Shape {
  fileprivate func writeSchema(to writer: inout JSONWriter) {
    writer.member("type", "object")
    writer.member("description", "Answers " + answer.joined(separator: ", ") + ".")
    writer.object("properties") { writer in
      writer.object("op") { $0.member("const", operation.name) }
      writer.object("tag") { $0.member("description", "Any value; the answer repeats it.") }
      for field in required + optional { writer.object(field.name) { field.writeSchema(to: &$0) } }
    }
    writer.strings("required", ["op"] + required.map(\.name))
    writer.member("additionalProperties", false)
  }
}

extension Field {
  fileprivate func writeSchema(to writer: inout JSONWriter) {
    switch kind {
    case .integer: writer.integerSchema()
    case .number(let range):
      writer.integerSchema()
      writer.member("minimum", range.lowerBound)
      writer.member("maximum", range.upperBound)
    case .text: writer.member("type", "string")
    case .choice(let words):
      writer.member("type", "string")
      writer.strings("enum", words)
    case .flag: writer.member("type", "boolean")
    case .reference: writer.userSchema()
    case .references(let limit): writer.listSchema(limit) { $0.userSchema() }
    case .integers(let limit): writer.listSchema(limit) { $0.integerSchema() }
    case .texts(let limit): writer.listSchema(limit) { $0.member("type", "string") }
    case .words(let words):
      writer.listSchema(words.count) {
        $0.member("type", "string")
        $0.strings("enum", words)
      }
    case .changes(let limit), .edges(let limit): writer.listSchema(limit) { $0.member("type", "object") }
    case .payload:
      writer.member("type", "string")
      writer.member("contentEncoding", "base64")
    case .question: writer.member("$ref", "#/components/schemas/Request")
    }
    switch defaultValue {
    case .integer(let integer)?: writer.member("default", integer)
    case .text(let text)?: writer.member("default", text)
    case .flag(let flag)?: writer.member("default", flag)
    default: break
    }
  }
}

extension JSONWriter {
  fileprivate mutating func integerSchema() {
    member("type", "integer")
    member("format", "int64")
  }

  /// A user: an id, or an object with a username.
  fileprivate mutating func userSchema() {
    objects("oneOf", [true, false]) { writer, isNumber in
      if isNumber { return writer.integerSchema() }
      writer.member("type", "object")
      writer.object("properties") { writer in writer.object("username") { $0.member("type", "string") } }
      writer.strings("required", ["username"])
    }
  }

  fileprivate mutating func listSchema(_ limit: Int, _ element: (inout JSONWriter) -> Void) {
    member("type", "array")
    object("items", element)
    member("maxItems", limit)
  }

  fileprivate mutating func requestBody(_ schema: (inout JSONWriter) -> Void) {
    object("requestBody") { writer in
      writer.member("required", true)
      writer.object("content") { writer in
        writer.object("application/json") { writer in writer.object("schema", schema) }
      }
    }
  }

  /// - Parameter type: of the content; nil for an answer of the protocol.
  fileprivate mutating func response(_ status: String, _ meaning: String, _ type: String?) {
    object(status) { writer in
      writer.member("description", meaning)
      writer.object("content") { writer in
        writer.object(type ?? "application/json") { writer in
          writer.object("schema") { writer in
            let isText = type != nil
            writer.member(isText ? "type" : "$ref", isText ? "string" : "#/components/schemas/Answer")
          }
        }
      }
    }
  }
}
