@testable import Kith

// MARK: - Places

extension ReferenceModel {
  /// A place in one list. Keys ascend in the order of their list.
  struct Place {
    /// Query, order and subject.
    let list: String
    let key: Key
  }

  struct Key: Comparable {
    var numbers: [Int64] = []
    /// Loose key and exact name.
    var texts: [[UInt8]] = []
    /// The user with the name; another user may have it by the time a cursor comes back.
    var id: Int64 = 0

    static func < (left: Key, right: Key) -> Bool {
      if left.numbers != right.numbers { return left.numbers.lexicographicallyPrecedes(right.numbers) }
      for (text, other) in zip(left.texts, right.texts) where text != other {
        return text.lexicographicallyPrecedes(other)
      }
      return left.id < right.id
    }
  }

  /// One item of a list with its key.
  typealias Entry<Item> = (key: Key, item: Item)

  /// This many entries after a place, and the place of the last one if there are more.
  func page<Item>(
    _ entries: [Entry<Item>], _ list: String, after place: Place?, limit: Int
  ) -> (items: [Item], next: Place?) {
    let rest = entries.sorted { $0.key < $1.key }.filter { entry in place.map { $0.key < entry.key } ?? true }
    let page = rest.prefix(limit)
    let next = rest.count > limit ? page.last.map { Place(list: list, key: $0.key) } : nil
    return (page.map(\.item), next)
  }
}

// MARK: - Answers

extension ReferenceModel {
  func reply(to question: Question, from place: Place? = nil) -> Reply<Place> {
    do throws(Refusal) {
      return try answer(question, place)
    } catch {
      return Reply(.refusal(error.codes))
    }
  }

  private func answer(_ question: Question, _ place: Place?) throws(Refusal) -> Reply<Place> {
    switch question {
    case .findUser(let name, let kind): return Reply(.found(holder(of: Name(name), kind ?? "user")))
    case .user(let id, let viewer, let includesBlocked):
      try check(viewer: viewer, subject: id, includesBlocked: includesBlocked)
      return Reply(.users([user(id, viewer)]))
    case .post(let id, let viewer, let includesAuthors):
      try check(viewer: viewer, post: id)
      return Reply(.posts([post(id, viewer, includesAuthors)]))
    case .users(let ids, let viewer, let includesBlocked):
      try check(viewer: viewer)
      return Reply(.users(ids.map { isVisible($0, viewer, includesBlocked) ? user($0, viewer) : nil }))
    case .posts(let ids, let viewer, let includesAuthors):
      try check(viewer: viewer)
      return Reply(.posts(ids.map { isVisible($0, viewer) ? post($0, viewer, includesAuthors) : nil }))
    case .isFollowing(let target, let user):
      try check(viewer: user, others: [target])
      return Reply(.flag(follows[user]?[target] != nil))
    case .relations(let user, let targets):
      try check(viewer: user, others: targets)
      return Reply(.relations(targets.map { relations(user, $0) }))
    case .searchUsers(let query, let search): return try searchUsers(query, search, place)
    case .searchPosts(let query, let search): return try searchPosts(query, search, place)
    case .timeline(let user, let options): return try timeline(user, options, place)
    case .likers(let post, let options): return try likers(post, options, place)
    case .likes(let user, let options): return try likes(user, options, place)
    case .followees(let user, let options):
      let edges = follows[user] ?? [:]
      return try userPage("followees", user, edges.map { ($0.key, $0.value) }, options, place)
    case .followers(let user, let options):
      let edges = follows.compactMap { follower, edges in edges[user].map { (follower, $0) } }
      return try userPage("followers", user, edges, options, place)
    case .mutuals(let user, let other, let kind, let options):
      return try mutuals(user, other, among: kind, options, place)
    case .suggestions(let user, let options): return try suggestions(user, options)
    case .distance(let user, let target, let options): return try distance(user, target, options)
    case .twoHops(let user, let options, let limit): return try twoHopTimeline(user, options, limit, place)
    case .edgeList(let relation, let side, let node, let options):
      return try edgeList(relation, side, node, options, place)
    case .edges(let node, let others): return try edges(node, others)
    case .thread(let post, let options): return try thread(post, options, place)
    case .incoming(let user, let options): return try incoming(user, options, place)
    case .incomingCount(let user, let options): return try incomingCount(user, options)
    case .ancestors(let post, let limit, let viewer, let includesAuthors):
      return try ancestors(post, limit, viewer, includesAuthors)
    case .blocked(let user, let options): return try byID("blocked", user, blocks[user] ?? [], options, place)
    case .muted(let user, let options): return try byID("muted", user, mutes[user] ?? [], options, place)
    }
  }

  // MARK: Rules of all queries

  /// All that can be wrong with a query, at once.
  func check(
    viewer: UserID?, subject: UserID? = nil, includesBlocked: Bool = false, post: PostID? = nil,
    others: [UserID] = [], limit: Int = 1, place: Place? = nil, list: String = "", more: Set<String> = []
  ) throws(Refusal) {
    var codes = more
    let known = viewer.flatMap { $0 == .visitor || users[$0] != nil ? $0 : nil }
    if viewer != nil && known == nil { codes.insert("unknownUser") }
    if let subject, !isVisible(subject, known, includesBlocked) { codes.insert("unknownUser") }
    if let post, !isVisible(post, known) { codes.insert("unknownPost") }
    if !others.allSatisfy({ users[$0] != nil }) { codes.insert("unknownUser") }
    if !(1...1_000).contains(limit) { codes.insert("invalidRequest") }
    if let place, place.list != list { codes.insert("invalidCursor") }
    if !codes.isEmpty { throw Refusal(codes: codes) }
  }

  func isVisible(_ user: UserID, _ viewer: UserID?, _ includesBlocked: Bool = false) -> Bool {
    guard let viewer, users[user] != nil else { return users[user] != nil }
    return includesBlocked ? blocks[user]?.contains(viewer) != true : !isAcross(viewer, user)
  }

  func isVisible(_ post: PostID, _ viewer: UserID?) -> Bool {
    guard let author = posts[post]?.author, isVisible(author, viewer) else { return false }
    return viewer.map { isAmongAudience($0, of: post) } ?? true
  }

  /// Whether a viewer hides the posts of another: by a mute, or a relation.
  func isMuted(_ user: UserID, by viewer: UserID) -> Bool {
    mutes[viewer]?.contains(user) == true || hides(viewer, user, .timeline)
  }

  /// What is wrong with a list without those whom the viewer mutes.
  func problems(leavingOutMuted: Bool, _ viewer: UserID?) -> Set<String> {
    leavingOutMuted && (viewer.map { $0 == .visitor } ?? true) ? ["invalidRequest"] : []
  }

  /// Whether a list without those whom the viewer mutes shows a user, or a post by them.
  func passesMutes(_ user: UserID?, _ leavesOutMuted: Bool, _ viewer: UserID?) -> Bool {
    guard leavesOutMuted, let user, let viewer else { return true }
    return !isMuted(user, by: viewer)
  }

  // MARK: Values

  func user(_ id: UserID, _ viewer: UserID?, followedAt: UInt32? = nil, likedAt: UInt32? = nil, addedAt: UInt32? = nil)
    -> User
  {
    let viewer = viewer == .visitor ? nil : viewer
    return User(
      id: id, username: users[id]?.text ?? "", kind: kind(of: id),
      displayName: keptWithUsers[id].flatMap { $0.displayName.isEmpty ? nil : $0.displayName },
      followerCount: followerCount(id),
      followeeCount: follows[id]?.count ?? 0, postCount: posts.values.count { $0.author == id },
      flags: keptWithUsers[id]?.flags ?? 0, isPrivate: keptWithUsers[id]?.isPrivate ?? false,
      following: viewer.map { follows[$0]?[id] != nil }, followedAt: followedAt, likedAt: likedAt, addedAt: addedAt)
  }

  func post(
    _ id: PostID, _ viewer: UserID?, _ includesAuthors: Bool, likedAt: UInt32? = nil, addedAt: UInt32? = nil,
    repost: (user: UserID, second: UInt32)? = nil
  ) -> Post? {
    guard let post = posts[id] else { return nil }
    let viewer = viewer == .visitor ? nil : viewer
    let shown = Post(
      id: id, author: post.author, username: users[post.author]?.text ?? "", createdAt: Timestamp(post.time),
      parent: parents[id], flags: keptWithPosts[id]?.flags ?? 0, audience: keptWithPosts[id]?.audience ?? .everyone,
      editedAt: keptWithPosts[id]?.editedAt.map { Timestamp($0) }, text: post.text,
      likeCount: likes.values.count { $0[id] != nil },
      liked: viewer.map { likes[$0]?[id] != nil }, likedAt: likedAt.map { Timestamp(Int64($0) * 1_000) },
      addedAt: addedAt.map { Timestamp(Int64($0) * 1_000) },
      repost: repost.map {
        Post.Repost(id: $0.user, username: users[$0.user]?.text ?? "", at: Timestamp(Int64($0.second) * 1_000))
      })
    if includesAuthors { shown.records.attach(user(post.author, viewer).records) }
    return shown
  }

  private func relations(_ user: UserID, _ target: UserID) -> User.Relations {
    User.Relations(
      isFollowing: follows[user]?[target] != nil, isFollowedBy: follows[target]?[user] != nil,
      isBlocking: blocks[user]?.contains(target) == true, isBlockedBy: blocks[target]?.contains(user) == true,
      isMuting: mutes[user]?.contains(target) == true)
  }
}

// MARK: - Lists of edges

extension ReferenceModel {
  func nameKey(_ user: UserID) -> Key {
    guard let name = users[user] else { return Key() }
    return Key(texts: [name.loose, Array(name.text.utf8)], id: user.rawValue)
  }

  private func userPage(
    _ title: String, _ subject: UserID, _ edges: [(UserID, UInt32)], _ options: ListQuery, _ place: Place?
  ) throws(Refusal) -> Reply<Place> {
    let list = "\(title) \(options.order) \(subject)"
    try check(
      viewer: options.viewer, subject: subject, limit: options.limit, place: place, list: list,
      more: problems(leavingOutMuted: options.leavesOutMuted, options.viewer))
    let shown = edges.filter {
      isVisible($0.0, options.viewer) && passesMutes($0.0, options.leavesOutMuted, options.viewer)
    }
    let entries: [Entry<User>] = shown.map { user, second in
      let newest = Key(numbers: [-Int64(second), -user.rawValue])
      return (
        options.order == .name ? nameKey(user) : newest, self.user(user, options.viewer, followedAt: second)
      )
    }
    let (items, next) = page(entries, list, after: place, limit: options.limit)
    return Reply(.users(items), next: next)
  }

  private func likers(_ id: PostID, _ options: ListQuery, _ place: Place?) throws(Refusal) -> Reply<Place> {
    let list = "likers \(id)"
    try check(
      viewer: options.viewer, post: id, limit: options.limit, place: place, list: list,
      more: problems(leavingOutMuted: options.leavesOutMuted, options.viewer))
    var entries: [Entry<User>] = []
    for (user, liked) in likes {
      guard let second = liked[id], isVisible(user, options.viewer),
        passesMutes(user, options.leavesOutMuted, options.viewer)
      else { continue }
      let key = Key(numbers: [Int64(second), user.rawValue])
      entries.append((key, self.user(user, options.viewer, likedAt: second)))
    }
    let (items, next) = page(entries, list, after: place, limit: options.limit)
    return Reply(.users(items), next: next)
  }

  private func likes(_ user: UserID, _ options: ListQuery, _ place: Place?) throws(Refusal) -> Reply<Place> {
    let list = "likes \(user)"
    try check(
      viewer: options.viewer, subject: user, limit: options.limit, place: place, list: list,
      more: problems(leavingOutMuted: options.leavesOutMuted, options.viewer))
    let visible = (likes[user] ?? [:]).filter {
      isVisible($0.key, options.viewer) && passesMutes(posts[$0.key]?.author, options.leavesOutMuted, options.viewer)
    }
    let entries: [Entry<Post?>] = visible.map { id, second in
      (
        Key(numbers: [-Int64(second), -id.rawValue]), post(id, options.viewer, options.includesAuthors, likedAt: second)
      )
    }
    let (items, next) = page(entries, list, after: place, limit: options.limit)
    return Reply(.posts(items), next: next)
  }

  /// Lists that only their owner sees: no user is hidden from them.
  private func byID(
    _ title: String, _ owner: UserID, _ ids: Set<UserID>, _ options: ListQuery, _ place: Place?
  ) throws(Refusal) -> Reply<Place> {
    let list = "\(title) \(owner)"
    try check(viewer: nil, subject: owner, limit: options.limit, place: place, list: list)
    let entries: [Entry<User>] = ids.map { (Key(numbers: [$0.rawValue]), user($0, nil)) }
    let (items, next) = page(entries, list, after: place, limit: options.limit)
    return Reply(.users(items), next: next)
  }
}
