import Kith

/// The relations that a schema declares.
extension Explorer {
  /// The lists of the edges of a user or a post, with their lengths.
  func relations(_ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    let node: Node
    switch (parameters.integer(.userNumber), parameters.integer(.postNumber)) {
    case (let user?, nil): node = .user(UserID(user))
    case (nil, let post?): node = .post(PostID(post))
    default: throw .invalid("one of user and post is needed")
    }
    let graph = try graph(parameters)
    let lists = try HTTPFailure.from { () throws(KithError) in
      try graph.read { (view) throws(KithError) in try view.edgeLists(of: node) }
    }
    return .object { writer in
      writer.objects("lists", lists) { writer, list in
        writer.member("relation", list.relation.name)
        writer.member("side", list.side)
        writer.member("of", list.other == .user ? "users" : "posts")
        writer.member("thread", list.relation.isThread)
        writer.member("count", list.count)
      }
    }
  }

  /// What differs between two instants.
  func difference(_ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    let (from, to) = (parameters.integer(.startTime) ?? 0, parameters.integer(.endTime))
    let limit = Int(parameters.integer(.limit) ?? 0)
    if let to, to < from { throw .invalid("to is before from") }
    guard store.kind == .store else { throw .invalid("a snapshot holds one state; explore the store's directory") }
    let store = store
    return try Job(reading: DiskProgress.byteCount(of: store.path, .newest)) { (job) throws(HTTPFailure) in
      let (found, ends) = try HTTPFailure.from { () throws(KithError) in
        let before = try store.openPast(at: from, job.reading)
        let after = try to.map { (time) throws(KithError) in try store.openPast(at: time, job.reading) } ?? store.graph
        let pins = (before.pin(), after.pin())
        let found = try GraphDifference(from: pins.0.view, to: pins.1.view, limit: limit, control: job.passes)
        return (found, (pins.0.view.sequence, pins.1.view.sequence))
      }
      return JSONWriter.bytes { writer in
        writer.member("from", from)
        writer.member("to", orNull: to)
        writer.member("changes", Int64(ends.1) - Int64(ends.0))
        found.writeMembers(to: &writer)
      }
    }.stream()
  }
}

/// The edges of a node on one side of a declared relation.
private struct EdgeList {
  let relation: Relation
  let side: String
  /// What is at the other ends.
  let other: Relation.End
  let count: Int
}

extension GraphView {
  /// The declared relations with the numbers of their edges.
  var declaredRelations: [(relation: Relation, count: Int)] {
    (schema?.relations ?? []).map { ($0, (try? edgeCount($0)) ?? 0) }
  }

  fileprivate func edgeLists(of node: Node) throws(KithError) -> [EdgeList] {
    // Also without a schema, an unknown node is an error.
    switch node {
    case .user(let id): _ = try user(id)
    case .post(let id): _ = try post(id)
    }
    let query = EdgeQuery(countsEdges: true, limit: 1)
    var lists: [EdgeList] = []
    for relation in schema?.relations ?? [] {
      if relation.source == node.end {
        let count =
          relation.target == .user
          ? try targets(of: node, relation, query).total : try targetPosts(of: node, relation, query).total
        lists.append(EdgeList(relation: relation, side: "targets", other: relation.target, count: count ?? 0))
      }
      if relation.target == node.end {
        let count =
          relation.source == .user
          ? try sources(of: node, relation, query).total : try sourcePosts(of: node, relation, query).total
        lists.append(EdgeList(relation: relation, side: "sources", other: relation.source, count: count ?? 0))
      }
    }
    return lists
  }
}
