/// What differs between two states of one graph, found by ids, whatever changes led from the one to the other.
///
/// What came and went in between is not seen, and neither is an edge that ended and was added again.
package struct GraphDifference: Sendable {
  /// How many there are, and the first of them.
  package struct List<Item: Sendable>: Sendable {
    package fileprivate(set) var count = 0
    package fileprivate(set) var items: [Item] = []
  }

  package struct NamedUser: Sendable {
    package let id: UserID
    package let username: String
  }

  package struct Renaming: Sendable {
    package let id: UserID
    package let before, username: String
  }

  package struct ShownPost: Sendable {
    package let id: PostID
    package let author: NamedUser
    package let createdAt: Timestamp
    package let text: String
  }

  /// An end of an edge.
  package enum End: Sendable {
    case user(NamedUser)
    case post(ShownPost)
  }

  package struct Edge: Sendable {
    package let source, target: End
    /// Nil where edges have no times.
    package let time: Timestamp?
  }

  package struct EdgeLists: Sendable {
    package let relation: String
    package let added, ended: List<Edge>
  }

  /// Users by id, the highest first.
  package private(set) var joined = List<NamedUser>()
  package private(set) var left = List<NamedUser>()
  package private(set) var renamed = List<Renaming>()
  /// Posts by time, the newest first.
  package private(set) var posted = List<ShownPost>()
  package private(set) var removedPosts = List<ShownPost>()
  /// By relation, in the order of the graph; edges by time, the newest first. Without relations that are equal.
  package private(set) var edges: [EdgeLists] = []

  /// Compares two states.
  /// - Parameter limit: the most items of a list.
  /// - Throws: `cancelled`, `closed`.
  /// - Complexity: O(users + posts + edges), and sorting what differs.
  package init(
    from before: borrowing GraphView, to after: borrowing GraphView, limit: Int, control: PassControl = PassControl()
  ) throws(KithError) {
    try before.checkOpen()
    try after.checkOpen()
    compareUsers(before, after, limit)
    if control.isCancelled { throw .cancelled }
    (posted, removedPosts) = (
      Self.posts(of: after, lackingIn: before, limit), Self.posts(of: before, lackingIn: after, limit)
    )
    // A schema only grows: the later state has every relation.
    for relation in after.state.relations.relations {
      if control.isCancelled { throw .cancelled }
      let added = Self.edges(relation, of: after, lackingIn: before, limit)
      let ended = Self.edges(relation, of: before, lackingIn: after, limit)
      if added.count + ended.count > 0 {
        edges.append(EdgeLists(relation: relation.name, added: added, ended: ended))
      }
    }
    control.finish()
  }

  private mutating func compareUsers(_ before: borrowing GraphView, _ after: borrowing GraphView, _ limit: Int) {
    var (joinedIDs, leftIDs, renamedIDs): ([UserID], [UserID], [UserID]) = ([], [], [])
    for row in 0..<UInt32(after.state.users.rowCount) where after.state.users.isLive(row) {
      let id = after.state.userID(row)
      if let old = before.state.users.row(of: id) {
        // By bytes: strings are equal that differ in normalisation, and that is a change.
        if ByteSearch.compare(before.state.users.names.bytes(Int(old)), after.state.users.names.bytes(Int(row))) != 0 {
          renamedIDs.append(id)
        }
      } else {
        joinedIDs.append(id)
      }
    }
    for row in 0..<UInt32(before.state.users.rowCount) where before.state.users.isLive(row) {
      let id = before.state.userID(row)
      if after.state.users.row(of: id) == nil { leftIDs.append(id) }
    }
    func shown<Item>(_ ids: [UserID], _ item: (UserID) -> Item?) -> List<Item> {
      List(count: ids.count, items: ids.sorted(by: >).prefix(limit).compactMap(item))
    }
    joined = shown(joinedIDs) { after.state.named($0) }
    left = shown(leftIDs) { before.state.named($0) }
    renamed = shown(renamedIDs) { id in
      guard let old = before.state.named(id), let new = after.state.named(id) else { return nil }
      return Renaming(id: id, before: old.username, username: new.username)
    }
  }

  /// The posts of one state that another lacks.
  private static func posts(
    of view: borrowing GraphView, lackingIn other: borrowing GraphView, _ limit: Int
  ) -> List<ShownPost> {
    var found: [(time: Int64, id: Int64)] = []
    for row in 0..<UInt32(view.state.posts.rowCount) where view.state.posts.isLive(row) {
      let id = view.state.postID(row)
      if other.state.posts.row(of: id) == nil { found.append((view.state.posts.time(row), id.rawValue)) }
    }
    found.sort(by: >)
    return List(count: found.count, items: found.prefix(limit).compactMap { view.state.shown(PostID($0.id)) })
  }

  /// The edges of one state that another lacks.
  private static func edges(
    _ relation: Relation, of view: borrowing GraphView, lackingIn other: borrowing GraphView, _ limit: Int
  ) -> List<Edge> {
    guard let kind = relation.kind, Int(kind.number) < view.state.relations.relations.count, view.state.isInUse(kind)
    else { return List() }
    let isKnown = Int(kind.number) < other.state.relations.relations.count && other.state.isInUse(kind)
    var found: [(time: UInt32, source: Int64, target: Int64)] = []
    var (targets, known): ([(Int64, UInt32)], Set<Int64>) = ([], [])
    let isFromUsers = relation.source == .user
    let rowCount = isFromUsers ? view.state.users.rowCount : view.state.posts.rowCount
    for row in 0..<UInt32(rowCount) {
      if view.state[kind].targetCount(row) == 0 { continue }
      let source = isFromUsers ? view.state.userID(row).rawValue : view.state.postID(row).rawValue
      known.removeAll(keepingCapacity: true)
      targets.removeAll(keepingCapacity: true)
      if isKnown, let otherRow = other.state.row(relation.source, source) {
        other.state[kind].forEachTarget(of: otherRow) { target, _ in
          known.insert(other.state.id(target, relation.target))
        }
      }
      view.state[kind].forEachTarget(of: row) { target, time in
        let id = view.state.id(target, relation.target)
        if !known.contains(id) { targets.append((id, time)) }
      }
      for (target, time) in targets { found.append((time, source, target)) }
    }
    found.sort(by: >)
    let hasTime = Int(kind.number) < Relation.builtIn.count ? kind.facts.hasTime : relation.hasTime
    let shown = found.prefix(limit).compactMap { edge -> Edge? in
      guard let source = view.state.end(relation.source, edge.source),
        let target = view.state.end(relation.target, edge.target)
      else { return nil }
      return Edge(source: source, target: target, time: hasTime ? Timestamp(seconds: edge.time) : nil)
    }
    return List(count: found.count, items: shown)
  }
}

extension GraphState {
  fileprivate func row(_ end: Relation.End, _ id: Int64) -> UInt32? {
    switch end {
    case .user: users.row(of: UserID(id))
    case .post: posts.row(of: PostID(id))
    }
  }

  fileprivate func id(_ row: UInt32, _ end: Relation.End) -> Int64 {
    switch end {
    case .user: userID(row).rawValue
    case .post: postID(row).rawValue
    }
  }

  fileprivate func named(_ id: UserID) -> GraphDifference.NamedUser? {
    users.row(of: id).map { GraphDifference.NamedUser(id: id, username: users.names.string(Int($0))) }
  }

  fileprivate func shown(_ id: PostID) -> GraphDifference.ShownPost? {
    guard let row = posts.row(of: id), let author = named(userID(posts.authors[row])) else { return nil }
    return GraphDifference.ShownPost(
      id: id, author: author, createdAt: Timestamp(posts.time(row)), text: posts.texts.string(Int(row)))
  }

  fileprivate func end(_ end: Relation.End, _ id: Int64) -> GraphDifference.End? {
    switch end {
    case .user: named(UserID(id)).map { .user($0) }
    case .post: shown(PostID(id)).map { .post($0) }
    }
  }
}
