import Synchronization

/// A parallel pass over all users of an MVCC snapshot, on all cores, while writers continue: the building block of
/// whole-graph algorithms.
///
/// Users are identified by row, a number from 0 on in the order in which they were added. The row of a removed user
/// stays empty. A pass calls a closure for each row with the view, which reads rows without looking up ids. The closure
/// runs on several threads in parallel. Results do not depend on the number of threads.
///
/// ```swift
/// let pass = GraphPass(graph.pin())
/// let followBacks = try pass.map(0) { view, row in
///   var count = 0
///   view.forEachFollowers(at: row) { followers in
///     for index in followers.indices where view.isFollowing(row: Int(followers[index]), asRow: row) { count += 1 }
///   }
///   return count
/// }
/// ```
public struct GraphPass: Sendable {
  /// The MVCC snapshot.
  public let pin: SocialGraph.Pin
  /// Reports the progress of the pass and cancels it.
  public let control: PassControl

  /// Creates a pass over an MVCC snapshot.
  /// - Parameters:
  ///   - pin: the version that is read.
  ///   - control: reports the progress of the pass and cancels it.
  ///   - rounds: the number of passes over all rows to be made, for the fraction of `control`.
  public init(_ pin: SocialGraph.Pin, control: PassControl = PassControl(), rounds: Int = 1) {
    self.pin = pin
    self.control = control
    control.plan(rows: pin.view.rowCount * rounds)
  }

  /// The number of rows, including those of removed users.
  public var rowCount: Int { pin.view.rowCount }

  /// Computes one value per row.
  /// - Parameters:
  ///   - filler: the initial value of each element; it does not occur in the result.
  ///   - value: the value of a row; called by several threads at a time.
  /// - Throws: `KithError.cancelled`, `closed`.
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

  /// Calls `body` for every row.
  /// - Throws: `KithError.cancelled`, `closed`.
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

  /// Computes one value from all rows. Each chunk of rows adds to a separate value, and these are merged in the order
  /// of rows, so that even floating-point sums are the same in every run.
  /// - Throws: `KithError.cancelled`, `closed`.
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

/// The results of the chunks of a pass, stored by any thread.
private final class ChunkValues<Value: Sendable>: Sendable {
  private let stored: Mutex<[Value?]>

  init(count: Int) { stored = Mutex(Array(repeating: nil, count: count)) }

  func set(_ chunk: Int, _ value: Value) { stored.withLock { $0[chunk] = value } }

  /// The results in the order of rows.
  var values: [Value] { stored.withLock { $0.compactMap(\.self) } }
}
