/// Edges of an import that arrive by source, then by target, as `kith export` writes them. They become whole lists at
/// once.
extension SocialGraph.Batch {
  /// Applies the next change of an import, as `importChange` does; an edge in order may wait for `endEdges`.
  /// - Returns: whether it had an effect.
  /// - Throws: as `importChange`.
  package mutating func importRow(_ change: Change) throws(KithError) -> Bool {
    guard let edge = change.edge, let collector = collector(of: edge.kind) else {
      return try importChange(change).didChange
    }
    switch collector.take(edge, graph.live.state) {
    case .taken: return true
    case .repeated: return false
    case .refused: break
    case .outOfOrder: endEdges()
    }
    return try importChange(change).didChange
  }

  /// Adds the edges that wait. Call it after the last row of a kind.
  package mutating func endEdges() {
    guard let collector = progress.collector.take() else { return }
    progress.collected.insert(collector.kind)
    addEdges(collector.kind, collector.lists(userCount: graph.live.state.users.rowCount))
  }

  /// The collector of a kind; nil where edges are added one by one, because there are some already, or blocks or
  /// limits could refuse them.
  private func collector(of kind: RelationKind) -> EdgeCollector? {
    if let collector = progress.collector, collector.kind == kind { return collector }
    guard progress.collector == nil, !progress.collected.contains(kind), !kind.schema.isPrivate,
      graph.limits.isUnlimited, graph.live.state[kind].count == 0, graph.live.state.blocks.count == 0
    else { return nil }
    progress.collector = EdgeCollector(kind)
    return progress.collector
  }
}
