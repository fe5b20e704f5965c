/// The memory of a graph by structure: exact bytes of pages, lists and indexes, including their directories.
public struct MemoryReport: Hashable, Sendable {
  /// One structure.
  public struct Entry: Hashable, Sendable {
    /// The name of the structure.
    public let name: String
    /// The size in bytes.
    public let byteCount: Int
  }

  /// The memory of all users, posts, follows or likes: all structures of one kind, including unused capacity.
  public struct Unit: Hashable, Sendable {
    /// The kind: `user`, `post`, `follow` or `like`.
    public let name: String
    /// The number of users, posts, follows or likes.
    public let count: Int
    /// The bytes of the structures.
    public let byteCount: Int

    /// Bytes per user, post, follow or like; nil if there is none.
    public var bytesEach: Double? { count == 0 ? nil : Double(byteCount) / Double(count) }
  }

  /// The structures, in a fixed order.
  public let entries: [Entry]
  /// The memory by kind. A follow or like includes both directions of the edge and its time. A user or post includes
  /// its empty lists.
  public let units: [Unit]

  /// Free memory between the pages of all graphs of the process, in bytes: pages that changes will take, and what
  /// replaced pages left. It belongs to no structure. A graph that grew change by change has more of it than one that
  /// was just opened.
  public let freePageByteCount: Int

  /// The total of all structures in bytes. With `freePageByteCount`, it is what the system gave, but for pins, the text
  /// of the program, and what the C library's allocator keeps.
  public var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }

  /// - Parameter structures: each with the name of its unit; nil for a structure shared by several units.
  init(
    _ structures: [(unit: String?, name: String, byteCount: Int)], counts: SocialGraph.Counts,
    declared: [(name: String, count: Int)]
  ) {
    freePageByteCount = PagePool.freeByteCount
    entries = structures.map { Entry(name: $0.name, byteCount: $0.byteCount) }
    let counted =
      [("user", counts.users), ("post", counts.posts)]
      + RelationKind.allCases.filter { !$0.facts.isPrivate }.map { ($0.facts.name, counts[$0]) } + declared
    units = counted.map { name, count in
      Unit(name: name, count: count, byteCount: structures.reduce(0) { $1.unit == name ? $0 + $1.byteCount : $0 })
    }
  }
}

extension GraphState {
  /// The bytes of all structures.
  /// - Complexity: O(1).
  var byteCount: Int { structures.reduce(0) { $0 + $1.byteCount } }

  /// The bytes of each structure, in a fixed order.
  /// - Complexity: O(1).
  var structures: [(unit: String?, name: String, byteCount: Int)] {
    var structures: [(unit: String?, name: String, byteCount: Int)] = [
      ("user", "userIDs", users.identifiers.byteCount),
      ("user", "usernames", users.names.memoryByteCount + users.digests.byteCount),
      ("user", "usernameLookup", users.nameLookupByteCount),
      ("user", "usernameSearch", users.searchByteCount),
      ("post", "postIDs", posts.identifiers.byteCount),
      ("post", "postAuthors", posts.authors.byteCount),
      ("post", "postTexts", posts.texts.memoryByteCount),
      ("post", "postSearch", posts.indexByteCount),
      ("post", "postOrder", posts.all.byteCount + posts.deferredByteCount),
      ("post", "postsByAuthor", posts.byAuthor.byteCount + posts.newest.byteCount + posts.deferredByteCount),
    ]
    for kind in RelationKind.allCases {
      structures.append((kind.facts.isPrivate ? nil : kind.facts.name, kind.plural, self[kind].byteCount))
      if kind == .follow { structures.append(("user", "popularity", popularity.byteCount)) }
    }
    for use in declared.uses {
      let name = relations[use.kind].name
      structures.append((name, name, declared[use.kind].byteCount))
    }
    if declared.hasThreads { structures.append(("post", "threads", declared.threads.byteCount)) }
    if let entries = declared.entries { structures.append(("user", "timeline entries", entries.value.byteCount)) }
    if let host = users.host { structures.append(("user", "userFields", host.value.byteCount)) }
    if let host = posts.host { structures.append(("post", "postFields", host.value.byteCount)) }
    structures.append((nil, "marks", marks.byteCount))
    structures.append((nil, "timelineHints", timelineHints.byteCount))
    return structures
  }
}

extension GraphView {
  /// The memory of the graph by structure.
  /// - Complexity: O(1).
  public func memoryReport() -> MemoryReport {
    let declared = state.declared.uses.map { (state.relations[$0.kind].name, state.declared[$0.kind].count) }
    return MemoryReport(state.structures, counts: state.counts, declared: declared)
  }
}
