import Testing

@testable import Kith

/// Every error has a stable code and a message of one line.
@Suite struct KithErrorTests {
  /// One of each case. The compiler requires a new one in `code`, and `all` is counted against it below.
  private static let all: [(KithError, String)] = [
    (.unknownUser(42), "unknownUser"), (.unknownUsername("zoë"), "unknownUser"), (.unknownPost(7), "unknownPost"),
    (.usernameTaken("zoë"), "usernameTaken"),
    (.usernamesCollide(first: 1, second: 2, names: ["a", "A"]), "usernamesCollide"),
    (.userIDTaken(9), "idTaken"), (.postIDTaken(9), "idTaken"), (.invalidUsername(.isEmpty), "invalidUsername"),
    (.textTooLong(byteCount: 70_000), "textTooLong"), (.cannotFollowSelf, "cannotFollowSelf"), (.blocked, "blocked"),
    (.queryTooLong, "queryTooLong"), (.invalidPattern(reason: "a parenthesis is open"), "invalidPattern"),
    (.budgetExceeded, "budgetExceeded"), (.invalidCursor, "invalidCursor"),
    (.invalidRequest(.limit(0)), "invalidRequest"),
    (.limitExceeded(.users(limit: 3)), "limitExceeded"),
    (.unsupported(.regularExpressions), "unsupported"), (.cancelled, "cancelled"), (.closed, "closed"),
    (.readOnly, "readOnly"),
    (.noStore(path: ""), "noStore"), (.notAStore(path: "/data", reason: "it holds x"), "notAStore"),
    (.storeInUse(by: 12, path: "/store"), "storeInUse"),
    (.corrupt(file: "snap", offset: 99, reason: "the hash is wrong"), "corrupt"),
    (.unsupportedVersion(found: "2.0", readable: "1.0"), "unsupportedVersion"),
    (.system(errno: 28, call: "write", path: "/store/snap"), "system"),
    (.indeterminate(sequence: 5, cause: .system(errno: 5, call: "sync", path: "/store/wal")), "indeterminate"),
    (.unavailable(.quorumMissing), "unavailable"), (.lagging(position: 7), "lagging"),
    (.inDoubt(ticket: 3, cause: .unavailable(.unreachable(reason: "no route"))), "inDoubt"),
    (.conflict(position: 7), "conflict"), (.diverged(position: 7, reason: "another history"), "diverged"),
  ]

  private static let limits: [(KithError.Limit, String)] = [
    (.users(limit: 3), "the limit of 3 users is reached"),
    (.users(limit: 3, count: 5), "the limit of 3 users is reached: there are 5"),
    (.posts(limit: 2), "the limit of 2 posts is reached"), (.memory(byteLimit: 9, byteCount: 10), "takes 10"),
    (.usersEverAdded(limit: 7), "7 users ever added"), (.postsEverAdded(limit: 7), "7 posts ever added"),
    (.assignedIDs, "id"), (.changes(limit: 8), "8 changes"), (.generations(limit: 6), "6 generations"),
    (.requestBytes(limit: 5, byteCount: 6), "the request has 6 bytes; the limit is 5; divide it"),
    (.streamBytes(path: "pipe", limit: 5), "pipe gives more than 5 bytes"),
    (.tableBytes(path: "snap", limit: 5, byteCount: 6), "snap has 6 bytes; the limit is 5"),
    (.decompressedBytes(path: "snap", limit: 5, byteCount: 6), "snap has 6 bytes when decompressed; the limit is 5"),
    (
      .estimatedMemory(path: "snap", byteLimit: 5, byteCount: 6),
      "snap would take about 6 bytes of memory; the limit is 5"
    ),
  ]

  private static let requests: [(KithError.RequestProblem, String)] = [
    (.id(0), "an id is 1 or more"),
    (.edgeTime(-1), "the time of a follow or a like is 0 to 4294967295999 ms since 1970"),
    (.postTime(-1), "the time of a post is 0 ms since 1970 or more"),
    (.cannotBlockSelf, "users cannot block themselves"), (.cannotMuteSelf, "users cannot mute themselves"),
    (.tooManyChanges(limit: 10_000), "a batch has at most 10000 changes"), (.limit(0), "a limit is 1 to 1000, not 0"),
    (.idCount(1_001), "at most 1000 ids are asked for at once, not 1001"),
    (.followLimit(-1), "a limit of follows is not negative"),
    (.path(maximumHops: -1, followLimit: 0), "hops and follows to read cannot be negative"),
    (
      .suggestions(namedCount: 101, followLimit: 0),
      "0 to 100 mutuals can be named; a limit of follows is not negative"
    ),
    (
      .pageRank(damping: 2, tolerance: 0, maximumRounds: 0),
      "damping is 0 to 1, tolerance is not negative, rounds are 0 to 1000000"
    ),
    (.orderNeedsViewer("followedFirst"), "order followedFirst needs a viewer"),
    (.followedOnlyNeedsViewer, "posts of those one follows, or without those one mutes, need a viewer"),
    (.leavesOutMutedNeedsViewer, "posts of those one follows, or without those one mutes, need a viewer"),
    (.fuzzyOrder("popular"), "match fuzzy has an order of its own, not popular"),
    (.noSuchList(of: "likes"), "there is no such list of likes"),
    (.notInJournal(sequence: 7), "the journal holds no change 7; read the graph as it is instead"),
    (.unsavedBulkLoad, "a bulk load is not yet saved; write a snapshot first"),
    (.notAFileURL, "a store is opened by a file URL"), (.invalidUTF8, "not valid UTF-8"),
    (
      .unreachable(path: "s"),
      "s: no snapshot and its journals lead to the newest state; open one of its snapshots, or a backup"
    ),
    (
      .unreachableSequence(7, path: "s"),
      "s: no snapshot and its journals lead to change 7; open one of its snapshots, or a backup"
    ),
    (
      .unreachableTime(7, path: "s"),
      "s: no snapshot and its journals lead to that time; open one of its snapshots, or a backup"
    ),
    (
      .futureTime(7, now: 5),
      "1970-01-01 00:00:00.007 UTC is later than now, 1970-01-01 00:00:00.005 UTC; without a time, the newest state is "
        + "restored"
    ),
    (.singleInstant(path: "f"), "f is a snapshot, which holds one instant; give the store's directory"),
    (.fileNameMissing(path: "f/"), "f/: the name of a file is needed"),
    (.fileExists(path: "f"), "f: something is there already, and nothing is replaced; choose another name"),
    (.noDirectory("d", path: "d/f"), "d/f: there is no directory d"),
    (.insideStore("s", path: "s/f"), "s/f: s is a store, which nothing else may stand in; choose a place beside it"),
    (.logURL(reason: "it has no host"), "it has no host"),
    (.logInUse(position: 7, snapshotCount: 1), "the log is in use: it has 7 records, 1 snapshots"),
    (.tokensNeedRules(2), "tokens need rules 2 of the log; update all hosts, then upgrade the log"),
    (.notInDoubt(ticket: 7), "no request 7 is in doubt here"),
  ]

  @Test("What is invalid about a request is said in the words that the protocol has always had")
  func requests() {
    for (problem, message) in Self.requests { #expect(KithError.invalidRequest(problem).description == message) }
  }

  @Test("Every case has its own code, but for the two kinds of ids and of unknown users")
  func codes() {
    for (error, code) in Self.all { #expect(error.code == code) }
    #expect(Set(Self.all.map(\.1)).count == 31)
    let page = Repository.files.first { $0.path == "docs/SEMANTICS.md" }?.text ?? ""
    for (_, code) in Self.all { #expect(page.contains("`\(code)`"), "SEMANTICS.md lacks \(code)") }
  }

  @Test("Every message is one line of text")
  func messages() {
    for (error, code) in Self.all {
      let message = error.description
      #expect(message.utf8.count > 5 && !message.contains { $0.isNewline }, "\(code)")
      #expect(!message.hasSuffix(".") && message == message.trimmed, "\(code): \(message)")
    }
  }

  @Test("A limit says its bound, and the value that exceeds it")
  func limits() {
    for (limit, part) in Self.limits {
      let message = KithError.limitExceeded(limit).description
      #expect(message.contains(part) && !message.contains { $0.isNewline } && !message.hasSuffix("."), "\(message)")
    }
  }

  @Test("No message names the command, which a host may not have")
  func noCommands() {
    let logs = [KithError.LogProblem.missing, .unfinished, .quorumMissing, .overloaded(position: 7)]
    let errors =
      Self.all.map(\.0) + Self.limits.map { .limitExceeded($0.0) } + Self.requests.map { .invalidRequest($0.0) }
      + logs.map { .unavailable($0) }
    for error in errors {
      let message = error.description
      #expect(!message.contains("kith ") && !message.contains("--"), "\(message)")
    }
  }

  @Test("Messages name their subject")
  func details() {
    func expect(_ error: KithError, _ parts: String...) {
      for part in parts { #expect(error.description.contains(part), "\(error.description)") }
    }
    expect(.unknownUser(42), "no user 42")
    expect(.unknownUsername("zoë"), "no user named \"zoë\"")
    expect(.unknownUsername(String(repeating: "a", count: 65)), "named \"" + String(repeating: "a", count: 64) + "…\"")
    expect(.invalidUsername(.isTooLong(byteCount: 300)), "255", "300")
    expect(.usernameTaken("zoë"), "zoë")
    expect(.noStore(path: "/nowhere"), "/nowhere")
    expect(.noStore(path: ""), "memory")
    expect(.storeInUse(by: 12, path: "/store"), "process 12", "/store")
    expect(.storeInUse(by: 0, path: "/store"), "another process", "/store")
    expect(.corrupt(file: "snap", offset: 99, reason: "why"), "snap", "99", "why")
    expect(.system(errno: 28, call: "write", path: "/p"), "/p", "write", "no space", "28")
    expect(.system(errno: 99, call: "write", path: "/p"), "99")
  }

  @Test("An error of a batch has the code of the failed change, and its index")
  func inBatch() {
    let error = KithError.inBatch(index: 3, .usernameTaken("zoë"))
    #expect(error.code == "usernameTaken")
    #expect(error.description.contains("3") && error.description.contains("zoë"))
    #expect(error != .inBatch(index: 4, .usernameTaken("zoë")) && error != .usernameTaken("zoë"))
  }
}

extension String {
  fileprivate var trimmed: String { Folding.trimmed(self) }
}
