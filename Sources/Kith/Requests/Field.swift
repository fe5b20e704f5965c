/// A field of a request: its name, its kind, and its default. Requests of `kith query`, of the explorer and of a watch
/// have the same fields (docs/PROTOCOL.md).
package struct Field: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case integer
    case number(ClosedRange<Int64>)
    case text
    case choice([String])
    case flag
    case reference
    /// Lists, each with the most elements.
    case references(Int)
    case integers(Int)
    case texts(Int)
    /// Some of some words.
    case words([String])
    case changes(Int)
    case edges(Int)
    /// Bytes, as base64.
    case payload
    case question
  }

  package let name: String
  package let kind: Kind
  /// Nil if a missing field means no user, no bound or the current time.
  package let defaultValue: FieldValue?

  package init(_ name: String, _ kind: Kind, default defaultValue: FieldValue? = nil) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
  }

  /// Names are unique among the fields of one operation.
  package static func == (one: Field, other: Field) -> Bool { one.name == other.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }

  package static let user = Field("user", .reference)
  package static let target = Field("target", .reference)
  package static let viewer = Field("as", .reference)
  package static let excluding = Field("excluding", .reference)
  package static let users = Field("users", .references(SocialGraph.Limits.idCount))
  package static let targets = Field("targets", .references(SocialGraph.Limits.idCount))
  package static let relation = Field("relation", .text)
  package static let from = Field("from", .reference)
  package static let fromPost = Field("fromPost", .integer)
  package static let to = Field("to", .reference)
  package static let toPost = Field("toPost", .integer)
  package static let post = Field("post", .integer)
  package static let posts = Field("posts", .integers(SocialGraph.Limits.idCount))
  package static let id = Field("id", .integer)
  package static let username = Field("username", .text)
  package static let text = Field("text", .text)
  package static let createdAt = Field("createdAt", .integer)
  package static let at = Field("at", .integer)
  package static let before = Field("before", .integer)
  package static let after = Field("after", .integer)
  package static let query = Field("query", .text, default: .text(""))
  package static let match = choice("match", UserQuery.Match.self)
  package static let names = choice("names", UserQuery.Names.self)
  package static let fold = choice("fold", TextFolding.self)
  package static let searchOrder = choice("order", UserQuery.Order.self)
  package static let listOrder = choice("order", ListQuery.Order.self)
  package static let edgeOrder = choice("order", EdgeQuery.Order.self)
  package static let threadOrder = choice("order", ThreadQuery.Order.self)
  package static let direction = choice("direction", TimelineQuery.Direction.self)
  package static let author = Field("author", .reference)
  package static let everyone = Field("everyone", .flag, default: .flag(false))
  package static let replies = choice("replies", TimelineQuery.Replies.self)
  package static let reposts = choice("reposts", TimelineQuery.Reposts.self)
  package static let mentions = choice("mentions", TimelineQuery.Mentions.self)
  package static let flagsAll = Field("flagsAll", .number(0...Int64(UInt16.max)), default: .integer(0))
  package static let flagsAny = Field("flagsAny", .number(0...Int64(UInt16.max)), default: .integer(0))
  package static let flagsNone = Field("flagsNone", .number(0...Int64(UInt16.max)), default: .integer(0))
  package static let relations = Field("relations", .texts(SocialGraph.Limits.relationCount))
  package static let incomingFrom = choice("from", IncomingQuery.Sources.self)
  package static let of = choice("of", ["followees", "followers"])
  package static let limit = Field("limit", .number(1...Int64(SocialGraph.Limits.pageCount)), default: .integer(20))
  package static let maximum = Field("max", .number(0...Int64.max), default: .integer(6))
  package static let cursor = Field("cursor", .text)
  package static let includeCursor = Field("includeCursor", .flag, default: .flag(false))
  package static let count = Field("count", .flag, default: .flag(false))
  package static let highlights = Field("highlights", .flag, default: .flag(false))
  package static let following = Field("following", .flag, default: .flag(false))
  package static let includeReplies = Field("includeReplies", .flag, default: .flag(true))
  package static let leaveOutMuted = Field("leaveOutMuted", .flag, default: .flag(false))
  package static let includeSelf = Field("includeSelf", .flag, default: .flag(true))
  package static let includeBlocked = Field("includeBlocked", .flag, default: .flag(false))
  package static let authors = Field("authors", .flag, default: .flag(false))
  package static let edges = Field("edges", .edges(SocialGraph.Limits.postEdgeCount))
  package static let counts = Field("counts", .texts(SocialGraph.Limits.relationCount))
  package static let marks = Field("marks", .texts(SocialGraph.Limits.relationCount))
  package static let payloads = Field("payloads", .flag, default: .flag(false))
  package static let payload = Field("payload", .payload)
  package static let flags = Field("flags", .number(0...Int64(UInt16.max)))
  package static let isPrivate = Field("isPrivate", .flag)
  package static let kind = Field("kind", .text)
  package static let displayName = Field("displayName", .text)
  package static let audience = Field("audience", .choice(Audience.allCases.map(\.rawValue)))
  package static let audiences = Field("audiences", .words(Audience.allCases.map(\.rawValue)))
  package static let asVisitor = Field("asVisitor", .flag, default: .flag(false))
  package static let editedAt = Field("editedAt", .integer)
  package static let changes = Field("changes", .changes(SocialGraph.Limits.batchCount))

  /// One of some words; the first is the default.
  private static func choice<Word: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ words: Word.Type
  ) -> Field {
    choice(name, words.allCases.map(\.rawValue))
  }

  private static func choice(_ name: String, _ words: [String]) -> Field {
    Field(name, .choice(words), default: words.first.map { .text($0) })
  }
}

/// The value of a field.
package enum FieldValue: Equatable, Sendable {
  case integer(Int64)
  case text(String)
  case flag(Bool)
  case reference(UserReference)
  case references([UserReference])
  case integers([Int64])
  case texts([String])
  case edges([Edge])
  case payload([UInt8])

  /// An edge that is given with a new post.
  package struct Edge: Equatable, Sendable {
    package let relation: String
    package let target: Target
    package let time: Int64?

    package enum Target: Equatable, Sendable {
      case user(UserReference)
      case post(Int64)
    }

    package init(_ relation: String, to target: Target, at time: Int64?) {
      (self.relation, self.target, self.time) = (relation, target, time)
    }
  }
}

/// A user in a request: by id, or by username and kind as `GraphView.findUser` takes it.
package enum UserReference: Equatable, Sendable {
  case id(UserID)
  case username(String, kind: String? = nil)

  /// The error of a reference to nothing.
  package var unknown: KithError {
    switch self {
    case .id(let id): .unknownUser(id)
    case .username(let name, _): .unknownUsername(name)
    }
  }
}
