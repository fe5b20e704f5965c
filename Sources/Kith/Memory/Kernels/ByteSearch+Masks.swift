import CSupport

/// Searches concatenated keys, each terminated by a NUL, with bit masks: 64 bytes at a time as the bits of a word.
///
/// If many adjacent keys contain a text, restarting the search after each match costs several times as much as reading
/// the next bit of a mask.
extension ByteSearch {
  static let maskByteCount = 64

  /// Calls `body` with every key that contains a text, in order, until it returns false: its number, from 0 on, and its
  /// range.
  /// - Parameters:
  ///   - text: not empty, without NUL.
  ///   - start: the start of the first key. The NUL of the last key is before `end`.
  /// - Returns: false if `body` returned false.
  @inline(__always)
  static func forEachKey(
    holding text: Span<UInt8>, in keys: Span<UInt8>, from start: Int, to end: Int,
    _ body: (_ number: Int, _ key: Range<Int>) -> Bool
  ) -> Bool {
    var key = PresentKey(start: start)
    var (position, counted) = (start, start)
    while position < end {
      var hits = hits(of: text, in: keys, from: position, to: end)
      if hits != 0 {
        // Most keys of a long walk do not match: their NULs are counted when a match follows.
        while counted < position {
          key.pass(terminators(in: keys, from: counted, to: position), at: counted)
          counted += maskByteCount
        }
        var ends = terminators(in: keys, from: position, to: end)
        if key.isReported { hits &= bitsFromFirst(of: ends) }
        while hits != 0 {
          let hit = hits.trailingZeroBitCount
          if text.count > 2 && !agrees(text, keys, at: position + hit) {
            hits &= hits &- 1
            continue
          }
          let passed = ends & ((1 &<< UInt64(hit)) &- 1)
          key.pass(passed, at: position)
          ends ^= passed
          let keyEnd =
            ends == 0 ? terminator(in: keys, from: position + maskByteCount) : position + ends.trailingZeroBitCount
          if !body(key.number, key.start..<keyEnd) { return false }
          key.isReported = true
          hits &= bitsFromFirst(of: ends)
        }
        key.pass(ends, at: position)
        counted = position + maskByteCount
      }
      position += maskByteCount
    }
    return true
  }

  /// The current key of a walk.
  private struct PresentKey {
    var number = 0
    var start: Int
    /// Whether it was passed to `body`: further matches in it are skipped.
    var isReported = false

    init(start: Int) { self.start = start }

    /// Advances past NULs, given as bits from `position` on.
    @inline(__always)
    mutating func pass(_ terminators: UInt64, at position: Int) {
      if terminators == 0 { return }
      number += terminators.nonzeroBitCount
      start = position + maskByteCount - terminators.leadingZeroBitCount
      isReported = false
    }
  }

  /// All bits from the lowest set bit on; none if no bit is set.
  @inline(__always)
  private static func bitsFromFirst(of word: UInt64) -> UInt64 { ~((word & (0 &- word)) &- 1) }

  // MARK: - Masks

  /// Bit n: the first byte of a text is n bytes after `place`, and the last byte is where it belongs. That is a full
  /// match of a text of one or two bytes. Covers 64 bytes, or as many as there are before `end`.
  @inline(__always)
  static func hits(of text: Span<UInt8>, in bytes: Span<UInt8>, from place: Int, to end: Int) -> UInt64 {
    mask(of: (text[0], text[text.count - 1]), gap: text.count - 1, in: bytes, from: place, to: end)
  }

  /// Bit n: a NUL is n bytes after `place`. Covers 64 bytes, or as many as there are before `end`.
  @inline(__always)
  static func terminators(in bytes: Span<UInt8>, from place: Int, to end: Int) -> UInt64 {
    mask(of: (0, 0), gap: 0, in: bytes, from: place, to: end)
  }

  @inline(__always)
  private static func mask(
    of pair: (UInt8, UInt8), gap: Int, in bytes: Span<UInt8>, from place: Int, to end: Int
  ) -> UInt64 {
    if place < 0 || place &+ maskByteCount &+ gap > bytes.count {
      return lastMask(of: pair, gap: gap, in: bytes, from: place, to: end)
    }
    let mask = unsafe places(of: pair, gap: gap, in: bytes, from: place)
    return end - place < maskByteCount ? mask & ((1 &<< UInt64(end &- place)) &- 1) : mask
  }

  /// - Precondition: 64 + gap bytes follow `place`.
  @inline(__always)
  @unsafe private static func places(
    of pair: (UInt8, UInt8), gap: Int, in bytes: Span<UInt8>, from place: Int
  ) -> UInt64 {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe kith_places(base + place, gap, pair.0, pair.1)
    }
  }

  /// Bit n: the number n places after `start` has all the bits of `wanted`. Covers 64 numbers.
  static func supersets(of wanted: UInt64, in numbers: Span<UInt64>, from start: Int) -> UInt64 {
    precondition(start >= 0 && start + maskByteCount <= numbers.count, "64 numbers are compared")
    return unsafe numbers.withUnsafeBufferPointer { numbers in
      // Safety: 64 numbers follow `start`.
      guard let base = numbers.baseAddress else { return 0 }
      return unsafe kith_supersets(base + start, wanted)
    }
  }

  /// The same if the text may extend beyond the end of all bytes.
  @inline(never)
  private static func lastMask(
    of pair: (UInt8, UInt8), gap: Int, in bytes: Span<UInt8>, from place: Int, to end: Int
  ) -> UInt64 {
    precondition(place >= 0 && place <= end && end <= bytes.count, "the searched range lies outside the bytes")
    // Loads the last 64 bytes and shifts out those before `place`.
    let first = min(place, bytes.count - gap - maskByteCount)
    if first < 0 { return maskOneByOne(of: pair, gap, in: bytes, from: place, to: end) }
    // Safety: 64 + gap bytes follow `first`.
    var mask = unsafe places(of: pair, gap: gap, in: bytes, from: first)
    if first < place { mask >>= UInt64(place &- first) }
    return end - place < maskByteCount ? mask & ((1 &<< UInt64(end &- place)) &- 1) : mask
  }

  /// The same for fewer bytes than a word has bits.
  private static func maskOneByOne(
    of pair: (UInt8, UInt8), _ gap: Int, in bytes: Span<UInt8>, from place: Int, to end: Int
  ) -> UInt64 {
    var mask: UInt64 = 0
    for index in place..<min(end, place + maskByteCount, max(place, bytes.count - gap))
    where bytes[index] == pair.0 && bytes[index + gap] == pair.1 {
      mask |= 1 &<< UInt64(index &- place)
    }
    return mask
  }
}
