/// Everything that can be asked of a graph, at one instant.
///
/// `SocialGraph.read` lends a view of the graph as it is, for a moment; `SocialGraph.pin` gives one that stays as it
/// is. A view cannot be copied, so it cannot outlive the moment it was lent for. Questions about people take a viewer
/// where it matters: whoever is across a block from the viewer is absent from lists, and asking for them answers
/// `unknownUser`.
public struct GraphView: ~Copyable, Sendable {
  var state: GraphState
  var isClosed = false

  init(_ state: consuming GraphState) { self.state = state }

  /// The number of the last change that this instant has seen.
  public var sequence: UInt64 { state.sequence }

  /// How many there are of everything.
  public var counts: Counts { state.counts }

  /// The user with exactly this name, up to canonical equivalence.
  /// - Complexity: O(1).
  public func findUser(named username: String) -> UserID? {
    state.users.row(named: Array(username.utf8).span).map { state.userID($0) }
  }

  /// One user. Errors: `unknownUser`.
  /// - Complexity: O(1).
  public func user(_ id: UserID, as viewer: UserID? = nil) throws(KithError) -> User {
    let sight = try sight(of: viewer)
    return User(people(CollectionOfOne(try visibleUser(id, sight)), sight), 0)
  }

  /// One post. Errors: `unknownPost`; `unknownUser` for the viewer.
  /// - Complexity: O(1), and the text's length.
  public func post(_ id: PostID, as viewer: UserID? = nil) throws(KithError) -> Post {
    let sight = try sight(of: viewer)
    return Post(posts([try visiblePost(id, sight)], sight), 0)
  }

  /// Many users in the order asked for, nil where there is none or a block lies between.
  public func users(_ ids: [UserID], as viewer: UserID? = nil) throws(KithError) -> [User?] {
    let sight = try sight(of: viewer)
    let rows = ids.map { id -> UInt32? in
      guard let row = state.users.row(of: id), !sight.hides(row, state) else { return nil }
      return row
    }
    let records = people(rows.compactMap { $0 }, sight)
    var index = -1
    return rows.map { row in
      if row == nil { return nil }
      index += 1
      return User(records, index)
    }
  }

  /// Many posts in the order asked for, nil where there is none or a block lies between.
  public func posts(_ ids: [PostID], as viewer: UserID? = nil) throws(KithError) -> [Post?] {
    let sight = try sight(of: viewer)
    let rows = ids.map { id -> UInt32? in
      guard let row = state.posts.row(of: id), !sight.hides(state.posts.authors[row], state) else { return nil }
      return row
    }
    let records = posts(rows.compactMap { $0 }, sight)
    var index = -1
    return rows.map { row in
      if row == nil { return nil }
      index += 1
      return Post(records, index)
    }
  }

  /// Whether the first follows the second. Errors: `unknownUser`.
  /// - Complexity: O(log followees).
  public func isFollowing(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    try checkOpen()
    return state.follows.contains(try state.userRow(user), try state.userRow(target))
  }

  /// What stands between a user and others, in the order asked for. Errors: `unknownUser`, for any of them.
  public func relations(of user: UserID, to targets: [UserID]) throws(KithError) -> [Relations] {
    try checkOpen()
    let own = try state.userRow(user)
    var relations: [Relations] = []
    relations.reserveCapacity(targets.count)
    for target in targets {
      let other = try state.userRow(target)
      relations.append(
        Relations(
          following: state.follows.contains(own, other), followedBy: state.follows.contains(other, own),
          blocking: state.blocks.contains(own, other), blockedBy: state.blocks.contains(other, own),
          muting: state.mutes.contains(own, other)))
    }
    return relations
  }

  /// What is wrong with the graph; empty when it is sound.
  /// - Complexity: O(graph · log longest list).
  public func verify() -> [Problem] { state.checkInvariants() }

  // MARK: - Who looks

  /// What a viewer is kept from seeing: whoever is across a block, either way.
  struct Sight {
    let viewer: UInt32?
    /// Of those across a block: nearly everybody else is told from them at a look.
    fileprivate let hidden: RowSignature?

    /// Nobody looks, and nothing is hidden.
    static let nobody = Sight(viewer: nil, hidden: nil)

    /// Whether nobody is out of sight.
    var hidesNobody: Bool { hidden == nil }

    /// Whether a user is out of sight.
    @inline(__always)
    func hides(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
      guard let hidden, let viewer, hidden.mayContain(row) else { return false }
      return state.isBlocked(viewer, row)
    }
  }

  func checkOpen() throws(KithError) { if isClosed { throw .closed } }

  /// Begins a question: the graph is open, and the viewer, if any, is known.
  func sight(of viewer: UserID?) throws(KithError) -> Sight {
    try checkOpen()
    guard let viewer else { return .nobody }
    let row = try state.userRow(viewer)
    return Sight(viewer: row, hidden: state.blockSignature(of: row))
  }

  func visibleUser(_ id: UserID, _ sight: Sight) throws(KithError) -> UInt32 {
    let row = try state.userRow(id)
    if sight.hides(row, state) { throw .unknownUser(String(id.rawValue)) }
    return row
  }

  func visiblePost(_ id: PostID, _ sight: Sight) throws(KithError) -> UInt32 {
    let row = try state.postRow(id)
    if sight.hides(state.posts.authors[row], state) { throw .unknownPost(id.rawValue) }
    return row
  }

  /// Checks a page's limit.
  static func check(limit: Int) throws(KithError) {
    guard (1...Limits.pageCount).contains(limit) else {
      throw .invalidRequest(reason: "a limit is 1 to \(Limits.pageCount), not \(limit)")
    }
  }
}

/// A view of one instant that stays as it is for as long as it is held, read without a lock from any thread.
///
/// It costs memory only for what is written meanwhile.
public final class Pin: Sendable {
  /// The graph at the instant of the pin.
  public let view: GraphView

  init(_ view: consuming GraphView) { self.view = view }
}
