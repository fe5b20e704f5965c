/// Whom two users have in common.
extension GraphView {
  /// Those whom both users follow, by id. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followees of both), or O(fewer · log(more / fewer)) where their numbers differ much.
  public func mutualFollowees(
    of user: UserID, and other: UserID, _ options: MutualOptions = MutualOptions()
  ) throws(KithError) -> UserPage {
    let (own, others, sight) = try pair(user, other, options)
    let mutuals = state.mutualFollowees(own, others)
    return try page(
      mutuals, areByID: state.users.identifiers.isAscending, .mutualFollowees, user, other, options, sight)
  }

  /// Those who follow both users, by id. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followers of both), or O(fewer · log followees) where their numbers differ much.
  public func mutualFollowers(
    of user: UserID, and other: UserID, _ options: MutualOptions = MutualOptions()
  ) throws(KithError) -> UserPage {
    let (own, others, sight) = try pair(user, other, options)
    return try page(state.mutualFollowers(own, others), areByID: false, .mutualFollowers, user, other, options, sight)
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

  private func page(
    _ mutuals: [UInt32], areByID: Bool, _ kind: CursorContent.Kind, _ user: UserID, _ other: UserID,
    _ options: MutualOptions, _ sight: Sight
  ) throws(KithError) -> UserPage {
    var last: Int64 = 0
    if let cursor = options.cursor {
      let numbers = try CursorContent(cursor, kind: kind, subject: user.rawValue, numberCount: 2).numbers
      if numbers[0] != other.rawValue { throw .invalidCursor }
      last = numbers[1]
    }
    var visible = mutuals
    if sight.viewer != nil { visible.removeAll { sight.hides($0, state) } }
    var shown = areByID ? after(last, visible[...]) : firstByID(visible, after: last, limit: options.limit + 1)[...]
    var next: Cursor?
    if shown.count > options.limit {
      shown = shown.prefix(options.limit)
      let numbers = [other.rawValue, state.userID(shown[shown.endIndex - 1]).rawValue]
      next = CursorContent(kind: kind, subject: user.rawValue, numbers: numbers).cursor
    }
    return UserPage(people(shown, sight), next: next, total: options.counting ? visible.count : nil)
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
