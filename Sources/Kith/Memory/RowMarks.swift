import Synchronization

/// Sixteen bits for every row, all zero between two questions: how often a row was met, or that it was.
///
/// A question over two hops meets rows by the thousand, in no order. In an array of its own a row is one addition away,
/// where a hash table of them costs three to five times as much; but an array for all rows must not be made for each
/// question, so a graph keeps a few and hands them out (`RowMarksPool`). Whoever takes one leaves it zeroed.
@safe final class RowMarks: @unchecked Sendable {
  // Safety: one question at a time holds it; rows are below `rowCapacity`, which the pool made enough for the graph.
  private let words: UnsafeMutablePointer<UInt16>
  let rowCapacity: Int
  /// Rows in the order in which `tally` met them first.
  private var met: UnsafeMutablePointer<UInt32>
  private var metCapacity = 64
  private(set) var metCount = 0

  init(rowCapacity: Int) {
    self.rowCapacity = rowCapacity
    unsafe words = .allocate(capacity: max(1, rowCapacity))
    unsafe words.initialize(repeating: 0, count: rowCapacity)
    unsafe met = .allocate(capacity: metCapacity)
  }

  deinit {
    unsafe words.deallocate()
    unsafe met.deallocate()
  }

  /// The mark of a row.
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

  // MARK: - Rows that were met

  /// Makes room for so many meetings; to be called before the first of them.
  func reserve(elementCount: Int) {
    let needed = min(elementCount, rowCapacity) + 1  // one more, because rows are written first and counted then
    if needed <= metCapacity { return }
    unsafe met.deallocate()
    metCapacity = needed + needed / 2
    unsafe met = .allocate(capacity: metCapacity)
  }

  /// Meets a row; false if it was met before.
  @inline(__always)
  func meet(_ row: UInt32) -> Bool {
    assert(row < rowCapacity && metCount < metCapacity)
    if unsafe words[Int(row)] != 0 { return false }
    unsafe words[Int(row)] = 1
    unsafe met[metCount] = row
    metCount += 1
    return true
  }

  /// Counts every target of a list of forward elements.
  ///
  /// Without a branch: whether a row is new is as good as random, and a wrong guess costs as much as ten additions.
  @inline(__always)
  func tally(_ elements: Span<UInt64>) {
    var count = metCount
    for index in elements.indices {
      let row = Relation.target(elements[index])
      assert(row < rowCapacity && count < metCapacity)
      let before = unsafe words[Int(row)]
      unsafe words[Int(row)] = before &+ 1
      unsafe met[count] = row
      count &+= before == 0 ? 1 : 0
    }
    metCount = count
  }

  /// Gives every row that was met with its count, in the order of first meeting, and forgets them.
  @inline(__always)
  func drain(_ body: (_ row: UInt32, _ count: UInt16) -> Void) {
    for index in 0..<metCount {
      let row = unsafe met[index]
      let count = unsafe words[Int(row)]
      unsafe words[Int(row)] = 0
      body(row, count)
    }
    metCount = 0
  }

  /// Whether nothing is marked: what the next question relies on.
  var isClear: Bool {
    for row in 0..<rowCapacity where unsafe words[row] != 0 { return false }
    return metCount == 0
  }
}

/// The marks of one graph and its pins: made at the first question that needs them, and used again.
///
/// At most four are kept, two bytes a user each; questions beyond four at the same time make their own and drop it.
final class RowMarksPool: Sendable {
  private static let keptCount = 4
  private let free = Mutex<[RowMarks]>([])

  /// Lends marks for at least `rowCount` rows, all zero; `body` leaves them so, also when it throws.
  @inline(__always)
  func lend<R, E: Error>(rowCount: Int, _ body: (RowMarks) throws(E) -> R) throws(E) -> R {
    let marks = take(rowCount: rowCount)
    defer { put(marks) }
    return try body(marks)
  }

  private func take(rowCount: Int) -> RowMarks {
    let kept = free.withLock { $0.popLast() }
    if let kept, kept.rowCapacity >= rowCount { return kept }
    return RowMarks(rowCapacity: rowCount + rowCount / 8 + 64)
  }

  private func put(_ marks: RowMarks) {
    assert(marks.rowCapacity > 4_096 || marks.isClear, "marks were given back unclean")
    free.withLock { free in
      if free.count < Self.keptCount { free.append(marks) }
    }
  }

  var byteCount: Int { free.withLock { $0.reduce(0) { $0 + $1.rowCapacity * 2 } } }
}
