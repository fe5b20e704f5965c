/// People found by name.
extension GraphView {
  /// Users whose name matches a query, in the order asked for, ties by (loose key, exact name, id).
  ///
  /// White space at the query's ends is cut off; an empty one asks for everybody. Every character is literal. A fuzzy
  /// search has an order of its own, edits before names. A regular expression is as `Match.regex` says. Whoever
  /// stands across a block from the viewer is left out, before the limit. In the orders `followedFirst` and `popular`,
  /// people whose follows changed between two pages may come again or be missed.
  /// Errors: `queryTooLong`, `unknownUser`, `invalidRequest`, `invalidCursor`; `cancelled` when the task that asks is
  /// cancelled during a long search; of patterns `invalidPattern`, `budgetExceeded`, and `unsupported` without the
  /// package trait `Regex`.
  /// - Complexity: by name O(limit) for one and two letters, whatever the size; else bounded by the rarest three bytes
  ///   of the query. Prefix first: the same twice. Followed first: the same, and O(followees) at worst. Popular:
  ///   see `popular`. Fuzzy: bounded by the runs of the query that the edits leave whole. Regular expressions: by the
  ///   texts that every match holds; without any, O(names).
  public func searchUsers(_ query: String, _ search: UserSearch = UserSearch()) throws(KithError) -> UserPage {
    let sight = try sight(of: search.viewer)
    try Self.check(limit: search.limit)
    let excluded: UInt32? = if let user = search.excluding { try state.userRow(user) } else { nil }
    var walk = UserWalk(
      query: try Self.nameQuery(query, search), sight: sight, excluded: excluded, limit: search.limit + 1)
    let isFuzzy = search.match == .fuzzy
    let kind = isFuzzy ? .usersFuzzy : search.order.cursorKind
    if let cursor = search.cursor {
      if kind == .usersByName {
        walk.after = try nameKey(cursor, kind: kind, subject: 0)
      } else {
        (walk.after, walk.afterFront) = try place(cursor, kind: kind)
      }
    }
    let found: [FoundName] =
      switch search.order {
      case .name where isFuzzy: try fuzzy(walk)
      case .name: try byName(walk)
      case .prefixFirst: try prefixFirst(walk)
      case .followedFirst: try followedFirst(walk)
      case .popular: try popular(walk)
      }
    if !walk.query.goesOn { throw .budgetExceeded }
    let rows = found.prefix(search.limit).lazy.map { $0.row }
    return UserPage(
      people(rows, sight), next: found.count > search.limit ? cursor(kind, at: found[search.limit - 1]) : nil,
      total: search.counting ? try isFuzzy ? fuzzyCount(walk) : count(walk.query, walk) : nil,
      ranges: search.highlighting
        ? rows.map { Highlights.ranges(of: walk.query, in: state.users.names.bytes(Int($0))) } : nil)
  }

  /// One search as it is made: what is asked for, by whom, from where on.
  struct UserWalk {
    let query: NameQuery
    let sight: Sight
    let excluded: UInt32?
    /// One more than a page holds, to know whether there are more.
    let limit: Int
    var after: NameKey?
    /// What the order puts before the name; nil where it begins at the beginning, or is by name alone.
    var afterFront: Int?
  }

  /// Whether a match may be shown.
  func accepts(_ row: UInt32, _ walk: UserWalk) -> Bool { row != walk.excluded && !walk.sight.hides(row, state) }

  private func byName(_ walk: UserWalk) throws(KithError) -> [FoundName] {
    let search = NameSearch(query: walk.query, after: walk.after, limit: walk.limit)
    return try found(search) { row in accepts(row, walk) ? .take(front: 0) : .leaveOut }
  }

  /// A search that runs to its end.
  func found(
    _ search: NameSearch, judge: (UInt32) -> NameSearch.Judgement
  ) throws(KithError) -> [FoundName] {
    let (found, end) = state.users.search.search(search, names: state.users.names, judge: judge)
    if end == .cancelled { throw .cancelled }
    if !search.query.goesOn { throw .budgetExceeded }
    return found
  }

  func count(_ query: NameQuery, _ walk: UserWalk) throws(KithError) -> Int {
    let count = state.users.search.count(query, names: state.users.names) { accepts($0, walk) }
    guard let count else { throw .cancelled }
    if !query.goesOn { throw .budgetExceeded }
    return count
  }

  private static func nameQuery(_ query: String, _ search: UserSearch) throws(KithError) -> NameQuery {
    if search.order == .followedFirst && search.viewer == nil {
      throw .invalidRequest(reason: "order followedFirst needs a viewer: whose follows?")
    }
    if search.match == .fuzzy && search.order != .name {
      throw .invalidRequest(reason: "match fuzzy has an order of its own, not \(search.order)")
    }
    let text = search.match == .regex ? query : Folding.trimmed(query)
    if text.utf8.count > Limits.queryByteCount { throw .queryTooLong }
    if search.match == .regex { return try expression(text) }
    let match: NameQuery.Match =
      switch search.match {
      case .substring, .fuzzy, .regex: .substring
      case .prefix: .prefix
      case .exact: .exact
      }
    return NameQuery(text: text, match: match, fold: search.fold)
  }

  // MARK: - Cursors

  private func cursor(_ kind: CursorContent.Kind, at found: FoundName) -> Cursor {
    let id = state.userID(found.row).rawValue
    let numbers = kind == .usersByName ? [id] : [id, Int64(found.front)]
    let name = state.users.names.bytes(of: Int(found.row)..<Int(found.row) + 1)
    return CursorContent(kind: kind, numbers: numbers, name: name).cursor
  }

  /// The place of a cursor in an order that puts something before the name.
  private func place(_ cursor: Cursor, kind: CursorContent.Kind) throws(KithError) -> (NameKey, Int) {
    let content = try CursorContent(cursor, kind: kind, numberCount: 2)
    guard let front = Int(exactly: content.numbers[1]), front >= 0 else { throw .invalidCursor }
    return (try nameKey(content), front)
  }
}

extension UserSearch.Order {
  fileprivate var cursorKind: CursorContent.Kind {
    switch self {
    case .name: .usersByName
    case .prefixFirst: .usersPrefixFirst
    case .followedFirst: .usersFollowedFirst
    case .popular: .usersPopular
    }
  }
}
