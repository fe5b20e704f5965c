/// Hides users who block the viewer or are blocked by them. A Bloom filter rejects most rows without a lookup.
struct Visibility {
  /// The row of the viewer; nil without a viewer, so that no user is hidden.
  let viewer: UInt32?
  /// A filter of the users across a block from the viewer; nil if there are none.
  private let hidden: RowBloomFilter?

  /// - Throws: `unknownUser`.
  /// - Complexity: O(blocks of the viewer, both ways).
  init(of viewer: UserID?, _ state: borrowing GraphState) throws(KithError) {
    guard let viewer else {
      (self.viewer, hidden) = (nil, nil)
      return
    }
    let row = try state.userRow(viewer)
    self.viewer = row
    hidden = Self.usersBlocked(by: row, in: state.blocks)
  }

  /// Whether no user is hidden.
  var hidesNone: Bool { hidden == nil }

  /// Whether a user is hidden from the viewer.
  @inline(__always)
  func hides(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    guard let hidden, let viewer, hidden.mayContain(row) else { return false }
    return state.isBlocked(viewer, row)
  }

  /// The row of a user who is not hidden.
  /// - Throws: `unknownUser`.
  func row(of id: UserID, _ state: borrowing GraphState) throws(KithError) -> UInt32 {
    let row = try state.userRow(id)
    if hides(row, state) { throw .unknownUser(id) }
    return row
  }

  /// The row of a post whose author is not hidden.
  /// - Throws: `unknownPost`.
  func row(of id: PostID, _ state: borrowing GraphState) throws(KithError) -> UInt32 {
    let row = try state.postRow(id)
    if hides(state.posts.authors[row], state) { throw .unknownPost(id) }
    return row
  }

  /// A filter of the users whom a user blocks or is blocked by.
  private static func usersBlocked(by user: UInt32, in blocks: borrowing Adjacency) -> RowBloomFilter? {
    if blocks.count == 0 || blocks.targetCount(user) == 0 && blocks.sourceCount(user) == 0 { return nil }
    var filter = RowBloomFilter()
    blocks.forEachTarget(of: user) { target, _ in filter.insert(target) }
    blocks.forEachSource(of: user) { filter.insert($0) }
    return filter
  }
}
