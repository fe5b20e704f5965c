/// Changes that are made in two parts: they are validated and placed while readers run, then written while none does.
extension GraphState {
  /// A follow or a like, or the end of one, that was validated and placed. Valid until the next change.
  enum Edit {
    case follow(Relation.EdgeEdit)
    case unfollow(Relation.EdgeEdit)
    case like(Relation.EdgeEdit)
    case unlike(Relation.EdgeEdit)
  }

  /// Applies a change of which there is an `Edit`.
  @inline(__always)
  mutating func applyEdit(_ change: Change) throws(KithError) -> Bool {
    guard let edit = try edit(change) else { return false }
    make(edit)
    return true
  }

  /// Validates and places a follow or a like, or the end of one. Writes nothing.
  /// - Returns: nil if it has no effect.
  @inline(__always)
  func edit(_ change: Change) throws(KithError) -> Edit? {
    switch change {
    case .follow(let user, let target, let time): return try follow(user, target, time)
    case .unfollow(let user, let target):
      let (source, row) = (try userRow(user), try userRow(target))
      users.prefetchCards(source, row)
      return follows.removal(source, row, ids: users.identifiers.ids).map { .unfollow($0) }
    case .like(let user, let post, let time):
      let timestamp = try Self.timestamp(time)
      let rows = try liking(user, post)
      return likes.insertion(rows.user, rows.post, timestamp: timestamp, ids: users.identifiers.ids).map { .like($0) }
    case .unlike(let user, let post):
      let rows = try liking(user, post)
      return likes.removal(rows.user, rows.post, ids: users.identifiers.ids).map { .unlike($0) }
    default: preconditionFailure("there is no edit of this change")
    }
  }

  /// Prefetches what an edit writes.
  @inline(__always)
  func prefetch(_ edit: Edit) {
    switch edit {
    case .follow(let edge), .unfollow(let edge): follows.prefetch(edge)
    case .like(let edge), .unlike(let edge): likes.prefetch(edge)
    }
  }

  /// Applies an edit, which cannot fail and takes the next sequence number.
  @inline(__always)
  mutating func apply(_ edit: Edit) {
    make(edit)
    sequence += 1
  }

  /// Makes an edit.
  @inline(__always)
  mutating func make(_ edit: Edit) {
    switch edit {
    case .follow(let edge):
      follows.insert(edge)
      let count = users.countFollow(edge.source, edge.target, by: 1)
      popularity.note(edge.target, from: count - 1, to: count)
    case .unfollow(let edge):
      follows.remove(edge)
      let count = users.countFollow(edge.source, edge.target, by: -1)
      popularity.note(edge.target, from: count + 1, to: count)
    case .like(let edge): likes.insert(edge)
    case .unlike(let edge): likes.remove(edge)
    }
  }

  private func follow(_ user: UserID, _ target: UserID, _ time: Timestamp?) throws(KithError) -> Edit? {
    if user == target { throw .cannotFollowSelf }
    let timestamp = try Self.timestamp(time)
    let source = try userRow(user)
    let row = try userRow(target)
    if blocks.count > 0 && isBlocked(source, row) { throw .blocked }
    users.prefetchCards(source, row)
    return follows.insertion(source, row, timestamp: timestamp, ids: users.identifiers.ids).map { .follow($0) }
  }

  private func liking(_ user: UserID, _ post: PostID) throws(KithError) -> (user: UInt32, post: UInt32) {
    let row = try postRow(post)
    let source = try userRow(user)
    if blocks.count > 0 && isBlocked(source, posts.authors[row]) { throw .blocked }
    return (source, row)
  }
}
