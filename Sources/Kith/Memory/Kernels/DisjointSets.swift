import Synchronization

/// A concurrent union-find over rows: several threads unite sets without a lock.
///
/// Each set is a tree whose root is its lowest row. A higher root is always linked below a lower one, so the result
/// does not depend on the order of calls. Finding a root halves its path. Source: S. V. Jayanti and R. E. Tarjan,
/// "Concurrent disjoint set union", 2021, with the order of rows instead of random priorities.
/// - Complexity: O(log rows) expected per call; nearly O(1) once paths are short.
@safe final class DisjointSets: @unchecked Sendable {
  // Safety: rows are below `count`; every access is atomic.
  private let parents: UnsafeMutablePointer<Atomic<UInt32>>
  let count: Int

  /// Creates one set per row.
  init(count: Int) {
    self.count = count
    unsafe parents = .allocate(capacity: max(1, count))
    for row in 0..<count { unsafe (parents + row).initialize(to: Atomic(UInt32(row))) }
  }

  deinit {
    unsafe parents.deinitialize(count: count)
    unsafe parents.deallocate()
  }

  /// The lowest row of a row's set, as united so far.
  @inline(__always)
  func root(_ row: UInt32) -> UInt32 {
    assert(row < count)
    var row = row
    while true {
      let parent = unsafe parents[Int(row)].load(ordering: .relaxed)
      if parent == row { return row }
      let grandparent = unsafe parents[Int(parent)].load(ordering: .relaxed)
      if grandparent == parent { return parent }
      _ = unsafe parents[Int(row)].compareExchange(expected: parent, desired: grandparent, ordering: .relaxed)
      row = grandparent
    }
  }

  /// Unites the sets of two rows.
  @inline(__always)
  func unite(_ one: UInt32, _ other: UInt32) {
    var (low, high) = (root(one), root(other))
    while low != high {
      if low > high { swap(&low, &high) }
      let hung = unsafe parents[Int(high)].compareExchange(expected: high, desired: low, ordering: .relaxed)
      if hung.exchanged { return }
      (low, high) = (root(low), root(high))
    }
  }
}
