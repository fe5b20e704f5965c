import CSupport

/// A page of elements of one width in bits: a block of compact lists, or a chunk of a long one.
/// ```
/// shape UInt32 · base of the low words UInt32 · capacity in words UInt32 · total UInt32 ·
/// end of list 0 … end of list n−1 (UInt16 each; the top bit: the list is long; a chunk has none) · words of bits
/// ```
/// An element has a high word (the row of a forward element) and a low one (its timestamp, or the row of a backward
/// element). The low word is stored as its distance from the base, zero as zero. Since all elements have one width, any
/// of them is one unaligned load, a shift and a mask, so that searches read the page as it is.
///
/// The shape has the widths of both words. Bit 15 is set, where the first end of a plain block has the flag of a long
/// list: so reading a plain list costs no further test.
@safe struct CompactPage<Element: BitwiseCopyable & FixedWidthInteger & UnsignedInteger & Sendable> {
  // Safety: the address is that of a page, which the table or the list that lends this view owns.
  let base: UnsafeMutableRawPointer
  private let words: UnsafeMutableRawPointer
  private let widths: CompactWidths

  /// - Parameter listCount: the lists of the block; 0 for a chunk.
  @inline(__always)
  init(_ base: UnsafeMutableRawPointer, listCount: Int) {
    unsafe self.base = unsafe base
    unsafe words = unsafe base + Self.headerByteCount(listCount: listCount)
    widths = unsafe CompactWidths(
      base: base.load(fromByteOffset: 4, as: UInt32.self), shape: base.load(as: UInt32.self))
  }

  @inline(__always)
  static func headerByteCount(listCount: Int) -> Int { (16 + 2 * listCount + 7) & ~7 }

  /// The top bit of an end: the list is long.
  static var longFlag: UInt16 { 0x8000 }

  // MARK: - Reading

  /// The number of elements.
  var total: Int { unsafe Int(base.load(fromByteOffset: 12, as: UInt32.self)) }

  var capacityInWords: Int { unsafe Int(base.load(fromByteOffset: 8, as: UInt32.self)) }

  /// A list of the block: its start, its length there, and whether it is long.
  @inline(__always)
  func list(_ index: Int) -> (start: Int, count: Int, isLong: Bool) {
    let ends = unsafe (base + 16).assumingMemoryBound(to: UInt16.self)
    let start = index == 0 ? 0 : unsafe Int(ends[index - 1] & ~Self.longFlag)
    let end = unsafe ends[index]
    return (start, Int(end & ~Self.longFlag) - start, end & Self.longFlag != 0)
  }

  /// The bits of an element.
  @inline(__always)
  func bits(_ index: Int) -> UInt64 {
    let width = widths.total
    let bit = index &* width
    let (place, shift) = (bit &>> 3, UInt64(truncatingIfNeeded: bit & 7))
    // Safety: a page ends with a spare word.
    var bits = unsafe UInt64(littleEndian: (words + place).loadUnaligned(as: UInt64.self)) &>> shift
    if width > 57 {
      let ninth = unsafe UInt64((words + place).load(fromByteOffset: 8, as: UInt8.self))
      bits |= (ninth &<< (63 &- shift)) &<< 1
    }
    return bits & (.max &>> UInt64(truncatingIfNeeded: 64 &- width))
  }

  @inline(__always)
  subscript(index: Int) -> Element { widths.element(bits(index)) }

  /// The address of an element's first byte, to prefetch.
  @inline(__always)
  func address(_ index: Int) -> UnsafeRawPointer { unsafe UnsafeRawPointer(words + (index &* widths.total) &>> 3) }

  /// The bits that an element would have; nil if it lies outside what this page can hold.
  @inline(__always)
  func bits(of element: Element) -> UInt64? { widths.bits(of: element) }

  /// Some elements, to search for high words; at least one.
  @inline(__always)
  func packedRun(_ start: Int, count: Int) -> kith_packed_run {
    unsafe kith_packed_run(
      words: UnsafeRawPointer(words), first_bit: UInt64(start &* widths.total) &+ UInt64(widths.low),
      mask: (1 &<< UInt64(widths.high)) &- 1, width: UInt32(widths.total), count: UInt32(count))
  }

  /// Copies elements to memory.
  @inline(__always)
  func copy(_ range: Range<Int>, to target: UnsafeMutablePointer<Element>) {
    var place = unsafe target
    for index in range {
      unsafe place.initialize(to: self[index])
      unsafe place += 1
    }
  }

  // MARK: - Changing in place

  /// Whether one more element fits.
  var hasRoom: Bool { Self.wordCount(total + 1, widths) <= capacityInWords }

  /// Whether so many words are spare that a smaller page is due.
  func isTooLarge(for count: Int) -> Bool {
    let needed = Self.wordCount(count, widths)
    return capacityInWords - needed > 12 + needed / 32
  }

  private func setTotal(_ total: Int) { unsafe base.storeBytes(of: UInt32(total), toByteOffset: 12, as: UInt32.self) }

  @inline(__always)
  private func word(_ index: Int) -> UInt64 {
    unsafe UInt64(littleEndian: words.load(fromByteOffset: index &<< 3, as: UInt64.self))
  }

  @inline(__always)
  private func setWord(_ index: Int, _ word: UInt64) {
    unsafe words.storeBytes(of: word.littleEndian, toByteOffset: index &<< 3, as: UInt64.self)
  }

  /// Inserts an element of these bits before another one; the page must have spare capacity. Later bits move up.
  func insert(_ bits: UInt64, at index: Int) {
    let width = widths.total
    let bit = index &* width
    let (first, last) = (bit &>> 6, ((total &+ 1) &* width &- 1) &>> 6)
    let (down, up) = (UInt64(64 &- width), UInt64(width &- 1))
    var place = last
    while place > first {
      setWord(place, (word(place) &<< up) &<< 1 | word(place &- 1) &>> down)
      place &-= 1
    }
    // In the first word, the bits before the place stay. Between it and the moved ones come the new bits.
    let stay = (UInt64(1) &<< UInt64(bit & 63)) &- 1
    let old = word(first)
    setWord(first, old & stay | (old &<< up) &<< 1 & ~stay)
    store(bits, at: index)
    setTotal(total &+ 1)
  }

  /// Removes an element. Later bits move down.
  func remove(at index: Int) {
    let width = widths.total
    let bit = index &* width
    let (first, last) = (bit &>> 6, (total &* width &- 1) &>> 6)
    let (down, up) = (UInt64(width &- 1), UInt64(64 &- width))
    let stay = (UInt64(1) &<< UInt64(bit & 63)) &- 1
    let old = word(first)
    for place in first...last {
      setWord(place, (word(place) &>> down) &>> 1 | word(place &+ 1) &<< up)
    }
    setWord(first, old & stay | word(first) & ~stay)
    setTotal(total &- 1)
  }

  private func store(_ bits: UInt64, at index: Int) {
    let width = widths.total
    let bit = index &* width
    let (place, shift) = (bit &>> 6, UInt64(truncatingIfNeeded: bit & 63))
    let mask = UInt64.max &>> UInt64(64 &- width)
    setWord(place, word(place) & ~(mask &<< shift) | bits &<< shift)
    if Int(shift) &+ width > 64 {
      let rest = UInt64(64) &- shift
      setWord(place &+ 1, word(place &+ 1) & ~(mask &>> rest) | bits &>> rest)
    }
  }

  // MARK: - Encoding

  /// The words of so many elements, and a spare one for the loads at the end.
  private static func wordCount(_ count: Int, _ widths: CompactWidths) -> Int {
    (count &* widths.total &+ 63) &>> 6 &+ 1
  }

  /// A page of some elements in the widths that they need; the ends are left to the caller.
  /// - Parameter isGrowing: whether a sixty-fourth is to spare.
  static func page(
    of elements: UnsafeBufferPointer<Element>, listCount: Int, isGrowing: Bool
  ) -> MemoryPage {
    let widths = unsafe CompactWidths(of: elements)
    let needed = wordCount(elements.count, widths)
    let header = headerByteCount(listCount: listCount)
    let least = header + (needed + (isGrowing ? needed / 64 + 1 : 0)) * 8
    let page = MemoryPage.allocate(byteCount: least)
    // All of what the allocator gives.
    let byteCount = page.byteCount
    let base = unsafe page.base
    unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: header)
    unsafe base.storeBytes(of: widths.base, toByteOffset: 4, as: UInt32.self)
    unsafe base.storeBytes(of: UInt32((byteCount - header) / 8), toByteOffset: 8, as: UInt32.self)
    unsafe base.storeBytes(of: widths.shape, as: UInt32.self)
    unsafe base.storeBytes(of: UInt32(elements.count), toByteOffset: 12, as: UInt32.self)
    unsafe write(elements, widths, to: base + header)
    // The last words are never read before they are written, but all bytes are copied with the page.
    let written = (elements.count * widths.total + 63) / 64 * 8 + header
    unsafe (base + written).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount - written)
    return page
  }

  private static func write(
    _ elements: UnsafeBufferPointer<Element>, _ widths: CompactWidths, to start: UnsafeMutableRawPointer
  ) {
    let width = UInt64(widths.total)
    var (word, filled) = (UInt64(0), UInt64(0))
    var place = unsafe start
    for index in 0..<elements.count {
      let bits = unsafe widths.knownBits(of: elements[index])
      word |= bits &<< filled
      filled &+= width
      if filled >= 64 {
        unsafe place.storeBytes(of: word.littleEndian, as: UInt64.self)
        unsafe place += 8
        filled &-= 64
        // What did not fit: the upper bits, as many as are filled.
        word = filled == 0 ? 0 : bits &>> (width &- filled)
      }
    }
    if filled > 0 { unsafe place.storeBytes(of: word.littleEndian, as: UInt64.self) }
  }

  /// Whether all bits after the elements are zero, as on a new page.
  private var isClearBehind: Bool {
    let end = total &* widths.total
    if word(end &>> 6) &>> UInt64(end & 63) != 0 { return false }
    for place in (end &>> 6) + 1..<capacityInWords where word(place) != 0 { return false }
    return true
  }

  /// Checks that counts agree, that a spare word follows the elements, and that nothing else does.
  func checkInvariants(_ name: String, byteCount: Int, listCount: Int) -> [String] {
    var problems: [String] = []
    if capacityInWords * 8 > byteCount - Self.headerByteCount(listCount: listCount)
      || Self.wordCount(total, widths) > capacityInWords || !(1...64).contains(widths.total)
    {
      problems.append("\(name): \(total) elements of \(widths.total) bits in \(capacityInWords) words")
    } else if !isClearBehind {
      problems.append("\(name): bits are left behind \(total) elements of \(widths.total) bits")
    }
    var previous = 0
    for index in 0..<listCount {
      let (start, count, isLong) = list(index)
      if count < 0 || isLong && count != 1 {
        problems.append("\(name): list \(index) of a block has \(count) elements")
      }
      previous = start + count
    }
    if listCount > 0 && previous != total { problems.append("\(name): a block counts \(total), its ends \(previous)") }
    return problems
  }
}

/// The widths of the words of compact elements, and the base of the low words.
struct CompactWidths {
  /// What is subtracted from low words other than zero.
  let base: UInt32
  let low: UInt8
  let high: UInt8

  @inline(__always)
  init(base: UInt32, shape: UInt32) {
    self.base = base
    low = UInt8(truncatingIfNeeded: shape & 63)
    high = UInt8(truncatingIfNeeded: shape &>> 6 & 63)
  }

  /// The widths that some elements need: one bit at least.
  init<Element: FixedWidthInteger & UnsignedInteger>(of elements: UnsafeBufferPointer<Element>) {
    var (highs, least, most) = (UInt64(0), UInt32.max, UInt32(0))
    for index in 0..<elements.count {
      let element = unsafe UInt64(elements[index])
      highs |= element &>> 32
      let low = UInt32(truncatingIfNeeded: element)
      most = max(most, low)
      least = min(least, low &- 1)  // of zero: the greatest
    }
    // Backward elements are rows: nothing is gained by a base that moves.
    base = Element.bitWidth > 32 && most > 0 ? least : 0
    high = UInt8(64 - highs.leadingZeroBitCount)
    low = max(UInt8(32 - (most &- (most > 0 ? base : 0)).leadingZeroBitCount), high == 0 ? 1 : 0)
  }

  var shape: UInt32 { 0x8000 | UInt32(high) << 6 | UInt32(low) }

  /// The width of an element.
  @inline(__always)
  var total: Int { Int(low) &+ Int(high) }

  @inline(__always)
  func element<Element: FixedWidthInteger>(_ bits: UInt64) -> Element {
    let distance = bits & ((1 &<< UInt64(low)) &- 1)
    let word = distance == 0 ? 0 : distance &+ UInt64(base)
    return Element(truncatingIfNeeded: (bits &>> UInt64(low)) &<< 32 | word)
  }

  /// The bits of an element that these widths hold.
  @inline(__always)
  func knownBits<Element: FixedWidthInteger>(of element: Element) -> UInt64 {
    let (row, word) = (UInt64(element) &>> 32, UInt64(element) & 0xFFFF_FFFF)
    return row &<< UInt64(low) | (word == 0 ? 0 : word &- UInt64(base))
  }

  /// The bits of an element; nil if these widths do not hold it.
  @inline(__always)
  func bits<Element: FixedWidthInteger>(of element: Element) -> UInt64? {
    let (row, word) = (UInt64(element) &>> 32, UInt64(element) & 0xFFFF_FFFF)
    if row &>> UInt64(high) != 0 || word != 0 && (word <= UInt64(base) || (word &- UInt64(base)) &>> UInt64(low) != 0) {
      return nil
    }
    return knownBits(of: element)
  }
}
