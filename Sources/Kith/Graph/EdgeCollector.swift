import Synchronization

/// Edges in order of source, then target.
final class EdgeCollector {
  enum Outcome { case taken, repeated, refused, outOfOrder }

  let kind: RelationKind
  /// The number of edges of each user, up to the last source.
  private var degrees: [UInt32] = []
  /// Row of the target in the high word, second in the low word; in pieces, so that growth copies nothing.
  private var pieces: [[UInt64]] = []
  private let pieceElementCount: Int
  /// How many elements the last piece still takes.
  private var room = 0
  private var last: UInt32?

  /// Pieces of 32 MB, which the C library takes from the system and gives back one by one.
  init(_ kind: RelationKind, pieceElementCount: Int = 1 << 22) {
    self.kind = kind
    self.pieceElementCount = pieceElementCount
  }

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

  @inline(__always)
  private func append(_ element: UInt64) {
    if room == 0 {
      pieces.append([])
      pieces[pieces.count - 1].reserveCapacity(pieceElementCount)
      room = pieceElementCount
    }
    room -= 1
    pieces[pieces.count - 1].append(element)
  }

  /// All lists, for users with and without edges. They are filled once: the edges go as they are read, so that there is
  /// no second copy of a large relation. The collector is empty afterwards.
  func lists(userCount: Int) -> BulkLists {
    let missing = userCount - degrees.count
    let size = pieceElementCount
    let pieces = pieces.map { Piece($0) }
    (self.pieces, room) = ([], 0)
    return BulkLists(degrees: degrees + [UInt32](repeating: 0, count: missing)) { _, elements, buffer in
      var start = elements.lowerBound
      while start < elements.upperBound {
        let end = min(elements.upperBound, (start / size + 1) * size)
        pieces[start / size].read(start % size, to: &buffer, start - elements.lowerBound..<end - elements.lowerBound)
        start = end
      }
    }
  }

  /// Elements that are read once, by several threads. They go with the last one.
  private final class Piece: Sendable {
    private let unread: Mutex<(elements: [UInt64], count: Int)>

    init(_ elements: [UInt64]) { unread = Mutex((elements, elements.count)) }

    func read(_ start: Int, to buffer: inout [UInt64], _ places: Range<Int>) {
      unread.withLock { unread in
        for place in places { buffer[place] = unread.elements[start &+ place &- places.lowerBound] }
        unread.count -= places.count
        if unread.count == 0 { unread.elements = [] }
      }
    }
  }
}
