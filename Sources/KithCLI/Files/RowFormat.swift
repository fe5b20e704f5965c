import Kith

/// How the rows of a file are written.
enum RowFormat: String, CaseIterable, Sendable {
  /// Tab-separated, with escapes.
  case tsv
  /// Comma-separated, as in RFC 4180.
  case csv
  /// One JSON object a line: the request of `kith query` that adds the row.
  case jsonl

  /// By the end of a file's name, before `.zst`; nil if it is none of these.
  init?(fileName: String) {
    let name = fileName.lowercased()
    let plain = name.hasSuffix(".zst") ? String(name.dropLast(4)) : name
    switch plain.split(separator: ".").last.map(String.init) {
    case "ndjson": self = .jsonl
    case let ending?: self.init(rawValue: ending)
    case nil: return nil
    }
  }

  static let option = Option("--format", "FORMAT", "tsv, csv or jsonl (JSON Lines)", choices: allCases.map(\.rawValue))
}

extension Arguments {
  /// The value of `--format`; nil if it is not given.
  func rowFormat() throws(CommandFailure) -> RowFormat? { try choice(RowFormat.option) }
}

/// Each component of a graph is a file of rows. An import reads them in the order of the components: blocks after
/// follows and likes, so that an export can be imported whole.
extension GraphComponent {
  /// The fewest and the most fields of a row.
  var fieldCounts: ClosedRange<Int> {
    switch self {
    case .users: 2...2
    case .posts: 4...4
    case .relation(let kind): kind.facts.hasTime ? 2...3 : 2...2
    }
  }

  /// One of its rows.
  var noun: String { String(rawValue.dropLast()) }

  /// The fields by name.
  var fields: String {
    switch self {
    case .users: "id username"
    case .posts: "id author unix_ms text"
    case .relation(.follow): "from to [unix_ms]"
    case .relation(let kind):
      (kind.facts.target == .post ? "user post" : "user target") + (kind.facts.hasTime ? " [unix_ms]" : "")
    }
  }

  /// The names of the fields in a header.
  var columns: [String] { fields.filter { $0 != "[" && $0 != "]" }.split(separator: " ").map(String.init) }

  /// The members of the request that adds a row: those with numbers, in the order of the fields, then one with a text.
  var members: (numbers: [String], text: String?) {
    switch self {
    case .users: (["id"], "username")
    case .posts: (["id", "user", "createdAt"], "text")
    case .relation(let kind):
      (["user", kind.facts.target == .post ? "post" : "target"] + (kind.facts.hasTime ? ["at"] : []), nil)
    }
  }

  /// The operation that adds a row.
  var operation: GraphOperation {
    switch self {
    case .users: .addUser
    case .posts: .addPost
    case .relation(let kind): GraphOperation(EdgeChange(kind, UserID(1), 1, adds: true))
    }
  }

  /// Whether the fields of a first line are the names of the columns, in their order. Capitals, spaces, dashes and
  /// underscores do not matter.
  func isHeader(_ fields: [String]) -> Bool {
    guard fieldCounts.contains(fields.count) else { return false }
    return zip(fields, columns).allSatisfy { field, column in
      let name = field.lowercased().filter { $0.isLetter || $0.isNumber }
      return name == column.filter { $0 != "_" } || Self.synonyms[column, default: []].contains(name)
    }
  }

  /// Other usual names of columns.
  private static let synonyms: [String: Set<String>] = [
    "id": ["userid", "postid", "user", "post"], "username": ["name", "handle"],
    "author": ["authorid", "user", "userid"],
    "from": ["user", "userid", "follower", "followerid", "fromid", "source"],
    "to": ["target", "targetid", "followee", "followeeid", "toid"], "target": ["targetid", "to"],
    "user": ["userid", "from"], "post": ["postid"], "text": ["body", "content"],
    "unix_ms": ["at", "time", "timestamp", "createdat", "milliseconds", "ms"],
  ]
}
