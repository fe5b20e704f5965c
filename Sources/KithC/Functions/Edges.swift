import CKith
import Kith

/// Described in kith.h.
@c @implementation
public func kith_add_edge(
  _ graph: OpaquePointer?, _ relation: kith_text, _ source: Int64, _ target: Int64, _ at: Int64,
  _ changed: UnsafeMutablePointer<Bool>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  changed?.pointee = false
  return finish(error) {
    let (handle, name) = (Handle(graph), try string(relation, "relation"))
    let known = try handle.relation(name)
    let time = at == .min ? nil : Timestamp(at)
    let change = Change.addEdge(known, from: Node(known.source, source), to: Node(known.target, target), at: time)
    let result = try handle.apply(change)
    changed?.pointee = result.didChange
  }
}

/// Described in kith.h.
@c @implementation
public func kith_remove_edge(
  _ graph: OpaquePointer?, _ relation: kith_text, _ source: Int64, _ target: Int64,
  _ changed: UnsafeMutablePointer<Bool>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  changed?.pointee = false
  return finish(error) {
    let (handle, name) = (Handle(graph), try string(relation, "relation"))
    let known = try handle.relation(name)
    let change = Change.removeEdge(known, from: Node(known.source, source), to: Node(known.target, target))
    let result = try handle.apply(change)
    changed?.pointee = result.didChange
  }
}

/// Described in kith.h.
@c @implementation
public func kith_add_post_with_edges(
  _ graph: OpaquePointer?, _ author: Int64, _ text: kith_text, _ wanted: Int64, _ created_at: Int64,
  _ edges: UnsafePointer<kith_post_edge>?, _ edge_count: Int, _ fields: UnsafePointer<kith_fields>?,
  _ id: UnsafeMutablePointer<Int64>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  id?.pointee = 0
  return finish(error) {
    guard edge_count <= Limits.postEdgeCount else {
      throw Failure.invalid("a post is given at most \(Limits.postEdgeCount) edges")
    }
    let (handle, text) = (Handle(graph), try string(text, "text"))
    let given = try buffer(edges, edge_count, "edges").map { edge in
      let known = try handle.relation(try string(edge.relation, "relation"))
      guard edge.reserved == 0 else { throw Failure.invalid("reserved members of kith_post_edge are not 0") }
      let time = try flag(edge.has_time, "has_time") ? Timestamp(edge.time) : nil
      return PostEdge(known, to: Node(known.target, edge.target), at: time)
    }
    let result = try handle.apply(
      .addPost(
        id: wanted == 0 ? nil : PostID(wanted), by: UserID(author), text: text,
        createdAt: created_at == .min ? nil : Timestamp(created_at), edges: given,
        fields: try fields.map { try PostFields($0.pointee) } ?? PostFields()))
    id?.pointee = result.post?.rawValue ?? 0
  }
}

/// Described in kith.h.
@c @implementation
public func kith_has_edge(
  _ graph: OpaquePointer?, _ relation: kith_text, _ source: Int64, _ target: Int64,
  _ has_edge: UnsafeMutablePointer<Bool>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    let (handle, answer) = (Handle(graph), try needed(has_edge, "has_edge"))
    answer.pointee = false
    let name = try string(relation, "relation")
    try handle.read { view in
      let known = try view.knownRelation(name)
      answer.pointee = try view.hasEdge(known, from: Node(known.source, source), to: Node(known.target, target))
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_edge_counts(
  _ graph: OpaquePointer?, _ end: Int32, _ ids: UnsafePointer<Int64>?, _ count: Int,
  _ relations: UnsafePointer<kith_text>?, _ relation_count: Int, _ viewer: Int64,
  _ counts: UnsafeMutablePointer<UInt32>?,
  _ marks: UnsafeMutablePointer<UInt8>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    guard count <= Limits.idCount else { throw Failure.invalid("at most \(Limits.idCount) ids are looked up") }
    guard relation_count <= Limits.relationCount else {
      throw Failure.invalid("at most \(Limits.relationCount) relations are counted")
    }
    let ids = try buffer(ids, count, "ids").map { $0 }
    let names = try buffer(relations, relation_count, "relations").map { Relation(try string($0, "relation")) }
    func write(_ place: Int, _ count: (Relation) -> Int?, _ mark: (Relation) -> Bool?) {
      for (index, relation) in names.enumerated() {
        counts?[place * names.count + index] = UInt32(clamping: count(relation) ?? 0)
        marks?[place * names.count + index] = mark(relation) == true ? 1 : 0
      }
    }
    try Handle(graph).read { view in
      // A relation from posts has no marks.
      let marked = try names.filter { try view.knownRelation($0.name).source == .user }
      let details = ResultDetails(
        counts: counts == nil ? [] : names, marks: marks == nil ? [] : marked,
        viewer: viewer == 0 ? nil : UserID(viewer))
      switch try Relation.End(numbered: end) {
      case .user:
        let users = try view.adding(details, to: view.users(ids.map { UserID($0) }))
        for (place, user) in users.enumerated() {
          write(place, { relation in user?.count(of: relation) }, { relation in user?.isMarked(relation) })
        }
      case .post:
        let posts = try view.adding(details, to: view.posts(ids.map { PostID($0) }))
        for (place, post) in posts.enumerated() {
          write(place, { relation in post?.count(of: relation) }, { relation in post?.isMarked(relation) })
        }
      }
    }
  }
}

extension Handle {
  /// A relation of the graph by its name, for a change.
  fileprivate func relation(_ name: String) throws -> Relation {
    try read { view in
      if view.schema == nil { throw KithError.noSchema }
      return try view.knownRelation(name)
    }
  }
}

extension Relation {
  /// A relation in a call, where its name alone counts.
  fileprivate init(_ name: String) { self.init(name, from: .user, to: .user) }
}

// MARK: - Schemas

extension SocialGraph.Schema {
  /// The relations and kinds of C's options; nil without a schema.
  init?(_ options: UnsafePointer<kith_options>?) throws {
    guard let given = options?.pointee else { return nil }
    let relations = try buffer(given.relations, given.relation_count, "relations")
    let kinds = try string(given.user_kinds, "user_kinds").split(separator: " ").map(String.init)
    if relations.isEmpty && kinds.isEmpty, !(try flag(given.has_schema, "has_schema")) { return nil }
    self.init(try relations.map { try Relation($0) }, userKinds: kinds)
  }
}

extension Relation {
  fileprivate init(_ raw: kith_relation) throws {
    let names = try string(raw.is_ended_by, "is_ended_by").split(separator: " ").map(String.init)
    let base = try string(raw.ends_with, "ends_with")
    self.init(
      try string(raw.name, "name"), from: try End(numbered: raw.source), to: try End(numbered: raw.target),
      isTimed: try flag(raw.is_timed, "is_timed"), visibility: try Visibility(numbered: raw.visibility),
      isEndedBy: names, endsWith: base.isEmpty ? nil : base, hides: try Hidden.words(of: raw.hides),
      entersTimelines: try flag(raw.enters_timelines, "enters_timelines"),
      isThread: try flag(raw.is_thread, "is_thread"), grantsAccess: try flag(raw.grants_access, "grants_access"))
  }
}
