/// What of a timeline's sources is shown. A class, as `TimelineSources`.
final class EntryFilter: Sendable {
  let sources: TimelineSources
  private let replies: TimelineQuery.Replies
  let reposts: TimelineQuery.Reposts
  private let flags: FlagFilter
  private let audiences: AudienceMask
  /// The relations in use whose edges lead to users who must be visible.
  private let mentions: [RelationKind]
  /// The relations in use whose edges bring a post into the timelines of those who read the user that they lead to.
  private let tags: [RelationKind]
  /// The relation of reposts; nil if none is shown.
  private let repost: RelationKind?

  init(_ sources: TimelineSources, _ query: TimelineQuery, _ state: borrowing GraphState) {
    self.sources = sources
    replies = query.replies
    flags = query.flags
    audiences = query.audienceMask
    mentions = query.mentions == .all ? [] : state.relations.mentions.filter { state.isInUse($0) }
    tags = sources.areAuthorsAlone ? [] : state.relations.tags.filter { state.isInUse($0) }
    let used = state.relations.repost.flatMap { state.isInUse($0) ? $0 : nil }
    repost = query.reposts == .none || sources.isEveryone || sources.areAuthorsAlone ? nil : used
    reposts = repost == nil ? .none : query.reposts
  }

  var showsTags: Bool { !tags.isEmpty && !sources.isEveryone }
  var showsReposts: Bool { repost != nil }

  /// Whether a post passes by its flags alone, which says nothing about the rest.
  @inline(__always)
  func passesFlags(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    flags.isEmpty || flags.passes(state.posts.host.map { $0.value.flags(of: post) } ?? 0)
  }

  @inline(__always)
  var asksFlags: Bool { !flags.isEmpty }

  /// Whether a post that belongs at its own place is shown there.
  func passes(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    passesFlags(post, state) && passesAudiences(post, state) && passesReplies(post, state)
      && passesMentions(post, state)
  }

  /// Whether the user may see a post, and asked for its audience.
  @inline(__always)
  private func passesAudiences(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    !sources.visibility.leavesOut(post, state)
      && (audiences.isEmpty || audiences.passes(state.audienceNumber(of: post)))
  }

  private func passesReplies(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    if replies == .all { return true }
    let parent = state.declared.parent(of: post)
    if parent == ThreadTable.none { return true }
    if replies == .none { return false }
    let author = state.posts.authors[post]
    if replies == .toAuthor { return state.posts.isLive(parent) && state.posts.authors[parent] == author }
    if author == sources.own { return true }
    if !state.posts.isLive(parent) { return false }
    let other = state.posts.authors[parent]
    if other == author || other == sources.own { return true }
    return replies == .toFollowed ? state.follows.contains(sources.own, other) : sources.contains(other, state)
  }

  private func passesMentions(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    if mentions.isEmpty || state.posts.authors[post] == sources.own { return true }
    for kind in mentions {
      for user in state.declared[kind].targets(of: post) where sources.leavesOut(user, state) { return false }
    }
    return true
  }

  /// Whether the entry of a list of all posts is shown.
  @inline(__always)
  func showsAny(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    !sources.leavesOut(state.posts.authors[post], state) && passes(post, state)
  }

  /// Whether a post that leads to a source is shown for that.
  @inline(__always)
  func showsTagged(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    state.audienceNumber(of: post) == Audience.everyone.number && showsAny(post, state)
  }

  /// Whether a post is shown at its own place.
  func isShownAtOwnPlace(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    let author = state.posts.authors[post]
    guard sources.contains(author, state) || !sources.leavesOut(author, state) && isTagged(post, state) else {
      return false
    }
    return passes(post, state)
  }

  private func isTagged(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    if tags.isEmpty || state.audienceNumber(of: post) != Audience.everyone.number { return false }
    for kind in tags {
      for user in state.declared[kind].targets(of: post) where sources.contains(user, state) { return true }
    }
    return false
  }

  /// Prefetches the time of the post before a place in a list, and what is asked of it.
  @inline(__always)
  func prefetch(before place: ListCursor<UInt32>, _ state: borrowing GraphState) {
    guard let post = place.before else { return }
    state.posts.prefetchTime(of: post)
    if asksFlags { state.posts.host?.value.prefetchFlags(of: post) }
    if sources.visibility.asksAudiences { state.posts.host?.value.prefetchAudience(of: post) }
    if replies != .all { state.declared.prefetchParent(of: post) }
  }

  // MARK: - Reposts

  /// Whether a post may be shown as reposted, by any user.
  private func passesAsRepost(_ post: UInt32, _ state: borrowing GraphState) -> Bool {
    passesFlags(post, state) && passesAudiences(post, state)
      && !sources.leavesOut(state.posts.authors[post], state) && passesMentions(post, state)
  }

  /// Whether the repost of a source is shown, who is not silenced.
  func shows(_ repost: TimelineEntry, _ memory: inout EntryMemory, _ state: borrowing GraphState) -> Bool {
    guard reposts == .once else { return passesAsRepost(repost.post, state) }
    let word = UInt64(repost.time / 1_000) << 32 | UInt64(repost.reposter)
    if let shown = memory.reposts[repost.post] { return shown == word }
    let shown = shownRepost(of: repost.post, &memory, state)
    memory.reposts[repost.post] = shown
    return shown == word
  }

  /// Whether a repost is known to be left out.
  @inline(__always)
  func isKnown(_ repost: TimelineEntry, _ memory: borrowing EntryMemory) -> Bool {
    guard let shown = memory.reposts[repost.post] else { return false }
    return shown != UInt64(repost.time / 1_000) << 32 | UInt64(repost.reposter)
  }

  /// The only repost of a post that is shown, as second and row; `noRepost` if the post is shown at its own place, or
  /// nowhere.
  private func shownRepost(
    of post: UInt32, _ memory: inout EntryMemory, _ state: borrowing GraphState
  ) -> UInt64 {
    guard let repost, passesAsRepost(post, state), !isShownAtOwnPlace(post, state) else { return Self.noRepost }
    return oldestRepost(of: post, state.declared[repost], &memory, state)
  }

  private static let noRepost = UInt64.max

  /// The oldest repost by a source.
  ///
  /// Those who reposted the post are asked from the first on. Of a post that very many reposted who are no sources, the
  /// sources are asked instead.
  private func oldestRepost(
    of post: UInt32, _ edges: borrowing Adjacency, _ memory: inout EntryMemory, _ state: borrowing GraphState
  ) -> UInt64 {
    let limit = Self.askedShare * sources.memberCount(state) + Self.leastAskedCount
    var (asked, oldest) = (0, Self.noRepost)
    edges.backward.forEach(of: Int(post)) { user in
      if memory.isSource(user, sources, state), !sources.silences(user, state) {
        oldest = UInt64(edges.timestamp(user, post) ?? 0) << 32 | UInt64(user)
      }
      asked &+= 1
      return oldest == Self.noRepost && asked <= limit
    }
    return asked <= limit || oldest != Self.noRepost ? oldest : oldestRepostOfSources(post, edges, state)
  }

  /// Of those who reposted a post so many are asked at most, for each source and besides, before the sources are.
  private static let askedShare = 4
  private static let leastAskedCount = 16

  private func oldestRepostOfSources(
    _ post: UInt32, _ edges: borrowing Adjacency, _ state: borrowing GraphState
  ) -> UInt64 {
    var (oldest, id) = (Self.noRepost, Int64.max)
    sources.forEach(state, in: state.posts.newest, reaching: 0) { user, _ in
      guard let second = edges.timestamp(user, post) else { return 0 }
      let word = UInt64(second) << 32 | UInt64(user)
      let isFirst = word >> 32 < oldest >> 32 || word >> 32 == oldest >> 32 && state.users.identifiers.id(of: user) < id
      if isFirst, !sources.leavesOut(user, state), !sources.silences(user, state) {
        (oldest, id) = (word, state.users.identifiers.id(of: user))
      }
      return 0
    }
    return oldest
  }
}
