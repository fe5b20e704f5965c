/// Rows with ranks, as words that compare by rank: the input of a selection of the best.
///
/// It manages its own memory, because appending to an array checks uniqueness each time (60 instructions against 8, for
/// each author of a timeline whose rank is high enough so far).
@safe final class RankBuffer: @unchecked Sendable {
  // Safety: a pool lends it to one query at a time. Words are accessed below `count`, which is at most `capacity`.
  @exclusivity(unchecked) private var words: UnsafeMutablePointer<UInt64>
  @exclusivity(unchecked) private var capacity = 64
  @exclusivity(unchecked) private var wordCount = 0

  init() { unsafe words = .allocate(capacity: capacity) }

  deinit { unsafe words.deallocate() }

  var count: Int { @inline(__always) get { unsafe wordCount } }

  @inline(__always)
  func append(rank: UInt32, row: UInt32) {
    if unsafe wordCount == capacity { grow() }
    unsafe words[wordCount] = UInt64(rank) << 32 | UInt64(row)
    unsafe wordCount &+= 1
  }

  /// The row of a word.
  @inline(__always)
  func row(_ index: Int) -> UInt32 {
    assert(index < count)
    return unsafe UInt32(truncatingIfNeeded: words[index])
  }

  func removeAll() { unsafe wordCount = 0 }

  /// Keeps the best `limit` rows, and those whose rank ties with the last of them.
  /// - Returns: that rank; nil if there are at most `limit` rows.
  func keepBest(_ limit: Int) -> UInt32? {
    guard count > limit else { return nil }
    var all = unsafe MutableSpan(_unsafeStart: words, count: wordCount)
    Selection.moveLargest(limit, of: &all)
    let last = all[limit - 1] >> 32
    var kept = limit
    for index in limit..<count where all[index] >> 32 == last {
      all[kept] = all[index]
      kept += 1
    }
    unsafe wordCount = kept
    return UInt32(truncatingIfNeeded: last)
  }

  @inline(never)
  private func grow() {
    let wider = unsafe UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
    unsafe wider.update(from: words, count: wordCount)
    unsafe words.deallocate()
    unsafe words = wider
    unsafe capacity *= 2
  }
}
