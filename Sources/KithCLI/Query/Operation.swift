import Kith

/// The operations of the protocol.
enum Operation: String, CaseIterable, Sendable {
  case users, user, post, lookup, timeline, posts, followees, followers, isFollowing, relations, likers, likes
  case mutuals, suggestions, distance, blocked, muted
  case addUser, renameUser, removeUser, follow, unfollow, addPost, removePost, like, unlike
  case block, unblock, mute, unmute
  case batch, snapshot, stats, verify
  case watch, unwatch, help

  /// Whether it is a single change, which a batch may hold.
  var isChange: Bool {
    switch self {
    case .addUser, .renameUser, .removeUser, .addPost, .removePost: true
    default: edge != nil
    }
  }

  /// Whether it reads one view of the graph, and so can be watched.
  var isQuestion: Bool {
    switch self {
    case .batch, .snapshot, .watch, .unwatch: false
    default: !isChange
    }
  }
}

extension RelationKind {
  /// The operations that add and remove an edge, and those that list the users at its ends.
  fileprivate var operations: (add: Operation, remove: Operation, targets: Operation?, sources: Operation?) {
    switch self {
    case .follow: (.follow, .unfollow, .followees, .followers)
    // The lists `likes` and `likers` are separate operations: they return posts, or belong to a post.
    case .like: (.like, .unlike, nil, nil)
    case .block: (.block, .unblock, .blocked, nil)
    case .mute: (.mute, .unmute, .muted, nil)
    }
  }
}

extension Operation {
  /// The change of an edge; nil for other operations.
  var edge: (kind: RelationKind, adds: Bool)? { Self.edges[self] }

  /// The list that it returns; nil for other operations.
  var list: (kind: RelationKind, side: RelationSide)? { Self.lists[self] }

  private static let edges: [Operation: (kind: RelationKind, adds: Bool)] = Dictionary(
    uniqueKeysWithValues: RelationKind.allCases.flatMap { kind in
      [(kind.operations.add, (kind, true)), (kind.operations.remove, (kind, false))]
    })

  private static let lists: [Operation: (kind: RelationKind, side: RelationSide)] = Dictionary(
    uniqueKeysWithValues: RelationKind.allCases.flatMap { kind in
      [(kind.operations.targets, (kind, .targets)), (kind.operations.sources, (kind, .sources))]
        .compactMap { operation, list in operation.map { ($0, list) } }
    })

  init(_ edge: EdgeChange) { self = edge.adds ? edge.kind.operations.add : edge.kind.operations.remove }
}

/// A field of requests: its name, its kind, and its default.
struct Field: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case integer
    case number(ClosedRange<Int64>)
    case text
    case choice([String])
    case flag
    case reference
    /// Lists, each with the most elements.
    case references(Int)
    case integers(Int)
    case changes(Int)
    case question
  }

  let name: String
  let kind: Kind
  /// Nil if a missing field means no user, no bound or the current time.
  let defaultValue: Request.Value?

  init(_ name: String, _ kind: Kind, default defaultValue: Request.Value? = nil) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
  }

  /// Names are unique among the fields of one operation.
  static func == (one: Field, other: Field) -> Bool { one.name == other.name }

  static let user = Field("user", .reference)
  static let target = Field("target", .reference)
  static let viewer = Field("as", .reference)
  static let excluding = Field("excluding", .reference)
  static let users = Field("users", .references(SocialGraph.Limits.idCount))
  static let targets = Field("targets", .references(SocialGraph.Limits.idCount))
  static let post = Field("post", .integer)
  static let posts = Field("posts", .integers(SocialGraph.Limits.idCount))
  static let id = Field("id", .integer)
  static let username = Field("username", .text)
  static let text = Field("text", .text)
  static let createdAt = Field("createdAt", .integer)
  static let at = Field("at", .integer)
  static let before = Field("before", .integer)
  static let after = Field("after", .integer)
  static let query = Field("query", .text, default: .text(""))
  static let match = choice("match", UserQuery.Match.self)
  static let fold = choice("fold", TextFolding.self)
  static let searchOrder = choice("order", UserQuery.Order.self)
  static let listOrder = choice("order", ListQuery.Order.self)
  static let direction = choice("direction", TimelineQuery.Direction.self)
  static let of = choice("of", ["followees", "followers"])
  static let limit = Field("limit", .number(1...Int64(SocialGraph.Limits.pageCount)), default: .integer(20))
  static let maximum = Field("max", .number(0...Int64.max), default: .integer(6))
  static let cursor = Field("cursor", .text)
  static let count = Field("count", .flag, default: .flag(false))
  static let highlights = Field("highlights", .flag, default: .flag(false))
  static let following = Field("following", .flag, default: .flag(false))
  static let includeSelf = Field("includeSelf", .flag, default: .flag(true))
  static let changes = Field("changes", .changes(SocialGraph.Limits.batchCount))
  static let question = Field("question", .question)
  static let watch = Field("watch", .integer)
  static let about = Field("about", .choice(Operation.allCases.map(\.rawValue)))

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

/// The fields of an operation and of its answer: the table checks requests, and `help` prints it.
struct Shape: Sendable {
  let operation: Operation
  let required: [Field]
  let optional: [Field]

  /// All possible members of its answer, beside `ok` and the tag.
  let answer: [String]

  /// The shape of the operation of that name.
  static func named(_ name: String) -> Shape? { table[name] }

  private static let table: [String: Shape] = Dictionary(
    uniqueKeysWithValues: Operation.allCases.map { ($0.rawValue, Shape($0)) })

  private init(_ operation: Operation) {
    let page = [Field.limit, .cursor]
    let (required, optional): ([Field], [Field]) =
      switch operation {
      case .users:
        ([], page + [.viewer, .query, .match, .fold, .searchOrder, .excluding, .count, .highlights])
      case .user: ([.user], [.viewer])
      case .post: ([.post], [.viewer])
      case .lookup: ([], [.viewer, .users, .posts])
      case .timeline: ([.user], page + [.direction, .before, .after, .includeSelf])
      case .posts: ([], page + [.viewer, .query, .user, .following, .fold, .before, .after, .highlights])
      case .isFollowing: ([.user, .target], [])
      case .relations: ([.user, .targets], [])
      case .likers: ([.post], page + [.viewer])
      case .likes: ([.user], page + [.viewer])
      case .mutuals: ([.user, .target], page + [.of])
      case .suggestions: ([.user], [.limit])
      case .distance: ([.user, .target], [.maximum])
      case .addUser: ([.username], [.id])
      case .renameUser: ([.user, .username], [])
      case .removeUser: ([.user], [])
      case .addPost: ([.user, .text], [.id, .createdAt])
      case .removePost: ([.post], [])
      case .batch: ([.changes], [])
      case .snapshot, .stats, .verify: ([], [])
      case .watch: ([.question], [])
      case .unwatch: ([.watch], [])
      case .help: ([], [.about])
      default: Self.edgeFields(of: operation)
      }
    self.operation = operation
    self.required = required
    self.optional = optional
    answer = Self.answer(of: operation)
  }

  /// The shape of an operation on an edge or on a list of edges.
  private static func edgeFields(of operation: Operation) -> ([Field], [Field]) {
    if let (kind, adds) = operation.edge {
      let (target, hasTime): (Field, Bool) = (kind.schema.target == .post ? .post : .target, kind.schema.hasTime)
      return ([.user, target], adds && hasTime ? [.at] : [])
    }
    guard let kind = operation.list?.kind else { preconditionFailure("\(operation) has no fields") }
    let shown: [Field] = (kind.schema.isPrivate ? [] : [.viewer]) + (kind.schema.hasTime ? [.listOrder] : [])
    return ([.user], [.limit, .cursor] + shown)
  }

  private static func answer(of operation: Operation) -> [String] {
    switch operation {
    case .users: ["users", "next", "count"]
    case .user: ["user"]
    case .post: ["post"]
    case .lookup: ["users", "posts"]
    case .timeline: ["posts", "next", "previous"]
    case .posts, .likes: ["posts", "next"]
    case .likers, .mutuals: ["users", "next"]
    case .isFollowing: ["value"]
    case .relations: ["relations"]
    case .suggestions: ["users", "truncated"]
    case .distance: ["value", "complete"]
    case .addUser: ["user", "sequence"]
    case .addPost: ["post", "sequence"]
    case .renameUser, .removeUser, .removePost: ["changed", "sequence"]
    case .batch: ["results", "sequence"]
    case .snapshot: ["path", "sequence"]
    case .stats: GraphComponent.allCases.map(\.rawValue) + ["sequence", "bytes"]
    case .verify: ["problems"]
    case .watch: ["watch"]
    case .unwatch: ["changed"]
    case .help: ["ops"]
    default: operation.edge == nil ? ["users", "next"] : ["changed", "sequence"]
    }
  }

  func field(named name: String) -> Field? {
    required.first { $0.name == name } ?? optional.first { $0.name == name }
  }
}
