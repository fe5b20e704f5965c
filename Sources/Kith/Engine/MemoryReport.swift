/// Where the memory of a graph is: exact bytes of pages, lists and indexes, with the directories over them.
public struct MemoryReport: Hashable, Sendable {
  /// One structure.
  public struct Entry: Hashable, Sendable {
    /// What it is.
    public let name: String
    /// Its bytes.
    public let byteCount: Int
  }

  /// The structures, in a fixed order.
  public let entries: [Entry]

  /// All bytes.
  public var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }
}

extension GraphView {
  /// Where the memory is.
  /// - Complexity: O(pages).
  public func memoryReport() -> MemoryReport {
    MemoryReport(entries: [
      .init(name: "userIDs", byteCount: state.users.identifiers.byteCount),
      .init(name: "usernames", byteCount: state.users.names.memoryByteCount),
      .init(name: "usernameLookup", byteCount: state.users.nameLookupByteCount),
      .init(name: "usernameSearch", byteCount: state.users.search.byteCount),
      .init(name: "postIDs", byteCount: state.posts.identifiers.byteCount),
      .init(name: "postColumns", byteCount: state.posts.authors.byteCount + state.posts.times.byteCount),
      .init(name: "postTexts", byteCount: state.posts.texts.memoryByteCount),
      .init(name: "postSearch", byteCount: state.posts.index.byteCount),
      .init(name: "postOrder", byteCount: state.posts.all.byteCount),
      .init(name: "postsByAuthor", byteCount: state.posts.byAuthor.byteCount + state.posts.newest.byteCount),
      .init(name: "follows", byteCount: state.follows.byteCount),
      .init(name: "popularity", byteCount: state.popularity.byteCount),
      .init(name: "likes", byteCount: state.likes.byteCount),
      .init(name: "blocks", byteCount: state.blocks.byteCount),
      .init(name: "mutes", byteCount: state.mutes.byteCount),
      .init(name: "marks", byteCount: state.marks.byteCount),
    ])
  }
}
