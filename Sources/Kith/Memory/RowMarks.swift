import Synchronization

/// Sixteen bits for every row, all zero between two questions: how often a row was met, or that it was.
///
/// A question over two hops meets rows by the thousand, in no order. In an array of its own a row is one addition away,
/// where a hash table of them costs three to five times as much; but an array for all rows must not be made for each
/// question, so a graph keeps a few and hands them out (`RowMarksPool`). Whoever takes one leaves it zeroed.
@safe final class RowMarks: @unchecked Sendable {
  // Safety: one question at a time holds it; rows are below `rowCapacity`, which the pool made enough for the graph.
  // All is behind addresses that never change, because each access to a variable of an object is checked for overlap.
  private let words: UnsafeMutablePointer<UInt16>
  /// Rows in the order in which they were met first; memory that no question ever filled is not backed by any.
  private let met: UnsafeMutablePointer<UInt32>
  private let count: UnsafeMutablePointer<Int>
  let rowCapacity: Int

  init(rowCapacity: Int) {
    self.rowCapacity = rowCapacity
    unsafe words = .allocate(capacity: max(1, rowCapacity))
    unsafe words.initialize(repeating: 0, count: rowCapacity)
    unsafe met = .allocate(capacity: rowCapacity + 1)  // one more, because `tally` writes first and counts then
    unsafe count = .allocate(capacity: 1)
    unsafe count.initialize(to: 0)
  }

  deinit {
    unsafe words.deallocate()
    unsafe met.deallocate()
    unsafe count.deallocate()
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

  /// Sets the marks of all targets of a source to zero.
  func crossOut(targetsOf source: UInt32, in relation: borrowing Relation) {
    relation.forward.forEachRun(of: Int(source)) { targets in
      for index in targets.indices { self[Relation.target(targets[index])] = 0 }
    }
  }

  /// Sets the marks of all sources of a target to zero.
  func crossOut(sourcesOf target: UInt32, in relation: borrowing Relation) {
    relation.backward.forEachRun(of: Int(target)) { sources in
      for index in sources.indices { self[sources[index]] = 0 }
    }
  }

  /// Counts every target of a list of forward elements.
  ///
  /// Without a branch, which the compiler makes of any comparison here: whether a row is new is as good as random, and
  /// a wrong guess costs as much as ten additions (suggestions for somebody who follows 300: 99 against 60 µs).
  @inline(__always)
  func tally(_ elements: Span<UInt64>) {
    let (words, met) = unsafe (words, met)
    var known = unsafe count.pointee
    for index in elements.indices {
      let row = Relation.target(elements[index])
      assert(row < rowCapacity)
      let before = unsafe words[Int(row)]
      unsafe words[Int(row)] = before &+ 1
      unsafe met[known] = row
      known &+= Int(truncatingIfNeeded: (UInt32(before) &- 1) >> 31)  // one more if there was none before
    }
    unsafe count.pointee = known
  }

  /// Gives every row that was met with its mark, in the order of first meeting, and forgets them.
  /// - Parameter announce: is told each row some time before, to ask for what will be looked at.
  @inline(__always)
  func drain(announcing announce: (_ row: UInt32) -> Void = { _ in }, _ body: (_ row: UInt32, _ mark: UInt16) -> Void) {
    let (words, met) = unsafe (words, met)
    let count = unsafe count.pointee
    for index in 0..<count {
      if index + 16 < count { unsafe announce(met[index + 16]) }
      let row = unsafe met[index]
      let mark = unsafe words[Int(row)]
      unsafe words[Int(row)] = 0
      body(row, mark)
    }
    unsafe self.count.pointee = 0
  }

  /// Whether nothing is marked: what the next question relies on.
  var isClear: Bool {
    for row in 0..<rowCapacity where unsafe words[row] != 0 { return false }
    return unsafe count.pointee == 0
  }
}

/// The marks of one graph and its pins: made at the first question that needs them, and used again.
///
/// At most four are kept, two to six bytes a user each; questions beyond four at the same time make their own and drop
/// it.
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

  var byteCount: Int { free.withLock { $0.reduce(0) { $0 + $1.rowCapacity * 6 } } }
}
