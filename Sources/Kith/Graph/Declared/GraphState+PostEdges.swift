/// Edges that are given with a new post: validated together, then made after the post.
extension GraphState {
  /// Fills in the relations, and the times of edges that have their own.
  /// - Throws: `noSchema`, `unknownRelation`, `invalidRequest` for too many.
  func complete(_ edges: [PostEdge], createdAt: Timestamp) throws(KithError) -> [PostEdge] {
    if edges.isEmpty { return edges }
    if edges.count > SocialGraph.Limits.postEdgeCount { throw .invalidRequest(.postEdgeCount(edges.count)) }
    var completed: [PostEdge] = []
    completed.reserveCapacity(edges.count)
    for var edge in edges {
      edge.relation = try known(edge.relation)
      if edge.relation.hasTime && edge.time == nil { edge.time = createdAt }
      completed.append(edge)
    }
    return completed
  }

  /// An edge of a new post, with rows.
  struct NewEdge {
    let kind: RelationKind
    let target: UInt32
    let timestamp: UInt32
  }

  /// The edges of a new post that stand once all were added in their order, and its parent.
  /// - Throws: as `adding`, of the first edge that is refused.
  func placed(
    _ edges: [PostEdge], createdAt: Timestamp
  ) throws(KithError) -> (edges: [NewEdge], parent: UInt32?) {
    var found: [NewEdge] = []
    var parent: UInt32?
    func has(_ kind: RelationKind, _ target: UInt32) -> Bool {
      found.contains { $0.kind == kind && $0.target == target }
    }
    for edge in edges {
      let relation = try known(edge.relation)
      let target = try row(of: edge.target)
      guard relation.source == .post, relation.target == edge.target.end, let kind = relation.kind else {
        throw .invalidRequest(.edgeEnds(relation: relation.name, needed: relation.needs))
      }
      let timestamp = try timestamp(of: relation, edge.time, createdAt: createdAt)
      if relation.isThread {
        guard parent == nil || parent == target else { throw .invalidRequest(.severalParents) }
        parent = target
      }
      let rules = relations.rules(of: kind)
      if let base = rules.base, !has(base, target) { throw .missingEdge(relations[base].name) }
      if has(kind, target) || rules.barring.contains(where: { has($0, target) }) { continue }
      let ended = rules.ended
      found.removeAll { $0.target == target && ended.contains($0.kind) }
      found.append(NewEdge(kind: kind, target: target, timestamp: timestamp))
    }
    return (found, parent)
  }

  /// Makes the edges of a post that was just appended.
  mutating func addEdges(_ edges: [PostEdge], of post: UInt32) {
    do throws(KithError) {
      let (found, parent) = try placed(edges, createdAt: Timestamp(posts.time(post)))
      for edge in found {
        use(edge.kind)
        self.edit(edge.kind, .insert(post, edge.target, timestamp: edge.timestamp))
      }
      if let parent { declared.setParent(parent, of: post, posts) }
    } catch {
      preconditionFailure("the edges of a post are checked before it is added: \(error.description)")
    }
  }

  /// The root of the conversation that a change has added a post to; nil for other changes.
  func root(ofNew change: Change) -> PostID? {
    guard case .addPost(let id?, _, _, _, let edges, _) = change, !edges.isEmpty, declared.hasThreads,
      let row = posts.row(of: id), declared.threads.parent(of: row) != nil
    else { return nil }
    return postID(declared.threads.root(of: row))
  }

  /// The authors of the posts that the edges of a change lead to.
  func authors(ofTargetsOf change: Change) -> [UserID] {
    func author(_ target: Node) -> UserID? {
      guard case .post(let post) = target, let row = posts.row(of: post) else { return nil }
      return userID(posts.authors[row])
    }
    switch change {
    case .like(_, let post, _), .unlike(_, let post): return author(.post(post)).map { [$0] } ?? []
    case .addEdge(_, _, let target, _), .removeEdge(_, _, let target): return author(target).map { [$0] } ?? []
    case .addPost(_, _, _, _, let edges, _): return edges.compactMap { author($0.target) }
    default: return []
    }
  }

  /// The timestamp stored for an edge: of its own time, or of the time of the post that it leads from, whose exact time
  /// decides the order.
  /// - Throws: `invalidRequest` for a time that is out of range, missing, or not kept by the relation.
  func timestamp(
    of relation: Relation, _ time: Timestamp?, createdAt: @autoclosure () -> Timestamp
  ) throws(KithError) -> UInt32 {
    if relation.hasTime {
      // A journal could have an edge without the time that its relation keeps.
      guard time != nil else { throw .invalidRequest(.edgeTimeMissing(relation: relation.name)) }
      return try Self.timestamp(time)
    }
    if time != nil { throw .invalidRequest(.edgeTimeUnused(relation: relation.name)) }
    return UInt32(clamping: createdAt().rawValue / 1_000)
  }
}
