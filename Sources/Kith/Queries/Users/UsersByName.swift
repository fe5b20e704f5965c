/// A user search by name: checks the parameters, chooses the plan of the order, builds the page.
struct UsersByName: Query {
  /// The bytes of a prefix that often no name has. Shorter ones are not looked up ahead: that takes 0.1 µs more where
  /// there are names.
  private static let rarePrefixByteCount = 4

  let text: String
  let query: UserQuery
  var operation: GraphOperation { .users }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    let visibility = try Visibility(of: query.viewer, includesBlocked: query.includesBlocked, state)
    try SocialGraph.Limits.check(pageLimit: query.limit)
    let userKind = try state.relations.number(ofKind: query.kind)
    let excluded: UInt32? = if let user = query.excludedUser { try state.userRow(user) } else { nil }
    try checkOrder(visibility)
    var prefixStart: NameSegment.Place?
    if userKind == 0 && hasNoMatch(state, &prefixStart) {
      return Page(
        nil as UserRecords?, total: query.countsMatches ? 0 : nil,
        highlights: query.includesHighlights ? NameHighlights() : nil)
    }
    // Not in a constant, which would be copied.
    var plan = UserQueryPlan(
      NameSearch(query: try nameQuery(userKind, state), limit: query.limit + 1, prefixStart: prefixStart), visibility,
      userKind, excluded: excluded, query.flags, state)
    var budget = QueryBudget()
    let isFuzzy = query.match == .fuzzy
    let kind = isFuzzy ? .usersFuzzy : query.order.schema.cursorKind
    if !isFirstPage, let cursor = query.cursor { try plan.begin(after: cursor, kind, state) }
    let found = isFuzzy ? try plan.fuzzy(state) : try query.order.execute(plan, state, &budget)
    let count = min(found.count, query.limit)
    let shown = found.span.extracting(first: count)
    let records = found.isEmpty ? nil : UserRecords(shown, viewer: visibility.viewer, state) { $0.row }
    var (next, highlights): (Cursor?, NameHighlights?)
    if found.count > count, let records {
      let rank = kind == .usersByName ? nil : found[query.limit - 1].rank
      next = Cursor(kind, rank: rank, lastOf: records)
    }
    if query.includesHighlights {
      var ranges = NameHighlights()
      for index in 0..<count {
        let row = found[index].row
        let name = Highlights.ranges(of: plan.query, in: state.users.names.bytes(Int(row)))
        let inDisplayName = state.users.withDisplayName(row) { Highlights.ranges(of: plan.query, in: $0) }
        ranges.append(name, query.names == .either ? inDisplayName : [])
      }
      highlights = ranges
    }
    return Page(
      records, next: next,
      total: query.countsMatches
        ? try isFuzzy ? plan.fuzzyCount(state) : plan.count(plan.query, state, &budget) : nil,
      highlights: highlights)
  }

  func dependencies(of page: Page<User>) -> [QueryDependency] {
    let ranks: [QueryDependency] =
      switch query.order.schema.ranksBy {
      case .nothing: []
      case .followees: query.viewer.map { [.followees(of: $0)] } ?? []
      case .follows: [.anyFollow]
      }
    return [.anyName] + QueryDependency.hidden(from: query.viewer) + ranks + QueryDependency.shown(page)
  }

  /// Whether there is no cursor. Comparing the cursor with nil copies the query.
  private var isFirstPage: Bool { if case nil = query.cursor { true } else { false } }

  private func checkOrder(_ visibility: Visibility) throws(KithError) {
    if query.order.schema.needsViewer && visibility.viewer == nil {
      throw .invalidRequest(.orderNeedsViewer("\(query.order)"))
    }
    if query.match == .fuzzy && query.order != .name {
      throw .invalidRequest(.fuzzyOrder("\(query.order)"))
    }
  }

  /// Whether the trigrams of a text, or the place of a prefix, tell that no name matches. Most texts without a match
  /// end here, before anything is allocated.
  private func hasNoMatch(_ state: borrowing GraphState, _ prefixStart: inout NameSegment.Place?) -> Bool {
    // A cursor may be invalid, and a long text is an error: both are detected later.
    guard query.match == .substring || query.match == .prefix, isFirstPage else { return false }
    return text.withBytes { utf8 in
      guard utf8.count <= SocialGraph.Limits.queryByteCount, Folding.isTrimmedASCII(utf8) else { return false }
      if query.match == .substring { return state.users.search.lacksTrigram(of: utf8) }
      return utf8.count >= Self.rarePrefixByteCount && state.users.search.lacksPrefix(utf8, &prefixStart)
    }
  }

  private func nameQuery(_ kind: UInt8, _ state: borrowing GraphState) throws(KithError) -> NameQuery {
    var query = try nameQuery()
    if query.isEmpty { return query }
    query.names = state.users.namesSearched(
      ofKind: kind, ofUsernames: self.query.match == .regex || self.query.names == .username)
    return query
  }

  private func nameQuery() throws(KithError) -> NameQuery {
    let text = query.match == .regex ? text : Folding.trimmed(text)
    if text.utf8.count > SocialGraph.Limits.queryByteCount { throw .queryTooLong }
    if query.match == .regex { return try Self.expression(text) }
    let match: NameQuery.Match =
      switch query.match {
      case .substring, .fuzzy, .regex: .substring
      case .prefix: .prefix
      case .exact: .exact
      }
    return NameQuery(text: text, match: match, fold: query.fold)
  }
}

/// The plan of one user search: what matches, which users are omitted, and where the page begins.
struct UserQueryPlan {
  /// The search by name alone, from the key of the last user of the previous page on. Its limit is one more than a page
  /// holds, to detect another page.
  private(set) var search: NameSearch
  let visibility: Visibility
  /// The number of the kind of those who are searched.
  let kind: UInt8
  let excluded: UInt32?
  private let flags: FlagFilter
  /// Whether some users may be of another kind, or lack the flags.
  private let asksMore: Bool
  /// The rank of the last user of the previous page, which sorts before the name; nil for the first page, and in name
  /// order.
  private(set) var afterRank: Int?

  var query: NameQuery { search.query }
  var after: NameKey? { search.after }
  var limit: Int { search.limit }

  init(
    _ search: consuming NameSearch, _ visibility: Visibility, _ kind: UInt8, excluded: UInt32?, _ flags: FlagFilter,
    _ state: borrowing GraphState
  ) {
    asksMore = !flags.isEmpty || state.users.hasKinds
    self.search = search
    self.kind = kind
    self.flags = flags
    self.visibility = visibility
    self.excluded = excluded
  }

  /// Begins after a cursor.
  /// - Throws: `invalidCursor`.
  mutating func begin(
    after cursor: Cursor, _ kind: CursorContent.Kind, _ state: borrowing GraphState
  ) throws(KithError) {
    if kind == .usersByName {
      search.after = try NameKey(cursor, kind: kind, subject: 0, ofKind: self.kind, state.users)
      return
    }
    let content = try CursorContent(cursor, kind: kind, numberCount: 2)
    guard let rank = Int(exactly: content.numbers[1]), rank >= 0 else { throw .invalidCursor }
    search.after = try NameKey(content, ofKind: self.kind, state.users)
    afterRank = rank
  }

  /// Whether a match may be shown.
  @inline(__always)
  func accepts(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    row != excluded && !visibility.hides(row, state) && (!asksMore || passes(row, state))
  }

  /// Whether a user has the kind and the flags.
  @inline(never)
  private func passes(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    let card = state.users.names.card(row)
    return card.kind == kind && flags.passes(card.flags)
  }

  func byName(_ state: borrowing GraphState, _ budget: inout QueryBudget) throws(KithError) -> [FoundName] {
    budget.beginPlan()
    let found = state.users.find(search, ofKind: kind, &budget) { row, _ in accepts(row, state) ? 0 : nil }
    try budget.check()
    return found
  }

  func count(
    _ query: NameQuery, _ state: borrowing GraphState, _ budget: inout QueryBudget
  ) throws(KithError) -> Int {
    budget.beginPlan()
    let count = state.users.count(query, ofKind: kind, &budget) { accepts($0, state) }
    try budget.check()
    return count
  }
}

extension UserTable {
  /// Runs a search of the name index to its end.
  /// - Throws: `cancelled`, `budgetExceeded`.
  func execute(
    _ search: NameSearch, ofKind kind: UInt8, _ budget: inout QueryBudget, rank: (UInt32, inout QueryBudget) -> Int?
  ) throws(KithError) -> [FoundName] {
    budget.beginPlan()
    let found = find(search, ofKind: kind, &budget, rank: rank)
    try budget.check()
    return found
  }
}
