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
    try check(change, users: state.users.count, posts: state.posts.count, byteCount: state.byteCount)
  }

  private func check(
    _ change: Change, users userCount: Int, posts postCount: Int, byteCount: @autoclosure () -> Int
  ) throws(KithError) {
    switch change {
    case .addUser: if let users, userCount >= users { throw .limitExceeded(.users(limit: users)) }
    case .addPost: if let posts, postCount >= posts { throw .limitExceeded(.posts(limit: posts)) }
    case .renameUser, .editUser, .editPost: break
    case .removeUser, .removePost, .removeEdge: return
    default: if change.edge?.adds == false { return }
    }
    if let bytes, byteCount() >= bytes { throw .limitExceeded(.memory(byteLimit: bytes)) }
  }

  /// What a change of a group adds at least, besides its text.
  private static let changeByteCount = 32

  /// Rejects changes that would exceed a limit together, before any of them is made. The posts of a user who is removed
  /// count until then.
  /// - Throws: `inBatch` with the index of the first that would, and `limitExceeded`.
  func check(_ group: [Change], _ state: borrowing GraphState) throws(KithError) {
    if isUnlimited { return }
    var (users, posts, byteCount) = (state.users.count, state.posts.count, state.byteCount)
    for (index, change) in group.enumerated() {
      do throws(KithError) {
        try check(change, users: users, posts: posts, byteCount: byteCount)
      } catch {
        throw .inBatch(index: index, error)
      }
      switch change {
      case .addUser(_, let username, let fields):
        users += 1
        byteCount += Self.changeByteCount + username.utf8.count + (fields.payload?.count ?? 0)
      case .addPost(_, _, let text, _, let edges, let fields):
        posts += 1
        byteCount += Self.changeByteCount * (1 + edges.count) + text.utf8.count + (fields.payload?.count ?? 0)
      case .editUser(_, let fields): byteCount += fields.payload?.count ?? 0
      case .editPost(_, let text, let fields): byteCount += (text?.utf8.count ?? 0) + (fields.payload?.count ?? 0)
      case .removeUser: users -= 1
      case .removePost: posts -= 1
      case .addEdge: byteCount += Self.changeByteCount
      default: if change.edge?.adds == true { byteCount += Self.changeByteCount }
      }
    }
  }

  /// Rejects a graph that exceeds a limit, or breaks the uniqueness rule for names. A graph that grew under the limit
  /// on memory is let in although it may take more than when it grew (`RestoreLimit.openedByteCount`).
  ///
  /// Compresses the texts first, if the options say so. If names are unique by loose key, the graph maintains the keys
  /// from now on. One that is read-only finds users by them.
  /// - Throws: `limitExceeded`, `usernamesCollide`.
  func admit(_ state: inout GraphState) throws(KithError) {
    if compressesTexts { state.posts.compressTexts() }
    try check(state)
    guard uniqueNames == .loose else { return }
    if let (first, second) = state.users.keepLooseKeys() {
      let ids = [first, second].sorted { state.userID($0).rawValue < state.userID($1).rawValue }
      throw .usernamesCollide(
        first: state.userID(ids[0]), second: state.userID(ids[1]),
        names: ids.map { state.users.names.string(Int($0)) })
    }
  }

  private func check(_ state: borrowing GraphState) throws(KithError) {
    if let users, state.users.count > users {
      throw .limitExceeded(.users(limit: users, count: state.users.count))
    }
    if let posts, state.posts.count > posts {
      throw .limitExceeded(.posts(limit: posts, count: state.posts.count))
    }
    guard let bytes else { return }
    let (byteCount, most) = (state.byteCount, RestoreLimit.openedByteCount(bytes))
    if byteCount > most, byteCount - state.posts.texts.compressionExcess > most {
      throw .limitExceeded(.memory(byteLimit: bytes, byteCount: byteCount))
    }
  }
}
