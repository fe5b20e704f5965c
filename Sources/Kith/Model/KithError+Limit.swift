extension KithError {
  /// What is limited, with the bound, and with the value that exceeds it where there is one.
  @nonexhaustive
  public enum Limit: Sendable, Hashable {
    /// `SocialGraph.Options.maximumUserCount`. `count` is that of a graph being opened.
    case users(limit: Int, count: Int? = nil)
    /// `SocialGraph.Options.maximumPostCount`. `count` is that of a graph being opened.
    case posts(limit: Int, count: Int? = nil)
    /// `SocialGraph.Options.maximumByteCount`. `byteCount` is that of a graph being opened.
    case memory(byteLimit: Int, byteCount: Int? = nil)
    /// The users ever added to a graph, removed ones too: `SocialGraph.Limits.rowCount`.
    case usersEverAdded(limit: Int)
    /// The posts ever added to a graph, removed ones too: `SocialGraph.Limits.rowCount`.
    case postsEverAdded(limit: Int)
    /// The highest possible id is in use, so that no other can be assigned.
    case assignedIDs
    /// The relations of a graph: `SocialGraph.Limits.relationCount`.
    case relations(limit: Int)
    /// The kinds of users: `SocialGraph.Limits.kindCount`.
    case kinds(limit: Int)
    /// The sequence numbers of a graph.
    case changes(limit: UInt64)
    /// The generations of a store.
    case generations(limit: UInt64)
    /// The threads or processes that the system gives this process, or its user or container.
    case threads
    /// The bytes of a request to the log of a replicated graph.
    case requestBytes(limit: Int, byteCount: Int)
    /// The bytes of a stream that gives a snapshot.
    case streamBytes(path: String, limit: Int)
    /// The bytes of a table of a snapshot.
    case tableBytes(path: String, limit: Int, byteCount: Int)
    /// The bytes of a snapshot when decompressed.
    case decompressedBytes(path: String, limit: Int, byteCount: Int)
    /// The estimated memory of a graph that a snapshot from elsewhere holds. `SocialGraph.Options.maximumByteCount`
    /// allows more.
    case estimatedMemory(path: String, byteLimit: Int, byteCount: Int)
  }

  /// What is wrong with a username.
  @nonexhaustive
  public enum UsernameProblem: Sendable, Hashable {
    /// It has no byte.
    case isEmpty
    /// It has more than 255 bytes: `SocialGraph.Limits.usernameByteCount`.
    case isTooLong(byteCount: Int)
    /// It holds NUL or a line break (LF, VT, FF, CR, NEL, LS, PS).
    case hasLineBreak
  }
}

extension KithError.Limit: CustomStringConvertible {
  /// One sentence: which limit is reached, and what can be done.
  public var description: String {
    switch self {
    case .users(let limit, let count): Self.reached("\(limit) users", count.map { "there are \($0)" })
    case .posts(let limit, let count): Self.reached("\(limit) posts", count.map { "there are \($0)" })
    case .memory(let limit, let byteCount):
      Self.reached("\(limit) bytes of memory", byteCount.map { "the graph takes \($0)" })
    case .usersEverAdded(let limit): Self.reached("\(limit) users ever added")
    case .postsEverAdded(let limit): Self.reached("\(limit) posts ever added")
    case .assignedIDs: "the highest possible id is in use; give an id that is free"
    case .relations(let limit): Self.reached("\(limit) relations")
    case .kinds(let limit): Self.reached("\(limit) kinds")
    case .changes(let limit): Self.reached("\(limit) changes")
    case .generations(let limit):
      Self.reached("\(limit) generations of a store") + "; make a new store of its newest state"
    case .threads:
      "the system gives this process no further thread; end other processes, or raise its limit (ulimit -u, pids.max)"
    case .requestBytes(let limit, let byteCount):
      "the request has \(byteCount) bytes; the limit is \(limit); divide it"
    case .streamBytes(let path, let limit):
      "\(path) gives more than \(limit) bytes, the limit of a snapshot in memory"
    case .tableBytes(let path, let limit, let byteCount):
      "a table of \(path) has \(byteCount) bytes; the limit is \(limit)"
    case .decompressedBytes(let path, let limit, let byteCount):
      "\(path) has \(byteCount) bytes when decompressed; the limit is \(limit)"
    case .estimatedMemory(let path, let limit, let byteCount):
      "the graph of \(path) would take about \(byteCount) bytes of memory; the limit is \(limit); if the file can be "
        + "trusted, allow more by Options.maximumByteCount"
    }
  }

  private static func reached(_ bound: String, _ found: String? = nil) -> String {
    "the limit of \(bound) is reached" + (found.map { ": \($0)" } ?? "")
  }
}

extension KithError.UsernameProblem: CustomStringConvertible {
  /// The rule that it violates, in words.
  public var description: String { description(of: "a username") }

  /// The rule, of a username or of a display name.
  func description(of name: String) -> String {
    switch self {
    case .isEmpty: "\(name) is at least one byte"
    case .isTooLong(let byteCount):
      "\(name) is at most \(SocialGraph.Limits.usernameByteCount) bytes; this has \(byteCount)"
    case .hasLineBreak: "\(name) holds no NUL and no line break"
    }
  }
}
