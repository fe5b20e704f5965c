/// The newest edges of one source, by (second, id) descending, where the list itself stands in another order.
///
/// Edges are pushed one by one; now and then the best `limit` are kept. The id is looked at only when the second is no
/// worse than the worst kept.
/// - Complexity: O(edges + limit · log limit) for edges in random order.
struct EdgeSelection {
  /// One edge: when, to whom.
  struct Edge {
    var second: UInt32
    var id: Int64
    var row: UInt32
  }

  private let limit: Int
  private let bound: (second: UInt32, id: Int64)?
  private var edges: [Edge] = []
  private var threshold: UInt32 = 0

  /// - Parameter bound: only edges that come after this one in the order.
  init(limit: Int, after bound: (second: UInt32, id: Int64)?) {
    self.limit = limit
    self.bound = bound
  }

  /// Whether an edge of this second can still be among the best.
  @inline(__always)
  func wants(_ second: UInt32) -> Bool {
    if second < threshold { return false }
    if let bound { return second <= bound.second }
    return true
  }

  mutating func push(_ edge: Edge) {
    if let bound, (edge.second, edge.id) >= bound { return }
    edges.append(edge)
    if edges.count >= 2 * limit + 16 { select() }
  }

  private mutating func select() {
    edges.sort { ($0.second, $0.id) > ($1.second, $1.id) }
    if edges.count > limit { edges.removeLast(edges.count - limit) }
    if edges.count == limit, let last = edges.last { threshold = last.second }
  }

  /// The best edges in order.
  mutating func best() -> [Edge] {
    select()
    return edges
  }
}
