/// An edge that leads to a user or to one of their posts, as a view of its page.
public struct IncomingEdge: PageElement {
  /// What identifies an edge among those of a page: its ends and its relation.
  public struct ID: Hashable, Sendable {
    /// The name of the relation.
    public let relation: String
    /// The user or post that it leads from.
    public let source: Node
    /// The post that it leads to; nil for the user.
    public let target: PostID?
  }

  let records: IncomingRecords
  let index: Int

  init(_ records: IncomingRecords, _ index: Int) {
    precondition(records.items.indices.contains(index), "the index is one of the page's")
    (self.records, self.index) = (records, index)
  }

  /// The element at another index of the same result. For `Page` alone.
  public func _sibling(at index: Int) -> IncomingEdge { IncomingEdge(records, index) }

  private var item: IncomingRecords.Item { records.items[index] }

  /// The relation.
  public var relation: Relation { records.relations[item.relation] }
  /// When the edge was made, in whole seconds.
  public var addedAt: Timestamp { Timestamp(Int64(item.second) * 1_000) }
  /// The user that it leads from; nil if it leads from a post.
  public var user: User? { item.isFromPost ? nil : User(records.users, item.source) }
  /// The post that it leads from, a reply or a mention; nil if it leads from a user.
  public var post: Post? { item.isFromPost ? Post(records.posts, item.source) : nil }
  /// The post that it leads to; nil if it leads to the user.
  public var target: Post? { item.target.map { Post(records.posts, $0) } }
  /// Its ends and its relation, which identify it among those of the page.
  public var id: ID {
    let source = user.map { Node.user($0.id) } ?? post.map { Node.post($0.id) }
    guard let source else { preconditionFailure("an edge leads from a user or from a post") }
    return ID(relation: relation.name, source: source, target: target?.id)
  }

  /// Equal if all properties are.
  public static func == (left: IncomingEdge, right: IncomingEdge) -> Bool {
    left.relation == right.relation && left.item.second == right.item.second && left.user == right.user
      && left.post == right.post && left.target == right.target
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension IncomingEdge: ResultElement {}

/// The records of one page of edges that lead to a user.
struct IncomingRecords: ResultRecords {
  struct Item {
    /// An index in `relations`.
    let relation: Int
    let second: UInt32
    let isFromPost: Bool
    /// An index in `posts` or `users`.
    let source: Int
    /// An index in `posts`; nil for the user.
    let target: Int?
  }

  let relations: [Relation]
  let items: [Item]
  /// The users that edges lead from, each once.
  let users: UserRecords
  /// The posts at both ends, each once.
  let posts: PostRecords

  var count: Int { items.count }

  init(
    _ entries: [IncomingSearch.Entry], _ visibility: Visibility, _ state: borrowing GraphState, includesAuthors: Bool
  ) {
    var (users, posts): ([UInt32], [UInt32]) = ([], [])
    var relations: [Relation] = []
    items = entries.map { entry in
      let facts = state.relations[entry.relation]
      let isFromPost = facts.source == .post
      return Item(
        relation: Self.place(of: facts, in: &relations), second: entry.second, isFromPost: isFromPost,
        source: isFromPost
          ? Self.place(of: entry.sourceRow, in: &posts) : Self.place(of: entry.sourceRow, in: &users),
        target: facts.target == .post ? Self.place(of: entry.targetRow, in: &posts) : nil)
    }
    self.relations = relations
    self.users = UserRecords(users.span, viewer: visibility.viewer, state) { $0 }
    self.posts = PostRecords(posts.span, visibility, state, includesAuthors: includesAuthors)
  }

  init(relations: [Relation], items: [Item], users: UserRecords, posts: PostRecords) {
    (self.relations, self.items, self.users, self.posts) = (relations, items, users, posts)
  }

  /// The place of an element, which is appended if it is new.
  private static func place<Element: Equatable>(of element: Element, in elements: inout [Element]) -> Int {
    if let place = elements.lastIndex(of: element) { return place }
    elements.append(element)
    return elements.count - 1
  }
}
