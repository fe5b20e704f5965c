@testable import Kith

/// Timelines, by the rules alone: every post and every repost is looked at.
extension ReferenceModel {
  /// What a timeline is made of.
  private struct Sources {
    var members: Set<UserID> = []
    var isEveryone = false
    var isProfile = false
    /// What the place in a timeline is bound to, beside the user.
    var name = ""
  }

  /// A post in a timeline: at its own place, or as someone reposted it.
  private struct Shown {
    let post: PostID
    let time: Int64
    var reposter: UserID?

    var key: Key { Key(numbers: [-time, -post.rawValue, -(reposter?.rawValue ?? 0)]) }
  }

  func timeline(_ user: UserID, _ options: TimelineQuery, _ place: Place?) throws(Refusal) -> Reply<Place> {
    var codes: Set<String> = []
    let sources = self.sources(user, options, &codes)
    let list = "timeline \(user)\(sources.name)"
    try check(viewer: user, limit: options.limit, place: place, list: list, more: codes)
    let shown = shown(user, options, sources).filter { shown in
      options.before.map { shown.time < $0.rawValue } ?? true && options.after.map { shown.time > $0.rawValue } ?? true
    }
    let entries: [Entry<Post?>] = shown.map { shown in
      let repost = shown.reposter.map { (user: $0, second: UInt32(shown.time / 1_000)) }
      return (shown.key, post(shown.post, user, options.includesAuthors, repost: repost))
    }
    return timeline(entries, options, list, place)
  }

  func timeline(
    _ user: UserID, by authors: Set<UserID>, _ options: TimelineQuery, _ list: String, _ place: Place?
  ) -> Reply<Place> {
    var entries: [Entry<Post?>] = []
    for (id, post) in posts
    where authors.contains(post.author) && Self.isWithin(options, post) && isVisible(id, user) {
      entries.append((Self.newestFirst(post, id), self.post(id, user, options.includesAuthors)))
    }
    return timeline(entries, options, list, place)
  }

  private func timeline(
    _ entries: [Entry<Post?>], _ options: TimelineQuery, _ list: String, _ place: Place?
  ) -> Reply<Place> {
    var entries = entries.sorted { $0.key < $1.key }
    if let place {
      entries = entries.filter { entry in
        let isBeyond = options.direction == .older ? place.key < entry.key : entry.key < place.key
        return isBeyond || (options.includesCursor && !(place.key < entry.key) && !(entry.key < place.key))
      }
    }
    let hasMore = entries.count > options.limit
    let isNewer = options.direction == .newer
    let shown = isNewer ? entries.suffix(options.limit) : entries.prefix(options.limit)
    let bottom = Place(list: list, key: Key(numbers: [1, 0, 0]))  // below every post: a millisecond before 1970
    var reply = Reply<Place>(.posts(shown.map(\.item)))
    reply.previous = shown.first.map { Place(list: list, key: $0.key) } ?? place ?? bottom
    if hasMore || isNewer { reply.next = shown.last.map { Place(list: list, key: $0.key) } }
    return reply
  }

  private static func isWithin(_ options: TimelineQuery, _ post: StoredPost) -> Bool {
    options.before.map { post.time < $0.rawValue } ?? true && options.after.map { post.time > $0.rawValue } ?? true
  }

  // MARK: - Sources

  private func sources(_ user: UserID, _ options: TimelineQuery, _ codes: inout Set<String>) -> Sources {
    var sources = Sources()
    /// The users whom edges of a relation lead to from a node.
    func targets(_ relation: Relation, _ node: Node) -> Set<UserID> {
      guard let facts = facts(relation.name) else {
        codes.insert("unknownRelation")
        return []
      }
      if facts.source != node.end || facts.target != .user { codes.insert("invalidRequest") }
      let seen = all(facts.name).filter { edge in
        guard edge.source == node else { return false }
        switch facts.visibility {
        case .everyone: return true
        case .ends: return person(edge.source) == user || person(edge.target) == user
        case .source: return person(edge.source) == user
        }
      }
      return Set(seen.compactMap { if case .user(let target) = $0.target { target } else { nil } })
    }
    switch options.sources {
    case .followees: sources.members = Set((follows[user] ?? [:]).keys)
    case .targets(let relations):
      for relation in relations { sources.members.formUnion(targets(relation, .user(user))) }
      let names = Set(relations.map(\.name))
      if names != ["follow"] { sources.name = " targets \(names.sorted())" }
    case .members(let relation, let post):
      sources.members = targets(relation, .post(post))
      if !isVisible(post, users[user] == nil ? nil : user) { codes.insert("unknownPost") }
      sources.name = " members \(relation.name) \(post)"
    case .users(let given):
      sources.members = Set(given).filter { users[$0] != nil }
      sources.name = " users \(Set(given).sorted())"
    case .author(let author):
      (sources.members, sources.isProfile) = ([author], true)
      if !isVisible(author, users[user] == nil ? nil : user) { codes.insert("unknownUser") }
      sources.name = " author \(author)"
    case .everyone:
      (sources.members, sources.isEveryone) = (Set(users.keys), true)
      sources.name = " everyone"
    }
    sources.members = sources.members.filter { !isLeftOut($0, by: user, sources) }
    if options.includesOwnPosts && !sources.isProfile { sources.members.insert(user) }
    return sources
  }

  /// Whether a user hides something of another by a relation of the schema.
  func hides(_ user: UserID, _ other: UserID, _ hidden: Relation.Hidden) -> Bool {
    (declared ?? []).contains { relation in
      relation.hides.contains(hidden)
        && edges[Edge(relation: relation.name, source: .user(user), target: .user(other))] != nil
    }
  }

  private func isLeftOut(_ other: UserID, by user: UserID, _ sources: Sources) -> Bool {
    if other == user { return false }
    if isAcross(user, other) { return true }
    return !sources.isProfile && (mutes[user]?.contains(other) == true || hides(user, other, .timeline))
  }

  // MARK: - Entries

  private func shown(_ user: UserID, _ options: TimelineQuery, _ sources: Sources) -> [Shown] {
    let relations = (declared ?? []).filter(\.entersTimelines)
    var own: [PostID: Shown] = [:]
    for (id, post) in posts where !isLeftOut(post.author, by: user, sources) {
      let isTagged = relations.contains { relation in
        relation.source == .post && audience(of: id) == .everyone
          && sources.members.contains {
            edges[Edge(relation: relation.name, source: .post(id), target: .user($0))] != nil
          }
      }
      guard sources.members.contains(post.author) || isTagged, passes(id, user, options, sources),
        passesReplies(id, user, options, sources)
      else { continue }
      own[id] = Shown(post: id, time: post.time)
    }
    var all = Array(own.values)
    guard let repost = relations.first(where: { $0.source == .user }), options.reposts != .none, !sources.isEveryone
    else { return all }
    var reposts: [PostID: [Shown]] = [:]
    for (edge, second) in edges where edge.relation == repost.name {
      guard case .user(let reposter) = edge.source, case .post(let id) = edge.target, let post = posts[id],
        sources.members.contains(reposter), sources.isProfile || !hides(user, reposter, .reposts),
        !isLeftOut(post.author, by: user, sources), passes(id, user, options, sources),
        reposter == user || keptWithUsers[reposter]?.isPrivate != true || follows[user]?[reposter] != nil
      else { continue }
      reposts[id, default: []].append(Shown(post: id, time: Int64(second) * 1_000, reposter: reposter))
    }
    for (id, shown) in reposts {
      switch options.reposts {
      case .all: all += shown
      // The lowest key is the greatest of these, which ascend from the newest on.
      case .once: if own[id] == nil, let oldest = shown.max(by: { $0.key < $1.key }) { all.append(oldest) }
      case .none: break
      }
    }
    return all
  }

  /// Whether a post passes the filters that act on posts and on reposts.
  private func passes(_ id: PostID, _ user: UserID, _ options: TimelineQuery, _ sources: Sources) -> Bool {
    let (flags, asked) = (keptWithPosts[id]?.flags ?? 0, options.flags)
    if flags & asked.all != asked.all || flags & asked.none != 0 { return false }
    if asked.any != 0 && flags & asked.any == 0 { return false }
    if !isVisible(id, user) || !options.audiences.isEmpty && !options.audiences.contains(audience(of: id)) {
      return false
    }
    if options.mentions == .all || posts[id]?.author == user { return true }
    return !edges.keys.contains { edge in
      guard edge.source == .post(id), facts(edge.relation)?.grantsAccess == true, case .user(let other) = edge.target
      else { return false }
      return isLeftOut(other, by: user, sources)
    }
  }

  private func passesReplies(_ id: PostID, _ user: UserID, _ options: TimelineQuery, _ sources: Sources) -> Bool {
    guard options.replies != .all, let parent = parents[id], let author = posts[id]?.author else { return true }
    if options.replies == .none { return false }
    if options.replies == .toAuthor { return posts[parent]?.author == author }
    if author == user { return true }
    guard let other = posts[parent]?.author else { return false }
    if other == author || other == user { return true }
    return options.replies == .toFollowed ? follows[user]?[other] != nil : sources.members.contains(other)
  }
}
