/// Where the memory of a graph is: exact bytes of pages, lists and indexes, with the directories over them.
public struct MemoryReport: Hashable, Sendable {
  /// One structure.
  public struct Entry: Hashable, Sendable {
    /// What it is.
    public let name: String
    /// Its bytes.
    public let byteCount: Int
  }

  /// What one kind of thing takes, all its structures together, with whatever is spare in them.
  public struct Unit: Hashable, Sendable {
    /// What it is: `user`, `post`, `follow` or `like`.
    public let name: String
    /// How many there are.
    public let count: Int
    /// Bytes of its structures.
    public let byteCount: Int

    /// Bytes for each; nil while there is none.
    public var bytesEach: Double? { count == 0 ? nil : Double(byteCount) / Double(count) }
  }

  /// The structures, in a fixed order.
  public let entries: [Entry]
  /// What a user, a post, a follow and a like take: both directions of an edge, its time, and the room that empty lists
  /// of users and posts take.
  public let units: [Unit]

  /// All bytes.
  public var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }

  /// - Parameter structures: by the name of their unit; nil for what is nobody's in particular.
  init(_ structures: [(unit: String?, name: String, byteCount: Int)], counts: Counts) {
    entries = structures.map { Entry(name: $0.name, byteCount: $0.byteCount) }
    let counted = [("user", counts.users), ("post", counts.posts), ("follow", counts.follows), ("like", counts.likes)]
    units = counted.map { name, count in
      Unit(name: name, count: count, byteCount: structures.reduce(0) { $1.unit == name ? $0 + $1.byteCount : $0 })
    }
  }
}

extension GraphState {
  /// Bytes of all structures.
  /// - Complexity: O(1).
  var byteCount: Int { structures.reduce(0) { $0 + $1.byteCount } }

  /// Bytes of every structure, in a fixed order.
  /// - Complexity: O(1).
  var structures: [(unit: String?, name: String, byteCount: Int)] {
    [
      ("user", "userIDs", users.identifiers.byteCount),
      ("user", "usernames", users.names.memoryByteCount),
      ("user", "usernameLookup", users.nameLookupByteCount),
      ("user", "usernameSearch", users.search.byteCount),
      ("post", "postIDs", posts.identifiers.byteCount),
      ("post", "postColumns", posts.authors.byteCount + posts.times.byteCount),
      ("post", "postTexts", posts.texts.memoryByteCount),
      ("post", "postSearch", posts.index.byteCount),
      ("post", "postOrder", posts.all.byteCount),
      ("post", "postsByAuthor", posts.byAuthor.byteCount + posts.newest.byteCount),
      ("follow", "follows", follows.byteCount),
      ("user", "popularity", popularity.byteCount),
      ("like", "likes", likes.byteCount),
      (nil, "blocks", blocks.byteCount),
      (nil, "mutes", mutes.byteCount),
      (nil, "marks", marks.byteCount),
      (nil, "timelineHints", timelineHints.byteCount),
    ]
  }
}

extension GraphView {
  /// Where the memory is.
  /// - Complexity: O(1).
  public func memoryReport() -> MemoryReport { MemoryReport(state.structures, counts: state.counts) }
}
