/// Which posts a search shows, of those that have its words and that the viewer may see.
struct PostScope {
  private let flags: FlagFilter
  private let audiences: AudienceMask
  private let includesReplies: Bool

  /// Nil if all are shown.
  init?(_ query: PostQuery, _ state: borrowing GraphState) {
    flags = query.flags
    audiences = query.audienceMask
    includesReplies = query.includesReplies || !state.declared.hasThreads
    if flags.isEmpty && audiences.isEmpty && includesReplies { return nil }
  }

  func shows(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    if !flags.isEmpty && !flags.passes(state.posts.host.map { $0.value.flags(of: post) } ?? 0) { return false }
    if !audiences.isEmpty && !audiences.passes(state.audienceNumber(of: post)) { return false }
    return includesReplies || state.declared.parent(of: post) == ThreadTable.none
  }
}
