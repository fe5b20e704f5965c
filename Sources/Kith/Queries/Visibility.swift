extension UserID {
  /// In place of a viewer: a visitor who is no user, and sees no post for followers or for those whom it mentions.
  public static let visitor = UserID(rawValue: .min)
}

/// What a viewer may see: the one place that every read asks.
///
/// Users are hidden who block the viewer or are blocked by them, the latter unless they are asked for. A Bloom filter
/// rejects most rows without a lookup. Posts are hidden with their authors, and from whom their audience leaves out
/// (`Audience`). What no post uses costs nothing.
struct Visibility {
  /// The row of the viewer; nil without a viewer, so that nothing is hidden, and for a visitor.
  let viewer: UInt32?
  /// Whether a visitor asks.
  let isVisitor: Bool
  /// Whether posts may have audiences that leave the viewer out.
  let asksAudiences: Bool
  /// Whether those are hidden, too, whom the viewer mutes, or hides from timelines.
  private let hidesMuted: Bool
  /// Whether users whom the viewer blocks are shown, unless they block the viewer too.
  private let includesBlocked: Bool
  /// A filter of the users who may be hidden from the viewer; nil if there are none.
  private let hidden: RowBloomFilter?

  /// - Throws: `unknownUser`.
  /// - Complexity: O(blocks of the viewer, both ways).
  init(of viewer: UserID?, includesBlocked: Bool = false, _ state: borrowing GraphState) throws(KithError) {
    self.includesBlocked = includesBlocked
    hidesMuted = false
    guard let viewer else {
      (self.viewer, isVisitor, asksAudiences, hidden) = (nil, false, false, nil)
      return
    }
    asksAudiences = state.hasAudiences
    isVisitor = viewer.rawValue == UserID.visitor.rawValue
    if isVisitor {
      (self.viewer, hidden) = (nil, nil)
      return
    }
    let row = try state.userRow(viewer)
    self.viewer = row
    hidden = Self.usersHidden(from: row, includesBlocked: includesBlocked, in: state.blocks)
  }

  /// The same for the items of a list from which those are left out whom the viewer mutes.
  private init(_ other: Visibility, hiding muted: RowBloomFilter) {
    (viewer, isVisitor, asksAudiences) = (other.viewer, other.isVisitor, other.asksAudiences)
    (includesBlocked, hidesMuted, hidden) = (other.includesBlocked, true, muted)
  }

  /// Whether all is seen: there is neither a viewer nor a visitor.
  var seesAll: Bool { viewer == nil && !isVisitor }

  /// Whether no user is hidden.
  var hidesNone: Bool { hidden == nil }

  /// Whether a user is hidden from the viewer.
  @inline(__always)
  func hides(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    guard let hidden, let viewer, hidden.mayContain(row) else { return false }
    if hidesMuted && isMuted(row, by: viewer, state) { return true }
    return includesBlocked ? state.blocks.contains(row, viewer) : state.isBlocked(viewer, row)
  }

  @inline(never)
  private func isMuted(_ row: UInt32, by viewer: UInt32, _ state: borrowing GraphState) -> Bool {
    if state.mutes.contains(viewer, row) { return true }
    for kind in state.relations.hiding.timeline where state.hasEdge(kind, viewer, row) { return true }
    return false
  }

  /// The same for the items of a list from which those are left out whom the viewer mutes; their own lists and posts
  /// can still be asked for.
  /// - Throws: `invalidRequest` if there is no viewer.
  @inline(__always)
  func hidingMuted(_ hidesMuted: Bool, _ state: borrowing GraphState) throws(KithError) -> Visibility {
    hidesMuted ? try hidingMuted(state) : self
  }

  @inline(never)
  private func hidingMuted(_ state: borrowing GraphState) throws(KithError) -> Visibility {
    guard let viewer else { throw .invalidRequest(.leavesOutMutedNeedsViewer) }
    let kinds = ([.mute] + state.relations.hiding.timeline).filter { state.targetCount($0, viewer) > 0 }
    if kinds.isEmpty { return self }
    var filter = hidden ?? RowBloomFilter()
    for kind in kinds { state[kind].forEachTarget(of: viewer) { target, _ in filter.insert(target) } }
    return Visibility(self, hiding: filter)
  }

  /// Whether a post is hidden from the viewer: its author is, or its audience leaves the viewer out.
  @inline(__always)
  func hides(post: UInt32, _ state: borrowing GraphState) -> Bool {
    hides(state.posts.authors[post], state) || leavesOut(post, state)
  }

  /// Whether the audience of a post leaves the viewer out.
  @inline(__always)
  func leavesOut(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    asksAudiences && state.audienceNumber(of: post) > Audience.unlisted.number && isBeyondAudience(post, state)
  }

  /// Whether a post for followers, or for those whom it mentions, is not for the viewer.
  @inline(never)
  private func isBeyondAudience(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    guard let viewer else { return true }
    let author = state.posts.authors[post]
    if viewer == author { return false }
    if state.audienceNumber(of: post) == Audience.followers.number && state.follows.contains(viewer, author) {
      return false
    }
    for kind in state.relations.mentions where state.hasEdge(kind, post, viewer) { return false }
    return true
  }

  /// The row of a user who is not hidden.
  /// - Throws: `unknownUser`.
  func row(of id: UserID, _ state: borrowing GraphState) throws(KithError) -> UInt32 {
    let row = try state.userRow(id)
    if hides(row, state) { throw .unknownUser(id) }
    return row
  }

  /// The row of a post that is not hidden.
  /// - Throws: `unknownPost`.
  func row(of id: PostID, _ state: borrowing GraphState) throws(KithError) -> UInt32 {
    let row = try state.postRow(id)
    if hides(post: row, state) { throw .unknownPost(id) }
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

extension GraphState {
  /// Whether any post may not be for everyone.
  @inline(__always)
  var hasAudiences: Bool { users.privateCount > 0 || posts.hasAudiences }

  /// The number of the audience that a post has in effect: of a private author it is at least that for followers.
  @inline(__always)
  func audienceNumber(of post: UInt32) -> UInt8 {
    let given = posts.host.map { $0.value.audience(of: post) } ?? 0
    if given >= Audience.followers.number || users.privateCount == 0 { return given }
    return users.isPrivate(posts.authors[post]) ? Audience.followers.number : given
  }
}
