/// A page of a timeline with sources or filters of its own, or with reposts: of entries, not only of posts.
struct TimelineEntries {
  let user: UserID
  let query: TimelineQuery
  /// The authors of a timeline of two hops, ascending by row, and whether some were left out.
  var authors: [UInt32]?
  var isTruncated = false

  private var binding: TimelineBinding {
    TimelineBinding(user, query.sources, kind: authors == nil ? .timeline : .twoHopTimeline)
  }

  /// The page as visible to its user.
  /// - Throws: `unknownUser`, `unknownPost`, `unknownRelation`, `invalidRequest`, `invalidCursor`, `cancelled`.
  func run(_ state: borrowing GraphState) throws(KithError) -> Page<Post> {
    let binding = binding
    let found = try entries(state, binding)
    guard let first = found.items.first, let last = found.items.last else {
      // Before every post, so that the first ones are newer.
      let start = EntryKey(time: -1, post: 0, reposter: 0)
      return Page(nil, previous: query.cursor ?? binding.cursor(at: start), isTruncated: isTruncated)
    }
    let continues = found.hasMore || query.direction == .newer
    let rows = found.items.map(\.post)
    let records = PostRecords(
      rows.span, found.visibility, state, reposts: found.items, includesAuthors: query.includesAuthors)
    return Page(
      records, next: continues ? binding.cursor(at: last.key(state)) : nil,
      previous: binding.cursor(at: first.key(state)), isTruncated: isTruncated)
  }

  /// The ids of the posts of the page, newest first.
  func ids(_ state: borrowing GraphState) throws(KithError) -> [PostID] {
    var ids: [PostID] = []
    for entry in try entries(state, binding).items { ids.append(state.postID(entry.post)) }
    return ids
  }

  /// The entries of the page, newest first.
  private func entries(
    _ state: borrowing GraphState, _ binding: TimelineBinding
  ) throws(KithError) -> (items: [TimelineEntry], hasMore: Bool, visibility: Visibility) {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    let sources = try TimelineSources(user, query, authors: authors, state)
    let range = try EntryRange(query, binding)
    // One more, to detect another page.
    let merge = EntryMerge(EntryFilter(sources, query, state), range, limit: query.limit + 1, state)
    var found = try merge.run(state)
    let hasMore = found.count > query.limit
    if hasMore { found.removeLast() }
    if query.direction == .newer { found.reverse() }
    return (found, hasMore, sources.visibility)
  }

  /// What the sources depend on, and what they show.
  var sourceDependencies: [QueryDependency] {
    var dependencies = TimelineSources.dependencies(of: user, query)
    if query.replies == .toFollowed || query.replies == .toSources {
      dependencies.append(.removedPosts)
      if query.sources != .followees { dependencies.append(.followees(of: user)) }
    }
    if !query.flags.isEmpty || query.mentions == .ofVisible { dependencies.append(.filtered) }
    return dependencies
  }
}

extension GraphState {
  @inline(__always)
  var hasSchema: Bool { relations.hasSchema }

  /// Whether a timeline of followees without filters has other entries than their posts, or leaves out others than
  /// those who are muted. No post of a private user need be: it is for followers.
  @inline(never)
  func hasEntries(_ query: TimelineQuery) -> Bool {
    if posts.hasAudiences { return true }
    if declared.entries != nil, query.reposts != .none || relations.tags.contains(where: { isInUse($0) }) {
      return true
    }
    return relations.hiding.timeline.contains { isInUse($0) }
  }
}
