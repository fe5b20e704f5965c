/// The one public error type.
///
/// A failed operation has no effect, except after `indeterminate`: the change may be stored.
///
/// Later releases may add cases: a `switch` of another package needs `@unknown default`. `code` is the stable name.
@nonexhaustive
public enum KithError: Error, Sendable, Equatable {
  /// There is no user with this id, or the viewer may not see them.
  case unknownUser(UserID)
  /// There is no user with this name.
  case unknownUsername(String)
  /// There is no post with this id, or the viewer may not see it.
  case unknownPost(PostID)
  /// Another user has this name, up to canonical equivalence, or by loose key with `SocialGraph.Options.uniqueNames`.
  case usernameTaken(String)
  /// Two users of a graph being opened have names that are equal by `SocialGraph.Options.uniqueNames`.
  case usernamesCollide(first: UserID, second: UserID, names: [String])
  /// The id of a user is or was in use.
  case userIDTaken(UserID)
  /// The id of a post is or was in use.
  case postIDTaken(PostID)
  /// The name violates a rule for usernames.
  case invalidUsername(UsernameProblem)
  /// A post's text has more than 65,535 bytes.
  case textTooLong(byteCount: Int)
  /// A user tried to follow themselves.
  case cannotFollowSelf
  /// One of the two users blocks the other.
  case blocked
  /// The graph has no schema: it was never opened with one.
  case noSchema
  /// A relation was declared with other facts. Nothing was declared.
  case schemaConflict(String, found: String, asked: String)
  /// The graph has no relation of this name.
  case unknownRelation(String)
  /// An edge cannot be without one of this relation between the same nodes.
  case missingEdge(String)
  /// A query has more than 256 bytes or 32 terms.
  case queryTooLong
  /// A regular expression is invalid. The reason is RE2's own.
  case invalidPattern(reason: String)
  /// A query exceeds its cost limit.
  case budgetExceeded
  /// A cursor does not belong to this query.
  case invalidCursor
  /// A parameter is invalid.
  case invalidRequest(RequestProblem)
  /// A limit, for example one of `SocialGraph.Options`, is reached.
  case limitExceeded(Limit)
  /// The feature is not compiled in.
  case unsupported(Feature)
  /// The calling task was cancelled.
  case cancelled
  /// The graph is closed.
  case closed
  /// The graph was opened read-only.
  case readOnly
  /// There is no store: the graph is only in memory, or the path has none.
  case noStore(path: String)
  /// The path is neither a store nor a snapshot, or holds a store that is unfinished or cannot be kept there.
  case notAStore(path: String, reason: String)
  /// Another process has the store open for writing. Its id is 0 if it is not known.
  case storeInUse(by: Int32, path: String)
  /// A file is damaged at a byte offset.
  case corrupt(file: String, offset: Int64, reason: String)
  /// A file has a format version that this release cannot read.
  case unsupportedVersion(found: String, readable: String)
  /// A system call failed.
  case system(errno: Int32, call: String, path: String)
  /// The change with this number may or may not be stored: writing or syncing it failed.
  indirect case indeterminate(sequence: UInt64, cause: KithError)
  /// The log of a replicated graph cannot be reached or refuses records. Nothing was written.
  case unavailable(LogProblem)
  /// Whether the log of a replicated graph has the request is not known. `ReplicatedGraph.outcome(of:)` finds out.
  indirect case inDoubt(ticket: UInt64, cause: KithError)
  /// The replica has applied the log up to this position only.
  case lagging(position: UInt64)
  /// The log had grown beyond the position that the request expected.
  case conflict(position: UInt64)
  /// The replica differs from the log or from the other replicas after this position, and answers nothing more.
  case diverged(position: UInt64, reason: String)
  /// A change of a batch failed. The batch had no effect.
  indirect case inBatch(index: Int, KithError)
}

extension KithError {
  /// The stable name of the error, for programs; that of the change's error for `inBatch`.
  public var code: String {
    switch self {
    case .unknownUser, .unknownUsername: "unknownUser"
    case .unknownPost: "unknownPost"
    case .usernameTaken: "usernameTaken"
    case .usernamesCollide: "usernamesCollide"
    case .userIDTaken, .postIDTaken: "idTaken"
    case .invalidUsername: "invalidUsername"
    case .textTooLong: "textTooLong"
    case .cannotFollowSelf: "cannotFollowSelf"
    case .blocked: "blocked"
    case .noSchema: "noSchema"
    case .schemaConflict: "schemaConflict"
    case .unknownRelation: "unknownRelation"
    case .missingEdge: "missingEdge"
    case .queryTooLong: "queryTooLong"
    case .invalidPattern: "invalidPattern"
    case .budgetExceeded: "budgetExceeded"
    case .invalidCursor: "invalidCursor"
    case .invalidRequest: "invalidRequest"
    case .limitExceeded: "limitExceeded"
    case .unsupported: "unsupported"
    case .cancelled: "cancelled"
    case .closed: "closed"
    case .readOnly: "readOnly"
    case .noStore: "noStore"
    case .notAStore: "notAStore"
    case .storeInUse: "storeInUse"
    case .corrupt: "corrupt"
    case .unsupportedVersion: "unsupportedVersion"
    case .system: "system"
    case .indeterminate: "indeterminate"
    case .unavailable: "unavailable"
    case .inDoubt: "inDoubt"
    case .lagging: "lagging"
    case .conflict: "conflict"
    case .diverged: "diverged"
    case .inBatch(_, let error): error.code
    }
  }
}

extension KithError: CustomStringConvertible {
  /// One sentence: what failed, where, and what to do next.
  public var description: String {
    switch self {
    case .unknownUser(let user): "no user \(user)"
    case .unknownUsername(let name): "no user named \"\(Self.beginning(of: name))\""
    case .unknownPost(let post): "no post \(post)"
    case .usernameTaken(let name): "the username \"\(name)\" is taken; choose another"
    case .usernamesCollide(let first, let second, let names):
      "users \(first) and \(second) have names with the same loose key: \(Self.quoted(names)); rename one of them, "
        + "or open it without unique loose names"
    case .userIDTaken(let user): "the id \(user) is in use or was; leave it out to have one assigned"
    case .postIDTaken(let post): "the id \(post) is in use or was; leave it out to have one assigned"
    case .invalidUsername(let rule): rule.description
    case .textTooLong(let byteCount): "a post of \(byteCount) bytes; at most 65,535 are kept"
    case .cannotFollowSelf: "users cannot follow themselves"
    case .blocked: "one of the two blocks the other"
    case .noSchema: "the graph has no schema; open it with one"
    case .schemaConflict(let name, let found, let asked):
      "relation \(name) was declared as \(found), not as \(asked); a relation is never altered"
    case .unknownRelation(let name): "no relation called \"\(Self.beginning(of: name))\"; declare it in the schema"
    case .missingEdge(let name): "there is no edge of \(name) between the two, which it needs"
    case .queryTooLong: "a query is at most 256 bytes, and for posts at most 32 words"
    case .invalidPattern(let reason): "the pattern is not a regular expression: \(reason)"
    case .budgetExceeded: "the query exceeds its cost limit; narrow it"
    case .invalidCursor: "the cursor belongs to another query; begin without one"
    case .invalidRequest(let problem): problem.description
    case .limitExceeded(let limit): limit.description
    case .unsupported(let feature): "\(feature) is not available"
    case .cancelled: "cancelled"
    case .closed: "the graph is closed"
    case .readOnly: "the graph was opened for reading only"
    case .noStore(let path):
      path.isEmpty ? "the graph lives in memory: it has no store" : "\(path.shownPath): no store there"
    case .notAStore(let path, let reason): "\(path.shownPath): \(reason)"
    case .storeInUse(let pid, let path):
      "\(path.shownPath): in use by \(pid == 0 ? "another process" : "process \(pid)"); "
        + "end it, or open the store for reading"
    case .corrupt(let file, let offset, let reason): "\(file.shownPath): damaged at byte \(offset): \(reason)"
    case .unsupportedVersion(let found, let readable): "format version \(found); this release reads \(readable)"
    case .system(let number, let call, let path): "\(path.shownPath): \(call) failed: \(Self.explain(number))"
    case .indeterminate(let sequence, let cause):
      "change \(sequence) may or may not be stored, since saving it failed: \(cause.description); "
        + "a snapshot recovers the store"
    case .unavailable(let problem): problem.description
    case .inDoubt(let ticket, let cause):
      "request \(ticket) may or may not be in the log: \(cause.description); ask for its outcome later"
    case .lagging(let position): "the replica has applied the log up to position \(position) only; try again"
    case .conflict(let position): "another record, \(position), came first; read again and repeat"
    case .diverged(let position, let reason):
      "the replica differs after position \(position): \(reason); it must be rebuilt from a snapshot"
    case .inBatch(let index, let error): "change \(index) of the batch: \(error.description)"
    }
  }

  /// The most scalars of an unknown name that a message repeats.
  private static let shownScalarCount = 64

  /// A name for a message: its beginning, if it is long.
  private static func beginning(of name: String) -> String {
    let scalars = name.unicodeScalars
    return scalars.count <= shownScalarCount ? name : String(scalars.prefix(shownScalarCount)) + "…"
  }

  private static func quoted(_ names: [String]) -> String {
    names.map { "\"\($0)\"" }.joined(separator: " and ")
  }

  /// The most common errno values in words; the number itself for others.
  private static func explain(_ number: Int32) -> String {
    switch number {
    case 1, 13: "permission denied (errno \(number))"
    case 2: "no such file or directory (errno 2)"
    case 5: "input/output error (errno 5)"
    case 12: "not enough memory (errno 12)"
    case 17: "it exists already (errno 17)"
    case 20: "not a directory (errno 20)"
    case 21: "is a directory (errno 21)"
    case 22: "invalid argument (errno 22)"
    case 24: "too many open files (errno 24)"
    case 27: "file too large; see `ulimit -f` (errno 27)"
    case 28: "no space left on the device; free some and try again (errno 28)"
    case 30: "read-only file system (errno 30)"
    case 32: "the reader has closed (errno 32)"
    default: "errno \(number)"
    }
  }
}
