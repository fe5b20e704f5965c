import Synchronization

/// Visit counters: sixteen bits per row, all zero between two queries.
///
/// A two-hop query visits thousands of rows, in no order. A dense array costs one addition per visit; a hash table
/// costs three to five times as much. Allocating an array for all rows per query would be too expensive, so a graph
/// keeps a few and lends them (`VisitCountersPool`). The borrower leaves them zeroed.
@safe final class VisitCounters: @unchecked Sendable {
  // Safety: one query at a time holds it. Rows are below `rowCapacity`, which the pool made large enough for the graph.
  // All state is behind addresses that never change, because accesses to an object's variables are checked for
  // exclusivity.
  private let words: UnsafeMutablePointer<UInt16>
  /// The touched rows, in the order of their first visit. Unused memory is not backed by physical pages.
  private let touched: UnsafeMutablePointer<UInt32>
  private let count: UnsafeMutablePointer<Int>
  let rowCapacity: Int

  init(rowCapacity: Int) {
    self.rowCapacity = rowCapacity
    unsafe words = .allocate(capacity: max(1, rowCapacity))
    unsafe words.initialize(repeating: 0, count: rowCapacity)
    unsafe touched = .allocate(capacity: rowCapacity + 1)  // one more, because a row is written before it is counted
    unsafe count = .allocate(capacity: 1)
    unsafe count.initialize(to: 0)
  }

  deinit {
    unsafe words.deallocate()
    unsafe touched.deallocate()
    unsafe count.deallocate()
  }

  /// The counter of a row.
  @inline(__always)
  subscript(row: UInt32) -> UInt16 {
    get {
      assert(row < rowCapacity)
      return unsafe words[Int(row)]
    }
    set {
      assert(row < rowCapacity)
      unsafe words[Int(row)] = newValue
    }
  }

  // MARK: - Touched rows

  /// Resets the counters of all targets of a source.
  func exclude(targetsOf source: UInt32, in relation: borrowing Adjacency) {
    relation.forEachTarget(of: source) { target, _ in self[target] = 0 }
  }

  /// Resets the counters of all sources of a target.
  func exclude(sourcesOf target: UInt32, in relation: borrowing Adjacency) {
    relation.forEachSource(of: target) { self[$0] = 0 }
  }

  /// Counts a visit of every target in a list of forward elements.
  ///
  /// Branchless, because the compiler turns any comparison here into a branch. Whether a row is new is unpredictable,
  /// and a misprediction costs as much as ten additions (suggestions for a user with 300 followees: 99 against 60 µs).
  @inline(__always)
  func countVisits(_ elements: Span<UInt64>) {
    let (words, touched) = unsafe (words, touched)
    var known = unsafe count.pointee
    for index in elements.indices {
      let row = Adjacency.target(elements[index])
      assert(row < rowCapacity)
      let before = unsafe words[Int(row)]
      unsafe words[Int(row)] = before &+ 1
      unsafe touched[known] = row
      known &+= Int(truncatingIfNeeded: (UInt32(before) &- 1) >> 31)  // one more if the row was untouched
    }
    unsafe count.pointee = known
  }

  /// Calls `body` with every touched row and its counter, in the order of first visits, and resets them.
  /// - Parameter announce: called with each row some time before, to prefetch.
  @inline(__always)
  func drain(announcing announce: (_ row: UInt32) -> Void = { _ in }, _ body: (_ row: UInt32, _ mark: UInt16) -> Void) {
    let (words, touched) = unsafe (words, touched)
    let count = unsafe count.pointee
    for index in 0..<count {
      if index + 16 < count { unsafe announce(touched[index + 16]) }
      let row = unsafe touched[index]
      let mark = unsafe words[Int(row)]
      unsafe words[Int(row)] = 0
      body(row, mark)
    }
    unsafe self.count.pointee = 0
  }

  /// Whether all counters are zero, as the next query requires.
  var isClear: Bool {
    for row in 0..<rowCapacity where unsafe words[row] != 0 { return false }
    return unsafe count.pointee == 0
  }
}

/// The visit counters of one graph and its pins: created by the first query that needs them, and reused.
///
/// At most four are kept, of two to six bytes per user each. With more than four concurrent queries, the others
/// allocate and free their own.
final class VisitCountersPool: Sendable {
  private static let keptCount = 4
  private let free = Mutex<[VisitCounters]>([])

  /// Lends counters for at least `rowCount` rows, all zero. `body` must reset them, also when it throws.
  @inline(__always)
  func lend<R, E: Error>(rowCount: Int, _ body: (VisitCounters) throws(E) -> R) throws(E) -> R {
    let marks = take(rowCount: rowCount)
    defer { put(marks) }
    return try body(marks)
  }

  private func take(rowCount: Int) -> VisitCounters {
    let kept = free.withLock { $0.popLast() }
    if let kept, kept.rowCapacity >= rowCount { return kept }
    return VisitCounters(rowCapacity: rowCount + rowCount / 8 + 64)
  }

  private func put(_ marks: VisitCounters) {
    assert(marks.rowCapacity > 4_096 || marks.isClear, "marks were given back unclean")
    free.withLock { free in
      if free.count < Self.keptCount { free.append(marks) }
    }
  }

  var byteCount: Int { free.withLock { $0.reduce(0) { $0 + $1.rowCapacity * 6 } } }
}
