/// The state of the whole graph as plain data. It is changed only by `apply`, also in a bulk load. Exceptions: reading
/// a snapshot builds a state from its components, and `keep` removes components. `pin` is the only way to copy it.
///
/// Users and posts have rows: dense numbers in order of insertion. Ids are mapped to rows once, when a call begins.
struct GraphState: ~Copyable, Sendable {
  // No property has a default value, here and in every type with a `pin` (`PinRule`): a pin that forgets one is not
  // compiled. A default would also be created for every pin and discarded (a pin of 388,000 instructions).
  var users: UserTable
  var posts: PostTable
  var follows: Adjacency
  /// The popularity levels of `follows`.
  var popularity: Popularity
  /// From users to posts.
  var likes: Adjacency
  var blocks: Adjacency
  var mutes: Adjacency
  /// The relations by number; those that the host declared come after the four above.
  var relations: RelationTable
  /// The edges of the relations that the host declared.
  var declared: DeclaredEdges
  /// The sequence number of the last change.
  var sequence: UInt64
  /// The visit counters of two-hop queries; shared with the pins.
  let marks: VisitCountersPool
  /// By user: the coarse time reached by the newest posts of all authors in the user's last first page of a timeline.
  /// Shared with the pins.
  let timelineHints: RowCache

  /// - Parameter form: the form of the relations' lists.
  init(form: ListForm = .plain) {
    users = UserTable()
    posts = PostTable()
    follows = Adjacency(form: form)
    popularity = Popularity()
    likes = Adjacency(form: form, hasSparseTargets: true)
    blocks = Adjacency(form: form)
    mutes = Adjacency(form: form)
    relations = .withoutSchema
    declared = DeclaredEdges()
    sequence = 0
    marks = VisitCountersPool()
    timelineHints = RowCache()
  }

  private init(
    users: consuming UserTable, posts: consuming PostTable, follows: consuming Adjacency,
    popularity: consuming Popularity, likes: consuming Adjacency, blocks: consuming Adjacency,
    mutes: consuming Adjacency, relations: RelationTable, declared: consuming DeclaredEdges, sequence: UInt64,
    marks: VisitCountersPool,
    timelineHints: RowCache
  ) {
    self.users = users
    self.posts = posts
    self.follows = follows
    self.popularity = popularity
    self.likes = likes
    self.blocks = blocks
    self.mutes = mutes
    self.relations = relations
    self.declared = declared
    self.sequence = sequence
    self.marks = marks
    self.timelineHints = timelineHints
  }

  /// An MVCC snapshot of the graph: shares all pages, and neither side sees later writes of the other.
  /// - Complexity: O(1): a few dozen roots.
  mutating func pin() -> GraphState {
    GraphState(
      users: users.pin(), posts: posts.pin(), follows: follows.pin(), popularity: popularity.pin(),
      likes: likes.pin(), blocks: blocks.pin(), mutes: mutes.pin(), relations: relations,
      declared: declared.pin(), sequence: sequence, marks: marks, timelineHints: timelineHints)
  }

  var counts: SocialGraph.Counts {
    SocialGraph.Counts(users: users.count, posts: posts.count) { self[$0].count }
  }

  // MARK: - Relations by kind

  /// The index of a relation, for what is the same for all. Hot paths name the stored property.
  /// - Precondition: a declared relation is in use (`DeclaredEdges.has`).
  subscript(kind: RelationKind) -> Adjacency {
    _read {
      switch kind {
      case .follow: yield follows
      case .like: yield likes
      case .block: yield blocks
      case .mute: yield mutes
      default: yield declared[kind]
      }
    }
  }

  /// Changes the index of a relation; what is derived of follows (`popularity`) is left to the caller.
  /// - Precondition: as of the subscript.
  @inline(__always)
  mutating func modify<Output, Failure: Error>(
    _ kind: RelationKind, _ body: (inout Adjacency) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    switch kind {
    case .follow: try body(&follows)
    case .like: try body(&likes)
    case .block: try body(&blocks)
    case .mute: try body(&mutes)
    default: try body(&declared[kind])
    }
  }

  /// A change of the edges of one relation that depends on the order of its sources.
  enum EdgesEdit {
    case insert(UInt32, UInt32, timestamp: UInt32)
    case remove(UInt32, UInt32)
    case removeAllFrom(UInt32)
    case removeAllTo(UInt32)
    case buildBackward(workers: Int, boundsGroups: Bool)
  }

  /// Changes the index of a relation, as `modify`.
  mutating func edit(_ kind: RelationKind, _ edit: EdgesEdit) {
    switch kind {
    case .follow: follows.make(edit, order: users.identifiers.ids)
    case .like: likes.make(edit, order: users.identifiers.ids)
    case .block: blocks.make(edit, order: users.identifiers.ids)
    case .mute: mutes.make(edit, order: users.identifiers.ids)
    default:
      let relation = relations[kind]
      if relation.entersTimelines { noteEntries(kind, edit) }
      switch relation.source {
      case .user: declared[kind].make(edit, order: users.identifiers.ids)
      case .post where relation.hasTime: declared[kind].make(edit, order: posts.identifiers.ids)
      case .post: declared[kind].make(edit, order: posts)
      }
    }
  }

  /// How many rows the targets of a relation have.
  func targetRowCount(of kind: RelationKind) -> Int { rowCount(of: relations[kind].target) }

  /// How many users, or posts, were ever added.
  func rowCount(of end: Relation.End) -> Int {
    switch end {
    case .user: users.rowCount
    case .post: posts.rowCount
    }
  }

  // MARK: - Rows of ids

  @inline(__always)
  func userRow(_ id: UserID) throws(KithError) -> UInt32 {
    guard let row = users.row(of: id) else { throw .unknownUser(id) }
    return row
  }

  func postRow(_ id: PostID) throws(KithError) -> UInt32 {
    guard let row = posts.row(of: id) else { throw .unknownPost(id) }
    return row
  }

  func userID(_ row: UInt32) -> UserID { UserID(users.identifiers.id(of: row)) }
  func postID(_ row: UInt32) -> PostID { PostID(posts.identifiers.id(of: row)) }

  /// Whether either of two users blocks the other.
  func isBlocked(_ user: UInt32, _ other: UInt32) -> Bool {
    blocks.contains(user, other) || blocks.contains(other, user)
  }
}

extension Adjacency {
  fileprivate mutating func make(_ edit: GraphState.EdgesEdit, order: borrowing some SourceOrder & ~Copyable) {
    switch edit {
    case .insert(let source, let target, let timestamp):
      _ = insert(source, target, timestamp: timestamp, order: order)
    case .remove(let source, let target): _ = remove(source, target, order: order)
    case .removeAllFrom(let source): removeAll(from: source, order: order)
    case .removeAllTo(let target): removeAll(to: target, order: order)
    case .buildBackward(let workers, let boundsGroups):
      buildBackward(workers: workers, boundsGroups: boundsGroups, order: order)
    }
  }
}
