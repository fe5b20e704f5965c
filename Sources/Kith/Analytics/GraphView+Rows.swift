/// Access to users by row, for passes over the whole graph (`GraphPass`).
///
/// A row is a number from 0 on in the order in which users were added. It is the same in every view of a graph while
/// the process runs. Do not store rows in files; store ids. A row must be below `rowCount`; a call with any other row
/// ends the process with a message.
extension GraphView {
  /// The number of rows, including those of removed users.
  public var rowCount: Int { state.users.rowCount }

  /// The user of a row; nil if the user was removed.
  /// - Complexity: O(1).
  public func user(at row: Int) -> UserID? {
    let row = checked(row)
    return state.users.isLive(row) ? state.userID(row) : nil
  }

  /// The row of a user.
  /// - Throws: `KithError.unknownUser`.
  /// - Complexity: O(1).
  public func row(of user: UserID) throws(KithError) -> Int {
    try checkOpen()
    return Int(try state.userRow(user))
  }

  /// The number of followers of the user of a row.
  /// - Complexity: O(1).
  public func followerCount(at row: Int) -> Int { state.follows.sourceCount(checked(row)) }

  /// The number of followees of the user of a row.
  /// - Complexity: O(1).
  public func followeeCount(at row: Int) -> Int { state.follows.targetCount(checked(row)) }

  /// Whether the user of a row follows the user of another, the target.
  /// - Complexity: O(log followees).
  public func isFollowing(row target: Int, asRow row: Int) -> Bool {
    state.follows.contains(checked(row), checked(target))
  }

  /// Calls `body` with the rows of a user's followers, oldest follow first: a short list in one span, a long one in
  /// several of up to some thousands.
  /// - Complexity: O(1) per span.
  @inline(__always)
  public func forEachFollowers(at row: Int, _ body: (Span<UInt32>) -> Void) {
    _ = checked(row)
    state.follows.backward.prefetchBlock(of: row + 64)
    state.follows.backward.prefetchElements(of: row + 16)
    state.follows.backward.forEachRun(of: row, body)
  }

  /// Calls `body` with a user's followees, ascending by row, each with the second of its follow, in one or several
  /// spans.
  /// - Complexity: O(1) per span.
  @inline(__always)
  public func forEachFollowees(at row: Int, _ body: (Span<FolloweeRow>) -> Void) {
    _ = checked(row)
    state.follows.forward.prefetchBlock(of: row + 32)
    state.follows.forward.prefetchElements(of: row + 8)
    state.follows.forward.forEachRun(of: row) { body(FolloweeRow.view($0)) }
  }

  /// Checks that a row exists: memory after the last row does not belong to the graph.
  @inline(__always)
  private func checked(_ row: Int) -> UInt32 {
    demand(row >= 0 && row < rowCount, "a row is at least 0 and less than the rowCount of the view that is asked")
    return UInt32(truncatingIfNeeded: row)
  }
}
