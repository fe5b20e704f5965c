/// A page of a conversation.
public struct ThreadQuery: Hashable, Sendable {
  /// The order of a conversation: that of its posts, by time, then id.
  @nonexhaustive
  public enum Order: String, CaseIterable, Hashable, Sendable {
    /// Ascending: from the first post on.
    case oldest
    /// Descending.
    case newest
  }

  /// The order.
  public var order: Order
  /// Whether posts carry their authors as users (`Post.Author.user`).
  public var includesAuthors: Bool
  /// Whether posts of users are left out whom the viewer mutes, or hides from timelines (`Relation.hides`). Requires a
  /// viewer.
  public var leavesOutMuted: Bool
  /// The most posts of a page, 1…1,000.
  public var limit: Int
  /// The cursor of the page; nil for the first.
  public var cursor: Cursor?
  /// The viewer. Posts that the viewer may not see are omitted.
  public var viewer: UserID?

  /// The defaults: the first twenty.
  public init(
    order: Order = .oldest, includesAuthors: Bool = false, leavesOutMuted: Bool = false, limit: Int = 20,
    cursor: Cursor? = nil, viewer: UserID? = nil
  ) {
    self.order = order
    self.includesAuthors = includesAuthors
    self.leavesOutMuted = leavesOutMuted
    self.limit = limit
    self.cursor = cursor
    self.viewer = viewer
  }
}

/// A page of the posts that have the same root as a post.
struct PostsOfThread: Query {
  /// The page, and the root, which says what it depends on.
  struct Output: Equatable {
    let page: Page<Post>
    let root: PostID
  }

  let post: PostID
  let query: ThreadQuery
  var operation: GraphOperation { .thread }

  func run(_ state: borrowing GraphState) throws(KithError) -> Output {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    let visibility = try Visibility(of: query.viewer, state)
    let row = try visibility.row(of: post, state)
    let items = try visibility.hidingMuted(query.leavesOutMuted, state)
    let isAscending = query.order == .oldest
    let kind: CursorContent.Kind = isAscending ? .threadOldest : .threadNewest
    let last = try query.cursor.map { (cursor) throws(KithError) in
      try PostKey(cursor, kind: kind, subject: post.rawValue)
    }
    let root = state.declared.hasThreads ? state.declared.threads.root(of: row) : row
    var rows: [UInt32] = []
    rows.reserveCapacity(min(query.limit, 100) + 1)
    if !state.declared.hasThreads || state.declared.threads.lists.count(of: Int(root)) == 0 {
      // Without replies the post is alone.
      let isBehind = last.map { isAscending ? state.posts.isAfter(row, $0) : state.posts.isBefore(row, $0) } ?? true
      if isBehind && !items.hides(post: row, state) { rows.append(row) }
    } else {
      var place: PackedLists<UInt32>.Position?
      if let last { place = self.place(of: last, Int(root), isAscending, state) }
      // One more than the page holds.
      state.declared.threads.forEach(of: root, from: place, isAscending: isAscending) { row in
        if !items.hides(post: row, state) { rows.append(row) }
        return rows.count <= query.limit
      }
    }
    var next: Cursor?
    if rows.count > query.limit {
      rows.removeLast()
      next = Cursor(kind, subject: post.rawValue, at: rows[rows.count - 1], state.posts)
    }
    let records = PostRecords(rows.span, visibility, state, includesAuthors: query.includesAuthors)
    return Output(page: Page(records, next: next), root: state.postID(root))
  }

  /// Where the posts after the last one of a page begin; going down, where those before it end.
  private func place(
    of last: PostKey, _ list: Int, _ isAscending: Bool, _ state: borrowing GraphState
  ) -> PackedLists<UInt32>.Position {
    state.declared.threads.lists.partitionPoint(of: list) {
      isAscending ? !state.posts.isAfter($0, last) : state.posts.isBefore($0, last)
    }
  }

  func dependencies(of result: Output) -> [QueryDependency] {
    [.conversation(result.root), .removedPosts]
      + QueryDependency.access(of: query.viewer, leavesOutMuted: query.leavesOutMuted)
      + QueryDependency.shown(result.page)
  }
}

/// The posts that a post replies to, nearest first.
struct AncestorsOfPost: Query {
  let post: PostID
  let limit: Int
  let viewer: UserID?
  var includesAuthors = false
  var operation: GraphOperation { .ancestors }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<Post> {
    try SocialGraph.Limits.check(pageLimit: limit)
    let visibility = try Visibility(of: viewer, state)
    var row = try visibility.row(of: post, state)
    var rows: [UInt32] = []
    var isTruncated = false
    if state.declared.hasThreads {
      while let parent = state.declared.threads.parent(of: row) {
        row = parent
        if !state.posts.isLive(row) || visibility.hides(post: row, state) { continue }
        isTruncated = rows.count == limit
        if isTruncated { break }
        rows.append(row)
      }
    }
    return Page(
      PostRecords(rows.span, visibility, state, includesAuthors: includesAuthors), isTruncated: isTruncated)
  }

  func dependencies(of page: Page<Post>) -> [QueryDependency] {
    [.removedPosts] + QueryDependency.access(of: viewer) + QueryDependency.shown(page)
  }
}
