import Kith

/// The paths of the explorer's interface: the table routes and checks requests, and the OpenAPI file is made from it.
enum Endpoint: String, CaseIterable, Sendable {
  case query, openapi = "openapi.json", info, relations, store, memory, degrees, growth, ranks, verify, neighbourhood
  case path, difference, events, live, past

  static let prefix = "/api/"

  init?(path: String) {
    guard path.hasPrefix(Self.prefix) else { return nil }
    self.init(rawValue: String(path.dropFirst(Self.prefix.count)))
  }

  var method: String { self == .query || self == .past ? "POST" : "GET" }

  /// Whether it answers server-sent events.
  var isStream: Bool {
    switch self {
    case .degrees, .growth, .ranks, .verify, .difference, .events, .live, .past: true
    default: false
    }
  }

  /// The parameters of its query; those without a default may be left out unless they are required. With `at`, the
  /// answer is that of a past state which was opened.
  var parameters: (required: [Field], optional: [Field]) {
    switch self {
    case .query, .memory, .degrees: ([], [.at])
    case .growth: ([], [.buckets, .at])
    case .ranks: ([], [.by, .limit, .at])
    case .relations: ([], [.userNumber, .postNumber, .at])
    case .neighbourhood: ([.userNumber], [.hops, .nodeLimit, .relationNames, .at])
    case .difference: ([.startTime], [.endTime, .limit])
    case .path: ([.from, .to], [.at])
    case .live: ([.questionText], [])
    case .openapi, .info, .store, .verify, .events, .past: ([], [])
    }
  }

  var summary: String {
    switch self {
    case .query: "Answers one request of the query protocol that reads."
    case .openapi: "This description."
    case .info: "The name, kind and counts of what is explored."
    case .relations: "The edges of declared relations of a user or a post: how many there are on each side."
    case .store: "The snapshots and journals of the store, the time that they reach back to, and changes by time."
    case .memory: "The bytes of memory by structure."
    case .degrees: "The users by number of followers and of followees. Events: progress, result, failure."
    case .growth:
      """
      The numbers of follows, posts and likes by time; and by weekday, Monday first, and hour, in UTC. Events: \
      progress, result, failure.
      """
    case .ranks: "The users with the most followers or the highest PageRank. Events: progress, result, failure."
    case .verify: "Checks the files. Events: progress, result, failure."
    case .neighbourhood:
      "The users around a user along relations, the nearest and most followed first, and the edges among them."
    case .path: "A shortest path along follows."
    case .difference:
      "What differs between two instants; the second is now by default. Events: progress, result, failure."
    case .events: "What changes. Events: change, skipped, counts, failure."
    case .live: "The answer to a question, now and whenever it has changed. Events: answer."
    case .past: "Restores the state as of a time. Events: progress, result, failure."
    }
  }
}

extension Field {
  static let buckets = Field("buckets", .number(1...1_000), default: .integer(120))
  static let by = choice("by", ["followers", "pagerank"])
  static let userNumber = Field("user", .integer)
  static let postNumber = Field("post", .integer)
  static let startTime = Field("from", .integer)
  static let endTime = Field("to", .integer)
  /// Names of relations, separated by commas.
  static let relationNames = Field("relations", .text, default: .text("follow"))
  static let from = Field("from", .integer)
  static let to = Field("to", .integer)
  static let hops = Field("hops", .number(1...2), default: .integer(1))
  static let nodeLimit = Field("limit", .number(1...1_000), default: .integer(300))
  /// A request as JSON.
  static let questionText = Field("question", .text)

  fileprivate static func choice(_ name: String, _ words: [String]) -> Field {
    Field(name, .choice(words), default: words.first.map { .text($0) })
  }
}

/// The query of a request's URL, checked against its endpoint.
struct Parameters {
  private let values: [String: FieldValue]

  init(_ query: [String: String], of endpoint: Endpoint) throws(HTTPFailure) {
    let (required, optional) = endpoint.parameters
    var values: [String: FieldValue] = [:]
    for field in required + optional {
      if let text = query[field.name] {
        values[field.name] = try Self.value(text, of: field)
      } else if let value = field.defaultValue {
        values[field.name] = value
      } else if required.contains(field) {
        throw .invalid("the parameter \(field.name) is missing")
      }
    }
    for name in query.keys where !(required + optional).contains(where: { $0.name == name }) {
      throw .invalid("there is no parameter \(name.shown)")
    }
    self.values = values
  }

  private static func value(_ text: String, of field: Field) throws(HTTPFailure) -> FieldValue {
    switch field.kind {
    case .integer: if let integer = Int64(text) { return .integer(integer) }
    case .number(let range): if let integer = Int64(text), range.contains(integer) { return .integer(integer) }
    case .choice(let words): if words.contains(text) { return .text(text) }
    default: return .text(text)
    }
    throw .invalid("\(field.name) must be \(field.kind.description), not \(text.shown)")
  }

  func integer(_ field: Field) -> Int64? {
    if case .integer(let integer)? = values[field.name] { integer } else { nil }
  }

  func text(_ field: Field) -> String? {
    if case .text(let text)? = values[field.name] { text } else { nil }
  }
}
