/// What is kept in memory to find posts by their words.
public enum PostIndexing: String, Hashable, Sendable {
  /// Nothing: a search looks at one post after the other, from the newest on.
  case off
  /// The words of texts: about a fifth of the texts' bytes. Where posts are found through their authors, each is looked
  /// for by its time.
  case texts
  /// That, and the place of every post in it: four bytes a post, and an author's posts cost one look each.
  case textsAndAuthors
}

/// Posts found by their words: segments of rows that grow geometrically, and heads for the latest rows.
///
/// A post's row never changes and is never given to another, and neither is its text. So which rows a segment tells
/// about is all there is to know about it: a post that was added is in the last head, one that was removed is found
/// dead, and to merge segments is to build one of all their rows, by whom and whenever that suits. Where some rows are
/// in nothing, as after a restore, the index does not stand, and posts are searched one by one.
/// - Complexity: adding a post O(bytes); amortised, one building of it on each level; `pin` is a copy.
struct PostIndex: Sendable {
  /// A segment, and how many of its posts were removed since it came; those of while it was built are not counted.
  struct Entry: Sendable {
    let segment: PostSegment
    var removedCount = 0

    /// Whether it is to be built anew without them.
    var isMostlyRemoved: Bool { removedCount * 2 > segment.order.count }
  }

  /// So many full heads become a segment.
  static let headsPerSegment = 4
  /// So many segments of about one size become one.
  static let fanout = 4

  private(set) var kind = PostIndexing.off
  /// By rows, which do not meet.
  private(set) var segments: [Entry] = []
  /// By rows, behind those of the segments or between them.
  private(set) var heads: [PostHead] = []
  /// Whether every row is in a segment or a head.
  private(set) var isWhole = false
  /// Whether rows that are added now wait for a segment: many come at once.
  private var defers = false
  /// Whether a segment may be due to be built; for the one who has them built, who sets it back.
  var buildMayBeDue = false

  /// Begins anew, as an index of so many rows that are in nothing.
  mutating func reset(_ kind: PostIndexing, rowCount: Int) {
    self = PostIndex()
    self.kind = kind
    isWhole = kind != .off && rowCount == 0
    buildMayBeDue = kind != .off && rowCount > 0
  }

  /// Adds the next row.
  mutating func append(_ row: UInt32, author: UInt32, time: Int64, text: Span<UInt8>) {
    if kind == .off { return }
    if defers {
      isWhole = false
      return
    }
    if heads.last.map({ $0.isFull || $0.rows.upperBound != row }) ?? true {
      heads.append(PostHead(firstRow: row))
      if heads.count > Self.headsPerSegment { buildMayBeDue = true }
    }
    heads[heads.count - 1].append(author: author, time: time, text: text)
  }

  /// Notes that a post was removed.
  mutating func remove(_ row: UInt32) {
    guard let index = segments.firstIndex(where: { $0.segment.rows.contains(row) }) else { return }
    segments[index].removedCount += 1
    if segments[index].isMostlyRemoved { buildMayBeDue = true }
  }

  mutating func beginBulk() { defers = true }

  mutating func endBulk() {
    defers = false
    if kind != .off { buildMayBeDue = true }
  }

  var byteCount: Int {
    segments.reduce(0) { $0 + $1.segment.byteCount } + heads.reduce(0) { $0 + $1.byteCount }
  }

  // MARK: - Building

  /// The rows of which a segment is to be built next: some that are in nothing first, then full heads, then a run of
  /// segments of one size, then one that is mostly removed. Nil when the shape is right.
  /// - Parameter running: rows of which segments are being built.
  func dueRows(of rowCount: Int, besides running: [Range<UInt32>] = []) -> Range<UInt32>? {
    if kind == .off { return nil }
    func isFree(_ rows: Range<UInt32>) -> Bool { !running.contains { $0.overlaps(rows) } }
    if let gap = firstGap(below: UInt32(rowCount), besides: running) { return gap }
    return dueHeads(isFree) ?? dueSegments(isFree)
      ?? segments.first { $0.isMostlyRemoved && isFree($0.segment.rows) }?.segment.rows
  }

  private func firstGap(below end: UInt32, besides running: [Range<UInt32>]) -> Range<UInt32>? {
    let taken = segments.map(\.segment.rows) + heads.map(\.rows) + running
    var start: UInt32 = 0
    for rows in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if rows.lowerBound > start { return start..<min(rows.lowerBound, start + UInt32(PostSegment.maximumRowCount)) }
      start = max(start, rows.upperBound)
    }
    return start < end ? start..<min(end, start + UInt32(PostSegment.maximumRowCount)) : nil
  }

  /// Heads that no row is added to any more. One that is not full stands before rows that came all at once.
  private func dueHeads(_ isFree: (Range<UInt32>) -> Bool) -> Range<UInt32>? {
    var run: [PostHead] = []
    for (index, head) in heads.enumerated() where head.isFull || index + 1 < heads.count {
      if !isFree(head.rows) || run.last.map({ $0.rows.upperBound != head.firstRow }) ?? false { run = [] }
      if !isFree(head.rows) { continue }
      run.append(head)
      if run.count == Self.headsPerSegment || !head.isFull { return run[0].firstRow..<head.rows.upperBound }
    }
    return nil
  }

  /// From the youngest on: neighbours, none of a level above the youngest one's, as many as make one of the next level.
  private func dueSegments(_ isFree: (Range<UInt32>) -> Bool) -> Range<UInt32>? {
    var end = segments.count
    while end > 0 {
      let level = Self.level(of: segments[end - 1].segment)
      var start = end
      var (rowCount, byteCount) = (0, 0)
      while start > 0 {
        let next = segments[start - 1].segment
        let isNeighbour = start == end || next.rows.upperBound == segments[start].segment.rows.lowerBound
        rowCount += next.rows.count
        byteCount += next.textByteCount
        if !isFree(next.rows) || !isNeighbour || Self.level(of: next) > level { break }
        if rowCount > PostSegment.maximumRowCount || byteCount > PostSegment.maximumTextByteCount { break }
        start -= 1
      }
      if end - start >= Self.fanout {
        return segments[start].segment.rows.lowerBound..<segments[end - 1].segment.rows.upperBound
      }
      end -= 1
    }
    return nil
  }

  /// How many times `fanout` segments of heads went into one of so many rows.
  private static func level(of segment: PostSegment) -> Int {
    var level = 0
    var size = headsPerSegment * RecentTexts.capacity * fanout
    while segment.rows.count >= size {
      level += 1
      size *= fanout
    }
    return level
  }

  /// Puts a segment in the place of all that tell about its rows, unless one of them tells about other rows, too.
  /// - Returns: what it replaced, so that it is freed where nobody waits.
  mutating func adopt(_ segment: PostSegment, rowCount: Int) -> (segments: [Entry], heads: [PostHead]) {
    func isReplaced(_ rows: Range<UInt32>) -> Bool {
      rows.lowerBound >= segment.rows.lowerBound && rows.upperBound <= segment.rows.upperBound
    }
    let parts = segments.map(\.segment.rows) + heads.map(\.rows)
    if parts.contains(where: { $0.overlaps(segment.rows) && !isReplaced($0) }) { return ([], []) }
    let replaced = (segments.filter { isReplaced($0.segment.rows) }, heads.filter { isReplaced($0.rows) })
    segments.removeAll { isReplaced($0.segment.rows) }
    heads.removeAll { isReplaced($0.rows) }
    let place = segments.firstIndex { $0.segment.rows.lowerBound > segment.rows.lowerBound } ?? segments.count
    segments.insert(Entry(segment: segment), at: place)
    isWhole = firstGap(below: UInt32(rowCount), besides: []) == nil
    return replaced
  }

  // MARK: - Invariants

  func checkInvariants(_ posts: borrowing PostTable) -> [String] {
    var problems: [String] = []
    let parts = (segments.map(\.segment.rows) + heads.map(\.rows)).sorted { $0.lowerBound < $1.lowerBound }
    for (rows, next) in zip(parts, parts.dropFirst()) where rows.upperBound > next.lowerBound {
      problems.append("post index: row \(next.lowerBound) is in two parts")
    }
    if let last = parts.last, last.upperBound > posts.rowCount { problems.append("post index: rows beyond the last") }
    if isWhole != (kind != .off && firstGap(below: UInt32(posts.rowCount), besides: []) == nil) {
      problems.append("post index: whether it stands is noted wrongly")
    }
    for entry in segments {
      problems += entry.segment.checkInvariants(posts)
      let removed = entry.segment.order.reduce(0) { $0 + (posts.isLive($1) ? 0 : 1) }
      if removed < entry.removedCount { problems.append("post index: \(entry.removedCount) removed of \(removed)") }
    }
    return problems
  }
}
