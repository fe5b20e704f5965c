import Kith

/// A user in a request: by id or by exact username.
enum Reference: Equatable, Sendable {
  case id(UserID)
  case username(String)

  /// An integer, or an object with only a username.
  init?(_ value: JSONValue) {
    switch value {
    case .integer(let id): self = .id(UserID(rawValue: id))
    case .object(let members):
      guard members.count == 1, let member = members.named("username"), case .string(let name) = member.value else {
        return nil
      }
      self = .username(name)
    default: return nil
    }
  }
}

/// A request of valid shape: a known operation, all required fields, no unknown field, and every value of its field's
/// kind. Its meaning is not checked yet.
struct Request: Sendable {
  /// The value of a field.
  enum Value: Sendable {
    case integer(Int64)
    case text(String)
    case flag(Bool)
    case reference(Reference)
    case references([Reference])
    case integers([Int64])
    case changes([Request])
    indirect case question(Request)
  }

  let operation: Operation
  /// The place of the request's tag in its line.
  let tag: Range<Int>?
  private var values: [(name: String, value: Value)] = []

  /// The request in a value of a line; otherwise throws `invalidRequest` that names the field.
  init(_ value: JSONValue) throws(KithError) {
    guard case .object(let members) = value else { throw .invalidRequest(.malformed("a request is a JSON object")) }
    try self.init(members)
  }

  init(_ members: [JSONMember]) throws(KithError) {
    guard case .string(let name)? = members.named("op")?.value else {
      throw .invalidRequest(.malformed("op, the name of an operation, is missing"))
    }
    guard let shape = Shape.named(name) else {
      throw .invalidRequest(.malformed("there is no operation \(name.shown)"))
    }
    operation = shape.operation
    tag = members.named("tag")?.source
    for member in members where member.name != "op" && member.name != "tag" {
      guard let field = shape.field(named: member.name) else {
        throw .invalidRequest(.malformed("\(operation) has no field \(member.name.shown)"))
      }
      values.append((field.name, try Self.value(member.value, of: field)))
    }
    for field in shape.required where !has(field) {
      throw .invalidRequest(.malformed("\(operation) needs the field \(field.name)"))
    }
    try checkCombinations()
  }

  /// Checks fields that exclude each other.
  private func checkCombinations() throws(KithError) {
    if flag(.following) == true, !has(.viewer) {
      throw .invalidRequest(.malformed("following needs a viewer (as): whose follows?"))
    }
    guard operation == .users else { return }
    let (match, order) = (text(.match), text(.searchOrder))
    if let order, UserQuery.Order(rawValue: order)?.schema.needsViewer == true, !has(.viewer) {
      throw .invalidRequest(.malformed("order \(order) needs a viewer (as): whose follows?"))
    }
    if match == "regex", has(.fold) {
      throw .invalidRequest(.malformed("match regex ignores case by itself and takes no fold"))
    }
    if match == "fuzzy", let order, order != "name" {
      throw .invalidRequest(.malformed("match fuzzy has an order of its own, not \(order)"))
    }
  }

  // MARK: Fields

  /// Whether the field was given.
  func has(_ field: Field) -> Bool { values.contains { $0.name == field.name } }

  func integer(_ field: Field) -> Int64? {
    if case .integer(let integer)? = value(of: field) { integer } else { nil }
  }

  /// A text, or the word of a choice.
  func text(_ field: Field) -> String? {
    if case .text(let text)? = value(of: field) { text } else { nil }
  }

  func flag(_ field: Field) -> Bool? {
    if case .flag(let flag)? = value(of: field) { flag } else { nil }
  }

  func reference(_ field: Field) -> Reference? {
    if case .reference(let reference)? = value(of: field) { reference } else { nil }
  }

  func references(_ field: Field) -> [Reference]? {
    if case .references(let references)? = value(of: field) { references } else { nil }
  }

  func integers(_ field: Field) -> [Int64]? {
    if case .integers(let integers)? = value(of: field) { integers } else { nil }
  }

  /// The single changes of a batch.
  var changes: [Request] {
    if case .changes(let changes)? = value(of: .changes) { changes } else { [] }
  }

  /// The query to be watched.
  func question(_ field: Field) -> Request? {
    if case .question(let question)? = value(of: field) { question } else { nil }
  }

  /// The value of a field that is required or has a default: its shape was checked, so it is missing only if the table
  /// and its reader disagree.
  func required<Value>(_ field: Field, _ read: (Field) -> Value?) -> Value {
    guard let value = read(field) else { preconditionFailure("\(operation) has no value for the field \(field.name)") }
    return value
  }

  private func value(of field: Field) -> Value? {
    values.first { $0.name == field.name }?.value ?? field.defaultValue
  }

  // MARK: Values

  private static func value(_ value: JSONValue, of field: Field) throws(KithError) -> Value {
    switch (field.kind, value) {
    case (.integer, .integer(let integer)): return .integer(integer)
    case (.number(let range), .integer(let integer)):
      guard range.contains(integer) else {
        throw .invalidRequest(.malformed("\(field.name) is \(range.lowerBound) to \(range.upperBound), not \(integer)"))
      }
      return .integer(integer)
    case (.text, .string(let text)): return .text(text)
    case (.choice(let words), .string(let word)):
      guard words.contains(word) else {
        throw .invalidRequest(.malformed("\(field.name) is one of \(words.joined(separator: ", ")), not \(word.shown)"))
      }
      return .text(word)
    case (.flag, .boolean(let flag)): return .flag(flag)
    case (.reference, _): if let reference = Reference(value) { return .reference(reference) }
    case (.references(let limit), .array(let elements)):
      try check(elements, limit, field)
      let references = elements.compactMap(Reference.init)
      if references.count == elements.count { return .references(references) }
    case (.integers(let limit), .array(let elements)):
      try check(elements, limit, field)
      let integers = elements.compactMap { element in if case .integer(let integer) = element { integer } else { nil } }
      if integers.count == elements.count { return .integers(integers) }
    case (.changes(let limit), .array(let elements)):
      try check(elements, limit, field)
      return .changes(try changes(elements))
    case (.question, .object(let members)): return .question(try question(members))
    default: break
    }
    throw .invalidRequest(.malformed("\(field.name) must be \(field.kind.description)"))
  }

  private static func check(_ elements: [JSONValue], _ limit: Int, _ field: Field) throws(KithError) {
    if elements.count > limit {
      throw .invalidRequest(.malformed("\(field.name) has at most \(limit) elements, not \(elements.count)"))
    }
  }

  private static func changes(_ elements: [JSONValue]) throws(KithError) -> [Request] {
    var changes: [Request] = []
    changes.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do throws(KithError) {
        changes.append(try change(element))
      } catch {
        throw .inBatch(index: index, error)
      }
    }
    return changes
  }

  private static func question(_ members: [JSONMember]) throws(KithError) -> Request {
    let question = try Request(members)
    guard question.operation.isQuestion else {
      throw .invalidRequest(.malformed("a question is watched, not \(question.operation)"))
    }
    return question
  }

  private static func change(_ element: JSONValue) throws(KithError) -> Request {
    // The operation first: a batch inside a batch is refused before its own changes are read.
    if case .object(let members) = element, case .string(let name)? = members.named("op")?.value,
      let operation = Shape.named(name)?.operation, !operation.isChange
    {
      throw .invalidRequest(.malformed("a batch holds single changes, not \(operation)"))
    }
    return try Request(element)
  }
}

extension String {
  /// The most scalars of a request's text that a message repeats.
  private static let shownScalarCount = 64

  /// The text for a message: its beginning, if it is long.
  var shown: String {
    unicodeScalars.count <= Self.shownScalarCount ? self : String(unicodeScalars.prefix(Self.shownScalarCount)) + "…"
  }
}

extension Field.Kind: CustomStringConvertible {
  var description: String {
    switch self {
    case .integer: "an integer of 64 bits"
    case .number(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .text: "a string"
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    case .flag: "true or false"
    case .reference: "a user: an id or {\"username\": …}"
    case .references: "a list of users: ids or {\"username\": …}"
    case .integers: "a list of integers of 64 bits"
    case .changes: "a list of changes"
    case .question: "a question: a request that reads"
    }
  }
}
