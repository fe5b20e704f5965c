/// Lists the users at the other end of a user's edges: followees, followers, blocked or muted users.
///
/// Edges with times are listed newest first or by name, those without by id. Likes are between a user and a post, and
/// have separate queries (`LikersQuery`, `LikesQuery`).
struct RelationListQuery: Query {
  let kind: RelationKind
  let side: RelationSide
  let user: UserID
  let query: ListQuery

  /// A list that there is not, which `run` refuses, is counted with the relations.
  var operation: GraphOperation { GraphOperation(kind, side) ?? .relations }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    let visibility = try Visibility(of: query.viewer, state)
    // A private list is visible to its owner alone, and blocks hide nothing on it.
    let facts = kind.facts
    let own = facts.isPrivate ? try state.userRow(user) : try visibility.row(of: user, state)
    let order: RelationOrder = !facts.hasTime ? .id : query.order == .name ? .name : .newest
    guard let cursorKind = CursorContent.Kind(kind, side, order) else {
      throw .invalidRequest(.noSuchList(of: kind.plural))
    }
    let list = RelationList(
      kind: kind, side: side, own: own, visibility: visibility, query: query,
      page: EdgePage(kind: cursorKind, subject: user.rawValue, limit: query.limit, visibility: visibility),
      isPrivate: facts.isPrivate)
    switch (order, side) {
    case (.newest, .targets): return try list.targets(state)
    case (.newest, .sources): return try list.sources(state)
    case (.name, _): return try list.byName(state)
    case (.id, _): return try list.byID(state)
    }
  }

  func dependencies(of page: Page<User>) -> [QueryDependency] {
    let isByName = query.order == .name && kind.facts.hasTime
    return [.edges(kind, side, of: user)] + (isByName ? [.anyName] : []) + QueryDependency.hidden(from: query.viewer)
      + QueryDependency.shown(page)
  }
}

/// A list with validated parameters. Each method is the plan of one order.
private struct RelationList {
  let kind: RelationKind
  let side: RelationSide
  let own: UInt32
  let visibility: Visibility
  let query: ListQuery
  let page: EdgePage
  let isPrivate: Bool

  /// How the time of an edge is shown.
  private var event: UserRecord.TimedEvent { kind == .follow ? .followed : .none }

  /// Whether a user is left out of the list.
  private func hides(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    !isPrivate && visibility.hides(row, state)
  }

  // MARK: - Newest first

  func targets(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    var selection = try page.selection(query.cursor)
    state[kind].forEachTarget(of: own) { row, timestamp in
      if !selection.wants(timestamp) || hides(row, state) { return }
      selection.push(.init(timestamp: timestamp, id: state.users.identifiers.ids[row], row: row))
    }
    var edges = selection.best()
    let next = page.cut(&edges)
    return Page(UserRecords(edges, event, visibility, state), next: next)
  }

  func sources(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    var place = state[kind].backward.endPosition(of: Int(own))
    if let last = try page.last(query.cursor) {
      place = state[kind].backwardPosition(
        own, timestamp: last.timestamp, id: last.id, ids: state.users.identifiers.ids)
    }
    return page.sources(of: own, in: state[kind], from: place, isAscending: false, event, state)
  }

  // MARK: - By id

  func byID(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    var last: Int64 = 0
    if let cursor = query.cursor {
      last = try CursorContent(cursor, kind: page.kind, subject: page.subject, numberCount: 1).numbers[0]
    }
    var found: [(id: Int64, row: UInt32)] = []
    for row in rows(state) where !hides(row, state) {
      let id = state.users.identifiers.ids[row]
      if id > last { found.append((id, row)) }
    }
    found.sort { $0.id < $1.id }
    let count = min(found.count, query.limit)
    var next: Cursor?
    if found.count > count {
      next = CursorContent(kind: page.kind, subject: page.subject, numbers: [found[count - 1].id]).cursor
    }
    return Page(UserRecords(count: count, visibility, state) { found[$0].row }, next: next)
  }

  private func rows(_ state: borrowing GraphState) -> [UInt32] {
    side == .sources ? state[kind].sources(of: own) : state[kind].targets(of: own)
  }

  // MARK: - By name

  /// Lists in name order. Short lists are sorted; for long ones, all names are walked.
  func byName(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    var after: NameKey?
    if let cursor = query.cursor {
      after = try NameKey(cursor, kind: page.kind, subject: page.subject, state.users)
    }
    let count = side == .sources ? state[kind].sourceCount(own) : state[kind].targetCount(own)
    // A walk passes users / count names for each that it keeps; sorting folds every name of the list.
    let walks = count > 64 && (query.limit + 1) * state.users.count / count < 4 * count
    var rows = walks ? try walked(after: after, state) : sorted(after: after, state)
    let hasNext = rows.count > query.limit
    if hasNext { rows.removeLast(rows.count - query.limit) }
    let edges = rows.map { row in
      EdgeSelection.Edge(timestamp: timestamp(row, state) ?? 0, id: state.users.identifiers.ids[row], row: row)
    }
    let records = UserRecords(edges, event, visibility, state)
    let next = hasNext ? Cursor(page.kind, subject: page.subject, lastOf: records) : nil
    return Page(records, next: next)
  }

  /// The timestamp of the edge between the user and one of the list; nil where there is none.
  private func timestamp(_ row: UInt32, _ state: borrowing GraphState) -> UInt32? {
    side == .sources ? state[kind].timestamp(row, own) : state[kind].timestamp(own, row)
  }

  /// The plan for a long list: a walk of all names.
  private func walked(after start: NameKey?, _ state: borrowing GraphState) throws(KithError) -> [UInt32] {
    let allUsers = NameQuery(text: "", match: .substring, fold: .loose)
    let search = NameSearch(query: allUsers, after: start, limit: query.limit + 1)
    var budget = QueryBudget()
    return try state.users.execute(search, &budget) { row, _ in
      timestamp(row, state) != nil && !hides(row, state) ? 0 : nil
    }.map(\.row)
  }

  /// The plan for a short list: a sort of its names.
  private func sorted(after start: NameKey?, _ state: borrowing GraphState) -> [UInt32] {
    var keyed: [(key: NameKey, row: UInt32)] = []
    for row in rows(state) where !hides(row, state) {
      let key = NameKey(name: Array(state.users.names.string(Int(row)).utf8))
      if let start, !(start < key || start.precedesItsName && start.name == key.name) { continue }
      keyed.append((key, row))
    }
    keyed.sort { $0.key < $1.key }
    return keyed.map(\.row)
  }
}
