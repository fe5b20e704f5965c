import Synchronization

/// The edges of one kind of an import, which become whole lists together. Edges in order of source, then target, are
/// kept as they come. At the first one out of order, all go to an external sort.
final class EdgeCollector {
  enum Outcome { case taken, repeated, refused, full }

  let kind: RelationKind
  private var ordered: OrderedEdges
  private var sorter: EdgeSorter?
  private let makeSorter: (_ sourceCount: Int) -> EdgeSorter

  /// - Parameters:
  ///   - directory: of the scratch file, if one is needed.
  ///   - pieceElementCount: of pieces of 32 MB, which the C library takes from the system and gives back one by one.
  init(
    _ kind: RelationKind, directory: String, pieceElementCount: Int = 1 << 22,
    _ sizes: EdgeSorter.Sizes = EdgeSorter.Sizes()
  ) {
    self.kind = kind
    ordered = OrderedEdges(pieceElementCount: pieceElementCount)
    makeSorter = { EdgeSorter(sourceCount: $0, directory: directory, sizes) }
  }

  /// Takes an edge if no rule is against it. `refused` and `full` leave it to `importChange`: to say which rule, or
  /// after the edges that were taken.
  /// - Parameter place: its place in the file, from 1.
  /// - Throws: `system`, if the scratch file cannot be written.
  @inline(__always)
  func take(_ edge: EdgeChange, place: Int, _ state: borrowing GraphState) throws(KithError) -> Outcome {
    guard edge.adds, let time = edge.time?.rawValue, time >= 0, time <= SocialGraph.Limits.edgeMilliseconds,
      let source = state.users.row(of: edge.source), let target = target(of: edge, state)
    else { return .refused }
    if kind.facts.target == .user && source == target { return .refused }
    let second = UInt32(truncatingIfNeeded: time / 1_000)
    if sorter == nil {
      if let last = ordered.append(source: source, target: target, second: second) { return last }
      try beginSorting(state.users.rowCount)
    }
    let isTaken = try sorter?.add(source: source, target: target, second: second, place: place) ?? false
    return isTaken ? .taken : .full
  }

  @inline(__always)
  private func target(of edge: EdgeChange, _ state: borrowing GraphState) -> UInt32? {
    kind.facts.target == .user ? state.users.row(of: UserID(edge.target)) : state.posts.row(of: PostID(edge.target))
  }

  private func beginSorting(_ sourceCount: Int) throws(KithError) {
    let sorter = makeSorter(sourceCount)
    self.sorter = sorter
    // They came first, and none of them twice: all may have the same place.
    try ordered.takeAll { (source, element) throws(KithError) in
      _ = try sorter.add(
        source: source, target: Adjacency.target(element), second: Adjacency.timestamp(element), place: 0)
    }
  }

  /// All lists, for users with and without edges, and the edges that were taken and then found to be repeated. The
  /// collector is empty afterwards.
  /// - Throws: `system`, if the scratch file cannot be read or written.
  func lists(userCount: Int, workers: Int) throws(KithError) -> (lists: BulkLists, repeated: EdgeSorter.Repeated) {
    if let sorter = sorter.take() { return try sorter.sorted(sourceCount: userCount, workers: workers) }
    return (ordered.lists(userCount: userCount), EdgeSorter.Repeated())
  }
}

/// Edges in order of source, then target.
private struct OrderedEdges: ~Copyable {
  /// The number of edges of each user, up to the last source.
  private var degrees: [UInt32] = []
  /// Row of the target in the high word, second in the low word; in pieces, so that growth copies nothing.
  private var pieces: [[UInt64]] = []
  private let pieceElementCount: Int
  /// How many elements the last piece still takes.
  private var room = 0
  private var last: UInt32?

  init(pieceElementCount: Int) { self.pieceElementCount = pieceElementCount }

  /// Appends an edge; nil if it is out of order.
  @inline(__always)
  mutating func append(source: UInt32, target: UInt32, second: UInt32) -> EdgeCollector.Outcome? {
    if degrees.count == Int(source) + 1 {
      if let last, target <= last { return target == last ? .repeated : nil }
    } else if degrees.count > source {
      return nil
    }
    while degrees.count <= source { degrees.append(0) }
    if room == 0 {
      pieces.append([])
      pieces[pieces.count - 1].reserveCapacity(pieceElementCount)
      room = pieceElementCount
    }
    room -= 1
    pieces[pieces.count - 1].append(UInt64(target) << 32 | UInt64(second))
    degrees[Int(source)] += 1
    last = target
    return .taken
  }

  /// Takes the edges out, one by one.
  mutating func takeAll(_ body: (_ source: UInt32, _ element: UInt64) throws(KithError) -> Void) throws(KithError) {
    var (source, left) = (-1, UInt32(0))
    for index in pieces.indices {
      for element in pieces[index] {
        while left == 0 {
          source += 1
          left = degrees[source]
        }
        left -= 1
        try body(UInt32(source), element)
      }
      pieces[index] = []
    }
    (degrees, pieces, room) = ([], [], 0)
  }

  /// All lists, for users with and without edges. They are filled once: the edges go as they are read, so that there is
  /// no second copy of a large relation. No edges are left.
  mutating func lists(userCount: Int) -> BulkLists {
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

    func read(_ start: Int, to buffer: inout MutableSpan<UInt64>, _ places: Range<Int>) {
      unread.withLock { unread in
        for place in places { buffer[place] = unread.elements[start &+ place &- places.lowerBound] }
        unread.count -= places.count
        if unread.count == 0 { unread.elements = [] }
      }
    }
  }
}
