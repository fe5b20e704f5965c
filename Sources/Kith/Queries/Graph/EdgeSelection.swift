/// The top k of one source's edges by (timestamp, id), descending, for a list stored in another order.
///
/// Edges are pushed one by one. The id of an edge is read only if its timestamp passes `wants`.
/// - Complexity: O(edges + limit · log limit) for edges in random order.
struct EdgeSelection: ~Copyable {
  /// One edge: its time and its target.
  struct Edge: Comparable {
    var timestamp: UInt32
    var id: Int64
    var row: UInt32

    @inline(__always)
    static func < (left: Edge, right: Edge) -> Bool {
      left.timestamp < right.timestamp || (left.timestamp == right.timestamp && left.id < right.id)
    }
  }

  private let bound: (timestamp: UInt32, id: Int64)?
  private var newest: TopK<Edge>

  /// - Parameter bound: only edges that sort after this one.
  init(limit: Int, after bound: (timestamp: UInt32, id: Int64)?) {
    self.bound = bound
    // Users like and follow what is new: lists by row tend to ascend by time, too.
    newest = TopK(limit: limit, ascends: true)
  }

  /// Whether an edge of this timestamp may be among the newest.
  @inline(__always)
  func wants(_ timestamp: UInt32) -> Bool {
    if let bar = newest.bar, timestamp < bar.timestamp { return false }
    if let bound { return timestamp <= bound.timestamp }
    return true
  }

  mutating func push(_ edge: Edge) {
    if let bound, (edge.timestamp, edge.id) >= bound { return }
    newest.push(edge)
  }

  /// The newest edges, in order.
  mutating func best() -> [Edge] { newest.sorted() }
}
