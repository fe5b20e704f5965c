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

  var count: Int { @inline(__always) get { scratch.lists.value.rows.count } }
  @inline(__always)
  subscript(index: Int) -> UInt32 { scratch.lists.value.rows[index] }

  /// Calls `body` with all rows.
  @inline(__always)
  func withRows<Result>(_ body: (Span<UInt32>) -> Result) -> Result { body(scratch.lists.value.rows.span) }

  /// Cuts the rows to a page of at most `limit`, newest first.
  mutating func makePage(limit: Int, _ direction: TimelineQuery.Direction) {
    hasMore = count > limit
    if hasMore { scratch.lists.value.rows.truncate(to: limit) }
    if direction == .newer { scratch.lists.value.rows.reverse() }
  }
}
