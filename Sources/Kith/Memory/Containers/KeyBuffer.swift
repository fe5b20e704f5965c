/// Concatenated keys, each terminated by a NUL, for one pass of `ByteSearch` over all of them.
///
/// It manages its own memory, because appending to an array checks uniqueness at every byte: lowercasing and copying a
/// name of thirteen bytes takes about 40 instructions here, and about 300 with an array.
@safe struct KeyBuffer: ~Copyable {
  /// Zeros after the last key, so that whole vectors can be loaded.
  static let paddingByteCount = 16

  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 64) + Self.paddingByteCount
    unsafe base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { unsafe base.deallocate() }

  /// Removes all keys and keeps the capacity.
  mutating func removeAll() { count = 0 }

  /// Removes the last keys.
  /// - Parameter count: the count before they were appended.
  mutating func removeLast(downTo count: Int) {
    precondition(count >= 0 && count <= self.count, "keys are removed that are there")
    self.count = count
  }

  /// Appends a text in lower case and a NUL if it is ASCII. Otherwise does nothing and returns false.
  @inline(__always)
  mutating func appendLowercased(_ text: Span<UInt8>) -> Bool {
    reserve(text.count)
    // Safety: the capacity covers the text, the NUL and the padding; eight bytes are read only where eight are left.
    let target = unsafe base + count
    let source = unsafe text.bytes
    var place = 0
    while place < text.count && text.count >= 8 {
      // The last eight bytes may overlap those already copied.
      let start = min(place, text.count - 8)
      let word = unsafe source.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      unsafe target.storeBytes(of: Self.lowercased(word), toByteOffset: start, as: UInt64.self)
      place += 8
    }
    while place < text.count {
      let byte = unsafe source.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt8.self)
      if byte >= 0x80 { return false }
      unsafe target.storeBytes(of: byte &- 0x41 < 26 ? byte | 0x20 : byte, toByteOffset: place, as: UInt8.self)
      place += 1
    }
    unsafe target.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
    count += text.count + 1
    return true
  }

  /// Appends a key and a NUL.
  mutating func append(_ key: Span<UInt8>) {
    appendPart(key)
    endKey()
  }

  /// Appends bytes of a key that `endKey` ends.
  @inline(__always)
  mutating func appendPart(_ bytes: Span<UInt8>) {
    reserve(bytes.count)
    // Safety: the capacity was reserved.
    for index in bytes.indices {
      unsafe base.storeBytes(of: bytes[index], toByteOffset: count + index, as: UInt8.self)
    }
    count += bytes.count
  }

  @inline(__always)
  mutating func appendPart(_ byte: UInt8) {
    reserve(1)
    // Safety: the capacity was reserved.
    unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends the ASCII bytes of a text from `place` on, up to its first other byte, to a key that `endKey` ends.
  /// - Parameter lowercases: whether letters from A to Z become lower case.
  /// - Returns: where that byte is; the end of the text if there is none.
  @inline(__always)
  mutating func appendASCII(of text: Span<UInt8>, from place: Int, lowercases: Bool) -> Int {
    precondition(place >= 0, "a text begins at 0")
    reserve(max(0, text.count - place))
    // Safety: the capacity covers the rest of the text; eight bytes are read and written only where eight are left.
    let source = unsafe text.bytes
    var place = place
    while place + 8 <= text.count {
      let word = unsafe UInt64(
        littleEndian: source.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self))
      // What a byte beyond ASCII carries over reaches only the bytes after it.
      let folded = lowercases ? Self.lowercased(word) : word
      unsafe base.storeBytes(of: folded.littleEndian, toByteOffset: count, as: UInt64.self)
      let others = word & 0x8080_8080_8080_8080
      let taken = others == 0 ? 8 : others.trailingZeroBitCount / 8
      count += taken
      place += taken
      if taken < 8 { return place }
    }
    while place < text.count {
      let byte = unsafe source.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt8.self)
      if byte >= 0x80 { return place }
      let folded = lowercases && byte &- 0x41 < 26 ? byte | 0x20 : byte
      unsafe base.storeBytes(of: folded, toByteOffset: count, as: UInt8.self)
      count += 1
      place += 1
    }
    return place
  }

  /// Ends the key whose parts were appended.
  @inline(__always)
  mutating func endKey() {
    reserve(0)
    // Safety: the capacity was reserved.
    unsafe base.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// A copy of a key.
  /// - Parameter range: without its NUL.
  func copy(_ range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a copied key lies in the buffer")
    // Safety: the range lies within what was written.
    return unsafe [UInt8](UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
  }

  /// The keys, and the padding after them.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // Safety: `count` bytes were written, and the padding is zeroed here.
      unsafe (base + count).initializeMemory(as: UInt8.self, repeating: 0, count: Self.paddingByteCount)
      let span = unsafe Span<UInt8>(
        _unsafeStart: base.assumingMemoryBound(to: UInt8.self), count: count + Self.paddingByteCount)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Sets the lowercase bit in every byte from A to Z, of eight ASCII bytes.
  @inline(__always)
  static func lowercased(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // The top bit of each byte: set if it is at least A and at most Z.
    let letters = (word &+ ones &* (0x80 - 0x41)) & ~(word &+ ones &* (0x80 - 0x5B)) & (ones &* 0x80)
    return word | letters >> 2
  }

  @inline(__always)
  private mutating func reserve(_ byteCount: Int) {
    if count + byteCount + 1 + Self.paddingByteCount > capacity { grow(by: byteCount) }
  }

  @inline(never)
  private mutating func grow(by byteCount: Int) {
    let larger = capacity * 2 + byteCount
    let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe copy.copyMemory(from: base, byteCount: count)
    unsafe base.deallocate()
    unsafe base = copy
    capacity = larger
  }
}
