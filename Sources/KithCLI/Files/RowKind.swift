import Kith

/// What the rows of a file are. An import reads components in their order, edges of declared relations before blocks:
/// so an export can be imported whole.
enum RowKind: Equatable, Sendable {
  case component(GraphComponent)
  /// Edges of a relation that a host declared, by its name.
  case edges(String)

  /// Its name in reports and progress.
  var name: String {
    switch self {
    case .component(let component): component.rawValue
    case .edges(let relation): relation
    }
  }

  /// The name of its file in an export, without an ending.
  var fileName: String {
    switch self {
    case .component(let component): component.rawValue
    case .edges(let relation): "edges-\(relation)"
    }
  }

  /// Its rows, counted.
  func counted(_ count: Int) -> String {
    switch self {
    case .component(let component): KithCLI.counted(count, String(component.rawValue.dropLast()))
    case .edges(let relation): KithCLI.counted(count, "edge") + " of \(relation)"
    }
  }

  /// Whether its rows are edges, which are sorted once all are read.
  var areEdges: Bool { if case .component(let component) = self { component.relation != nil } else { true } }

  /// The fewest and the most fields of a row.
  var fieldCounts: ClosedRange<Int> {
    switch self {
    case .component(.users): 2...7
    case .component(.posts): 4...9
    case .component(.relation(let kind)): kind.facts.hasTime ? 2...3 : 2...2
    case .edges: 2...3
    }
  }

  /// The fields by name.
  var fields: String {
    switch self {
    case .component(.users): "id username [flags payload is_private display_name kind]"
    case .component(.posts): "id author unix_ms text [parent flags edited_unix_ms payload audience]"
    case .component(.relation(.follow)), .edges: "from to [unix_ms]"
    case .component(.relation(let kind)):
      (kind.facts.target == .post ? "user post" : "user target") + (kind.facts.hasTime ? " [unix_ms]" : "")
    }
  }

  /// The names of the fields in a header.
  var columns: [String] { fields.filter { $0 != "[" && $0 != "]" }.split(separator: " ").map(String.init) }

  /// The members of the request that adds a row: those with numbers, each with its names, in the order of the fields,
  /// then one with a text.
  var members: (numbers: [[String]], text: String?) {
    switch self {
    case .component(.users): ([["id"]], "username")
    case .component(.posts): ([["id"], ["user"], ["createdAt"]], "text")
    case .component(.relation(let kind)):
      ([["user"], [kind.facts.target == .post ? "post" : "target"]] + (kind.facts.hasTime ? [["at"]] : []), nil)
    case .edges: ([["from", "fromPost"], ["to", "toPost"], ["at"]], nil)
    }
  }

  /// The operation that adds a row.
  var operation: GraphOperation {
    switch self {
    case .component(.users): .addUser
    case .component(.posts): .addPost
    case .component(.relation(let kind)): GraphOperation(EdgeChange(kind, UserID(1), 1, adds: true))
    case .edges: .addEdge
    }
  }

  /// Whether the fields of a first line are the names of the columns, in their order. Capitals, spaces, dashes and
  /// underscores do not matter.
  func isHeader(_ fields: [String]) -> Bool {
    guard fieldCounts.contains(fields.count) else { return false }
    return zip(fields, columns).allSatisfy { field, column in
      let name = Self.plainName(field)
      return name == Self.plainName(column) || Self.synonyms[column, default: []].contains(name)
    }
  }

  /// A name in a header without what does not matter.
  static func plainName(_ field: String) -> String { field.lowercased().filter { $0.isLetter || $0.isNumber } }

  /// The other usual names of a column that tell it from the others at any place.
  func otherNames(of column: String) -> [String] {
    if column == "id" { return self == .component(.posts) ? ["postid", "post"] : ["userid", "user"] }
    return Array(Self.synonyms[column, default: []])
  }

  /// Other usual names of columns.
  private static let synonyms: [String: Set<String>] = [
    "id": ["userid", "postid", "user", "post"], "username": ["name", "handle"],
    "author": ["authorid", "user", "userid"],
    "from": ["user", "userid", "follower", "followerid", "fromid", "source", "post", "postid", "list"],
    "to": ["target", "targetid", "followee", "followeeid", "toid", "post", "postid", "user", "userid"],
    "target": ["targetid", "to"], "user": ["userid", "from"], "post": ["postid"], "text": ["body", "content"],
    "unix_ms": ["at", "time", "timestamp", "createdat", "milliseconds", "ms"],
    "edited_unix_ms": ["editedat"], "display_name": ["fullname", "nickname", "screenname"],
    "parent": ["parentid", "replyto", "inreplyto", "inreplytoid"],
  ]
}
