/// A page of a list of edges in the order of (timestamp, id): its cursors, and the scan of a target's sources.
struct EdgePage {
  let kind: CursorContent.Kind
  /// The user or post that the list belongs to.
  let subject: Int64
  /// A hash of the relation's name, where a kind of cursors serves all relations; else 0.
  var binding: UInt32 = 0
  let limit: Int
  let visibility: Visibility

  /// The last edge of the previous page; nil for the first page.
  /// - Throws: `invalidCursor`.
  @inline(__always)
  func last(_ cursor: Cursor?) throws(KithError) -> (timestamp: UInt32, id: Int64)? {
    guard let cursor else { return nil }
    let place = try CursorPlace(cursor, kind: kind, subject: subject)
    guard let first = UInt64(exactly: place.first), first >> 32 == UInt64(binding) else { throw .invalidCursor }
    return (UInt32(truncatingIfNeeded: first), place.second)
  }

  /// Selects the newest edges after the cursor: one more than the page holds.
  /// - Throws: `invalidCursor`.
  func selection(_ cursor: Cursor?) throws(KithError) -> EdgeSelection {
    EdgeSelection(limit: limit + 1, after: try last(cursor))
  }

  /// Removes the edges beyond the limit. Returns the cursor of the next page if there is one.
  func cut(_ edges: inout [EdgeSelection.Edge]) -> Cursor? {
    guard edges.count > limit else { return nil }
    edges.removeLast(edges.count - limit)
    guard let last = edges.last else { return nil }
    return cursor(timestamp: last.timestamp, id: last.id)
  }

  func cursor(timestamp: UInt32, id: Int64) -> Cursor {
    Cursor(CursorPlace(kind: kind, subject: subject, first: Int64(binding) << 32 | Int64(timestamp), second: id))
  }

  // MARK: - Sources of a target

  /// The page of a target's visible sources from a position on.
  func sources(
    of target: UInt32, in relation: borrowing Adjacency, from place: PackedLists<UInt32>.Position, isAscending: Bool,
    _ event: UserRecord.TimedEvent, _ state: borrowing GraphState
  ) -> Page<User> {
    // One more than the page holds, to detect another page.
    withTemporaryList(of: UInt32.self, capacity: min(limit, relation.sourceCount(target)) + 1) { rows in
      find(of: target, in: relation, from: place, isAscending: isAscending, state, &rows)
      return users(rows.span, to: target, in: relation, event, state)
    }
  }

  /// Adds a target's visible sources from a position on, until the list is full.
  private func find(
    of target: UInt32, in relation: borrowing Adjacency, from place: PackedLists<UInt32>.Position, isAscending: Bool,
    _ state: borrowing GraphState, _ rows: inout OutputSpan<UInt32>
  ) {
    let list = Int(target)
    let lastRun = isAscending ? relation.backward.runCount(of: list) - 1 : 0
    for run in stride(from: place.run, through: lastRun, by: isAscending ? 1 : -1) {
      let start = run == place.run ? place.offset : isAscending ? 0 : relation.backward.runLength(run, of: list)
      if relation.form == .compact {
        let sources = relation.backward.compactRun(run, of: list)
        add(sources.count, from: start, isAscending: isAscending, relation, state, to: &rows) { sources[$0] }
      } else {
        let sources = relation.backward.run(run, of: list)
        add(sources.count, from: start, isAscending: isAscending, relation, state, to: &rows) { sources[$0] }
      }
      if rows.isFull { break }
    }
  }

  /// Adds the visible sources of a run from an offset on.
  @inline(__always)
  private func add(
    _ count: Int, from start: Int, isAscending: Bool, _ relation: borrowing Adjacency, _ state: borrowing GraphState,
    to rows: inout OutputSpan<UInt32>, source: (Int) -> UInt32
  ) {
    var place = isAscending ? start : start - 1
    while !rows.isFull && place >= 0 && place < count {
      let row = source(place)
      place += isAscending ? 1 : -1
      if visibility.hides(row, state) { continue }
      relation.forward.prefetchHead(of: Int(row))
      state.users.names.prefetchReference(Int(row))
      rows.append(row)
    }
  }

  /// The page of some sources, of which there may be one too many.
  private func users(
    _ found: Span<UInt32>, to target: UInt32, in relation: borrowing Adjacency, _ event: UserRecord.TimedEvent,
    _ state: borrowing GraphState
  ) -> Page<User> {
    let shown = found.extracting(first: limit)
    let edges = EdgeProbe(to: target, in: relation)
    for index in shown.indices { edges.prefetch(shown[index], relation) }
    var last: UInt32 = 0
    let records = UserRecords(shown, viewer: visibility.viewer, state, row: { $0 }) { _, row, record in
      record.timedEvent = event
      last = edges.timestamp(row, relation) ?? 0
      record.second = last
    }
    guard found.count > limit else { return Page(records) }
    return Page(records, next: cursor(timestamp: last, id: state.users.identifiers.id(of: shown[limit - 1])))
  }
}
