/// Size-tiered compaction: decides which adjacent segments of an index are rewritten into one next.
///
/// Segments of similar size form a level. As soon as `fanout` adjacent segments have no level above that of the
/// youngest of them, they are compacted into one segment of the next level. An entry is therefore rewritten once per
/// level, and the number of segments grows with the logarithm of the number of entries. A segment of mostly deleted
/// entries is rewritten alone. This is the tiered strategy of Cassandra and of RocksDB's universal compaction.
struct CompactionPolicy: Sendable {
  /// The properties of a segment that the policy reads.
  struct Segment {
    /// The number of entries, which determines the level.
    let count: Int
    let byteCount: Int
    let isMostlyDeleted: Bool
    /// Whether a running compaction reads this segment.
    let isBusy: Bool
    /// Whether no entry lies between this segment and the previous, older one.
    var adjoinsPrevious = true
  }

  /// The number of segments of similar size that are compacted into one; at least 2.
  let fanout: Int
  /// A segment with fewer entries is at level 0.
  let levelZeroCapacity: Int
  /// The most entries, and the most bytes, that one compaction may read in total.
  var maximumCount = Int.max
  var maximumByteCount = Int.max

  /// Whether enough entries are deleted to rewrite the segment alone: more than half.
  static func isMostlyDeleted(_ deletedCount: Int, of count: Int) -> Bool { deletedCount * 2 > count }

  /// The level of a segment of so many entries: how many times `fanout` segments were merged to reach that size.
  func level(of count: Int) -> Int {
    var level = 0
    var size = levelZeroCapacity
    while count >= size {
      level += 1
      size *= fanout
    }
    return level
  }

  /// The segments to compact next; nil if no compaction is due. The youngest range that is due comes first.
  /// - Parameter segments: oldest first.
  /// - Complexity: O(segments · longest run of one level).
  func dueRange(of segments: [Segment]) -> Range<Int>? {
    for end in stride(from: segments.count, to: 0, by: -1) {
      let youngest = segments[end - 1]
      if youngest.isBusy { continue }
      let start = start(of: segments[..<end])
      if end - start >= fanout { return start..<end }
      if youngest.isMostlyDeleted { return end - 1..<end }
    }
    return nil
  }

  /// The first of the segments that may be compacted together with the youngest one, which is the last.
  private func start(of segments: ArraySlice<Segment>) -> Int {
    let level = level(of: segments[segments.endIndex - 1].count)
    var start = segments.endIndex
    var (count, byteCount) = (0, 0)
    while start > 0 {
      let next = segments[start - 1]
      let isAdjacent = start == segments.endIndex || segments[start].adjoinsPrevious
      if next.isBusy || !isAdjacent || self.level(of: next.count) > level { break }
      count += next.count
      byteCount += next.byteCount
      if count > maximumCount || byteCount > maximumByteCount { break }
      start -= 1
    }
    return start
  }
}
