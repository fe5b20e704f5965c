/// The users at one end of a user's or a post's edges, with validated parameters. Each method is the plan of one order.
struct RelationList {
  let kind: RelationKind
  let side: RelationSide
  let own: UInt32
  let visibility: Visibility
  let cursor: Cursor?
  let page: EdgePage
  /// Whether blocks hide nothing.
  var hidesNone: Bool
  /// The only user that may be shown; nil for no bound.
  var only: UInt32?
  /// How the time of an edge is shown.
  let event: UserRecord.TimedEvent

  /// Whether a user is left out of the list.
  private func hides(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    !hidesNone && visibility.hides(row, state)
  }

  private func count(_ state: borrowing GraphState) -> Int {
    side == .sources ? state[kind].sourceCount(own) : state[kind].targetCount(own)
  }

  /// The timestamp of the edge between the subject and one of the list; nil where there is none.
  private func timestamp(_ row: UInt32, _ state: borrowing GraphState) -> UInt32? {
    side == .sources ? state[kind].timestamp(row, own) : state[kind].timestamp(own, row)
  }

  // MARK: - By time

  func byTime(isAscending: Bool, _ state: borrowing GraphState) throws(KithError) -> Page<User> {
    if side == .sources && only == nil { return try sources(isAscending: isAscending, state) }
    var last = try page.last(cursor)
    // The order is descending; an ascending one is that of the complements.
    if isAscending { last = last.map { (~$0.timestamp, ~$0.id) } }
    var selection = EdgeSelection(limit: page.limit + 1, after: last)
    if isAscending || only != nil {
      for (row, timestamp) in found(state) where !hides(row, state) {
        var edge = EdgeSelection.Edge(timestamp: timestamp, id: state.users.identifiers.ids[row], row: row)
        if isAscending { edge.complement() }
        selection.push(edge)
      }
    } else {
      selection.push(targetsOf: own, in: state[kind]) { row in
        hides(row, state) ? nil : state.users.identifiers.ids[row]
      }
    }
    var edges = selection.best()
    if isAscending { for index in edges.indices { edges[index].complement() } }
    let next = page.cut(&edges)
    return Page(UserRecords(edges, event, visibility, state), next: next)
  }

  /// The only user that may be shown, or all targets, each with the timestamp of the edge.
  private func found(_ state: borrowing GraphState) -> [(row: UInt32, timestamp: UInt32)] {
    if let only { return timestamp(only, state).map { [(only, $0)] } ?? [] }
    var found: [(row: UInt32, timestamp: UInt32)] = []
    state[kind].forEachTarget(of: own) { found.append(($0, $1)) }
    return found
  }

  private func sources(isAscending: Bool, _ state: borrowing GraphState) throws(KithError) -> Page<User> {
    let place = state[kind].place(
      in: own, after: try page.last(cursor), isAscending: isAscending, ids: state.users.identifiers.ids)
    return page.sources(of: own, in: state[kind], from: place, isAscending: isAscending, event, state)
  }

  // MARK: - By id

  func byID(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    var last: Int64 = 0
    if let cursor {
      last = try CursorContent(cursor, kind: page.kind, subject: page.subject, numberCount: 1).numbers[0]
    }
    var found: [(id: Int64, row: UInt32)] = []
    for row in rows(state) where !hides(row, state) {
      let id = state.users.identifiers.ids[row]
      if id > last { found.append((id, row)) }
    }
    found.sort { $0.id < $1.id }
    let count = min(found.count, page.limit)
    var next: Cursor?
    if found.count > count {
      next = CursorContent(kind: page.kind, subject: page.subject, numbers: [found[count - 1].id]).cursor
    }
    let shown = found.span.extracting(first: count)
    return Page(UserRecords(shown, viewer: visibility.viewer, state) { $0.row }, next: next)
  }

  private func rows(_ state: borrowing GraphState) -> [UInt32] {
    if let only { return timestamp(only, state) == nil ? [] : [only] }
    return side == .sources ? state[kind].sources(of: own) : state[kind].targets(of: own)
  }

  // MARK: - By name

  /// Lists in name order. Short lists are sorted; for long ones, all names are walked.
  func byName(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    let after = try cursor.map { (cursor) throws(KithError) in
      try NameKey(cursor, kind: page.kind, subject: page.subject, binding: page.binding, state.users)
    }
    let count = count(state)
    // A walk passes users / count names for each that it keeps; sorting folds every name of the list.
    let walks =
      only == nil && !state.users.hasKinds && count > 64 && (page.limit + 1) * state.users.count / count < 4 * count
    var rows = walks ? try walked(after: after, state) : sorted(after: after, state)
    let hasNext = rows.count > page.limit
    if hasNext { rows.removeLast(rows.count - page.limit) }
    let edges = rows.map { row in
      EdgeSelection.Edge(timestamp: timestamp(row, state) ?? 0, id: state.users.identifiers.ids[row], row: row)
    }
    let records = UserRecords(edges, event, visibility, state)
    let binding = page.binding == 0 ? nil : Int(page.binding)
    let next = hasNext ? Cursor(page.kind, subject: page.subject, rank: binding, lastOf: records) : nil
    return Page(records, next: next)
  }

  /// The plan for a long list: a walk of all names.
  private func walked(after start: NameKey?, _ state: borrowing GraphState) throws(KithError) -> [UInt32] {
    let allUsers = NameQuery(text: "", match: .substring, fold: .loose)
    let search = NameSearch(query: allUsers, after: start, limit: page.limit + 1)
    var budget = QueryBudget()
    return try state.users.execute(search, ofKind: 0, &budget) { row, _ in
      timestamp(row, state) != nil && !hides(row, state) ? 0 : nil
    }.map(\.row)
  }

  /// The plan for a short list: a sort of its names.
  private func sorted(after start: NameKey?, _ state: borrowing GraphState) -> [UInt32] {
    // Users of different kinds can have one name.
    var keyed: [(key: NameKey, id: Int64, row: UInt32)] = []
    for row in rows(state) where !hides(row, state) {
      let key = NameKey(name: Array(state.users.names.string(Int(row)).utf8))
      let id = state.users.identifiers.ids[row]
      if let start, !(start < key || start.id < id && start.name == key.name) { continue }
      keyed.append((key, id, row))
    }
    keyed.sort { $0.key < $1.key || $0.key.name == $1.key.name && $0.id < $1.id }
    return keyed.map(\.row)
  }
}

extension EdgeSelection.Edge {
  /// Makes the order of edges the opposite one.
  mutating func complement() { (timestamp, id) = (~timestamp, ~id) }
}
