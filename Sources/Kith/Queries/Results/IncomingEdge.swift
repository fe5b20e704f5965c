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
    var (users, posts) = (DistinctRows(expecting: entries.count), DistinctRows(expecting: entries.count))
    var relations: [Relation] = []
    items = entries.map { entry in
      let facts = state.relations[entry.relation]
      let isFromPost = facts.source == .post
      let relation = relations.firstIndex(of: facts) ?? relations.count
      if relation == relations.count { relations.append(facts) }
      return Item(
        relation: relation, second: entry.second, isFromPost: isFromPost,
        source: isFromPost ? posts.place(of: entry.sourceRow) : users.place(of: entry.sourceRow),
        target: facts.target == .post ? posts.place(of: entry.targetRow) : nil)
    }
    self.relations = relations
    self.users = UserRecords(users.rows.span, viewer: visibility.viewer, state) { $0 }
    self.posts = PostRecords(posts.rows.span, visibility, state, includesAuthors: includesAuthors)
  }

  init(relations: [Relation], items: [Item], users: UserRecords, posts: PostRecords) {
    (self.relations, self.items, self.users, self.posts) = (relations, items, users, posts)
  }
}

/// Rows, each once, in the order in which they came.
private struct DistinctRows {
  private(set) var rows: [UInt32] = []
  /// By row, its place; nil where there are few, which are searched.
  private var places: [UInt32: Int]?

  private static let searchedCount = 64

  init(expecting count: Int) { places = count > Self.searchedCount ? [:] : nil }

  /// The place of a row, which is appended if it is new.
  mutating func place(of row: UInt32) -> Int {
    if let place = places == nil ? rows.lastIndex(of: row) : places?[row] { return place }
    places?[row] = rows.count
    rows.append(row)
    return rows.count - 1
  }
}
