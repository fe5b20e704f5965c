extension SocialGraph {
  /// How much is indexed to find posts by their words.
  public enum PostIndexing: String, CaseIterable, Hashable, Sendable {
    /// No index: a search scans the posts, newest first.
    case off
    /// The words of the texts. Takes about a fifth of the bytes of the texts. A post found through its author is
    /// located in the index by a binary search for its time.
    case texts
    /// Words, and the position of every post in the index. Takes four more bytes per post; a post found through its
    /// author is located by one array access.
    case textsAndAuthors
  }
}

/// The index of posts by word: a log-structured merge tree (LSM) in memory, with *memtables* for the latest rows and
/// immutable *segments* of geometrically growing size.
///
/// Each memtable or segment covers a range of rows. A post's row and text never change, and rows are never reused. So a
/// new post goes to the last memtable, the row of a removed post is its tombstone, and a compaction builds a segment
/// from the posts of a range of rows, on any thread and at any time. While some rows are in no memtable or segment, as
/// after a restart, the index is incomplete and searches scan the posts.
/// - Complexity: adding a post O(bytes), and amortised one rewrite per level; `pin` is a copy.
struct PostIndex: Sendable {
  /// A segment, and the number of its posts removed since it was installed.
  struct Entry: Sendable {
    let segment: PostSegment
    var removedCount = 0

    var isMostlyRemoved: Bool { CompactionPolicy.isMostlyDeleted(removedCount, of: segment.order.count) }
  }

  /// The segments and memtables that a new segment replaced.
  struct Replaced {
    var segments: [Entry] = []
    var memtables: [PostMemtable] = []
  }

  /// The number of full memtables that are compacted into a segment.
  static let memtablesPerSegment = 4
  private static let fanout = 4
  private static let policy = CompactionPolicy(
    fanout: fanout, levelZeroCapacity: memtablesPerSegment * RecentTexts.capacity * fanout,
    maximumCount: PostSegment.maximumRowCount, maximumByteCount: PostSegment.maximumTextByteCount)

  private(set) var kind = SocialGraph.PostIndexing.off
  /// Sorted by rows; the ranges are disjoint.
  private(set) var segments: [Entry] = []
  /// Sorted by rows, after or between those of the segments. The last one is mutable, the others are frozen.
  private(set) var memtables: [PostMemtable] = []
  /// Whether every row is in a segment or a memtable.
  private(set) var isWhole = false
  /// Whether new rows are left to a compaction, during a bulk insertion.
  private var defers = false
  /// Whether a compaction may be due. The caller that starts the compactions resets it.
  var compactionMayBeDue = false

  /// Resets the index, with `rowCount` rows that are in no memtable or segment.
  mutating func reset(_ kind: SocialGraph.PostIndexing, rowCount: Int) {
    self = PostIndex()
    self.kind = kind
    isWhole = kind != .off && rowCount == 0
    compactionMayBeDue = kind != .off && rowCount > 0
  }

  /// Adds the next row.
  mutating func append(
    _ row: UInt32, author: UInt32, signature: NameSignature, time: Int64, text: Span<UInt8>
  ) {
    if kind == .off { return }
    if defers {
      isWhole = false
      return
    }
    if memtables.last.map({ $0.isFull || $0.rows.upperBound != row }) ?? true {
      memtables.append(PostMemtable(firstRow: row, isFirst: memtables.isEmpty && segments.isEmpty))
      if memtables.count > Self.memtablesPerSegment { compactionMayBeDue = true }
    }
    memtables[memtables.count - 1].append(author: author, signature: signature, time: time, text: text)
  }

  /// Sets the signature of a user's new name.
  mutating func setSignature(_ signature: NameSignature, of author: UInt32, _ authors: borrowing Column<UInt32>) {
    for index in memtables.indices { memtables[index].setSignature(signature, of: author, authors) }
  }

  /// Records that a post was removed.
  mutating func remove(_ row: UInt32) {
    guard let index = segments.firstIndex(where: { $0.segment.rows.contains(row) }) else { return }
    segments[index].removedCount += 1
    if segments[index].isMostlyRemoved { compactionMayBeDue = true }
  }

  mutating func beginBulk() { defers = true }

  mutating func endBulk() {
    defers = false
    if kind != .off { compactionMayBeDue = true }
  }

  var byteCount: Int {
    segments.reduce(0) { $0 + $1.segment.byteCount } + memtables.reduce(0) { $0 + $1.byteCount }
  }

  // MARK: - Compaction

  /// The rows to compact next; nil if no compaction is due. Unindexed rows come first, then frozen memtables, then the
  /// range that the policy chooses.
  /// - Parameter running: the rows from which running compactions build segments.
  func dueRows(of rowCount: Int, besides running: [Range<UInt32>] = []) -> Range<UInt32>? {
    if kind == .off { return nil }
    func isBusy(_ rows: Range<UInt32>) -> Bool { running.contains { $0.overlaps(rows) } }
    return firstGap(below: UInt32(rowCount), besides: running) ?? dueMemtables(isBusy) ?? dueSegments(isBusy)
  }

  /// The first rows that are in no memtable or segment; at most as many as one segment takes.
  func firstGap(below end: UInt32, besides running: [Range<UInt32>]) -> Range<UInt32>? {
    let taken = segments.map(\.segment.rows) + memtables.map(\.rows) + running
    var start: UInt32 = 0
    for rows in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if rows.lowerBound > start { return start..<min(rows.lowerBound, start + UInt32(PostSegment.maximumRowCount)) }
      start = max(start, rows.upperBound)
    }
    return start < end ? start..<min(end, start + UInt32(PostSegment.maximumRowCount)) : nil
  }

  /// Frozen memtables. One that is not full precedes rows of a bulk insertion.
  private func dueMemtables(_ isBusy: (Range<UInt32>) -> Bool) -> Range<UInt32>? {
    var run: [PostMemtable] = []
    for (index, memtable) in memtables.enumerated() where memtable.isFull || index + 1 < memtables.count {
      if isBusy(memtable.rows) || run.last.map({ $0.rows.upperBound != memtable.firstRow }) ?? false { run = [] }
      if isBusy(memtable.rows) { continue }
      run.append(memtable)
      if run.count == Self.memtablesPerSegment || !memtable.isFull { return run[0].firstRow..<memtable.rows.upperBound }
    }
    return nil
  }

  private func dueSegments(_ isBusy: (Range<UInt32>) -> Bool) -> Range<UInt32>? {
    var previousEnd: UInt32 = 0
    let candidates = segments.map { entry in
      defer { previousEnd = entry.segment.rows.upperBound }
      return CompactionPolicy.Segment(
        count: entry.segment.rows.count, byteCount: entry.segment.textByteCount,
        isMostlyDeleted: entry.isMostlyRemoved, isBusy: isBusy(entry.segment.rows),
        adjoinsPrevious: entry.segment.rows.lowerBound == previousEnd)
    }
    return Self.policy.dueRange(of: candidates).map { range in
      segments[range.lowerBound].segment.rows.lowerBound..<segments[range.upperBound - 1].segment.rows.upperBound
    }
  }

  /// Replaces all memtables and segments that cover the segment's rows. Does nothing if one of them covers other rows,
  /// too.
  /// - Returns: what was replaced, for the caller to free outside the lock.
  mutating func install(_ segment: PostSegment, rowCount: Int) -> Replaced {
    func isReplaced(_ rows: Range<UInt32>) -> Bool {
      rows.lowerBound >= segment.rows.lowerBound && rows.upperBound <= segment.rows.upperBound
    }
    let parts = segments.map(\.segment.rows) + memtables.map(\.rows)
    if parts.contains(where: { $0.overlaps(segment.rows) && !isReplaced($0) }) { return Replaced() }
    let replaced = Replaced(
      segments: segments.filter { isReplaced($0.segment.rows) }, memtables: memtables.filter { isReplaced($0.rows) })
    segments.removeAll { isReplaced($0.segment.rows) }
    memtables.removeAll { isReplaced($0.rows) }
    let place = segments.firstIndex { $0.segment.rows.lowerBound > segment.rows.lowerBound } ?? segments.count
    segments.insert(Entry(segment: segment), at: place)
    isWhole = firstGap(below: UInt32(rowCount), besides: []) == nil
    return replaced
  }
}
