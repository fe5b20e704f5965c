/// Rows with a rank each, as words that compare by rank: what a selection of the best is made from.
///
/// Its own memory, because appending to an array asks each time whether it is shared (60 instructions against 8, for
/// each author of a timeline whose rank is good enough so far).
@safe final class RankBuffer: @unchecked Sendable {
  // Safety: a pool lends it to one question at a time; words are read and written below `count`, which is at most
  // `capacity`.
  @exclusivity(unchecked) private var words: UnsafeMutablePointer<UInt64>
  @exclusivity(unchecked) private var capacity = 64
  @exclusivity(unchecked) private(set) var count = 0

  init() { unsafe words = .allocate(capacity: capacity) }

  deinit { unsafe words.deallocate() }

  @inline(__always)
  func append(rank: UInt32, row: UInt32) {
    if unsafe count == capacity { grow() }
    unsafe words[count] = UInt64(rank) << 32 | UInt64(row)
    unsafe count &+= 1
  }

  /// The row of one of the words.
  @inline(__always)
  func row(_ index: Int) -> UInt32 {
    unsafe assert(index < count)
    return unsafe UInt32(truncatingIfNeeded: words[index])
  }

  func removeAll() { unsafe count = 0 }

  /// Keeps the best `limit` rows, and those whose rank ties with the last of them. Returns that rank; nil if there are
  /// no more than so many.
  func keepBest(_ limit: Int) -> UInt32? {
    guard unsafe count > limit else { return nil }
    var all = unsafe MutableSpan(_unsafeStart: words, count: count)
    Selection.moveLargest(limit, of: &all)
    let last = all[limit - 1] >> 32
    var kept = limit
    for index in unsafe limit..<count where all[index] >> 32 == last {
      all[kept] = all[index]
      kept += 1
    }
    unsafe count = kept
    return UInt32(truncatingIfNeeded: last)
  }

  @inline(never)
  private func grow() {
    let wider = unsafe UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
    unsafe wider.update(from: words, count: count)
    unsafe words.deallocate()
    unsafe words = wider
    unsafe capacity *= 2
  }
}
