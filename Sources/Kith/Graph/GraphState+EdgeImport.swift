/// Adding many edges at once.
extension GraphState {
  /// What became of edges that were added together.
  struct EdgeImport {
    var addedCount = 0
    /// Edges that were there already, or earlier in the columns.
    var duplicateCount = 0
    /// The indices of the edges that a rule refuses, ascending.
    var refused: [Int] = []
  }

  /// Whether adding edges together is faster than one by one: all lists of the relation are built again. Not where
  /// edges of declared relations may end by one.
  func prefersTogether(_ kind: RelationKind, count: Int) -> Bool {
    !relations.endsOthers(kind) && (kind == .follow || kind == .like)
      && count >= 1_024 && count >= self[kind].count / 4 && count < UInt32.max
  }

  /// Adds follows or likes in any order, during a bulk load, with the result of adding them one by one. Each one added
  /// counts as one change.
  ///
  /// They neither add nor remove users, posts or blocks, so whether one is refused does not depend on the others. Those
  /// are left to the caller.
  /// - Complexity: O(edges · log longest list), with those that are there. Memory: 16 bytes an edge of the columns, and
  ///   a second copy of the relation.
  mutating func addEdges(_ kind: RelationKind, _ columns: EdgeColumns, workers: Int) -> EdgeImport {
    var result = EdgeImport()
    let rows = rows(kind, columns)
    for index in rows.indices where rows[index] == EdgeLists.leftOut { result.refused.append(index) }
    var lists = EdgeLists(rows: rows, sourceCount: users.rowCount)
    let targetCount = targetRowCount(of: kind)
    modify(kind) { relation in
      lists.sort(columns, besides: relation)
      let merged = lists.merged(with: relation, targetCount: targetCount, workers: workers)
      relation = merged
    }
    result.addedCount = lists.newCount
    result.duplicateCount = columns.count - result.refused.count - result.addedCount
    sequence += UInt64(result.addedCount)
    return result
  }

  /// Maps edges to rows, on all cores: that of the source in the high word, that of the target in the low word.
  private func rows(_ kind: RelationKind, _ columns: EdgeColumns) -> [UInt64] {
    ParallelChunks.array(
      rows: columns.count, taskLimit: nil,
      { range, output in
        for index in range { output[index - range.lowerBound] = edge(kind, columns, index) ?? EdgeLists.leftOut }
        return true
      }, filler: EdgeLists.leftOut) ?? []
  }

  /// The rows of an edge; nil for one that `apply` refuses.
  @inline(__always)
  private func edge(_ kind: RelationKind, _ columns: EdgeColumns, _ index: Int) -> UInt64? {
    guard let source = users.row(of: UserID(columns.source(index))),
      (0...SocialGraph.Limits.edgeMilliseconds).contains(columns.time(index))
    else { return nil }
    if kind == .like {
      guard let post = posts.row(of: PostID(columns.target(index))) else { return nil }
      if blocks.count > 0 && isBlocked(source, posts.authors[post]) { return nil }
      return UInt64(source) << 32 | UInt64(post)
    }
    guard let target = users.row(of: UserID(columns.target(index))), target != source else { return nil }
    if blocks.count > 0 && isBlocked(source, target) { return nil }
    return UInt64(source) << 32 | UInt64(target)
  }
}
