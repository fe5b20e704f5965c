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
  /// Errors: `queryTooLong` (256 bytes, 32 words), `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: a walk from the newest post on, until the page is full.
  public func searchPosts(_ query: String, _ search: PostSearch = PostSearch()) throws(KithError) -> PostPage {
    let sight = try sight(of: search.viewer)
    try Self.check(limit: search.limit)
    if search.following && sight.viewer == nil {
      throw .invalidRequest(reason: "posts of those one follows need a viewer")
    }
    let author: UInt32? = if let user = search.author { try visibleUser(user, sight) } else { nil }
    let text = Folding.trimmed(query)
    let terms = Terms(text, fold: search.fold)
    if text.utf8.count > Limits.queryByteCount || terms.count > Limits.queryTermCount { throw .queryTooLong }
    let kind = Self.kind(search)
    let subject = search.author?.rawValue ?? 0
    var (low, high) = Self.bounds(before: search.before, after: search.after)
    if let cursor = search.cursor { high = min(high, try Self.postKey(cursor, kind: kind, subject: subject)) }
    if terms.matchNothing || low >= high { return PostPage(nil) }
    var walk = PostWalk(terms: terms, author: author, among: search.following ? sight.viewer : nil, sight: sight)
    var rows = walk.rows(state, low: low, high: high, limit: search.limit + 1)
    var next: Cursor?
    if rows.count > search.limit {
      rows.removeLast()
      if let last = rows.last { next = cursor(kind, subject: subject, at: last) }
    }
    var ranges: [[Range<Int>]]?
    if search.highlighting { ranges = rows.map { Highlights.ranges(of: terms, in: state.posts.texts.bytes(Int($0))) } }
    return PostPage(posts(rows, sight), next: next, ranges: ranges)
  }

  private static func kind(_ search: PostSearch) -> CursorContent.Kind {
    switch (search.author != nil, search.following) {
    case (false, false): .posts
    case (true, false): .postsOfAuthor
    case (false, true): .postsOfFollowees
    case (true, true): .postsOfAuthorAmongFollowees
    }
  }
}

/// A walk over posts from the newest on that keeps those in which all words stand.
private struct PostWalk {
  let terms: Terms
  let author: UInt32?
  /// Whose followees the authors must be.
  let among: UInt32?
  let sight: GraphView.Sight
  /// Words that do not stand in an author's name, by author: looked up once a walk.
  private var missingInName: [UInt32: UInt64] = [:]

  init(terms: Terms, author: UInt32?, among: UInt32?, sight: GraphView.Sight) {
    self.terms = terms
    self.author = author
    self.among = among
    self.sight = sight
  }

  mutating func rows(_ state: borrowing GraphState, low: PostKey, high: PostKey, limit: Int) -> [UInt32] {
    if let author { return walk(state, state.posts.byAuthor, list: Int(author), low, high, limit) }
    return walk(state, state.posts.all, list: 0, low, high, limit)
  }

  private mutating func walk(
    _ state: borrowing GraphState, _ lists: borrowing PackedLists<UInt32>, list: Int, _ low: PostKey, _ high: PostKey,
    _ limit: Int
  ) -> [UInt32] {
    var found: [UInt32] = []
    var place = lists.partitionPoint(of: list) { state.posts.isBefore($0, high) }
    while found.count < limit, let (row, position) = lists.element(before: place, of: list) {
      place = position
      if state.posts.key(row) <= low { break }
      if matches(row, state) { found.append(row) }
    }
    return found
  }

  private mutating func matches(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    let writer = state.posts.authors[row]
    if sight.hides(writer, state) { return false }
    if let among, !state.follows.contains(among, writer) { return false }
    if terms.isEmpty { return true }
    let inName: UInt64
    if let known = missingInName[writer] {
      inName = known
    } else {
      inName = terms.missing(terms.all, in: state.users.names.bytes(Int(writer)))
      missingInName[writer] = inName
    }
    return inName == 0 || terms.missing(inName, in: state.posts.texts.bytes(Int(row))) == 0
  }
}
