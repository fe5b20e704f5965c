/// Results with counts and marks of relations.
extension GraphView {
  /// A result of this view, with how many edges its users and posts have and which of them lead from the viewer.
  /// The result is a user or a post, or a page or a list of them. One of an older view gets the counts of this one;
  /// what is not in this one has none.
  ///
  /// ```swift
  /// let page = try view.timeline(of: ann)
  /// let shown = try view.adding(ResultDetails(counts: [.reply], marks: [.bookmark], viewer: ann), to: page)
  /// ```
  /// - Throws: `KithError.unknownRelation`, `unknownUser` for the viewer; `invalidRequest` for too many relations, for
  ///   marks without a viewer or of a relation that does not lead from users, and for a relation with no end of the
  ///   result's types: from posts to posts in a result of users.
  /// - Complexity: O(items · relations · log edges of the viewer).
  public func adding<Result: ResultDetailed>(
    _ details: ResultDetails, to result: Result
  ) throws(KithError) -> Result {
    try checkOpen()
    return details.isEmpty ? result : try result._adding(details, self)
  }
}

/// A result that can have counts and marks of relations: a user or a post, a page or a list of them. No other type can.
public protocol ResultDetailed: Equatable, Sendable {
  /// The result with details. For `GraphView.adding` alone.
  func _adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> Self
  /// The users and posts of the result. For live queries alone.
  var _nodes: [Node] { get }
}

extension User: ResultDetailed {
  /// The user with details. For `GraphView.adding` alone.
  public func _adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> User {
    try UserRecords.adding(details, to: records, view.state).map { User($0, index) } ?? self
  }

  /// The user. For live queries alone.
  public var _nodes: [Node] { [.user(id)] }
}

extension Post: ResultDetailed {
  /// The post with details. For `GraphView.adding` alone.
  public func _adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> Post {
    try PostRecords.adding(details, to: records, view.state).map { Post($0, index) } ?? self
  }

  /// The post and its author. For live queries alone.
  public var _nodes: [Node] { [.post(id), .user(author.id)] }
}

extension Page: ResultDetailed where Element: ResultDetailed {
  /// The page with details. For `GraphView.adding` alone.
  public func _adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> Page {
    switch self {
    case let users as Page<User>:
      let records = try UserRecords.adding(details, to: users.anchor?.records, view.state)
      return same(records.map { users.showing(User($0, 0)) })
    case let posts as Page<Post>:
      let records = try PostRecords.adding(details, to: posts.anchor?.records, view.state)
      return same(records.map { posts.showing(Post($0, 0)) })
    case let suggestions as Page<Suggestion>:
      let records = try SuggestionRecords.adding(details, to: suggestions.anchor?.records, view.state)
      return same(records.map { suggestions.showing(Suggestion($0, 0)) })
    case let edges as Page<IncomingEdge>:
      let records = try IncomingRecords.adding(details, to: edges.anchor?.records, view.state)
      return same(records.map { edges.showing(IncomingEdge($0, 0)) })
    default: broken("no page that tells of relations has elements of another type")
    }
  }

  private func same<Other>(_ page: Page<Other>?) -> Page { page as? Page ?? self }

  /// The users and posts of the page. For live queries alone.
  public var _nodes: [Node] { flatMap(\._nodes) }
}

extension Array: ResultDetailed where Element: ResultDetailed {
  /// The elements with details, of one result. For `GraphView.adding` alone.
  public func _adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> [Element] {
    // The elements of a lookup share one result, which is copied once.
    if let users = self as? [User?] {
      _ = try UserRecords.adding(details, to: nil, view.state)
      let shown = try users.replacingRecords(\.records) { (records) throws(KithError) in
        try UserRecords.adding(details, to: records, view.state)
      } element: {
        User($0, $1.index)
      }
      return shown as? [Element] ?? self
    }
    if let posts = self as? [Post?] {
      _ = try PostRecords.adding(details, to: nil, view.state)
      let shown = try posts.replacingRecords(\.records) { (records) throws(KithError) in
        try PostRecords.adding(details, to: records, view.state)
      } element: {
        Post($0, $1.index)
      }
      return shown as? [Element] ?? self
    }
    var found: [Element] = []
    for element in self { found.append(try element._adding(details, view)) }
    return found
  }

  /// The users and posts of the elements. For live queries alone.
  public var _nodes: [Node] { flatMap(\._nodes) }
}

extension Array {
  /// The elements over other records: those that share some, over the same ones.
  fileprivate func replacingRecords<Item, Record>(
    _ records: (Item) -> ResultBuffer<Record>,
    by replacement: (ResultBuffer<Record>) throws(KithError) -> ResultBuffer<Record>?,
    element: (ResultBuffer<Record>, Item) -> Item
  ) throws(KithError) -> [Item?] where Element == Item? {
    var (last, shown): (ResultBuffer<Record>?, ResultBuffer<Record>?)
    var found: [Item?] = []
    for item in self {
      if let item, last?.isSame(as: records(item)) != true {
        (last, shown) = (records(item), try replacement(records(item)))
      }
      found.append(item.flatMap { item in shown.map { element($0, item) } })
    }
    return found
  }
}

extension Optional: ResultDetailed where Wrapped: ResultDetailed {
  /// What is there, with details. For `GraphView.adding` alone.
  public func _adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> Wrapped? {
    if let wrapped = self { return try wrapped._adding(details, view) }
    return nil
  }

  /// The user or post, if there is one. For live queries alone.
  public var _nodes: [Node] { map(\._nodes) ?? [] }
}

extension LookupByID.Output {
  /// What was found, with details: those of a relation are of the users, or of the posts, that its edges lead to.
  package func adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> LookupByID.Output {
    LookupByID.Output(
      users: try view.adding(try details.part(of: .user, view.state), to: users),
      posts: try view.adding(try details.part(of: .post, view.state), to: posts))
  }
}

extension Suggestion: ResultDetailed {
  /// The suggestion with details of its user and of the mutuals. For `GraphView.adding` alone.
  public func _adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> Suggestion {
    try SuggestionRecords.adding(details, to: records, view.state).map { Suggestion($0, index) } ?? self
  }

  /// The user and the mutuals. For live queries alone.
  public var _nodes: [Node] { user._nodes + mutuals._nodes }
}

extension SuggestionRecords {
  /// The same suggestions, whose users have details.
  /// - Throws: as `UserRecords.adding`.
  static func adding(
    _ details: ResultDetails, to records: SuggestionRecords?, _ state: borrowing GraphState
  ) throws(KithError) -> SuggestionRecords? {
    guard let users = try UserRecords.adding(details, to: records?.users, state), let records else { return nil }
    return SuggestionRecords(users: users, best: records.best, mutualEnds: records.mutualEnds)
  }
}

extension IncomingEdge: ResultDetailed {
  /// The edge with details of its users and posts. For `GraphView.adding` alone.
  public func _adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> IncomingEdge {
    try IncomingRecords.adding(details, to: records, view.state).map { IncomingEdge($0, index) } ?? self
  }

  /// The users and posts of the edge. For live queries alone.
  public var _nodes: [Node] { (user?._nodes ?? []) + (post?._nodes ?? []) + (target?._nodes ?? []) }
}

extension IncomingRecords {
  /// The same edges with details: those of a relation are of the users, or of the posts, that its edges lead to.
  /// - Throws: as `UserRecords.adding`.
  static func adding(
    _ details: ResultDetails, to records: IncomingRecords?, _ state: borrowing GraphState
  ) throws(KithError) -> IncomingRecords? {
    let users = try UserRecords.adding(try details.part(of: .user, state), to: records?.users, state)
    let posts = try PostRecords.adding(try details.part(of: .post, state), to: records?.posts, state)
    guard let records, let users, let posts else { return nil }
    return IncomingRecords(relations: records.relations, items: records.items, users: users, posts: posts)
  }
}

extension ResultDetails {
  /// Those of a result with users and posts that the users, or the posts, have.
  /// - Throws: `unknownRelation`.
  fileprivate func part(of end: Relation.End, _ state: borrowing GraphState) throws(KithError) -> ResultDetails {
    var part = ResultDetails(includesPayloads: includesPayloads, viewer: viewer)
    for relation in counts where try state.relations.known(relation).target == end { part.counts.append(relation) }
    for relation in marks where try state.relations.known(relation).target == end { part.marks.append(relation) }
    return part
  }
}
