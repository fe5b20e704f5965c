/// Everything that can go wrong in a call: the one public error type.
///
/// A failed operation changes nothing; only after `indeterminate` the change may stand.
public enum KithError: Error, Sendable, Equatable {
  /// No such user; the text says how it was asked for: `42`, or `named "bob"`.
  case unknownUser(String)
  /// No such post.
  case unknownPost(Int64)
  /// Another user has this name, up to canonical equivalence.
  case usernameTaken(String)
  /// The id is in use, or was.
  case idTaken(Int64)
  /// The name breaks a rule of usernames.
  case invalidUsername(reason: String)
  /// A post's text is over 65,535 bytes.
  case textTooLong(byteCount: Int)
  /// Nobody follows themselves.
  case cannotFollowSelf
  /// One of the two blocks the other.
  case blocked
  /// A query is over 256 bytes, or has more than 32 terms.
  case queryTooLong
  /// A regular expression is not in the language.
  case invalidPattern(String)
  /// A question would cost more than it may.
  case budgetExceeded
  /// A cursor was not made by this question.
  case invalidCursor
  /// A value breaks a rule; the reason names it.
  case invalidRequest(reason: String)
  /// One of the limits of `Options` is reached.
  case limitExceeded(String)
  /// Not built, or not built in.
  case unsupported(String)
  /// The caller cancelled it.
  case cancelled
  /// The graph is closed.
  case closed
  /// The graph was opened for reading only.
  case readOnly
  /// There is no store: the graph lives in memory, or the path holds none.
  case noStore(path: String)
  /// A path holds something else than a store or a snapshot.
  case notAStore(path: String, reason: String)
  /// Another process has the store open.
  case storeInUse(by: Int32, path: String)
  /// A file is damaged, at a byte offset.
  case corrupt(file: String, offset: Int64, reason: String)
  /// A file is of a format version that this release does not read.
  case unsupportedVersion(found: String, readable: String)
  /// The operating system refused a call.
  case system(errno: Int32, call: String, path: String)
  /// The change of this number may stand or not: its write or its sync failed, for a cause.
  indirect case indeterminate(sequence: UInt64, cause: KithError)
  /// A batch failed at one of its changes, and changed nothing.
  indirect case inBatch(index: Int, KithError)
}

extension KithError {
  /// The stable name of the error: a program's word for it.
  public var code: String {
    switch self {
    case .unknownUser: "unknownUser"
    case .unknownPost: "unknownPost"
    case .usernameTaken: "usernameTaken"
    case .idTaken: "idTaken"
    case .invalidUsername: "invalidUsername"
    case .textTooLong: "textTooLong"
    case .cannotFollowSelf: "cannotFollowSelf"
    case .blocked: "blocked"
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
    case .inBatch(_, let error): error.code
    }
  }
}

extension KithError: CustomStringConvertible {
  /// One sentence: what, where, and what to do next.
  public var description: String {
    switch self {
    case .unknownUser(let who): "no user \(who)"
    case .unknownPost(let post): "no post \(post)"
    case .usernameTaken(let name): "the username \"\(name)\" is taken; choose another"
    case .idTaken(let id): "the id \(id) is in use or was; leave it out to have one assigned"
    case .invalidUsername(let reason): "a username \(reason)"
    case .textTooLong(let byteCount): "a post of \(byteCount) bytes; at most 65,535 are kept"
    case .cannotFollowSelf: "nobody follows themselves"
    case .blocked: "one of the two blocks the other"
    case .queryTooLong: "a query is at most 256 bytes, and for posts at most 32 words"
    case .invalidPattern(let reason): "the pattern is not a regular expression: \(reason)"
    case .budgetExceeded: "the question costs more than it may; narrow it"
    case .invalidCursor: "the cursor belongs to another question; begin without one"
    case .invalidRequest(let reason): reason
    case .limitExceeded(let limit): "the limit of \(limit) is reached"
    case .unsupported(let what): "\(what) is not built"
    case .cancelled: "cancelled"
    case .closed: "the graph is closed"
    case .readOnly: "the graph was opened for reading only"
    case .noStore(let path): path.isEmpty ? "the graph lives in memory: it has no store" : "\(path): no store there"
    case .notAStore(let path, let reason): "\(path): \(reason)"
    case .storeInUse(let pid, let path): "\(path): in use by process \(pid); end it, or open the store for reading"
    case .corrupt(let file, let offset, let reason): "\(file): damaged at byte \(offset): \(reason)"
    case .unsupportedVersion(let found, let readable): "format version \(found); this release reads \(readable)"
    case .system(let number, let call, let path): "\(path): \(call) failed: \(Self.explain(number))"
    case .indeterminate(let sequence, let cause):
      "change \(sequence) may stand or not, since it could not be saved: \(cause.description); reopen the store"
    case .inBatch(let index, let error): "change \(index) of the batch: \(error.description)"
    }
  }

  /// The commonest numbers of the operating system in words; the number itself for the rest.
  private static func explain(_ number: Int32) -> String {
    switch number {
    case 1, 13: "permission denied (errno \(number))"
    case 2: "no such file or directory (errno 2)"
    case 5: "input/output error (errno 5)"
    case 17: "it exists already (errno 17)"
    case 20: "not a directory (errno 20)"
    case 21: "is a directory (errno 21)"
    case 24: "too many open files (errno 24)"
    case 27: "file too large (errno 27)"
    case 28: "no space left on the device; free some and try again (errno 28)"
    case 30: "read-only file system (errno 30)"
    default: "errno \(number)"
    }
  }
}
