import Kith

/// A user as a request names them: by id or by exact username.
enum Reference: Equatable, Sendable {
  case id(UserID)
  case username(String)

  /// An integer, or an object of nothing but a username.
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

/// A request whose shape is sound: a known operation, all of its required fields, no field that it does not have, and
/// every value of its field's kind. What it means is not looked at yet.
struct Request: Sendable {
  /// The most changes in one batch.
  static let maximumChangeCount = 10_000

  private enum Value: Sendable {
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
  /// Where in its line the request's tag is.
  let tag: Range<Int>?
  private var values: [(name: String, value: Value)] = []

  /// The request that a value of a line is, else `invalidRequest`, saying which field is wrong.
  init(_ value: JSONValue) throws(KithError) {
    guard case .object(let members) = value else { throw .invalidRequest(reason: "a request is a JSON object") }
    try self.init(members)
  }

  init(_ members: [JSONMember]) throws(KithError) {
    guard case .string(let name)? = members.named("op")?.value else {
      throw .invalidRequest(reason: "op, the name of an operation, is missing")
    }
    guard let shape = Shape.named(name) else { throw .invalidRequest(reason: "there is no operation \(name)") }
    operation = shape.operation
    tag = members.named("tag")?.source
    for member in members where member.name != "op" && member.name != "tag" {
      guard let field = shape.field(named: member.name) else {
        throw .invalidRequest(reason: "\(operation) has no field \(member.name)")
      }
      values.append((field.name, try Self.value(member.value, of: field)))
    }
    for field in shape.required where !has(field) {
      throw .invalidRequest(reason: "\(operation) needs the field \(field.name)")
    }
    try checkCombinations()
  }

  /// Fields that are sound alone and do not go together.
  private func checkCombinations() throws(KithError) {
    if flag(.following) == true, !has(.viewer) {
      throw .invalidRequest(reason: "following needs a viewer (as): whose follows?")
    }
    guard operation == .users else { return }
    let (match, order) = (text(.match), text(.searchOrder))
    if order == "followedFirst", !has(.viewer) {
      throw .invalidRequest(reason: "order followedFirst needs a viewer (as): whose follows?")
    }
    if match == "regex", has(.fold) {
      throw .invalidRequest(reason: "match regex ignores case by itself and takes no fold")
    }
    if match == "fuzzy", let order, order != "name" {
      throw .invalidRequest(reason: "match fuzzy has an order of its own, not \(order)")
    }
  }

  // MARK: Fields

  func has(_ field: Field) -> Bool { value(of: field) != nil }

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

  /// What is to be watched.
  func question(_ field: Field) -> Request? {
    if case .question(let question)? = value(of: field) { question } else { nil }
  }

  /// A required field's value: its shape was checked, so only a slip between the table and its reader can miss it.
  func required<Value>(_ field: Field, _ read: (Field) -> Value?) -> Value {
    guard let value = read(field) else { preconditionFailure("\(operation) has no required field \(field.name)") }
    return value
  }

  private func value(of field: Field) -> Value? {
    values.first { $0.name == field.name }?.value
  }

  // MARK: Values

  private static func value(_ value: JSONValue, of field: Field) throws(KithError) -> Value {
    switch (field.kind, value) {
    case (.integer, .integer(let integer)): return .integer(integer)
    case (.number(let range), .integer(let integer)):
      guard range.contains(integer) else {
        throw .invalidRequest(reason: "\(field.name) is \(range.lowerBound) to \(range.upperBound), not \(integer)")
      }
      return .integer(integer)
    case (.text, .string(let text)): return .text(text)
    case (.choice(let words), .string(let word)):
      guard words.contains(word) else {
        throw .invalidRequest(reason: "\(field.name) is one of \(words.joined(separator: ", ")), not \(word)")
      }
      return .text(word)
    case (.flag, .boolean(let flag)): return .flag(flag)
    case (.reference, _): if let reference = Reference(value) { return .reference(reference) }
    case (.references, .array(let elements)):
      let references = elements.compactMap(Reference.init)
      if references.count == elements.count { return .references(references) }
    case (.integers, .array(let elements)):
      let integers = elements.compactMap { element in if case .integer(let integer) = element { integer } else { nil } }
      if integers.count == elements.count { return .integers(integers) }
    case (.changes, .array(let elements)): return .changes(try changes(elements))
    case (.question, .object(let members)): return .question(try question(members))
    default: break
    }
    throw .invalidRequest(reason: "\(field.name) must be \(field.kind.description)")
  }

  private static func changes(_ elements: [JSONValue]) throws(KithError) -> [Request] {
    guard elements.count <= maximumChangeCount else {
      throw .invalidRequest(reason: "a batch holds at most \(maximumChangeCount) changes, not \(elements.count)")
    }
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
      throw .invalidRequest(reason: "a question is watched, not \(question.operation)")
    }
    return question
  }

  private static func change(_ element: JSONValue) throws(KithError) -> Request {
    // The operation first: a batch inside a batch is refused before its own changes are read.
    if case .object(let members) = element, case .string(let name)? = members.named("op")?.value,
      let operation = Shape.named(name)?.operation, !operation.isChange
    {
      throw .invalidRequest(reason: "a batch holds single changes, not \(operation)")
    }
    return try Request(element)
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
