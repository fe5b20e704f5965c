/// A list that one query after the other fills, and that keeps its memory.
///
/// It manages its own memory, because appending to an array checks uniqueness each time (60 instructions against 8, for
/// each author of a timeline whose rank is high enough so far). It is not copyable, so that no reference is counted.
@safe struct ScratchList<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // Safety: a pool lends it to one query at a time. Elements are accessed below `count`, which is at most `capacity`.
  private var elements: UnsafeMutablePointer<Element>
  private var capacity = 64
  private(set) var count = 0

  init() { unsafe elements = .allocate(capacity: capacity) }

  deinit { unsafe elements.deallocate() }

  /// Read and changed in place. Changing an element does not count as changing the list: then no other list of the same
  /// value could be read.
  subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress {
      assert(index >= 0 && index < count)
      return unsafe UnsafePointer(elements + index)
    }
    @inline(__always) nonmutating unsafeMutableAddress {
      assert(index >= 0 && index < count)
      return unsafe elements + index
    }
  }

  /// All elements.
  var span: Span<Element> {
    @inline(__always) @_lifetime(borrow self) get {
      let span = unsafe Span(_unsafeStart: UnsafePointer(elements), count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// All elements, to be changed.
  var mutableSpan: MutableSpan<Element> {
    @inline(__always) @_lifetime(&self) mutating get {
      let span = unsafe MutableSpan(_unsafeStart: elements, count: count)
      return unsafe _overrideLifetime(span, mutating: &self)
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(to: capacity * 2) }
    unsafe elements[count] = element
    count &+= 1
  }

  /// Sets the number of elements. New ones are whatever was there: the caller sets them before it reads them.
  @inline(__always)
  mutating func resize(to count: Int) {
    precondition(count >= 0)
    if count > capacity { grow(to: max(count, capacity * 2)) }
    self.count = count
  }

  /// Removes all elements but the first ones.
  @inline(__always)
  mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count)
    self.count = count
  }

  /// Reverses the order of the elements.
  mutating func reverse() {
    for index in 0..<count / 2 {
      let other = count - 1 - index
      (self[index], self[other]) = (self[other], self[index])
    }
  }

  /// Places an element of the binary heap that the elements are, in the empty place `start` or below it.
  @inline(__always)
  func sink(_ element: Element, from start: Int, isBefore: (Element, Element) -> Bool) {
    var place = start
    while true {
      var child = 2 &* place &+ 1
      if child >= count { break }
      if child &+ 1 < count, isBefore(self[child &+ 1], self[child]) { child &+= 1 }
      if !isBefore(self[child], element) { break }
      self[place] = self[child]
      place = child
    }
    self[place] = element
  }

  @inline(never)
  private mutating func grow(to newCapacity: Int) {
    let wider = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    unsafe wider.update(from: elements, count: count)
    unsafe elements.deallocate()
    unsafe elements = wider
    capacity = newCapacity
  }
}

/// Indices with ranks, as words that compare by rank: the input of a selection of the best.
extension ScratchList<UInt64> {
  @inline(__always)
  mutating func append(rank: UInt32, _ index: UInt32) { append(UInt64(rank) << 32 | UInt64(index)) }

  /// The index of a word, without its rank.
  @inline(__always)
  func ranked(_ place: Int) -> UInt32 { UInt32(truncatingIfNeeded: self[place]) }

  /// Sets the index of a word. It keeps its rank.
  func setRanked(_ place: Int, _ index: UInt32) { self[place] = self[place] & ~0xFFFF_FFFF | UInt64(index) }

  /// Keeps the best `limit` words, and those whose rank ties with the last of them.
  /// - Returns: that rank; nil if there are at most `limit` words.
  mutating func keepBest(_ limit: Int) -> UInt32? {
    guard count > limit else { return nil }
    var all = mutableSpan
    Selection.moveLargest(limit, of: &all)
    let last = all[limit - 1] >> 32
    var kept = limit
    for index in limit..<all.count where all[index] >> 32 == last {
      all[kept] = all[index]
      kept += 1
    }
    truncate(to: kept)
    return UInt32(truncatingIfNeeded: last)
  }
}
