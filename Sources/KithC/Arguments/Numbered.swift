import CKith
import Kith

/// A word of the engine that kith.h has a number for. The switch over the cases is the table for both ways: a case
/// without a number does not compile, and a number that no case has is an error.
protocol Numbered {
  static var words: [Self] { get }
  /// What a number that is none of them fails to be.
  static var noun: StaticString { get }
  /// The number in the header.
  var number: Int { get }
}

extension Numbered where Self: CaseIterable, AllCases == [Self] {
  static var words: [Self] { allCases }
}

extension Numbered {
  /// The word of a number.
  init(numbered number: Int32) throws {
    for word in Self.words where word.number == Int(number) {
      self = word
      return
    }
    throw Failure.invalid("\(number) is no \(Self.noun)")
  }
}

extension UserQuery.Match: Numbered {
  static var noun: StaticString { "match" }
  var number: Int {
    switch self {
    case .substring: KITH_SUBSTRING
    case .prefix: KITH_PREFIX
    case .exact: KITH_EXACT
    case .fuzzy: KITH_FUZZY
    case .regex: KITH_REGEX
    }
  }
}

extension TextFolding: Numbered {
  static var noun: StaticString { "folding" }
  var number: Int {
    switch self {
    case .loose: KITH_LOOSE
    case .strict: KITH_STRICT
    }
  }
}

extension UserQuery.Order: Numbered {
  static var noun: StaticString { "order of a search" }
  var number: Int {
    switch self {
    case .name: KITH_BY_NAME
    case .prefixFirst: KITH_PREFIX_FIRST
    case .followedFirst: KITH_FOLLOWED_FIRST
    case .popular: KITH_POPULAR
    }
  }
}

extension ListQuery.Order: Numbered {
  static var noun: StaticString { "order of a list" }
  var number: Int {
    switch self {
    case .newest: KITH_LIST_NEWEST
    case .name: KITH_LIST_BY_NAME
    }
  }
}

extension TimelineQuery.Direction: Numbered {
  static var noun: StaticString { "direction" }
  var number: Int {
    switch self {
    case .older: KITH_OLDER
    case .newer: KITH_NEWER
    }
  }
}

extension TimelineQuery.Replies: Numbered {
  static var noun: StaticString { "choice of replies" }
  var number: Int {
    switch self {
    case .all: KITH_ALL_REPLIES
    case .none: KITH_NO_REPLIES
    case .toFollowed: KITH_REPLIES_TO_FOLLOWED
    case .toSources: KITH_REPLIES_TO_SOURCES
    case .toAuthor: KITH_REPLIES_TO_AUTHOR
    }
  }
}

extension TimelineQuery.Reposts: Numbered {
  static var noun: StaticString { "choice of reposts" }
  var number: Int {
    switch self {
    case .once: KITH_REPOSTS_ONCE
    case .all: KITH_ALL_REPOSTS
    case .none: KITH_NO_REPOSTS
    }
  }
}

extension Relation.Hidden: Numbered {
  static var noun: StaticString { "thing that an edge hides" }
  var number: Int {
    switch self {
    case .timeline: KITH_HIDES_TIMELINE
    case .reposts: KITH_HIDES_REPOSTS
    case .incoming: KITH_HIDES_INCOMING
    }
  }

  /// The words whose numbers were added.
  static func words(of sum: Int32) throws -> Set<Relation.Hidden> {
    let words = allCases.filter { Int(sum) & $0.number != 0 }
    guard words.reduce(0, { $0 + $1.number }) == Int(sum) else {
      throw Failure.invalid("hides \(sum) is no sum of KITH_HIDES_ numbers")
    }
    return Set(words)
  }
}

extension EdgeQuery.Order: Numbered {
  static var noun: StaticString { "order of edges" }
  var number: Int {
    switch self {
    case .newest: KITH_EDGES_NEWEST
    case .oldest: KITH_EDGES_OLDEST
    case .name: KITH_EDGES_BY_NAME
    }
  }
}

extension ThreadQuery.Order: Numbered {
  static var noun: StaticString { "order of a thread" }
  var number: Int {
    switch self {
    case .oldest: KITH_THREAD_OLDEST
    case .newest: KITH_THREAD_NEWEST
    }
  }
}

extension Relation.End: Numbered {
  static var noun: StaticString { "end of an edge" }
  var number: Int {
    switch self {
    case .user: KITH_END_USER
    case .post: KITH_END_POST
    }
  }
}

extension Relation.Visibility: Numbered {
  static var noun: StaticString { "visibility" }
  var number: Int {
    switch self {
    case .everyone: KITH_SEEN_BY_EVERYONE
    case .ends: KITH_SEEN_BY_ENDS
    case .source: KITH_SEEN_BY_SOURCE
    }
  }
}

// MARK: - Options

extension SocialGraph.Durability: Numbered {
  static var words: [SocialGraph.Durability] { [.synced, .flushed, .memory] }
  static var noun: StaticString { "durability" }
  var number: Int {
    switch self {
    case .synced: KITH_SYNCED
    case .flushed: KITH_FLUSHED
    case .memory: KITH_MEMORY
    }
  }
}

extension SocialGraph.PostIndexing: Numbered {
  static var noun: StaticString { "post_index" }
  var number: Int {
    switch self {
    case .textsAndAuthors: KITH_INDEX_TEXTS_AND_AUTHORS
    case .texts: KITH_INDEX_TEXTS
    case .off: KITH_INDEX_OFF
    }
  }
}

extension SocialGraph.UniqueNames: Numbered {
  static var noun: StaticString { "unique_names" }
  var number: Int {
    switch self {
    case .exact: KITH_UNIQUE_EXACT
    case .loose: KITH_UNIQUE_LOOSE
    }
  }
}

/// A member that is 0 or 1.
func flag(_ number: Int32, _ name: StaticString) throws -> Bool {
  guard number == 0 || number == 1 else { throw Failure.invalid("\(number) is no \(name)") }
  return number == 1
}

// MARK: - Relations

extension RelationKind {
  /// The kinds of change that add and remove an edge; nil for a relation that kith.h has no numbers for.
  var changeKinds: (add: Int, remove: Int)? {
    switch self {
    case .follow: (KITH_FOLLOW, KITH_UNFOLLOW)
    case .like: (KITH_LIKE, KITH_UNLIKE)
    case .block: (KITH_BLOCK, KITH_UNBLOCK)
    case .mute: (KITH_MUTE, KITH_UNMUTE)
    default: nil
    }
  }

  /// The relation whose edges a kind of change adds or removes; nil for one of another sort.
  static func changed(by kind: Int) -> (relation: RelationKind, adds: Bool)? {
    for relation in allCases {
      guard let kinds = relation.changeKinds else { continue }
      if kind == kinds.add { return (relation, true) }
      if kind == kinds.remove { return (relation, false) }
    }
    return nil
  }
}

extension EdgeChange {
  /// The kind of change.
  var changeKind: Int {
    guard let kinds = kind.changeKinds else { preconditionFailure("kith.h has no kind of change for the \(kind)") }
    return adds ? kinds.add : kinds.remove
  }
}

// MARK: - Statuses

/// The name of each status: that of an error is the engine's code.
let statuses: [(number: Int, name: String)] = [
  (KITH_OK, "ok"), (KITH_INVALID_HANDLE, "invalidHandle"), (KITH_UNKNOWN_USER, "unknownUser"),
  (KITH_UNKNOWN_POST, "unknownPost"), (KITH_USERNAME_TAKEN, "usernameTaken"),
  (KITH_USERNAMES_COLLIDE, "usernamesCollide"), (KITH_ID_TAKEN, "idTaken"),
  (KITH_INVALID_USERNAME, "invalidUsername"), (KITH_TEXT_TOO_LONG, "textTooLong"),
  (KITH_CANNOT_FOLLOW_SELF, "cannotFollowSelf"), (KITH_BLOCKED, "blocked"), (KITH_QUERY_TOO_LONG, "queryTooLong"),
  (KITH_INVALID_PATTERN, "invalidPattern"), (KITH_BUDGET_EXCEEDED, "budgetExceeded"),
  (KITH_INVALID_CURSOR, "invalidCursor"), (KITH_INVALID_REQUEST, "invalidRequest"),
  (KITH_LIMIT_EXCEEDED, "limitExceeded"), (KITH_UNSUPPORTED, "unsupported"), (KITH_CANCELLED, "cancelled"),
  (KITH_CLOSED, "closed"), (KITH_READ_ONLY, "readOnly"), (KITH_NO_STORE, "noStore"), (KITH_NOT_A_STORE, "notAStore"),
  (KITH_STORE_IN_USE, "storeInUse"), (KITH_CORRUPT, "corrupt"), (KITH_UNSUPPORTED_VERSION, "unsupportedVersion"),
  (KITH_SYSTEM, "system"), (KITH_INDETERMINATE, "indeterminate"), (KITH_TIMED_OUT, "timedOut"),
  (KITH_NO_SCHEMA, "noSchema"),
  (KITH_SCHEMA_CONFLICT, "schemaConflict"), (KITH_UNKNOWN_RELATION, "unknownRelation"),
  (KITH_MISSING_EDGE, "missingEdge"),
]

/// The status of one of the engine's codes. Those of replicated graphs have none: the C library opens no replica.
func status(code: String) -> kith_status {
  guard let status = statuses.first(where: { $0.name == code }) else {
    preconditionFailure("kith.h has no status for the error \(code)")
  }
  return kith_status(status.number)
}
