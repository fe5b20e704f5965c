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
}
