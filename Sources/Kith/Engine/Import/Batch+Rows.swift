/// The rows of an import. Edges of a kind that has none yet become whole lists at once, in whatever order they arrive.
extension SocialGraph.Batch {
  /// Rows whose edges were found to be repeated after they were taken.
  package struct RepeatedRows {
    package let count: Int
    /// The place of the first; meaningful if there is one.
    package let firstPlace: Int
  }

  /// Applies the next change of an import, as `importChange` does; an edge may wait for `endEdges`.
  /// - Parameter place: the place of the row in its file, from 1; it ascends.
  /// - Returns: whether it has an effect, as far as is known yet.
  /// - Throws: as `importChange`; `system`, if the edges that wait do not fit in memory, nor on the disk.
  package mutating func importRow(_ change: Change, place: Int) throws(KithError) -> Bool {
    guard let edge = change.edge, let collector = collector(of: edge.kind) else {
      return try importChange(change).didChange
    }
    switch try collector.take(edge, place: place, graph.live.state) {
    case .taken: return true
    case .repeated: return false
    case .refused: break
    case .full: try addCollected()
    }
    return try importChange(change).didChange
  }

  /// Prefetches what `importRow` will read of the author of a post, who is at random in memory.
  @inline(__always)
  package func prefetch(_ change: Change) {
    guard case .addPost(_, let author, _, _, _, _) = change else { return }
    if let row = graph.live.state.users.row(of: author) { graph.live.state.users.prefetchCard(row) }
  }

  /// Adds the edges that wait. Call it after the last row of a kind.
  /// - Returns: the rows of which `importRow` said that they have an effect, but which have none.
  /// - Throws: `system`, after which the graph lacks edges.
  package mutating func endEdges() throws(KithError) -> RepeatedRows {
    try addCollected()
    defer { progress.repeated = EdgeSorter.Repeated() }
    return RepeatedRows(count: progress.repeated.count, firstPlace: progress.repeated.firstPlace)
  }

  private func addCollected() throws(KithError) {
    guard let collector = progress.collector.take() else { return }
    progress.collected.insert(collector.kind)
    let (lists, repeated) = try collector.lists(
      userCount: graph.live.state.users.rowCount, workers: SystemDisk.coreCount)
    progress.repeated.add(repeated)
    try addEdges(collector.kind, lists)
  }

  /// The collector of a kind; nil where edges are added one by one, because there are some already, or because blocks,
  /// limits or declared relations could refuse or end some.
  private func collector(of kind: RelationKind) -> EdgeCollector? {
    if let collector = progress.collector, collector.kind == kind { return collector }
    guard progress.collector == nil, !progress.collected.contains(kind), !kind.facts.isPrivate,
      graph.limits.isUnlimited, graph.live.state[kind].count == 0, graph.live.state.blocks.count == 0,
      !graph.live.state.relations.endsOthers(kind)
    else { return nil }
    progress.collector = EdgeCollector(kind, directory: graph.scratchDirectory)
    return progress.collector
  }
}

extension SocialGraph {
  /// Whether edges can be added together in a bulk load: no limit can be reached in between.
  func mayAddTogether(_ kind: RelationKind, count: Int) -> Bool {
    limits.isUnlimited && live.state.prefersTogether(kind, count: count)
      && JournalFormat.numberLimit - live.state.sequence > UInt64(count)
  }
}
