/// The operations of the protocol.
enum Operation: String, CaseIterable, Sendable {
  case users, user, post, lookup, timeline, posts, followees, followers, isFollowing, relations, likers, likes
  case mutuals, suggestions, distance, blocked, muted
  case addUser, renameUser, removeUser, follow, unfollow, addPost, removePost, like, unlike
  case block, unblock, mute, unmute
  case batch, snapshot, stats, verify
  case watch, unwatch

  /// Whether it is a single change, which a batch may hold.
  var isChange: Bool {
    switch self {
    case .addUser, .renameUser, .removeUser, .follow, .unfollow, .addPost, .removePost, .like, .unlike,
      .block, .unblock, .mute, .unmute:
      true
    default: false
    }
  }

  /// Whether it asks one view of the graph, and so can be watched.
  var isQuestion: Bool {
    switch self {
    case .batch, .snapshot, .watch, .unwatch: false
    default: !isChange
    }
  }
}

/// A field of requests: its name, and what it may hold.
struct Field: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case integer
    case number(ClosedRange<Int64>)
    case text
    case choice([String])
    case flag
    case reference
    case references
    case integers
    case changes
    case question
  }

  let name: String
  let kind: Kind

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Names tell fields of one operation apart.
  static func == (one: Field, other: Field) -> Bool { one.name == other.name }

  static let user = Field("user", .reference)
  static let target = Field("target", .reference)
  static let viewer = Field("as", .reference)
  static let excluding = Field("excluding", .reference)
  static let users = Field("users", .references)
  static let targets = Field("targets", .references)
  static let post = Field("post", .integer)
  static let posts = Field("posts", .integers)
  static let id = Field("id", .integer)
  static let username = Field("username", .text)
  static let text = Field("text", .text)
  static let createdAt = Field("createdAt", .integer)
  static let at = Field("at", .integer)
  static let before = Field("before", .integer)
  static let after = Field("after", .integer)
  static let query = Field("query", .text)
  static let match = Field("match", .choice(["substring", "prefix", "exact", "fuzzy", "regex"]))
  static let fold = Field("fold", .choice(["loose", "strict"]))
  static let searchOrder = Field("order", .choice(["name", "prefixFirst", "followedFirst", "popular"]))
  static let listOrder = Field("order", .choice(["newest", "name"]))
  static let direction = Field("direction", .choice(["older", "newer"]))
  static let of = Field("of", .choice(["followees", "followers"]))
  static let limit = Field("limit", .number(1...1_000))
  static let maximum = Field("max", .number(0...Int64.max))
  static let cursor = Field("cursor", .text)
  static let count = Field("count", .flag)
  static let highlights = Field("highlights", .flag)
  static let following = Field("following", .flag)
  static let includeSelf = Field("includeSelf", .flag)
  static let changes = Field("changes", .changes)
  static let question = Field("question", .question)
  static let watch = Field("watch", .integer)
}

/// The fields of an operation.
struct Shape: Sendable {
  let operation: Operation
  let required: [Field]
  let optional: [Field]

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
      case .followees, .followers: ([.user], page + [.viewer, .listOrder])
      case .isFollowing: ([.user, .target], [])
      case .relations: ([.user, .targets], [])
      case .likers: ([.post], page + [.viewer])
      case .likes: ([.user], page + [.viewer])
      case .mutuals: ([.user, .target], page + [.of])
      case .suggestions: ([.user], [.limit])
      case .distance: ([.user, .target], [.maximum])
      case .blocked, .muted: ([.user], page)
      case .addUser: ([.username], [.id])
      case .renameUser: ([.user, .username], [])
      case .removeUser: ([.user], [])
      case .follow: ([.user, .target], [.at])
      case .unfollow, .block, .unblock, .mute, .unmute: ([.user, .target], [])
      case .addPost: ([.user, .text], [.id, .createdAt])
      case .removePost: ([.post], [])
      case .like: ([.user, .post], [.at])
      case .unlike: ([.user, .post], [])
      case .batch: ([.changes], [])
      case .snapshot, .stats, .verify: ([], [])
      case .watch: ([.question], [])
      case .unwatch: ([.watch], [])
      }
    self.operation = operation
    self.required = required
    self.optional = optional
  }

  func field(named name: String) -> Field? {
    required.first { $0.name == name } ?? optional.first { $0.name == name }
  }
}
