/// The limits of `SocialGraph.Options` on the size of a graph, and its uniqueness rule for names.
///
/// They are checked when a change is made, not when it is replayed. Recovery, replicas and roll-back yield the same
/// graph whatever the limits are.
struct GraphLimits: Sendable {
  private let users: Int?
  private let posts: Int?
  private let bytes: Int?
  private let uniqueNames: SocialGraph.UniqueNames
  private let compressesTexts: Bool
  /// Whether there are no limits, the usual case.
  let isUnlimited: Bool

  init(_ options: SocialGraph.Options) {
    (users, posts, bytes) = (options.maximumUserCount, options.maximumPostCount, options.maximumByteCount)
    isUnlimited = users == nil && posts == nil && bytes == nil
    uniqueNames = options.uniqueNames
    compressesTexts = options.compressTexts
  }

  /// Rejects a change that would exceed a limit.
  /// - Throws: `limitExceeded`.
  /// - Complexity: O(1).
  @inline(__always)
  func check(_ change: Change, _ state: borrowing GraphState) throws(KithError) {
    if !isUnlimited { try checkLimited(change, state) }
  }

  private func checkLimited(_ change: Change, _ state: borrowing GraphState) throws(KithError) {
    switch change {
    case .addUser: if let users, state.users.count >= users { throw .limitExceeded(.users(limit: users)) }
    case .addPost: if let posts, state.posts.count >= posts { throw .limitExceeded(.posts(limit: posts)) }
    case .renameUser: break
    case .removeUser, .removePost: return
    default: if change.edge?.adds == false { return }
    }
    if let bytes, state.byteCount >= bytes { throw .limitExceeded(.memory(byteLimit: bytes)) }
  }

  /// Rejects a graph that exceeds a limit, or breaks the uniqueness rule for names.
  ///
  /// Compresses the texts first, if the options say so. If names are unique by loose key, the graph maintains the keys
  /// from now on, unless it is read-only.
  /// - Throws: `limitExceeded`, `usernamesCollide`.
  func admit(_ state: inout GraphState, isReadOnly: Bool) throws(KithError) {
    if compressesTexts { state.posts.compressTexts() }
    try check(state)
    guard uniqueNames == .loose else { return }
    if let (first, second) = state.users.keepLooseKeys() {
      let ids = [first, second].sorted { state.userID($0).rawValue < state.userID($1).rawValue }
      throw .usernamesCollide(
        first: state.userID(ids[0]), second: state.userID(ids[1]),
        names: ids.map { state.users.names.string(Int($0)) })
    }
    if isReadOnly { state.users.forgetLooseKeys() }
  }

  private func check(_ state: borrowing GraphState) throws(KithError) {
    if let users, state.users.count > users {
      throw .limitExceeded(.users(limit: users, count: state.users.count))
    }
    if let posts, state.posts.count > posts {
      throw .limitExceeded(.posts(limit: posts, count: state.posts.count))
    }
    let byteCount = state.byteCount
    if let bytes, byteCount > bytes {
      throw .limitExceeded(.memory(byteLimit: bytes, byteCount: byteCount))
    }
  }
}
