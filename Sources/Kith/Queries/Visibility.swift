/// Hides users who block the viewer or are blocked by them, the latter unless they are asked for. A Bloom filter
/// rejects most rows without a lookup.
struct Visibility {
  /// The row of the viewer; nil without a viewer, so that no user is hidden.
  let viewer: UInt32?
  /// Whether users whom the viewer blocks are shown, unless they block the viewer too.
  private let includesBlocked: Bool
  /// A filter of the users who may be hidden from the viewer; nil if there are none.
  private let hidden: RowBloomFilter?

  /// - Throws: `unknownUser`.
  /// - Complexity: O(blocks of the viewer, both ways).
  init(of viewer: UserID?, includesBlocked: Bool = false, _ state: borrowing GraphState) throws(KithError) {
    self.includesBlocked = includesBlocked
    guard let viewer else {
      (self.viewer, hidden) = (nil, nil)
      return
    }
    let row = try state.userRow(viewer)
    self.viewer = row
    hidden = Self.usersHidden(from: row, includesBlocked: includesBlocked, in: state.blocks)
  }

  /// Whether no user is hidden.
  var hidesNone: Bool { hidden == nil }

  /// Whether a user is hidden from the viewer.
  @inline(__always)
  func hides(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    guard let hidden, let viewer, hidden.mayContain(row) else { return false }
    return includesBlocked ? state.blocks.contains(row, viewer) : state.isBlocked(viewer, row)
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

  /// A filter of the users who block a user, and of those whom the user blocks if they are hidden.
  private static func usersHidden(
    from user: UInt32, includesBlocked: Bool, in blocks: borrowing Adjacency
  ) -> RowBloomFilter? {
    if blocks.count == 0 { return nil }
    if (includesBlocked || blocks.targetCount(user) == 0) && blocks.sourceCount(user) == 0 { return nil }
    var filter = RowBloomFilter()
    if !includesBlocked { blocks.forEachTarget(of: user) { target, _ in filter.insert(target) } }
    blocks.forEachSource(of: user) { filter.insert($0) }
    return filter
  }
}
