/// The number of users whom both users follow.
struct MutualFolloweeCount: Query {
  let user: UserID
  let other: UserID
  var operation: GraphOperation { .mutuals }

  func run(_ state: borrowing GraphState) throws(KithError) -> Int {
    Intersection.count(of: try state.userRow(user), and: try state.userRow(other), in: state.follows.forward)
  }

  func dependencies(of count: Int) -> [QueryDependency] { [.followees(of: user), .followees(of: other)] }
}

/// The mutual followees or followers of two users, by id, or the followers of one whom the other follows.
struct MutualUsers: Query {
  /// Which end of the follows is shared.
  enum Side {
    case followees, followers
    /// Followers of the user whom the other, the viewer, follows.
    case familiar
  }

  let side: Side
  let user: UserID
  let other: UserID
  let query: MutualQuery
  var operation: GraphOperation { side == .familiar ? .familiarFollowers : .mutuals }
  private var viewer: UserID? { side == .familiar ? other : query.viewer }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    let visibility = try Visibility(of: viewer, state)
    try SocialGraph.Limits.check(pageLimit: query.limit)
    let (first, second) = (try visibility.row(of: user, state), try visibility.row(of: other, state))
    let last = try last()
    switch side {
    case .followers:
      let mutuals = Self.followers(of: first, and: second, state)
      return page(of: mutuals, areByID: false, after: last, visibility, state)
    case .followees:
      let areByID = state.users.identifiers.isAscending
      if areByID && visibility.hidesNone && !query.countsMatches {
        // Matches come in the order of the page, which may be full before the lists end.
        let row = last == 0 ? 0 : state.users.identifiers.firstRow(after: last)
        let shown = Intersection.rows(
          of: first, and: second, in: state.follows.forward, from: row, limit: query.limit + 1)
        return page(shown[...], total: nil, visibility, state)
      }
      let mutuals = Intersection.rows(of: first, and: second, in: state.follows.forward)
      return page(of: mutuals, areByID: areByID, after: last, visibility, state)
    case .familiar:
      // Whom the viewer follows is not hidden from them.
      let areByID = state.users.identifiers.isAscending
      if areByID && !query.countsMatches {
        let row = last == 0 ? 0 : state.users.identifiers.firstRow(after: last)
        let shown = Self.familiar(first, to: second, from: row, limit: query.limit + 1, state)
        return page(shown[...], total: nil, visibility, state)
      }
      let familiar = Self.familiar(first, to: second, from: 0, limit: .max, state)
      return page(of: familiar, areByID: areByID, after: last, visibility, state)
    }
  }

  func dependencies(of page: Page<User>) -> [QueryDependency] {
    let (one, another): (RelationSide, RelationSide) =
      switch side {
      case .followees: (.targets, .targets)
      case .followers: (.sources, .sources)
      case .familiar: (.sources, .targets)
      }
    return [.edges(.follow, one, of: user), .edges(.follow, another, of: other)]
      + QueryDependency.hidden(from: viewer) + QueryDependency.shown(page)
  }

  /// The rows of the followers of one user whom another follows, ascending from a row on.
  ///
  /// Followees are sorted by row, so that a walk over them can end with the page. Where the user has fewer followers
  /// than that, these are looked up among the followees instead: few of them may match.
  /// - Complexity: O(fewer of both · log followees).
  private static func familiar(
    _ user: UInt32, to viewer: UInt32, from row: UInt32, limit: Int, _ state: borrowing GraphState
  ) -> [UInt32] {
    var found: [UInt32] = []
    if state.follows.sourceCount(user) < state.follows.targetCount(viewer) {
      state.follows.forEachSource(of: user) { if $0 >= row && state.follows.contains(viewer, $0) { found.append($0) } }
      found.sort()
      return found
    }
    state.follows.forEachTarget(of: viewer, from: row) { followee in
      if state.follows.contains(followee, user) { found.append(followee) }
      return found.count < limit
    }
    return found
  }

  /// The rows of the users who follow both, in no meaningful order.
  ///
  /// Followers are sorted by time, so the lists cannot be merged. One plan looks up each follower of the less followed
  /// user among the followees. The other plan marks the followers of one user and scans those of the other. A lookup
  /// costs about as much as scanning thirty-two followers.
  /// - Complexity: O(fewer followers · log followees), or O(followers of both).
  private static func followers(of first: UInt32, and second: UInt32, _ state: borrowing GraphState) -> [UInt32] {
    let isOrdered = state.follows.sourceCount(first) <= state.follows.sourceCount(second)
    let (fewer, more) = isOrdered ? (first, second) : (second, first)
    if state.follows.sourceCount(fewer) == 0 { return [] }
    let usesLookups = state.follows.sourceCount(more) / state.follows.sourceCount(fewer) >= 32
    var found: [UInt32] = []
    if usesLookups {
      state.follows.forEachSource(of: fewer) { row in if state.follows.contains(row, more) { found.append(row) } }
      return found
    }
    return state.marks.lend(rowCount: state.users.rowCount) { marks in
      state.follows.forEachSource(of: fewer) { row in marks[row] = 1 }
      state.follows.forEachSource(of: more) { row in if marks[row] != 0 { found.append(row) } }
      state.follows.forEachSource(of: fewer) { row in marks[row] = 0 }
      return found
    }
  }

  // MARK: - Pages

  private var kind: CursorContent.Kind {
    switch side {
    case .followees: .mutualFollowees
    case .followers: .mutualFollowers
    case .familiar: .familiarFollowers
    }
  }

  /// The last id of the previous page; 0 for the first page.
  private func last() throws(KithError) -> Int64 {
    guard let cursor = query.cursor else { return 0 }
    let place = try CursorPlace(cursor, kind: kind, subject: user.rawValue)
    if place.first != other.rawValue { throw .invalidCursor }
    return place.second
  }

  /// Builds the page from all mutuals.
  private func page(
    of mutuals: [UInt32], areByID: Bool, after last: Int64, _ visibility: Visibility, _ state: borrowing GraphState
  ) -> Page<User> {
    var visible = mutuals
    if !visibility.hidesNone { visible.removeAll { visibility.hides($0, state) } }
    let shown = areByID ? Self.rows(visible[...], after: last, state) : firstByID(visible, after: last, state)[...]
    return page(shown, total: query.countsMatches ? visible.count : nil, visibility, state)
  }

  /// - Parameter rows: the rows of the page, and at least one more if another page follows.
  private func page(
    _ rows: ArraySlice<UInt32>, total: Int?, _ visibility: Visibility, _ state: borrowing GraphState
  ) -> Page<User> {
    let shown = rows.prefix(query.limit)
    var next: Cursor?
    if shown.count < rows.count, let last = shown.last {
      let id = state.users.identifiers.id(of: last)
      next = Cursor(CursorPlace(kind: kind, subject: user.rawValue, first: other.rawValue, second: id))
    }
    return Page(UserRecords(shown.span, viewer: visibility.viewer, state) { $0 }, next: next, total: total)
  }

  /// Of rows with ascending ids, those whose id is greater than `last`.
  private static func rows(
    _ rows: ArraySlice<UInt32>, after last: Int64, _ state: borrowing GraphState
  ) -> ArraySlice<UInt32> {
    var (low, high) = (rows.startIndex, rows.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if state.users.identifiers.id(of: rows[middle]) <= last { low = middle + 1 } else { high = middle }
    }
    return rows[low...]
  }

  /// Of rows in any order, the lowest ids greater than `last`.
  private func firstByID(_ rows: [UInt32], after last: Int64, _ state: borrowing GraphState) -> [UInt32] {
    var best = TopK<WeightedID<UInt8>>(limit: query.limit + 1)
    for row in rows {
      let id = state.users.identifiers.id(of: row)
      if id > last { best.push(WeightedID(weight: 0, id: id)) }
    }
    return best.sorted().compactMap { state.users.identifiers.row(of: $0.id) }
  }
}
