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
