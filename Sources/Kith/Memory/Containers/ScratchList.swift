/// A list that a pool lends to one query after the other, and that keeps its memory.
///
/// It manages its own memory, because appending to an array checks uniqueness each time (60 instructions against 8, for
/// each author of a timeline whose rank is high enough so far).
@safe final class ScratchList<Element: BitwiseCopyable>: @unchecked Sendable {
  // Safety: a pool lends it to one query at a time. Elements are accessed below `count`, which is at most `capacity`.
  @exclusivity(unchecked) private var elements: UnsafeMutablePointer<Element>
  @exclusivity(unchecked) private var capacity = 64
  @exclusivity(unchecked) private var elementCount = 0

  init() { unsafe elements = .allocate(capacity: capacity) }

  deinit { unsafe elements.deallocate() }

  var count: Int { @inline(__always) get { unsafe elementCount } }

  /// Read and changed in place.
  subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress {
      assert(index >= 0 && index < count)
      return unsafe UnsafePointer(elements + index)
    }
    @inline(__always) unsafeMutableAddress {
      assert(index >= 0 && index < count)
      return unsafe elements + index
    }
  }

  @inline(__always)
  func append(_ element: Element) {
    if unsafe elementCount == capacity { grow() }
    unsafe elements[elementCount] = element
    unsafe elementCount &+= 1
  }

  /// Removes all elements but the first ones.
  func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count)
    unsafe elementCount = count
  }

  @inline(never)
  private func grow() {
    let wider = unsafe UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    unsafe wider.update(from: elements, count: elementCount)
    unsafe elements.deallocate()
    unsafe elements = wider
    unsafe capacity *= 2
  }
}

/// Indices with ranks, as words that compare by rank: the input of a selection of the best.
extension ScratchList<UInt64> {
  @inline(__always)
  func append(rank: UInt32, _ index: UInt32) { append(UInt64(rank) << 32 | UInt64(index)) }

  /// The index of a word, without its rank.
  @inline(__always)
  func ranked(_ place: Int) -> UInt32 { UInt32(truncatingIfNeeded: self[place]) }

  /// Sets the index of a word. It keeps its rank.
  func setRanked(_ place: Int, _ index: UInt32) { self[place] = self[place] & ~0xFFFF_FFFF | UInt64(index) }

  /// Keeps the best `limit` words, and those whose rank ties with the last of them.
  /// - Returns: that rank; nil if there are at most `limit` words.
  func keepBest(_ limit: Int) -> UInt32? {
    guard count > limit else { return nil }
    var all = unsafe MutableSpan(_unsafeStart: elements, count: elementCount)
    Selection.moveLargest(limit, of: &all)
    let last = all[limit - 1] >> 32
    var kept = limit
    for index in limit..<count where all[index] >> 32 == last {
      all[kept] = all[index]
      kept += 1
    }
    truncate(to: kept)
    return UInt32(truncatingIfNeeded: last)
  }
}
