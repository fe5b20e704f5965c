/// The ids of rows, none of which is inserted twice.
///
/// The leading ids that are the row plus one, as assigned ids are, take no memory.
struct RowIDs: ~Copyable, Sendable {
  /// The number of leading rows whose id is the row plus one.
  private(set) var denseCount: Int
  /// The ids of the rows behind them.
  private var others: Column<Int64>

  init() {
    denseCount = 0
    others = Column()
  }

  private init(denseCount: Int, others: consuming Column<Int64>) {
    self.denseCount = denseCount
    self.others = others
  }

  mutating func pin() -> RowIDs { RowIDs(denseCount: denseCount, others: others.pin()) }

  var count: Int { denseCount + others.count }

  @inline(__always)
  subscript(row: Int) -> Int64 { row < denseCount ? Int64(row) + 1 : others[row - denseCount] }

  @inline(__always)
  subscript(row: UInt32) -> Int64 { self[Int(row)] }

  /// Appends a row.
  mutating func append(_ id: Int64) {
    if others.count == 0 && id == Int64(denseCount) + 1 { denseCount += 1 } else { others.append(id) }
  }

  var byteCount: Int { others.byteCount }

  func checkInvariants(_ name: String) -> [String] {
    var problems = others.checkInvariants(name)
    if others.count > 0 && others[0] == Int64(denseCount) + 1 { problems.append("\(name): a dense id is stored") }
    return problems
  }
}

/// The order of the sources of a target whose edges have equal timestamps.
protocol SourceOrder: ~Copyable, Sendable {
  /// Whether a row sorts before another one.
  func isBefore(_ row: UInt32, _ other: UInt32) -> Bool
}

/// By id.
extension RowIDs: SourceOrder {
  @inline(__always)
  func isBefore(_ row: UInt32, _ other: UInt32) -> Bool { self[row] < self[other] }
}
