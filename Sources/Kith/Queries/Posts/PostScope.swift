/// Which posts a search shows, beside those that have its words and that the viewer may see.
struct PostScope {
  private let flags: FlagFilter
  private let audiences: AudienceMask
  private let includesReplies: Bool
  /// The relations in use by which the viewer hides the posts of others.
  private let hiding: [RelationKind]
  private let viewer: UInt32

  /// Nil if all are shown.
  /// - Throws: `invalidRequest`.
  init?(_ query: PostQuery, _ visibility: Visibility, _ state: borrowing GraphState) throws(KithError) {
    flags = query.flags
    audiences = AudienceMask(query.audiences)
    includesReplies = query.includesReplies || !state.declared.hasThreads
    viewer = visibility.viewer ?? 0
    if query.leavesOutMuted {
      guard let viewer = visibility.viewer else { throw .invalidRequest(.leavesOutMutedNeedsViewer) }
      hiding = ([.mute] + state.relations.hiding.timeline).filter { state.targetCount($0, viewer) > 0 }
    } else {
      hiding = []
    }
    if flags.isEmpty && audiences.isEmpty && includesReplies && hiding.isEmpty { return nil }
  }

  func shows(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    if !flags.isEmpty && !flags.passes(state.posts.host.map { $0.value.flags(of: post) } ?? 0) { return false }
    if !audiences.isEmpty && !audiences.passes(state.audienceNumber(of: post)) { return false }
    if !includesReplies && state.declared.parent(of: post) != ThreadTable.none { return false }
    for kind in hiding where state.hasEdge(kind, viewer, state.posts.authors[post]) { return false }
    return true
  }
}
