/// The top k of one source's edges by (timestamp, id), descending, for a list stored in another order.
///
/// The id of an edge is read only if its timestamp may be among the newest. A run of a long list has bounds of its
/// timestamps: runs are read from the one with the newest edge on, and those that hold none of the top k are left out.
/// - Complexity: O(runs · log runs + edges of the runs read + limit · log limit). Of a first page, at most `limit` runs
///   are read, and one or two where times ascend with rows; of a later one, also those whose times are on both sides of
///   the bound.
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
    // Edges may come in any order of time, also in that which insertion would be slow for.
    newest = TopK(limit: limit, ascends: true)
  }

  /// Adds the edges of a source.
  /// - Parameter id: the id of a target; nil for one that is left out.
  /// - Returns: how many edges were read.
  @discardableResult
  mutating func push(
    targetsOf source: UInt32, in relation: borrowing Adjacency, id: (UInt32) -> Int64?
  ) -> Int {
    if relation.forward.runCount(of: Int(source)) == 1 { return push(run: 0, of: source, in: relation, id: id) }
    var readCount = 0
    for run in relation.forward.runsByLowWord(of: Int(source)) {
      let isOver = bound.map { run.lowWords.least > $0.timestamp } ?? false
      if isOver || newest.bar.map({ run.lowWords.greatest < $0.timestamp }) ?? false { continue }
      readCount += push(run: run.index, of: source, in: relation, id: id)
    }
    return readCount
  }

  /// Adds the edges of a run, the last one first: it is mostly the newest, and sets the bar for the others.
  private mutating func push(
    run: Int, of source: UInt32, in relation: borrowing Adjacency, id: (UInt32) -> Int64?
  ) -> Int {
    let count = relation.forward.runLength(run, of: Int(source))
    let latest = bound?.timestamp ?? .max
    var earliest = newest.bar?.timestamp ?? 0
    let pieceCount = relation.form == .compact ? PackedLists<UInt64>.pieceCount : max(1, count)
    for end in stride(from: count, to: 0, by: -pieceCount) {
      relation.forward.withElements(max(0, end - pieceCount)..<end, ofRun: run, of: Int(source)) { elements in
        for index in elements.indices.reversed() {
          let timestamp = Adjacency.timestamp(elements[index])
          if timestamp < earliest || timestamp > latest { continue }
          let row = Adjacency.target(elements[index])
          guard let id = id(row) else { continue }
          push(Edge(timestamp: timestamp, id: id, row: row))
          earliest = newest.bar?.timestamp ?? 0
        }
      }
    }
    newest.select()
    return count
  }

  mutating func push(_ edge: Edge) {
    if let bound, (edge.timestamp, edge.id) >= bound { return }
    newest.push(edge)
  }

  /// The newest edges, in order.
  mutating func best() -> [Edge] { newest.sorted() }
}
