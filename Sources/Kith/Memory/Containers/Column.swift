import CSupport

/// A growing array of plain values in copy-on-write pages: one property of every user or post, by row.
///
/// Noncopyable, so that it is not copied by accident: `pin()` creates the only kind of copy.
/// - Complexity: reading and writing O(1); appending O(1) amortised; `pin` O(1).
struct Column<Element: BitwiseCopyable>: ~Copyable, Sendable {
  /// Bytes per page. Larger pages slow down the first write after a pin (64 KB: 3.3 µs at p99.9, 16 KB: 1.4 µs).
  static var pageByteCount: Int { 16_384 }

  private var table: PageTable
  private(set) var count: Int

  init() {
    table = PageTable()
    count = 0
    precondition(
      Self.pageByteCount % MemoryLayout<Element>.stride == 0 && MemoryLayout<Element>.stride.nonzeroBitCount == 1,
      "an element's stride must be a power of two")
  }

  private init(table: consuming PageTable, count: Int) {
    self.table = table
    self.count = count
  }

  /// Elements per page, as a power of two.
  @inline(__always)
  private static var shift: Int { (pageByteCount / MemoryLayout<Element>.stride).trailingZeroBitCount }

  @inline(__always)
  private static func offset(_ index: Int) -> Int { (index & ((1 << shift) - 1)) * MemoryLayout<Element>.stride }

  mutating func pin() -> Column { Column(table: table.pin(), count: count) }

  subscript(index: Int) -> Element {
    @inline(__always)
    get {
      assert(index >= 0 && index < count)
      // Safety: index < count, and `append` filled every page below count.
      return unsafe table.base(index >> Self.shift).load(fromByteOffset: Self.offset(index), as: Element.self)
    }
    @inline(__always)
    set {
      assert(index >= 0 && index < count)
      let base = unsafe table.mutableBase(index >> Self.shift)
      unsafe base.storeBytes(of: newValue, toByteOffset: Self.offset(index), as: Element.self)
    }
  }

  /// Two adjacent elements, which share a page: from a multiple of two on.
  @inline(__always)
  func two(from index: Int) -> (Element, Element) {
    assert(index >= 0 && index & 1 == 0 && index &+ 1 < count)
    let start = unsafe table.base(index >> Self.shift) + Self.offset(index)
    // Safety: as in the subscript.
    return unsafe (
      start.load(as: Element.self), start.load(fromByteOffset: MemoryLayout<Element>.stride, as: Element.self)
    )
  }

  /// Four adjacent elements, which share a page: from a multiple of four on.
  @inline(__always)
  func four(from index: Int) -> (Element, Element, Element, Element) {
    assert(index >= 0 && index & 3 == 0 && index &+ 3 < count)
    let (start, stride) = unsafe (table.base(index >> Self.shift) + Self.offset(index), MemoryLayout<Element>.stride)
    // Safety: as in the subscript.
    return unsafe (
      start.load(as: Element.self), start.load(fromByteOffset: stride, as: Element.self),
      start.load(fromByteOffset: 2 &* stride, as: Element.self),
      start.load(fromByteOffset: 3 &* stride, as: Element.self)
    )
  }

  /// Prefetches the cache line of an element.
  @inline(__always)
  func prefetch(_ index: Int) { unsafe kith_prefetch(table.base(index >> Self.shift) + Self.offset(index)) }

  /// The element at a row.
  @inline(__always)
  subscript(row: UInt32) -> Element {
    get { self[Int(row)] }
    set { self[Int(row)] = newValue }
  }

  /// Calls `body` with the elements at the rows in the high words of `words`, which ascend, if they reach a bar. `body`
  /// returns the new bar.
  ///
  /// The directory is read once per chunk of pages, which holds 131,072 rows of four bytes.
  @inline(__always)
  func forEach(
    highWordsOf words: Span<UInt64>, reaching bar: Element, _ body: (UInt32, Element) -> Element
  ) where Element: Comparable {
    var bar = bar
    var start = 0
    while start < words.count {
      let chunk = Self.chunk(words[start])
      var end = words.count
      if Self.chunk(words[end - 1]) != chunk {
        var low = start + 1
        while low < end {
          let middle = (low + end) / 2
          if Self.chunk(words[middle]) == chunk { low = middle + 1 } else { end = middle }
        }
      }
      let pages = unsafe table.pages(ofChunk: chunk)
      for index in start..<end {
        let row = Int(truncatingIfNeeded: words[index] >> 32)
        assert(row < count)
        // Safety: as in the subscript.
        let element = unsafe pages.base(row >> Self.shift).load(fromByteOffset: Self.offset(row), as: Element.self)
        if element >= bar { bar = body(UInt32(truncatingIfNeeded: row), element) }
      }
      start = end
    }
  }

  /// The chunk of pages that contains the row in a high word.
  @inline(__always)
  private static func chunk(_ word: UInt64) -> Int {
    Int(truncatingIfNeeded: word >> 32) >> (shift + PageTable.chunkShift)
  }

  mutating func append(_ element: Element) {
    if count >> Self.shift == table.count { table.append(MemoryPage.zeroed(byteCount: Self.pageByteCount)) }
    count += 1
    self[count - 1] = element
  }

  /// Grows to `newCount`, filling with `element`. Whole pages of it are shared until they are written.
  mutating func grow(to newCount: Int, filledWith element: Element) {
    let perPage = 1 << Self.shift
    while count < newCount && count & (perPage - 1) != 0 { append(element) }
    let wholePageCount = (newCount - count) >> Self.shift
    if wholePageCount > 1 {
      let page = MemoryPage.allocate(byteCount: Self.pageByteCount)
      unsafe page.base.assumingMemoryBound(to: Element.self).initialize(repeating: element, count: perPage)
      table.append(page, times: wholePageCount)
      count += wholePageCount << Self.shift
    }
    while count < newCount { append(element) }
  }

  var byteCount: Int { table.byteCount }

  func checkInvariants(_ name: String) -> [String] {
    let pages = (count + (1 << Self.shift) - 1) >> Self.shift
    return pages == table.count ? [] : ["\(name): \(count) elements on \(table.count) pages"]
  }
}
