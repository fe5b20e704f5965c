/// Posts found by their words; and what lists in order of name share with the search for people.
extension GraphView {
  /// The place of a cursor that holds a name and an id.
  func nameKey(_ cursor: Cursor, kind: CursorContent.Kind, subject: Int64) throws(KithError) -> NameKey {
    try nameKey(try CursorContent(cursor, kind: kind, subject: subject, numberCount: 1))
  }

  /// The place of a cursor's content: a name, and first among its numbers an id.
  func nameKey(_ content: CursorContent) throws(KithError) -> NameKey {
    guard String(validating: content.name, as: UTF8.self) != nil else { throw .invalidCursor }
    var key = NameKey(name: content.name)
    // The name may be another's by now, whose place is by id.
    if let holder = state.users.row(named: content.name.span), state.userID(holder).rawValue > content.numbers[0] {
      key.precedesItsName = true
    }
    return key
  }

  /// Posts in which every word of a query stands, in the text or the author's name; newest first.
  ///
  /// Words are parted at white space; none at all asks for every post. Whoever stands across a block from the viewer is
  /// left out, before the limit.
  /// Errors: `queryTooLong` (256 bytes, 32 words), `unknownUser`, `invalidRequest`, `invalidCursor`; `cancelled` when
  /// the task that asks is cancelled during a long search.
  /// - Complexity: where words are frequent, a walk from the newest post on until the page is full. Else bounded by the
  ///   posts that hold the rarest word, or are by those with it in their name; O(posts) for words of signs alone that
  ///   no key holds, and while the index is off or not yet built (`isPostSearchIndexed`).
  public func searchPosts(_ query: String, _ search: PostSearch = PostSearch()) throws(KithError) -> PostPage {
    let sight = try sight(of: search.viewer)
    try Self.check(limit: search.limit)
    if search.following && sight.viewer == nil {
      throw .invalidRequest(reason: "posts of those one follows need a viewer")
    }
    let author: UInt32? = if let user = search.author { try visibleUser(user, sight) } else { nil }
    let text = Folding.trimmed(query)
    let terms = Terms(text, fold: search.fold)
    if text.utf8.count > Limits.queryByteCount || terms.areMore(than: Limits.queryTermCount) { throw .queryTooLong }
    let kind = Self.kind(search)
    let subject = search.author?.rawValue ?? 0
    var (low, high) = Self.bounds(before: search.before, after: search.after)
    if let cursor = search.cursor { high = min(high, try Self.postKey(cursor, kind: kind, subject: subject)) }
    if terms.matchNothing || low >= high { return PostPage(nil) }
    let finder = PostFinder(
      terms: terms, author: author, among: search.following ? sight.viewer : nil, sight: sight, low: low, high: high,
      limit: search.limit + 1)
    var rows = try finder.rows(state)
    var next: Cursor?
    if rows.count > search.limit {
      rows.removeLast()
      if let last = rows.last { next = cursor(kind, subject: subject, at: last) }
    }
    var ranges: [[Range<Int>]]?
    if search.highlighting { ranges = rows.map { Highlights.ranges(of: terms, in: state.posts.texts.bytes(Int($0))) } }
    return PostPage(posts(rows, sight), next: next, ranges: ranges)
  }

  /// Whether every post is in the index (`Options.postIndex`). Until it is, as after a restore, searches look at one
  /// post after the other: exact, and slower.
  public var isPostSearchIndexed: Bool { state.posts.index.isWhole }

  private static func kind(_ search: PostSearch) -> CursorContent.Kind {
    switch (search.author != nil, search.following) {
    case (false, false): .posts
    case (true, false): .postsOfAuthor
    case (false, true): .postsOfFollowees
    case (true, true): .postsOfAuthorAmongFollowees
    }
  }
}
