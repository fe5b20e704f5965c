/// The limits of `Options` on what a graph holds.
///
/// They bind changes when they are made, not when they are replayed: recovery, replicas and a roll-back give the same
/// graph whatever the limits are.
struct GraphLimits: Sendable {
  private let users: Int?
  private let posts: Int?
  private let bytes: Int?
  /// Whether nothing is limited, as mostly.
  private let isUnlimited: Bool

  init(_ options: Options) {
    (users, posts, bytes) = (options.maximumUserCount, options.maximumPostCount, options.maximumByteCount)
    isUnlimited = users == nil && posts == nil && bytes == nil
  }

  /// Refuses a change that adds more than there may be. Errors: `limitExceeded`.
  /// - Complexity: O(1).
  @inline(__always)
  func check(_ change: Change, _ state: borrowing GraphState) throws(KithError) {
    if !isUnlimited { try checkLimited(change, state) }
  }

  private func checkLimited(_ change: Change, _ state: borrowing GraphState) throws(KithError) {
    switch change {
    case .addUser: if let users, state.users.count >= users { throw .limitExceeded("\(users) users") }
    case .addPost: if let posts, state.posts.count >= posts { throw .limitExceeded("\(posts) posts") }
    case .renameUser, .follow, .like, .block, .mute: break
    case .removeUser, .unfollow, .removePost, .unlike, .unblock, .unmute: return
    }
    if let bytes, state.byteCount >= bytes { throw .limitExceeded("\(bytes) bytes of memory") }
  }

  /// Refuses a graph that holds more than it may. Errors: `limitExceeded`.
  func check(_ state: borrowing GraphState) throws(KithError) {
    if let users, state.users.count > users {
      throw .limitExceeded("\(users) users, and there are \(state.users.count),")
    }
    if let posts, state.posts.count > posts {
      throw .limitExceeded("\(posts) posts, and there are \(state.posts.count),")
    }
    let byteCount = state.byteCount
    if let bytes, byteCount > bytes {
      throw .limitExceeded("\(bytes) bytes of memory, and the graph takes \(byteCount),")
    }
  }
}
