/// A post search: posts that contain every word of a text, newest first. Checks the parameters, executes, builds the
/// page.
struct PostsByWords: Query {
  let text: String
  let query: PostQuery
  var operation: GraphOperation { .posts }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<Post> {
    let visibility = try Visibility(of: query.viewer, state)
    try SocialGraph.Limits.check(pageLimit: query.limit)
    if query.followedOnly && visibility.viewer == nil {
      throw .invalidRequest(.followedOnlyNeedsViewer)
    }
    let author: UInt32? = if let user = query.author { try visibility.row(of: user, state) } else { nil }
    let items = try visibility.hidingMuted(query.leavesOutMuted, state)
    let terms = try terms()
    let subject = query.author?.rawValue ?? 0
    var range = PostRange(before: query.before, after: query.after)
    if let cursor = query.cursor { range.high = min(range.high, try PostKey(cursor, kind: kind, subject: subject)) }
    if terms.matchNothing || range.isEmpty { return Page(nil) }
    var executor = PostQueryExecutor(
      terms: terms, author: author, among: query.followedOnly ? visibility.viewer : nil, visibility: items,
      scope: PostScope(query, state), range: range, limit: query.limit + 1)
    var rows = try executor.rows(state)
    var next: Cursor?
    if rows.count > query.limit {
      rows.removeLast()
      if let last = rows.last { next = Cursor(kind, subject: subject, at: last, state.posts) }
    }
    var highlights: [[Range<Int>]]?
    if query.includesHighlights {
      highlights = rows.map { executor.highlights(in: $0, state) }
    }
    let records = PostRecords(rows.span, visibility, state, includesAuthors: query.includesAuthors)
    return Page(
      records, next: next, highlights: highlights.map { NameHighlights(names: $0, displayNames: nil) })
  }

  func dependencies(of page: Page<Post>) -> [QueryDependency] {
    var dependencies: [QueryDependency] = [query.author.map { .posts(by: $0) } ?? .anyPost, .anyName]
    if !query.flags.isEmpty { dependencies.append(.filtered) }
    return dependencies + QueryDependency.access(of: query.viewer, leavesOutMuted: query.leavesOutMuted)
      + QueryDependency.shown(page)
  }

  private func terms() throws(KithError) -> Terms {
    let text = Folding.trimmed(text)
    // Checked before the text is split into words, each of which is compared with all previous ones.
    if text.utf8.count > SocialGraph.Limits.queryByteCount { throw .queryTooLong }
    let terms = Terms(text, fold: query.fold)
    if terms.areMore(than: SocialGraph.Limits.queryTermCount) { throw .queryTooLong }
    return terms
  }

  private var kind: CursorContent.Kind {
    switch (query.author != nil, query.followedOnly) {
    case (false, false): .posts
    case (true, false): .postsOfAuthor
    case (false, true): .postsOfFollowees
    case (true, true): .postsOfAuthorAmongFollowees
    }
  }
}
