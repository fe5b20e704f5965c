/// What the lists of edges of any relation have in common: the relation, the subject, and what the viewer may see.
struct EdgeSubject {
  /// What of the edges a viewer may see.
  enum Extent {
    case all
    /// Those whose other end the viewer may see.
    case unhidden
    /// Those whose other end is this user, or a post by them.
    case only(UInt32)
    case none
  }

  let kind: RelationKind
  let relation: Relation
  let side: RelationSide
  let node: Node
  let row: UInt32
  let visibility: Visibility
  let extent: Extent

  /// - Parameter other: the type that the items must have.
  /// - Throws: `unknownRelation`; `invalidRequest` if the relation has no such list of the subject; `unknownUser` and
  ///   `unknownPost`, also for a subject across a block.
  init(
    _ asked: Relation, _ side: RelationSide, of node: Node, showing other: Relation.End, _ query: EdgeQuery,
    _ state: borrowing GraphState
  ) throws(KithError) {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    kind = try state.relations.kind(of: asked)
    relation = state.relations[kind]
    (self.side, self.node) = (side, node)
    let visibility = try Visibility(of: query.viewer, state)
    self.visibility = try visibility.hidingMuted(query.leavesOutMuted, state)
    row =
      switch node {
      case .user(let id): try visibility.row(of: id, state)
      case .post(let id): try visibility.row(of: id, state)
      }
    let ends = side == .targets ? (relation.source, relation.target) : (relation.target, relation.source)
    guard node.end == ends.0, other == ends.1 else { throw .invalidRequest(.noSuchList(of: relation.name)) }
    guard let viewer = visibility.viewer else {
      extent = visibility.seesAll ? .all : relation.visibility == .everyone ? .unhidden : .none
      return
    }
    let isOwn = state.user(row, node.end) == viewer
    extent =
      switch (relation.visibility, side) {
      case (.everyone, _): .unhidden
      case (.ends, _): isOwn ? .unhidden : .only(viewer)
      case (.source, .targets): isOwn ? other == .user ? .all : .unhidden : .none
      case (.source, .sources): .only(viewer)
      }
  }

  /// Whether there is nothing to list.
  func isEmpty(_ state: borrowing GraphState) -> Bool {
    if case .none = extent { return true }
    return !state.isInUse(kind)
  }

  /// The number of all edges.
  func count(_ state: borrowing GraphState) -> Int {
    if !state.isInUse(kind) { return 0 }
    return side == .targets ? state[kind].targetCount(row) : state[kind].sourceCount(row)
  }

  func page(_ query: EdgeQuery) -> EdgePage {
    let cursors: CursorContent.Kind =
      switch (side, query.order) {
      case (.targets, .newest): .targetsNewest
      case (.targets, .oldest): .targetsOldest
      case (.targets, .name): .targetsByName
      case (.sources, .newest): .sourcesNewest
      case (.sources, .oldest): .sourcesOldest
      case (.sources, .name): .sourcesByName
      }
    // 31 bits of the name's hash, not 0: a cursor belongs to one relation.
    return EdgePage(
      kind: cursors, subject: node.rawValue, binding: max(1, relation.nameHash & 0x7FFF_FFFF),
      limit: query.limit, visibility: visibility)
  }

  /// What a list depends on, of any relation: what ends an edge may be one of another.
  static func dependencies(of node: Node, _ query: EdgeQuery) -> [QueryDependency] {
    QueryDependency.anyEdges(of: node) + (query.order == .name ? [.anyName] : [])
      + QueryDependency.access(of: query.viewer, leavesOutMuted: query.leavesOutMuted)
  }
}

/// The users at one end of a node's edges.
struct UsersOfEdges: Query {
  let relation: Relation
  let side: RelationSide
  let node: Node
  let query: EdgeQuery
  var operation: GraphOperation { side == .targets ? .targets : .sources }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    let subject = try EdgeSubject(relation, side, of: node, showing: .user, query, state)
    let total = query.countsEdges ? subject.count(state) : nil
    let page = subject.page(query)
    if subject.isEmpty(state) {
      if let cursor = query.cursor, query.order == .name {
        _ = try NameKey(cursor, kind: page.kind, subject: page.subject, binding: page.binding, state.users)
      } else {
        _ = try page.last(query.cursor)
      }
      return Page(nil, total: total)
    }
    var list = RelationList(
      kind: subject.kind, side: side, own: subject.row, visibility: subject.visibility, cursor: query.cursor,
      page: page, hidesNone: false, event: .added)
    switch subject.extent {
    case .all: list.hidesNone = true
    case .only(let user): list.only = user
    case .unhidden, .none: break
    }
    let found =
      switch query.order {
      case .newest: try list.byTime(isAscending: false, state)
      case .oldest: try list.byTime(isAscending: true, state)
      case .name: try list.byName(state)
      }
    return found.counting(total)
  }

  func dependencies(of page: Page<User>) -> [QueryDependency] {
    EdgeSubject.dependencies(of: node, query) + QueryDependency.shown(page)
  }
}

/// The posts at one end of a node's edges.
struct PostsOfEdges: Query {
  let relation: Relation
  let side: RelationSide
  let node: Node
  let query: EdgeQuery
  var operation: GraphOperation { side == .targets ? .targets : .sources }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<Post> {
    let subject = try EdgeSubject(relation, side, of: node, showing: .post, query, state)
    if query.order == .name { throw .invalidRequest(.noSuchList(of: "\(subject.relation.name) by name")) }
    let total = query.countsEdges ? subject.count(state) : nil
    let page = subject.page(query)
    let last = try page.last(query.cursor)
    if subject.isEmpty(state) { return Page(nil, total: total) }
    var edges = side == .targets ? targets(subject, last, state) : try sources(subject, last, state)
    let next = page.cut(&edges)
    let rows = edges.map(\.row)
    let records = PostRecords(
      rows.span, subject.visibility, state, likedTimestamps: edges.map(\.timestamp), areOfEdges: true,
      includesAuthors: query.includesAuthors)
    return Page(records, next: next).counting(total)
  }

  private func shows(_ post: UInt32, _ subject: EdgeSubject, _ state: borrowing GraphState) -> Bool {
    switch subject.extent {
    case .all: true
    case .unhidden: !subject.visibility.hides(post: post, state)
    case .only(let user): state.posts.authors[post] == user
    case .none: false
    }
  }

  private func targets(
    _ subject: EdgeSubject, _ last: (timestamp: UInt32, id: Int64)?, _ state: borrowing GraphState
  ) -> [EdgeSelection.Edge] {
    let isAscending = query.order == .oldest
    let bound = isAscending ? last.map { (~$0.timestamp, ~$0.id) } : last
    var selection = EdgeSelection(limit: query.limit + 1, after: bound)
    if isAscending {
      state[subject.kind].forEachTarget(of: subject.row) { row, timestamp in
        if !shows(row, subject, state) { return }
        var edge = EdgeSelection.Edge(timestamp: timestamp, id: state.posts.identifiers.ids[row], row: row)
        edge.complement()
        selection.push(edge)
      }
    } else {
      selection.push(targetsOf: subject.row, in: state[subject.kind]) { row in
        shows(row, subject, state) ? state.posts.identifiers.ids[row] : nil
      }
    }
    var edges = selection.best()
    if isAscending { for index in edges.indices { edges[index].complement() } }
    return edges
  }

  /// The sources of the subject in the order in which they are kept, up to one more than the page holds.
  private func sources(
    _ subject: EdgeSubject, _ last: (timestamp: UInt32, id: Int64)?, _ state: borrowing GraphState
  ) throws(KithError) -> [EdgeSelection.Edge] {
    let (kind, target, list) = (subject.kind, subject.row, Int(subject.row))
    let isAscending = query.order == .oldest
    var place = try place(of: subject, after: last, isAscending: isAscending, state)
    var edges: [EdgeSelection.Edge] = []
    while edges.count <= query.limit {
      let found =
        isAscending
        ? state[kind].backward.element(atOrAfter: place, of: list)
        : state[kind].backward.element(before: place, of: list)
      guard let (row, position) = found else { break }
      place = position
      if isAscending { place.offset += 1 }
      if !shows(row, subject, state) { continue }
      let timestamp =
        subject.relation.hasTime
        ? state[kind].timestamp(row, target) ?? 0 : UInt32(clamping: state.posts.time(row) / 1_000)
      edges.append(.init(timestamp: timestamp, id: state.posts.identifiers.ids[row], row: row))
    }
    return edges
  }

  /// Where a page of sources begins. Those of edges without times of their own are in the order of posts: the exact
  /// time of the last one is that of the post, which keeps it when it is removed.
  private func place(
    of subject: EdgeSubject, after last: (timestamp: UInt32, id: Int64)?, isAscending: Bool,
    _ state: borrowing GraphState
  ) throws(KithError) -> PackedLists<UInt32>.Position {
    let target = subject.row
    guard let last, !subject.relation.hasTime else {
      return state[subject.kind].place(
        in: target, after: last, isAscending: isAscending, ids: state.posts.identifiers.ids)
    }
    guard let row = state.posts.identifiers.row(of: last.id) else { throw .invalidCursor }
    let key = state.posts.key(row)
    return state[subject.kind].backward.partitionPoint(of: Int(target)) {
      isAscending ? !state.posts.isAfter($0, key) : state.posts.isBefore($0, key)
    }
  }

  func dependencies(of page: Page<Post>) -> [QueryDependency] {
    [.removedPosts] + EdgeSubject.dependencies(of: node, query) + QueryDependency.shown(page)
  }
}
