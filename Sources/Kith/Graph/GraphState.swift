/// The whole graph as plain data. `apply` is the only way to change it; `pin` the only way to a second one.
///
/// Users and posts have rows, dense numbers in order of appearance; ids are mapped to rows once, at the edge of a call.
struct GraphState: ~Copyable, Sendable {
  // Made by the inits, here and below: a value that stands at a property is made for every pin too, and thrown away
  // (a pin of 388,000 instructions).
  var users: UserTable
  var posts: PostTable
  var follows: Relation
  /// Of `follows`.
  var popularity: Popularity
  /// Users to posts.
  var likes: Relation
  var blocks: Relation
  var mutes: Relation
  /// The number of the last change.
  var sequence: UInt64 = 0
  /// What questions over several hops write on; a graph shares it with its pins.
  let marks: RowMarksPool
  /// By user: the coarse time that the newest post of each author on their last first page of a timeline reached;
  /// shared likewise.
  let timelineHints: RowHints

  init() {
    users = UserTable()
    posts = PostTable()
    follows = Relation()
    popularity = Popularity()
    likes = Relation()
    blocks = Relation()
    mutes = Relation()
    marks = RowMarksPool()
    timelineHints = RowHints()
  }

  private init(
    users: consuming UserTable, posts: consuming PostTable, follows: consuming Relation,
    popularity: consuming Popularity, likes: consuming Relation, blocks: consuming Relation,
    mutes: consuming Relation, sequence: UInt64, marks: RowMarksPool,
    timelineHints: RowHints
  ) {
    self.users = users
    self.posts = posts
    self.follows = follows
    self.popularity = popularity
    self.likes = likes
    self.blocks = blocks
    self.mutes = mutes
    self.sequence = sequence
    self.marks = marks
    self.timelineHints = timelineHints
  }

  /// The graph as of now: shares all pages, and neither side sees what the other writes from now on.
  /// - Complexity: O(1): a few dozen roots.
  mutating func pin() -> GraphState {
    GraphState(
      users: users.pin(), posts: posts.pin(), follows: follows.pin(), popularity: popularity.pin(),
      likes: likes.pin(), blocks: blocks.pin(), mutes: mutes.pin(), sequence: sequence, marks: marks,
      timelineHints: timelineHints)
  }

  var counts: Counts {
    Counts(
      users: users.count, posts: posts.count, follows: follows.count, likes: likes.count, blocks: blocks.count,
      mutes: mutes.count)
  }

  // MARK: - From ids to rows

  func userRow(_ id: UserID) throws(KithError) -> UInt32 {
    guard let row = users.row(of: id) else { throw .unknownUser(String(id.rawValue)) }
    return row
  }

  func postRow(_ id: PostID) throws(KithError) -> UInt32 {
    guard let row = posts.row(of: id) else { throw .unknownPost(id.rawValue) }
    return row
  }

  func userID(_ row: UInt32) -> UserID { UserID(users.identifiers.id(of: row)) }
  func postID(_ row: UInt32) -> PostID { PostID(posts.identifiers.id(of: row)) }

  /// Whether either of two users blocks the other.
  func isBlocked(_ user: UInt32, _ other: UInt32) -> Bool {
    blocks.contains(user, other) || blocks.contains(other, user)
  }

  /// Who may stand across a block from a user; nil where nobody does.
  /// - Complexity: O(blocks of the user, both ways).
  func blockSignature(of user: UInt32) -> RowSignature? {
    if blocks.targetCount(user) == 0 && blocks.sourceCount(user) == 0 { return nil }
    var signature = RowSignature()
    blocks.forward.forEachRun(of: Int(user)) { targets in
      for index in targets.indices { signature.insert(Relation.target(targets[index])) }
    }
    blocks.backward.forEachRun(of: Int(user)) { sources in
      for index in sources.indices { signature.insert(sources[index]) }
    }
    return signature
  }
}
