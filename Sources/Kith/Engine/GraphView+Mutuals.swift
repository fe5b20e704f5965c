/// Whom two users have in common.
extension GraphView {
  /// Those whom both users follow, by id. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followees of both), or O(fewer · log(more / fewer)) where their numbers differ much.
  public func mutualFollowees(
    of user: UserID, and other: UserID, _ options: MutualOptions = MutualOptions()
  ) throws(KithError) -> UserPage {
    let (own, others, sight) = try pair(user, other, options)
    let last = try Self.last(options.cursor, .mutualFollowees, user, other)
    let areByID = state.users.identifiers.isAscending
    if areByID && sight.hidesNobody && !options.counting {
      // Found in the order of the page, which is full before the lists have ended.
      let first = last == 0 ? 0 : state.users.identifiers.firstRow(after: last)
      let shown = state.mutualFollowees(own, others, from: first, limit: options.limit + 1)
      return page(shown[...], total: nil, .mutualFollowees, user, other, options, sight)
    }
    let mutuals = state.mutualFollowees(own, others)
    return page(mutuals, areByID: areByID, after: last, .mutualFollowees, user, other, options, sight)
  }

  /// Those who follow both users, by id. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followers of both), or O(fewer · log followees) where their numbers differ much.
  public func mutualFollowers(
    of user: UserID, and other: UserID, _ options: MutualOptions = MutualOptions()
  ) throws(KithError) -> UserPage {
    let (own, others, sight) = try pair(user, other, options)
    let last = try Self.last(options.cursor, .mutualFollowers, user, other)
    let mutuals = state.mutualFollowers(own, others)
    return page(mutuals, areByID: false, after: last, .mutualFollowers, user, other, options, sight)
  }

  /// How many both users follow; everybody's blocks regardless. Errors: `unknownUser`.
  /// - Complexity: as `mutualFollowees`.
  public func mutualFolloweeCount(of user: UserID, and other: UserID) throws(KithError) -> Int {
    try checkOpen()
    return state.mutualFolloweeCount(try state.userRow(user), try state.userRow(other))
  }

  /// How many follow both users; everybody's blocks regardless. Errors: `unknownUser`.
  /// - Complexity: as `mutualFollowers`.
  public func mutualFollowerCount(of user: UserID, and other: UserID) throws(KithError) -> Int {
    try checkOpen()
    return state.mutualFollowers(try state.userRow(user), try state.userRow(other)).count
  }

  private func pair(
    _ user: UserID, _ other: UserID, _ options: MutualOptions
  ) throws(KithError) -> (UInt32, UInt32, Sight) {
    let sight = try sight(of: options.viewer)
    try Self.check(limit: options.limit)
    return (try visibleUser(user, sight), try visibleUser(other, sight), sight)
  }

  /// The id after which a page begins.
  private static func last(
    _ cursor: Cursor?, _ kind: CursorContent.Kind, _ user: UserID, _ other: UserID
  ) throws(KithError) -> Int64 {
    guard let cursor else { return 0 }
    let place = try CursorPlace(cursor, kind: kind, subject: user.rawValue)
    if place.first != other.rawValue { throw .invalidCursor }
    return place.second
  }

  /// The page of some of all mutuals.
  private func page(
    _ mutuals: [UInt32], areByID: Bool, after last: Int64, _ kind: CursorContent.Kind, _ user: UserID,
    _ other: UserID, _ options: MutualOptions, _ sight: Sight
  ) -> UserPage {
    var visible = mutuals
    if !sight.hidesNobody { visible.removeAll { sight.hides($0, state) } }
    let shown = areByID ? after(last, visible[...]) : firstByID(visible, after: last, limit: options.limit + 1)[...]
    return page(shown, total: options.counting ? visible.count : nil, kind, user, other, options, sight)
  }

  /// - Parameter rows: those of the page, and more if there are.
  private func page(
    _ rows: ArraySlice<UInt32>, total: Int?, _ kind: CursorContent.Kind, _ user: UserID, _ other: UserID,
    _ options: MutualOptions, _ sight: Sight
  ) -> UserPage {
    let shown = rows.prefix(options.limit)
    var next: Cursor?
    if shown.count < rows.count, let last = shown.last {
      let id = state.userID(last).rawValue
      next = Cursor(CursorPlace(kind: kind, subject: user.rawValue, first: other.rawValue, second: id))
    }
    return UserPage(people(shown, sight), next: next, total: total)
  }

  /// Of rows whose ids ascend, those after an id.
  private func after(_ last: Int64, _ rows: ArraySlice<UInt32>) -> ArraySlice<UInt32> {
    var (low, high) = (rows.startIndex, rows.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if state.users.identifiers.id(of: rows[middle]) <= last { low = middle + 1 } else { high = middle }
    }
    return rows[low...]
  }

  /// Of rows in any order, the first by id after an id.
  private func firstByID(_ rows: [UInt32], after last: Int64, limit: Int) -> [UInt32] {
    var best = BestKeys<WeightedID<UInt8>>(limit: limit)
    for row in rows {
      let id = state.users.identifiers.id(of: row)
      if id > last { best.push(WeightedID(weight: 0, id: id)) }
    }
    return best.sorted().compactMap { state.users.identifiers.row(of: $0.id) }
  }
}
