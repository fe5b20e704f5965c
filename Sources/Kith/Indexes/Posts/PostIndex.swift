extension SocialGraph {
  /// How much is indexed to find posts by their words.
  @nonexhaustive
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
/// Each memtable or segment covers a range of rows. A post's row never changes, and rows are never reused. So a new
/// post goes to the last memtable, the row of a removed post is its tombstone, and a compaction builds a segment from
/// the posts of a range of rows, on any thread and at any time. A post whose text was edited is listed beside, and read
/// by every search, until a compaction has read the new text. While some rows are in no memtable or segment, as after a
/// restart, the index is incomplete and searches scan the posts.
/// - Complexity: adding a post O(bytes), and amortised one rewrite per level; `pin` is a copy.
struct PostIndex: Sendable {
  /// The author of a removed post, in the column of authors.
  static let noAuthor = UInt32.max

  /// A segment, and the number of its posts removed since it was installed.
  struct Entry: Sendable {
    let segment: PostSegment
    /// The edits that its texts contain.
    var editCount: UInt64 = 0
    var removedCount = 0
    /// The number of its posts edited since.
    var editedCount = 0

    /// Whether it is to be built again: most of its posts were removed, or too many were edited.
    var isOutdated: Bool {
      CompactionPolicy.isMostlyDeleted(removedCount, of: segment.order.count)
        || editedCount >= max(PostIndex.editedCount, segment.order.count / PostIndex.editedShare)
    }
  }

  /// A memtable to which no row is added any more. An object, so that a copy of their list after a pin takes one
  /// reference for each: hundreds may wait for a compaction.
  final class Frozen: Sendable {
    let memtable: PostMemtable

    init(_ memtable: PostMemtable) { self.memtable = memtable }
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

  /// About what a post takes: for itself, and as a share of the bytes of its text.
  static let postByteCount = 5
  static let textShare = 5

  private(set) var kind = SocialGraph.PostIndexing.off
  /// Sorted by rows; the ranges are disjoint.
  private(set) var segments: [Entry] = []
  /// Sorted by rows, after or between those of the segments.
  private var frozen: [Frozen] = []
  /// The mutable memtable, behind the frozen ones.
  private var current: PostMemtable?
  /// Whether every row is in a segment or a memtable.
  private(set) var isWhole = false
  /// Whether new rows are left to a compaction, during a bulk insertion.
  private var defers = false
  /// Whether a compaction may be due. The caller that starts the compactions resets it.
  var compactionMayBeDue = false
  /// The posts whose text is another than the one in their memtable or segment, by row, each with the number of its
  /// last edit.
  private var edits: [(row: UInt32, number: UInt64)] = []
  /// The number of edits so far.
  private(set) var editCount: UInt64 = 0

  /// A segment is built again when so many of its posts were edited, and one in so many. Every search by words reads
  /// the edited ones, a tenth of a microsecond each.
  private static let (editedCount, editedShare) = (256, 256)

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
    if current.map({ $0.isFull || $0.rows.upperBound != row }) ?? true { beginMemtable(row) }
    current?.append(author: author, signature: signature, time: time, text: text)
  }

  private mutating func beginMemtable(_ row: UInt32) {
    if let current { frozen.append(Frozen(current)) }
    current = PostMemtable(firstRow: row, isFirst: frozen.isEmpty && segments.isEmpty)
    if frozen.count >= Self.memtablesPerSegment { compactionMayBeDue = true }
  }

  /// Sets the signature of a user's new name.
  mutating func setSignature(_ signature: NameSignature, of author: UInt32, _ authors: borrowing Column<UInt32>) {
    current?.setSignature(signature, of: author, authors)
    for index in frozen.indices where frozen[index].memtable.blocks(by: [author]) != 0 {
      var memtable = frozen[index].memtable
      memtable.setSignature(signature, of: author, authors)
      frozen[index] = Frozen(memtable)
    }
  }

  // MARK: - Edited posts

  /// Records that the text of a post was replaced.
  mutating func edit(_ row: UInt32) {
    if kind == .off { return }
    editCount += 1
    let place = editPlace(row)
    if place < edits.count, edits[place].row == row {
      edits[place].number = editCount
      return
    }
    edits.insert((row, editCount), at: place)
    guard let index = segments.firstIndex(where: { $0.segment.rows.contains(row) }) else { return }
    segments[index].editedCount += 1
    if segments[index].isOutdated { compactionMayBeDue = true }
  }

  /// Whether no post waits for a compaction that reads its new text.
  var hasNoEdits: Bool { edits.isEmpty }

  /// The posts whose text is another than the indexed one, by row.
  var editedRows: [UInt32] { edits.map(\.row) }

  func isEdited(_ row: UInt32) -> Bool {
    let place = editPlace(row)
    return place < edits.count && edits[place].row == row
  }

  private func editPlace(_ row: UInt32) -> Int {
    var (low, high) = (0, edits.count)
    while low < high {
      let middle = (low + high) / 2
      if edits[middle].row < row { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: - Memtables

  /// All memtables, sorted by rows.
  /// - Complexity: O(memtables); to visit them, `forEachMemtable` takes no references.
  var memtables: [PostMemtable] { frozen.map(\.memtable) + (current.map { [$0] } ?? []) }

  /// The rows of each memtable, in order.
  private var memtableRows: [Range<UInt32>] { frozen.map(\.memtable.rows) + (current.map { [$0.rows] } ?? []) }

  /// Calls `body` with each memtable, the latest rows first.
  func forEachMemtable(_ body: (borrowing PostMemtable) -> Void) {
    if let current { body(current) }
    for index in frozen.indices.reversed() { body(frozen[index].memtable) }
  }

  /// Whether a text of a memtable may contain a text.
  func memtables(mayHold text: NameQuery) -> Bool {
    if current == nil && frozen.isEmpty { return false }
    let grams = text.grams
    var blocks: UInt64 = 0
    forEachMemtable { blocks |= $0.blocks(holding: grams) }
    return blocks != 0
  }

  /// The memtable that a row is in.
  func memtable(of row: UInt32) -> PostMemtable? {
    if let current, current.rows.contains(row) { return current }
    return frozen.last { $0.memtable.rows.contains(row) }?.memtable
  }

  /// Records that a post was removed.
  mutating func remove(_ row: UInt32) {
    let place = editPlace(row)
    if place < edits.count, edits[place].row == row { edits.remove(at: place) }
    guard let index = segments.firstIndex(where: { $0.segment.rows.contains(row) }) else { return }
    segments[index].removedCount += 1
    if segments[index].isOutdated { compactionMayBeDue = true }
  }

  mutating func beginBulk() { defers = true }

  mutating func endBulk() {
    defers = false
    if kind != .off { compactionMayBeDue = true }
  }

  /// Whether rows wait for a compaction after a bulk insertion that goes on.
  var isDeferred: Bool { defers && kind != .off }

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
    let taken = segments.map(\.segment.rows) + memtableRows + running
    var start: UInt32 = 0
    for rows in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if rows.lowerBound > start { return start..<min(rows.lowerBound, start + UInt32(PostSegment.maximumRowCount)) }
      start = max(start, rows.upperBound)
    }
    return start < end ? start..<min(end, start + UInt32(PostSegment.maximumRowCount)) : nil
  }

  /// Frozen memtables. One that is not full precedes rows of a bulk insertion.
  private func dueMemtables(_ isBusy: (Range<UInt32>) -> Bool) -> Range<UInt32>? {
    let memtables = memtableRows
    var run: [Range<UInt32>] = []
    for (index, rows) in memtables.enumerated() {
      let isFull = rows.count == RecentTexts.capacity
      if !isFull && index + 1 == memtables.count { break }
      if isBusy(rows) || run.last.map({ $0.upperBound != rows.lowerBound }) ?? false { run = [] }
      if isBusy(rows) { continue }
      run.append(rows)
      if run.count == Self.memtablesPerSegment || !isFull { return run[0].lowerBound..<rows.upperBound }
    }
    return nil
  }

  private func dueSegments(_ isBusy: (Range<UInt32>) -> Bool) -> Range<UInt32>? {
    var previousEnd: UInt32 = 0
    let candidates = segments.map { entry in
      defer { previousEnd = entry.segment.rows.upperBound }
      return CompactionPolicy.Segment(
        count: entry.segment.rows.count, byteCount: entry.segment.textByteCount,
        isMostlyDeleted: entry.isOutdated, isBusy: isBusy(entry.segment.rows),
        adjoinsPrevious: entry.segment.rows.lowerBound == previousEnd)
    }
    return Self.policy.dueRange(of: candidates).map { range in
      segments[range.lowerBound].segment.rows.lowerBound..<segments[range.upperBound - 1].segment.rows.upperBound
    }
  }

  /// Replaces all memtables and segments of the rows that were compacted. Does nothing if one of them covers other
  /// rows, too. Texts that have grown may not fit one segment: the rows that it leaves out are a gap, which is
  /// compacted next.
  /// - Parameters:
  ///   - inputs: the rows that were compacted; the segment begins with the first.
  ///   - editCount: the edits that the segment's texts contain.
  /// - Returns: what was replaced, for the caller to free outside the lock.
  mutating func install(
    _ segment: PostSegment, of inputs: Range<UInt32>, editCount: UInt64, rowCount: Int
  ) -> Replaced {
    func isReplaced(_ rows: Range<UInt32>) -> Bool {
      rows.lowerBound >= inputs.lowerBound && rows.upperBound <= inputs.upperBound
    }
    let parts = segments.map(\.segment.rows) + memtableRows
    if parts.contains(where: { $0.overlaps(inputs) && !isReplaced($0) }) { return Replaced() }
    // A compaction that began earlier than one which has ended knows older texts.
    if segments.contains(where: { isReplaced($0.segment.rows) && $0.editCount > editCount }) { return Replaced() }
    let replaced = Replaced(
      segments: segments.filter { isReplaced($0.segment.rows) }, memtables: memtables.filter { isReplaced($0.rows) })
    segments.removeAll { isReplaced($0.segment.rows) }
    frozen.removeAll { isReplaced($0.memtable.rows) }
    if let rows = current?.rows, isReplaced(rows) { current = nil }
    let place = segments.firstIndex { $0.segment.rows.lowerBound > segment.rows.lowerBound } ?? segments.count
    edits.removeAll { segment.rows.contains($0.row) && $0.number <= editCount }
    let editedCount = edits.count { segment.rows.contains($0.row) }
    segments.insert(Entry(segment: segment, editCount: editCount, editedCount: editedCount), at: place)
    isWhole = firstGap(below: UInt32(rowCount), besides: []) == nil
    if !isWhole { compactionMayBeDue = true }
    return replaced
  }
}
