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
