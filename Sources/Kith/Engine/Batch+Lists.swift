/// Edges of an import that arrive by source, then by target, as `kith export` writes them. They become whole lists at
/// once, which takes a fifth of the time of single changes.
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

  /// The collector of a kind; nil where edges are added one by one, because there are some already or blocks could
  /// refuse them.
  private func collector(of kind: RelationKind) -> EdgeCollector? {
    if let collector = progress.collector, collector.kind == kind { return collector }
    guard progress.collector == nil, !progress.collected.contains(kind), !kind.schema.isPrivate,
      graph.live.state[kind].count == 0, graph.live.state.blocks.count == 0
    else { return nil }
    progress.collector = EdgeCollector(kind)
    return progress.collector
  }
}

/// Edges in order of source, then target.
final class EdgeCollector {
  enum Outcome { case taken, repeated, refused, outOfOrder }

  let kind: RelationKind
  /// The number of edges of each user, up to the last source.
  private var degrees: [UInt32] = []
  /// Row of the target in the high word, second in the low word; in pieces, so that growth copies nothing.
  private var pieces: [[UInt64]] = []
  private var count = 0
  private var last: UInt32?

  private static let pieceShift = 18

  init(_ kind: RelationKind) { self.kind = kind }

  /// Takes an edge if no rule is against it. `refused` leaves it to `importChange` to say which rule.
  @inline(__always)
  func take(_ edge: EdgeChange, _ state: borrowing GraphState) -> Outcome {
    guard edge.adds, let time = edge.time?.rawValue, time >= 0, time <= SocialGraph.Limits.edgeMilliseconds,
      let source = state.users.row(of: edge.source), let target = target(of: edge, state)
    else { return .refused }
    if kind.schema.target == .user && source == target { return .refused }
    if degrees.count == Int(source) + 1 {
      if let last, target <= last { return target == last ? .repeated : .outOfOrder }
    } else if degrees.count > source {
      return .outOfOrder
    }
    while degrees.count <= source { degrees.append(0) }
    append(UInt64(target) << 32 | UInt64(time / 1_000))
    degrees[Int(source)] += 1
    last = target
    return .taken
  }

  @inline(__always)
  private func target(of edge: EdgeChange, _ state: borrowing GraphState) -> UInt32? {
    kind.schema.target == .user ? state.users.row(of: UserID(edge.target)) : state.posts.row(of: PostID(edge.target))
  }

  private func append(_ element: UInt64) {
    if count & ((1 << Self.pieceShift) - 1) == 0 {
      pieces.append([])
      pieces[pieces.count - 1].reserveCapacity(1 << Self.pieceShift)
    }
    pieces[pieces.count - 1].append(element)
    count += 1
  }

  /// All lists, for users with and without edges.
  func lists(userCount: Int) -> BulkLists {
    let missing = userCount - degrees.count
    let pieces = pieces
    return BulkLists(degrees: degrees + [UInt32](repeating: 0, count: missing)) { _, elements, buffer in
      for index in elements {
        let piece = index >> EdgeCollector.pieceShift
        buffer[index &- elements.lowerBound] = pieces[piece][index & ((1 << EdgeCollector.pieceShift) - 1)]
      }
    }
  }
}
