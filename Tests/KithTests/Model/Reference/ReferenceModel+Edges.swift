@testable import Kith

/// Relations that a host declares, by the rules alone: every edge is looked at after every change.
extension ReferenceModel {
  struct Edge: Hashable {
    let relation: String
    let source: Node
    let target: Node
  }

  func facts(_ name: String) -> Relation? { (Relation.builtIn + (declared ?? [])).first { $0.name == name } }

  private func exists(_ node: Node) -> Bool {
    switch node {
    case .user(let user): users[user] != nil
    case .post(let post): posts[post] != nil
    }
  }

  /// The user that a node stands for.
  func person(_ node: Node) -> UserID? {
    switch node {
    case .user(let user): user
    case .post(let post): posts[post]?.author
    }
  }

  /// The second of an edge of any relation; nil if there is none.
  private func second(_ name: String, _ source: Node, _ target: Node) -> UInt32? {
    switch (name, source, target) {
    case ("follow", .user(let user), .user(let other)): follows[user]?[other]
    case ("like", .user(let user), .post(let post)): likes[user]?[post]
    case ("block", .user(let user), .user(let other)): blocks[user]?.contains(other) == true ? 0 : nil
    case ("mute", .user(let user), .user(let other)): mutes[user]?.contains(other) == true ? 0 : nil
    default: edges[Edge(relation: name, source: source, target: target)]
    }
  }

  // MARK: - Changes

  /// The facts of a relation, if nothing is wrong with the ends of its edge but for blocks.
  private func checked(_ relation: Relation, _ source: Node, _ target: Node) throws(Refusal) -> Relation {
    try refuse(declared == nil ? ["noSchema"] : [])
    guard let facts = facts(relation.name) else { throw Refusal(codes: ["unknownRelation"]) }
    let missing = [source, target].filter { !exists($0) }
    try refuse(Set(missing.map { $0.end == .user ? "unknownUser" : "unknownPost" }))
    try refuse(facts.source == source.end && facts.target == target.end ? [] : ["invalidRequest"])
    return facts
  }

  mutating func addEdge(
    _ relation: Relation, _ source: Node, _ target: Node, _ time: Timestamp?
  ) throws(Refusal) -> Bool {
    let facts = try checked(relation, source, target)
    switch (facts.name, source, target) {
    case ("follow", .user(let user), .user(let other)):
      return try applyToOld(.follow(as: user, target: other, at: time))
    case ("like", .user(let user), .post(let post)): return try applyToOld(.like(as: user, post: post, at: time))
    case ("block", .user(let user), .user(let other)):
      try refuse(time == nil ? [] : ["invalidRequest"])
      return try applyToOld(.block(as: user, target: other))
    case ("mute", .user(let user), .user(let other)):
      try refuse(time == nil ? [] : ["invalidRequest"])
      return try applyToOld(.mute(as: user, target: other))
    default: break
    }
    try refuse(facts.isThread ? ["invalidRequest"] : [])
    return try added(facts, source, target, time)
  }

  /// Adds an edge of a declared relation.
  private mutating func added(
    _ facts: Relation, _ source: Node, _ target: Node, _ time: Timestamp?
  ) throws(Refusal) -> Bool {
    guard let second = second(of: facts, source, time), source != target else {
      throw Refusal(codes: ["invalidRequest"])
    }
    if case .user(let user) = source, let other = person(target), facts.visibility != .source, isAcross(user, other) {
      throw Refusal(codes: ["blocked"])
    }
    if let base = facts.endsWith, self.second(base, source, target) == nil { throw Refusal(codes: ["missingEdge"]) }
    for name in facts.isEndedBy where self.facts(name)?.isEndedBy.contains(facts.name) != true {
      if self.second(name, source, target) != nil { return false }
      if name == "block" && self.second(name, target, source) != nil { return false }
    }
    let edge = Edge(relation: facts.name, source: source, target: target)
    if edges[edge] != nil { return false }
    edges[edge] = second
    return true
  }

  mutating func removeEdge(_ relation: Relation, _ source: Node, _ target: Node) throws(Refusal) -> Bool {
    let facts = try checked(relation, source, target)
    switch (facts.name, source, target) {
    case ("follow", .user(let user), .user(let other)): return try applyToOld(.unfollow(as: user, target: other))
    case ("like", .user(let user), .post(let post)): return try applyToOld(.unlike(as: user, post: post))
    case ("block", .user(let user), .user(let other)): return try applyToOld(.unblock(as: user, target: other))
    case ("mute", .user(let user), .user(let other)): return try applyToOld(.unmute(as: user, target: other))
    default:
      try refuse(facts.isThread ? ["invalidRequest"] : [])
      return edges.removeValue(forKey: Edge(relation: facts.name, source: source, target: target)) != nil
    }
  }

  /// The second of a new edge, whose time must be given or not.
  private func second(of facts: Relation, _ source: Node, _ time: Timestamp?) -> UInt32? {
    guard case .post(let post) = source, !facts.isTimed else { return time.flatMap { second($0.rawValue) } }
    return time == nil ? posts[post].map { UInt32(clamping: $0.time / 1_000) } : nil
  }

  /// The edges of a new post, which are added one after the other, and its parent.
  /// - Parameter codes: what else is wrong with the post.
  func placed(
    _ given: [PostEdge], of post: PostID, _ time: Int64, more codes: Set<String>
  ) throws(Refusal) -> (edges: [Edge: UInt32], parent: PostID?) {
    var copy = self
    // As if the post were there already, alone.
    copy.posts[post] = StoredPost(author: UserID(0), time: time, text: "")
    copy.edges = [:]
    var parents: Set<PostID> = []
    do throws(Refusal) {
      try refuse(given.isEmpty || declared != nil ? [] : ["noSchema"])
      try refuse(given.allSatisfy { facts($0.relation.name) != nil } ? [] : ["unknownRelation"])
      for edge in given {
        guard let facts = facts(edge.relation.name) else { continue }
        // The new post is not known to its own edges.
        if edge.target == .post(post) { throw Refusal(codes: ["unknownPost"]) }
        let source = Node.post(post)
        _ = try copy.checked(edge.relation, source, edge.target)
        if facts.isThread, case .post(let parent) = edge.target {
          try refuse(edge.time == nil ? [] : ["invalidRequest"])
          parents.insert(parent)
          try refuse(parents.count > 1 ? ["invalidRequest"] : [])
        }
        let own = facts.isTimed ? edge.time ?? Timestamp(time) : edge.time
        let isNew = try copy.added(facts, source, edge.target, own)
        if isNew { copy.endEdges(by: .addEdge(facts, from: source, to: edge.target)) }
      }
    } catch {
      throw Refusal(codes: codes.union(error.codes))
    }
    try refuse(codes)
    return (copy.edges, parents.first)
  }

  /// Ends what a change ends that was made: by a new edge, and for want of a node or of an edge.
  mutating func endEdges(by change: Change) {
    if edges.isEmpty { return }
    if let (name, source, target) = added(by: change) {
      edges = edges.filter { edge, _ in
        guard facts(edge.relation)?.isEndedBy.contains(name) == true else { return true }
        let isThis = edge.source == source && edge.target == target
        return !isThis && !(name == "block" && edge.source == target && edge.target == source)
      }
    }
    edges = edges.filter { exists($0.key.source) && exists($0.key.target) }
    while true {
      let standing = edges.filter { edge, _ in
        guard let base = facts(edge.relation)?.endsWith else { return true }
        return second(base, edge.source, edge.target) != nil
      }
      if standing.count == edges.count { return }
      edges = standing
    }
  }

  private func added(by change: Change) -> (String, Node, Node)? {
    switch change {
    case .addEdge(let relation, let source, let target, _): return (relation.name, source, target)
    default:
      guard let edge = change.edge, edge.adds else { return nil }
      let target: Node = edge.kind == .like ? .post(PostID(edge.target)) : .user(UserID(edge.target))
      return (edge.kind.facts.name, .user(edge.source), target)
    }
  }

  /// The edges as text, as the changes that add them.
  var edgeRows: [String] {
    let replies = parents.map { post, parent in
      "reply \(post) to \(parent) of \(root(of: post)) at \(everTimes[post] ?? 0)"
    }
    let others = edges.filter { facts($0.key.relation)?.isThread != true }
    return
      (replies
      + others.map { edge, second in
        let relation = facts(edge.relation) ?? Relation(edge.relation, from: .user, to: .user)
        let hasTime = edge.source.end == .user || relation.isTimed
        let time = hasTime ? Timestamp(Int64(second) * 1_000) : nil
        return "\(Change.addEdge(relation, from: edge.source, to: edge.target, at: time))"
      }).sorted()
  }

  // MARK: - Queries

  /// All edges of a relation.
  func all(_ name: String) -> [(source: Node, target: Node, second: UInt32)] {
    switch name {
    case "follow": follows.flatMap { user, edges in edges.map { (.user(user), .user($0.key), $0.value) } }
    case "like": likes.flatMap { user, edges in edges.map { (.user(user), .post($0.key), $0.value) } }
    case "block": blocks.flatMap { user, targets in targets.map { (.user(user), .user($0), 0) } }
    case "mute": mutes.flatMap { user, targets in targets.map { (.user(user), .user($0), 0) } }
    default: edges.filter { $0.key.relation == name }.map { ($0.key.source, $0.key.target, $0.value) }
    }
  }

  private func isVisible(_ node: Node, _ viewer: UserID?) -> Bool {
    switch node {
    case .user(let user): isVisible(user, viewer)
    case .post(let post): isVisible(post, viewer)
    }
  }

  func edgeList(
    _ relation: Relation, _ side: RelationSide, _ node: Node, _ options: EdgeQuery, _ place: Place?
  ) throws(Refusal) -> Reply<Place> {
    let list = "edges \(relation.name) \(side) \(options.order) \(node)"
    var codes = problems(leavingOutMuted: options.leavesOutMuted, options.viewer)
    guard let facts = facts(relation.name) else { throw Refusal(codes: codes.union(["unknownRelation"])) }
    let (own, other) = side == .targets ? (facts.source, facts.target) : (facts.target, facts.source)
    if own != node.end || options.order == .name && other == .post { codes.insert("invalidRequest") }
    var (user, post): (UserID?, PostID?)
    switch node {
    case .user(let id): user = id
    case .post(let id): post = id
    }
    try check(
      viewer: options.viewer, subject: user, post: post, limit: options.limit, place: place, list: list, more: codes)
    let all = all(facts.name).filter { (side == .targets ? $0.source : $0.target) == node }
    let isSeenByOwner = facts.visibility == .source && side == .targets && other == .user
    let shown = all.filter { edge in
      guard let viewer = options.viewer else { return true }
      let (source, target) = (person(edge.source), person(edge.target))
      switch facts.visibility {
      case .everyone: break
      case .ends: if viewer != source && viewer != target { return false }
      case .source: if viewer != source { return false }
      }
      let item = side == .targets ? target : source
      return isSeenByOwner
        || isVisible(edge.source, viewer) && isVisible(edge.target, viewer)
          && passesMutes(item, options.leavesOutMuted, viewer)
    }
    let total = options.countsEdges ? all.count : nil
    let sign: Int64 = options.order == .oldest ? 1 : -1
    var users: [Entry<User>] = []
    var posts: [Entry<Post?>] = []
    for edge in shown {
      let item = side == .targets ? edge.target : edge.source
      var time = Int64(edge.second)
      // An edge without a time of its own has that of the post that it leads from, to the millisecond.
      if case .post(let post) = edge.source, !facts.isTimed { time = self.posts[post]?.time ?? 0 }
      let key = Key(numbers: [sign * time, sign * item.rawValue])
      switch item {
      case .user(let id):
        let user = self.user(id, options.viewer, addedAt: edge.second)
        users.append((options.order == .name ? nameKey(id) : key, user))
      case .post(let id):
        posts.append((key, self.post(id, options.viewer, options.includesAuthors, addedAt: edge.second)))
      }
    }
    if other == .user {
      let (items, next) = page(users, list, after: place, limit: options.limit)
      return Reply(.users(items, total: total), next: next)
    }
    let (items, next) = page(posts, list, after: place, limit: options.limit)
    return Reply(.posts(items, total: total), next: next)
  }

  func edges(_ node: Node, _ others: [Node]) throws(Refusal) -> Reply<Place> {
    let missing = ([node] + others).filter { !exists($0) }
    try refuse(Set(missing.map { $0.end == .user ? "unknownUser" : "unknownPost" }))
    let relations = Relation.builtIn + (declared ?? [])
    return Reply(
      .edges(
        others.map { other in
          Node.Edges(
            to: relations.map(\.name).filter { second($0, node, other) != nil },
            from: relations.filter { $0.visibility != .source || $0.name == "block" }.map(\.name)
              .filter { second($0, other, node) != nil })
        }))
  }

  // MARK: - Details

  /// What a user, or a post with or without its author, tells of relations: of itself, and of the author.
  struct Details: Equatable {
    var counts: [String: Int] = [:]
    var marks: [String: Bool] = [:]
    var payload: [UInt8]?
  }

  private func payload(of node: Node) -> [UInt8] {
    switch node {
    case .user(let user): keptWithUsers[user]?.payload ?? []
    case .post(let post): keptWithPosts[post]?.payload ?? []
    }
  }

  func details(
    _ asked: ResultDetails, _ node: Node, author: Node? = nil
  ) throws(Refusal) -> (own: Details, author: Details) {
    var (own, other) = (Details(), Details())
    var codes: Set<String> = []
    /// The node whose edges of a relation are told of, and whether they lead to it.
    func end(_ facts: Relation, isMark: Bool) -> (Node, leadsTo: Bool)? {
      for node in [node] + (author.map { [$0] } ?? []) {
        if facts.target == node.end { return (node, true) }
        if !isMark && facts.source == node.end { return (node, false) }
      }
      return nil
    }
    for relation in asked.counts {
      guard let facts = facts(relation.name) else { throw Refusal(codes: ["unknownRelation", "invalidRequest"]) }
      guard let (end, leadsTo) = end(facts, isMark: false) else {
        // Of the author, who was not asked for.
        if node.end == .user { codes.insert("invalidRequest") }
        continue
      }
      let count = all(facts.name).count { (leadsTo ? $0.target : $0.source) == end }
      if end == node { own.counts[facts.name] = count } else { other.counts[facts.name] = count }
    }
    if !asked.marks.isEmpty && asked.viewer == nil { codes.insert("invalidRequest") }
    if !asked.marks.isEmpty, let viewer = asked.viewer, users[viewer] == nil { codes.insert("unknownUser") }
    for relation in asked.marks {
      guard let facts = facts(relation.name) else { throw Refusal(codes: codes.union(["unknownRelation"])) }
      guard facts.source == .user, let (end, _) = end(facts, isMark: true) else {
        if facts.source == .post || node.end == .user { codes.insert("invalidRequest") }
        continue
      }
      let isMarked = asked.viewer.map { second(facts.name, .user($0), end) != nil } ?? false
      if end == node { own.marks[facts.name] = isMarked } else { other.marks[facts.name] = isMarked }
    }
    if asked.includesPayloads {
      own.payload = payload(of: node)
      other.payload = author.map { payload(of: $0) }
    }
    try refuse(codes)
    return (own, other)
  }

  // MARK: - Conversations

  /// The first of a post's ancestors.
  func root(of post: PostID) -> PostID {
    var root = post
    while let parent = parents[root] { root = parent }
    return root
  }

  func thread(_ post: PostID, _ options: ThreadQuery, _ place: Place?) throws(Refusal) -> Reply<Place> {
    let list = "thread \(options.order) \(post)"
    try check(
      viewer: options.viewer, post: post, limit: options.limit, place: place, list: list,
      more: problems(leavingOutMuted: options.leavesOutMuted, options.viewer))
    let sign: Int64 = options.order == .oldest ? 1 : -1
    let found = posts.filter {
      root(of: $0.key) == root(of: post) && isVisible($0.key, options.viewer)
        && passesMutes($0.value.author, options.leavesOutMuted, options.viewer)
    }
    let entries = found.map { id, stored in
      let key = Key(numbers: [sign * stored.time, sign * id.rawValue])
      return (key: key, item: self.post(id, options.viewer, options.includesAuthors))
    }
    let (items, next) = page(entries, list, after: place, limit: options.limit)
    return Reply(.posts(items), next: next)
  }

  func ancestors(
    _ post: PostID, _ limit: Int, _ viewer: UserID?, _ includesAuthors: Bool
  ) throws(Refusal) -> Reply<Place> {
    try check(viewer: viewer, post: post, limit: limit)
    var found: [PostID] = []
    var next = post
    while let parent = parents[next] {
      if isVisible(parent, viewer) { found.append(parent) }
      next = parent
    }
    let shown = found.prefix(limit).map { self.post($0, viewer, includesAuthors) }
    return Reply(.boundedPosts(shown, isTruncated: found.count > limit))
  }
}
