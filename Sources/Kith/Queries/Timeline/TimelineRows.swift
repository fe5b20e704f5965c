/// The rows of the posts that a scan of a timeline found, in the order of the scan.
///
/// The rows are in pooled memory, which returns to its pool at the end of the value's life.
struct TimelineRows: ~Copyable {
  private let scratch: TimelineScratch
  /// Whether authors were left out, so that posts may be missing.
  var isTruncated = false
  /// Whether posts follow after the page.
  private(set) var hasMore = false

  init(_ scratch: consuming TimelineScratch) { self.scratch = scratch }

  var rows: [UInt32] { @inline(__always) get { scratch.memory.value.rows } }

  /// Cuts the rows to a page of at most `limit`, newest first.
  mutating func makePage(limit: Int, _ direction: TimelineQuery.Direction) {
    hasMore = rows.count > limit
    if hasMore { scratch.memory.value.rows.removeLast() }
    if direction == .newer { scratch.memory.value.rows.reverse() }
  }
}
