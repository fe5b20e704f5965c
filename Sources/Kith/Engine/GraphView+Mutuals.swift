/// Whom two users have in common.
extension GraphView {
  /// Those whom both users follow, by id. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followees of both), or O(fewer · log(more / fewer)) where their numbers differ much.
  public func mutualFollowees(
    of user: UserID, and other: UserID, _ options: MutualOptions = MutualOptions()
  ) throws(KithError) -> UserPage {
    let (own, others, sight) = try pair(user, other, options)
    return try page(state.mutualFollowees(own, others), .mutualFollowees, user, other, options, sight)
  }

  /// Those who follow both users, by id. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followers of both), or O(fewer · log followees) where their numbers differ much.
  public func mutualFollowers(
    of user: UserID, and other: UserID, _ options: MutualOptions = MutualOptions()
  ) throws(KithError) -> UserPage {
    let (own, others, sight) = try pair(user, other, options)
    return try page(state.mutualFollowers(own, others), .mutualFollowers, user, other, options, sight)
  }

  /// How many both users follow; everybody's blocks regardless. Errors: `unknownUser`.
  /// - Complexity: as `mutualFollowees`.
  public func mutualFolloweeCount(of user: UserID, and other: UserID) throws(KithError) -> Int {
    try checkOpen()
    return state.mutualFollowees(try state.userRow(user), try state.userRow(other)).count
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
    _ rows: [UInt32], _ kind: CursorContent.Kind, _ user: UserID, _ other: UserID, _ options: MutualOptions,
    _ sight: Sight
  ) throws(KithError) -> UserPage {
    var last: Int64 = 0
    if let cursor = options.cursor {
      let numbers = try CursorContent(cursor, kind: kind, subject: user.rawValue, numberCount: 2).numbers
      if numbers[0] != other.rawValue { throw .invalidCursor }
      last = numbers[1]
    }
    var best = BestKeys<WeightedID<UInt8>>(limit: options.limit + 1)
    var total = 0
    for row in rows where !sight.hides(row, state) {
      total += 1
      let id = state.users.identifiers.id(of: row)
      if id > last { best.push(WeightedID(weight: 0, id: id)) }
    }
    var shown = best.sorted()
    var next: Cursor?
    if shown.count > options.limit {
      shown.removeLast()
      let numbers = [other.rawValue, shown[options.limit - 1].id]
      next = CursorContent(kind: kind, subject: user.rawValue, numbers: numbers).cursor
    }
    let people = people(shown.compactMap { state.users.identifiers.row(of: $0.id) }, sight)
    return UserPage(people, next: next, total: options.counting ? total : nil)
  }
}
