/// What enters timelines follows the edges of its relations.
extension GraphState {
  /// Notes an edge that was added or removed, if it brings a post into timelines.
  mutating func noteEntry(
    _ kind: RelationKind, _ source: UInt32, _ target: UInt32, _ timestamp: UInt32, adds: Bool
  ) {
    guard let entries = declared.entries, relations[kind].entersTimelines else { return }
    if kind == relations.repost {
      if adds {
        entries.value.addRepost(of: target, by: source, second: timestamp, posts)
      } else {
        entries.value.removeRepost(of: target, by: source, second: timestamp, posts)
      }
    } else if adds {
      entries.value.addTag(of: source, to: target, posts)
    } else if !relations.tags.contains(where: { $0 != kind && hasEdge($0, source, target) }) {
      entries.value.removeTag(of: source, to: target, posts)
    }
  }

  /// Notes what an edit of edges that enter timelines is about to change.
  mutating func noteEntries(_ kind: RelationKind, _ edit: EdgesEdit) {
    switch edit {
    case .insert(let source, let target, let timestamp):
      if self.timestamp(kind, source, target) == nil { noteEntry(kind, source, target, timestamp, adds: true) }
    case .remove(let source, let target):
      if let timestamp = timestamp(kind, source, target) { noteEntry(kind, source, target, timestamp, adds: false) }
    case .removeAllFrom(let source):
      for target in declared[kind].targets(of: source) {
        noteEntry(kind, source, target, timestamp(kind, source, target) ?? 0, adds: false)
      }
    case .removeAllTo(let target):
      for source in declared[kind].sources(of: target) {
        noteEntry(kind, source, target, timestamp(kind, source, target) ?? 0, adds: false)
      }
    case .buildBackward: break
    }
  }

  /// The users in whose followers' timelines a change may show another post, or one no more, beside its author. An edge
  /// of another relation may end one that brings a post there.
  func users(entering change: Change) -> [UserID] {
    func mayEnd(_ kind: RelationKind) -> Bool { !relations[kind].isEndedBy.isEmpty || relations[kind].endsWith != nil }
    let (reposts, tags) = (relations.repost.map(mayEnd) ?? false, relations.tags.contains(where: mayEnd))
    switch change {
    case .addEdge(let relation, .user(let user), .post, _), .removeEdge(let relation, .user(let user), .post):
      return relation.entersTimelines || reposts ? [user] : []
    case .like(let user, _, _), .unlike(let user, _): return reposts ? [user] : []
    case .addEdge(let relation, .post, .user(let user), _), .removeEdge(let relation, .post, .user(let user)):
      return relation.entersTimelines || tags ? [user] : []
    case .addPost(_, _, _, _, let edges, _):
      return edges.compactMap { edge in
        guard case .user(let user) = edge.target, edge.relation.entersTimelines else { return nil }
        return user
      }
    default: return []
    }
  }
}
