/// A page of what leads to a user: edges to the user and to their posts, newest first.
public struct IncomingQuery: Hashable, Sendable {
  /// Whose edges are shown.
  public enum Sources: String, CaseIterable, Hashable, Sendable {
    /// Those of all users.
    case anyone
    /// Those of users whom the user follows.
    case followees
  }

  /// The relations; nil for all but those that their source alone sees. Of these, no edge is shown.
  public var relations: [Relation]?
  /// Whose edges are shown.
  public var sources: Sources
  /// Only edges made before this time.
  public var before: Timestamp?
  /// Only edges made after this time.
  public var after: Timestamp?
  /// Whether posts carry their authors as users (`Post.Author.user`).
  public var includesAuthors: Bool
  /// The most edges of a page, 1…1,000.
  public var limit: Int
  /// The cursor of the page; nil for the first.
  public var cursor: Cursor?

  /// The defaults: the newest twenty of all relations.
  public init(
    relations: [Relation]? = nil, sources: Sources = .anyone, before: Timestamp? = nil, after: Timestamp? = nil,
    includesAuthors: Bool = false, limit: Int = 20, cursor: Cursor? = nil
  ) {
    (self.relations, self.sources, self.before, self.after) = (relations, sources, before, after)
    (self.includesAuthors, self.limit, self.cursor) = (includesAuthors, limit, cursor)
  }
}

/// How many edges lead to a user and to their posts.
public struct IncomingCount: Hashable, Codable, Sendable {
  /// The number of edges, at most `SocialGraph.Limits.incomingCount`.
  public let count: Int
  /// Whether there are more.
  public let isTruncated: Bool

  /// A count, for previews and tests.
  public init(count: Int, isTruncated: Bool = false) { (self.count, self.isTruncated) = (count, isTruncated) }
}

/// The page of what leads to a user.
struct IncomingEdges: Query {
  let user: UserID
  let query: IncomingQuery
  var operation: GraphOperation { .incoming }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<IncomingEdge> {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    let search = try IncomingSearch(user, query, state)
    var found = search.newest(query.limit + 1, state)
    var next: Cursor?
    if found.count > query.limit {
      found.removeLast()
      next = found.last.map { $0.cursor(of: user) }
    }
    if found.isEmpty { return Page(nil) }
    return Page(IncomingRecords(found, search.visibility, state, includesAuthors: query.includesAuthors), next: next)
  }

  func dependencies(of page: Page<IncomingEdge>) -> [QueryDependency] {
    let shown = page.flatMap { edge in
      QueryDependency.shown([edge.user].compactMap(\.self))
        + QueryDependency.shown([edge.post, edge.target].compactMap(\.self))
    }
    return Self.dependencies(of: user, query) + shown
  }

  static func dependencies(of user: UserID, _ query: IncomingQuery) -> [QueryDependency] {
    [.incoming(to: user), .removedPosts] + QueryDependency.omitted(by: user) + QueryDependency.access(of: user)
  }
}

/// The number of edges that lead to a user.
struct CountOfIncoming: Query {
  let user: UserID
  let query: IncomingQuery
  var operation: GraphOperation { .incomingCount }

  func run(_ state: borrowing GraphState) throws(KithError) -> IncomingCount {
    let limit = SocialGraph.Limits.incomingCount
    let found = try IncomingSearch(user, query, state).newest(limit + 1, state).count
    return IncomingCount(count: min(found, limit), isTruncated: found > limit)
  }

  func dependencies(of count: IncomingCount) -> [QueryDependency] { IncomingEdges.dependencies(of: user, query) }
}
