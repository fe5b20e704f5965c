import Kith

extension UserReference {
  /// An integer, or an object with a username, and perhaps a kind.
  fileprivate init?(_ value: JSONValue) {
    switch value {
    case .integer(let id): self = .id(UserID(rawValue: id))
    case .object(let members):
      guard case .string(let name)? = members.named("username")?.value,
        members.allSatisfy({ ["username", "kind"].contains($0.name) })
      else { return nil }
      switch members.named("kind")?.value {
      case nil: self = .username(name)
      case .string(let kind): self = .username(name, kind: kind)
      default: return nil
      }
    default: return nil
    }
  }
}

extension FieldValue.Edge {
  /// An object with a relation, a user or a post, and perhaps a time.
  fileprivate init?(_ value: JSONValue) {
    guard case .object(let members) = value else { return nil }
    var (relation, target, time): (String?, Target?, Int64?)
    for member in members {
      switch (member.name, member.value) {
      case ("relation", .string(let name)): relation = name
      case ("toPost", .integer(let id)) where target == nil: target = .post(id)
      case ("at", .integer(let given)): time = given
      case ("to", let value) where target == nil: target = UserReference(value).map { .user($0) }
      default: return nil
      }
    }
    guard let relation, let target else { return nil }
    self.init(relation, to: target, at: time)
  }
}

/// A request of valid shape: a known operation, all required fields, no unknown field, and every value of its field's
/// kind. Its meaning is not checked yet.
struct Request: Sendable {
  let operation: Operation
  /// The place of the request's tag in its line.
  let tag: Range<Int>?
  private(set) var fields = FieldValues()
  /// The single changes of a batch.
  private(set) var changes: [Request] = []
  /// The query to be watched; one element, or none.
  private var questions: [Request] = []

  /// The request in a value of a line; otherwise throws an error that names the field.
  init(_ value: JSONValue) throws(RequestError) {
    guard case .object(let members) = value else { throw .malformed("a request is a JSON object") }
    try self.init(members)
  }

  /// - Parameter table: of the session; requests inside a request have the fields of a graph.
  init(_ members: [JSONMember], of table: ShapeTable = .graph) throws(RequestError) {
    guard case .string(let name)? = members.named("op")?.value else {
      throw .malformed("op, the name of an operation, is missing")
    }
    guard let shape = table[name] else {
      throw .malformed("there is no operation \(name.shown)")
    }
    operation = shape.operation
    tag = members.named("tag")?.source
    var given: Set<Field> = []
    for member in members where member.name != "op" && member.name != "tag" {
      guard let field = shape.field(named: member.name) else {
        throw .malformed("\(operation) has no field \(member.name.shown)")
      }
      given.insert(field)
      try set(field, to: member.value)
    }
    for field in shape.required where !given.contains(field) {
      throw .malformed("\(operation) needs the field \(field.name)")
    }
    try checkCombinations()
  }

  /// Checks fields that exclude each other.
  private func checkCombinations() throws(RequestError) {
    if fields.flag(.following) == true, !fields.has(.viewer) {
      throw .malformed("following needs a viewer (as): whose follows?")
    }
    if case .graph(let operation) = operation {
      for (user, post) in operation.alternatives where fields.has(user) == fields.has(post) {
        throw .malformed("\(operation.rawValue) needs the field \(user.name) or the field \(post.name), and not both")
      }
      let given = operation.exclusive.filter { $0.contains(where: fields.has) }
      if let lacking = given.first?.first(where: { !fields.has($0) }) {
        let other = given[0].first { fields.has($0) }
        throw .malformed("\(operation.rawValue) needs the field \(lacking.name) with the field \(other?.name ?? "")")
      }
      if given.count > 1 {
        let names = given.map { $0.map(\.name).joined(separator: " and ") }
        throw .malformed("\(operation.rawValue) takes one of \(alternatives(names)), and not several")
      }
    }
    guard operation == .graph(.users) else { return }
    let (match, order) = (fields.text(.match), fields.text(.searchOrder))
    if let order, UserQuery.Order(rawValue: order)?.schema.needsViewer == true, !fields.has(.viewer) {
      throw .malformed("order \(order) needs a viewer (as): whose follows?")
    }
    if match == "regex", fields.has(.fold) {
      throw .malformed("match regex ignores case by itself and takes no fold")
    }
    if match == "fuzzy", let order, order != "name" {
      throw .malformed("match fuzzy has an order of its own, not \(order)")
    }
  }

  /// The query to be watched.
  var question: Request? { questions.first }

  // MARK: Values

  private mutating func set(_ field: Field, to value: JSONValue) throws(RequestError) {
    switch (field.kind, value) {
    case (.changes(let limit), .array(let elements)):
      try Self.check(elements, limit, field)
      changes = try Self.changes(elements)
    case (.question, .object(let members)): questions = [try Self.question(members)]
    default: fields.append(try Self.value(value, of: field), for: field)
    }
  }

  private static func value(_ value: JSONValue, of field: Field) throws(RequestError) -> FieldValue {
    switch (field.kind, value) {
    case (.integer, .integer(let integer)): return .integer(integer)
    case (.number(let range), .integer(let integer)):
      guard range.contains(integer) else {
        throw .malformed("\(field.name) is \(range.lowerBound) to \(range.upperBound), not \(integer)")
      }
      return .integer(integer)
    case (.text, .string(let text)): return .text(text)
    case (.choice(let words), .string(let word)):
      guard words.contains(word) else {
        throw .malformed("\(field.name) is one of \(words.joined(separator: ", ")), not \(word.shown)")
      }
      return .text(word)
    case (.flag, .boolean(let flag)): return .flag(flag)
    case (.reference, _): if let reference = UserReference(value) { return .reference(reference) }
    case (.references(let limit), .array(let elements)):
      try check(elements, limit, field)
      let references = elements.compactMap(UserReference.init)
      if references.count == elements.count { return .references(references) }
    case (.integers(let limit), .array(let elements)):
      try check(elements, limit, field)
      let integers = elements.compactMap { element in if case .integer(let integer) = element { integer } else { nil } }
      if integers.count == elements.count { return .integers(integers) }
    case (.texts(let limit), .array(let elements)):
      try check(elements, limit, field)
      let texts = elements.compactMap { element in if case .string(let text) = element { text } else { nil } }
      if texts.count == elements.count { return .texts(texts) }
    case (.words(let words), .array(let elements)):
      try check(elements, words.count, field)
      let texts = elements.compactMap { element in if case .string(let text) = element { text } else { nil } }
      if texts.count == elements.count, texts.allSatisfy(words.contains) { return .texts(texts) }
    case (.payload, .string(let text)): if let bytes = Base64.standard.bytes(text) { return .payload(bytes) }
    case (.edges(let limit), .array(let elements)):
      try check(elements, limit, field)
      let edges = elements.compactMap(FieldValue.Edge.init)
      if edges.count == elements.count { return .edges(edges) }
    default: break
    }
    throw .malformed("\(field.name) must be \(field.kind.description)")
  }

  private static func check(_ elements: [JSONValue], _ limit: Int, _ field: Field) throws(RequestError) {
    if elements.count > limit {
      throw .malformed("\(field.name) has at most \(limit) elements, not \(elements.count)")
    }
  }

  private static func changes(_ elements: [JSONValue]) throws(RequestError) -> [Request] {
    var changes: [Request] = []
    changes.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do throws(RequestError) {
        changes.append(try change(element))
      } catch {
        throw .inBatch(index: index, error)
      }
    }
    return changes
  }

  private static func question(_ members: [JSONMember]) throws(RequestError) -> Request {
    let question = try Request(members)
    guard question.operation.isQuestion else {
      throw .malformed("a question is watched, not \(question.operation)")
    }
    return question
  }

  private static func change(_ element: JSONValue) throws(RequestError) -> Request {
    // The operation first: a batch inside a batch is refused before its own changes are read.
    if case .object(let members) = element, case .string(let name)? = members.named("op")?.value,
      let operation = ShapeTable.graph[name]?.operation, !operation.isChange
    {
      throw .malformed("a batch holds single changes, not \(operation)")
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

extension Field.Kind {
  /// What a value must be, for a message.
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
    case .texts: "a list of strings"
    case .words(let words): "a list of some of \(words.joined(separator: ", "))"
    case .changes: "a list of changes"
    case .edges:
      "a list of edges: {\"relation\": …, and \"to\": a user or \"toPost\": an id}, with \"at\" if it has a time"
    case .payload: "bytes as base64, with padding and without line breaks"
    case .question: "a question: a request that reads"
    }
  }
}
