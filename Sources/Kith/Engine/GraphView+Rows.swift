/// Users by row, for passes over the whole graph (`GraphPass`).
///
/// A row is a number from 0 in the order in which users appeared; it is the same in every view of a graph for as long
/// as the process runs, and is not to be kept in files: ids are.
extension GraphView {
  /// Rows there are, those of removed users included.
  public var rowCount: Int { state.users.rowCount }

  /// The user of a row; nil where they were removed.
  /// - Complexity: O(1).
  public func user(at row: Int) -> UserID? {
    let row = UInt32(row)
    return state.users.isLive(row) ? state.userID(row) : nil
  }

  /// The row of a user. Errors: `unknownUser`.
  /// - Complexity: O(1).
  public func row(of user: UserID) throws(KithError) -> Int { Int(try state.userRow(user)) }

  /// How many follow the user of a row.
  /// - Complexity: O(1).
  public func followerCount(at row: Int) -> Int { state.follows.sourceCount(UInt32(row)) }

  /// How many the user of a row follows.
  /// - Complexity: O(1).
  public func followeeCount(at row: Int) -> Int { state.follows.targetCount(UInt32(row)) }

  /// Whether the user of one row follows that of another.
  /// - Complexity: O(log followees).
  public func isFollowing(rows row: Int, _ target: Int) -> Bool {
    state.follows.contains(UInt32(row), UInt32(target))
  }

  /// Lends the rows of all who follow the user of a row, oldest follow first: a short list in one span, a long one in
  /// several of up to some thousands.
  /// - Complexity: O(1) for each span.
  @inline(__always)
  public func forEachFollowers(at row: Int, _ body: (Span<UInt32>) -> Void) {
    state.follows.backward.prefetchBlock(of: row + 64)
    state.follows.backward.prefetchElements(of: row + 16)
    state.follows.backward.forEachRun(of: row, body)
  }

  /// Lends all whom the user of a row follows, ascending by row, each with the second since when: in one span or
  /// several.
  /// - Complexity: O(1) for each span.
  @inline(__always)
  public func forEachFollowees(at row: Int, _ body: (Span<FolloweeRow>) -> Void) {
    state.follows.forward.prefetchBlock(of: row + 32)
    state.follows.forward.prefetchElements(of: row + 8)
    state.follows.forward.forEachRun(of: row) { body(FolloweeRow.view($0)) }
  }
}
