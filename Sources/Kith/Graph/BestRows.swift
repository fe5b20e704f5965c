/// The first `limit` of many rows by (weight descending, id ascending).
///
/// A binary heap with the worst of the kept on top: most rows are turned away by one comparison. The caller looks a
/// row's id up only when `wants` its weight.
/// - Complexity: O(rows + accepted · log limit).
struct BestRows<Weight: Comparable> {
  /// One row with what it is ordered by.
  struct Entry {
    var weight: Weight
    var id: Int64
    var row: UInt32

    @inline(__always)
    func comesBefore(_ other: Entry) -> Bool {
      weight > other.weight || (weight == other.weight && id < other.id)
    }
  }

  private let limit: Int
  private var heap: [Entry] = []

  /// - Parameter limit: at least 1.
  init(limit: Int) {
    precondition(limit > 0, "the best of nothing")
    self.limit = limit
    heap.reserveCapacity(min(limit, 64))
  }

  /// Whether a row of this weight can still be among the best; its id decides ties.
  @inline(__always)
  func wants(_ weight: Weight) -> Bool { heap.count < limit || weight >= heap[0].weight }

  @inline(__always)
  mutating func push(_ entry: Entry) {
    if heap.count < limit {
      heap.append(entry)
      siftUp()
    } else if entry.comesBefore(heap[0]) {
      heap[0] = entry
      siftDown()
    }
  }

  /// The best rows, in order.
  consuming func sorted() -> [Entry] {
    heap.sort { $0.comesBefore($1) }
    return heap
  }

  private mutating func siftUp() {
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      if !heap[parent].comesBefore(heap[child]) { return }
      heap.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var worst = 2 * parent + 1
      if worst >= heap.count { return }
      if worst + 1 < heap.count && heap[worst].comesBefore(heap[worst + 1]) { worst += 1 }
      if !heap[parent].comesBefore(heap[worst]) { return }
      heap.swapAt(parent, worst)
      parent = worst
    }
  }
}
