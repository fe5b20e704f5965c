import Synchronization

/// A walk over all users of a pinned graph on all cores, while writers go on: what algorithms on the whole graph are
/// built of.
///
/// Users are known by row, a number from 0 in the order of their appearance; the row of a removed user stays empty. A
/// pass calls a closure for each row and lends it the view, which answers for rows without looking ids up; the closure
/// runs on several threads at once. Results do not depend on how many.
///
/// ```swift
/// let pass = GraphPass(graph.pin())
/// let followBacks = try pass.map(0) { view, row in
///   var count = 0
///   view.forEachFollowers(at: row) { followers in
///     for index in followers.indices where view.isFollowing(rows: row, Int(followers[index])) { count += 1 }
///   }
///   return count
/// }
/// ```
public struct GraphPass: Sendable {
  /// The instant that is walked over.
  public let pin: Pin
  /// How far it is; stops it.
  public let control: PassControl

  /// A pass over an instant.
  /// - Parameter rounds: how many walks over all rows are going to be made: what `control` tells its fraction of.
  public init(_ pin: Pin, control: PassControl = PassControl(), rounds: Int = 1) {
    self.pin = pin
    self.control = control
    control.plan(rows: pin.view.rowCount * rounds)
  }

  /// Rows of the graph, those of removed users included.
  public var rowCount: Int { pin.view.rowCount }

  /// One value for every row. Errors: `cancelled`, `closed`.
  /// - Parameter filler: what is there before `value` is asked; nobody sees it.
  /// - Complexity: O(rows) calls, on all cores.
  public func map<Value: BitwiseCopyable & Sendable>(
    _ filler: Value, _ value: @Sendable (_ view: borrowing GraphView, _ row: Int) -> Value
  ) throws(KithError) -> [Value] {
    try begin()
    let values = ParallelChunks.array(
      rows: rowCount, taskLimit: control.taskLimit,
      { rows, output in
        if control.isCancelled { return false }
        Self.fill(&output, rows, pin.view, value)
        control.note(rows: rows.count)
        return true
      }, filler: filler)
    guard let values else { throw .cancelled }
    return values
  }

  /// Visits every row. Errors: `cancelled`, `closed`.
  /// - Complexity: O(rows) calls, on all cores.
  public func forEach(
    _ body: @Sendable (_ view: borrowing GraphView, _ row: Int) -> Void
  ) throws(KithError) {
    try begin()
    ParallelChunks.run(rows: rowCount, taskLimit: control.taskLimit) { _, rows in
      if control.isCancelled { return false }
      for row in rows { body(pin.view, row) }
      control.note(rows: rows.count)
      return true
    }
    if control.isCancelled { throw .cancelled }
  }

  /// One value of all rows: each chunk of rows adds to a value of its own, and these are merged in the order of rows,
  /// so that also sums of fractions are the same in every run. Errors: `cancelled`, `closed`.
  /// - Complexity: O(rows) calls, on all cores, and a merge for every 1,024.
  public func reduce<Value: Sendable>(
    _ initial: Value, _ add: @Sendable (inout Value, _ view: borrowing GraphView, _ row: Int) -> Void,
    merge: (inout Value, Value) -> Void
  ) throws(KithError) -> Value {
    try begin()
    let parts = ChunkValues<Value>(count: ParallelChunks.count(rows: rowCount))
    ParallelChunks.run(rows: rowCount, taskLimit: control.taskLimit) { chunk, rows in
      if control.isCancelled { return false }
      var part = initial
      for row in rows { add(&part, pin.view, row) }
      parts.set(chunk, part)
      control.note(rows: rows.count)
      return true
    }
    if control.isCancelled { throw .cancelled }
    var whole = initial
    for part in parts.values { merge(&whole, part) }
    return whole
  }

  private func begin() throws(KithError) {
    try pin.view.checkOpen()
    if control.isCancelled { throw .cancelled }
  }

  @inline(__always)
  private static func fill<Value: BitwiseCopyable>(
    _ output: inout MutableSpan<Value>, _ rows: Range<Int>, _ view: borrowing GraphView,
    _ value: (borrowing GraphView, Int) -> Value
  ) {
    for row in rows { output[row - rows.lowerBound] = value(view, row) }
  }
}

/// What became of each chunk of a pass, noted by whichever thread had it.
private final class ChunkValues<Value: Sendable>: Sendable {
  private let noted: Mutex<[Value?]>

  init(count: Int) { noted = Mutex(Array(repeating: nil, count: count)) }

  func set(_ chunk: Int, _ value: Value) { noted.withLock { $0[chunk] = value } }

  /// In the order of rows.
  var values: [Value] { noted.withLock { $0.compactMap(\.self) } }
}
