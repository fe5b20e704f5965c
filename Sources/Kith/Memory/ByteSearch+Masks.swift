import CHints

/// Texts in keys that stand one behind the other, each followed by a NUL: 64 bytes at a time as the bits of a word.
///
/// Where many of neighbouring keys hold a text, looking for each hit anew costs several times what a hit costs once
/// there is a bit for every place.
extension ByteSearch {
  static let maskByteCount = 64

  /// Calls `body` with every key that holds a text, in order, until it answers false: its number, from 0 on, and where
  /// it lies.
  /// - Parameters:
  ///   - text: neither empty nor with a NUL.
  ///   - start: where the first key begins; the last one's NUL stands before `end`.
  /// - Returns: false when `body` wants no more.
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
        // Most keys of a long walk hold no hit: their ends are counted when there is one behind them.
        while counted < position {
          key.pass(terminators(in: keys, from: counted, to: position), at: counted)
          counted += maskByteCount
        }
        var ends = terminators(in: keys, from: position, to: end)
        if key.isGiven { hits &= bitsFromFirst(of: ends) }
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
          key.isGiven = true
          hits &= bitsFromFirst(of: ends)
        }
        key.pass(ends, at: position)
        counted = position + maskByteCount
      }
      position += maskByteCount
    }
    return true
  }

  /// Where a walk over keys has come to.
  private struct PresentKey {
    var number = 0
    var start: Int
    /// Whether it was an answer: further hits in it are none.
    var isGiven = false

    init(start: Int) { self.start = start }

    /// Goes on behind NULs, which are given as bits from `position` on.
    @inline(__always)
    mutating func pass(_ terminators: UInt64, at position: Int) {
      if terminators == 0 { return }
      number += terminators.nonzeroBitCount
      start = position + maskByteCount - terminators.leadingZeroBitCount
      isGiven = false
    }
  }

  /// All bits from the lowest one on that is set; none where none is.
  @inline(__always)
  private static func bitsFromFirst(of word: UInt64) -> UInt64 { ~((word & (0 &- word)) &- 1) }

  // MARK: - Masks

  /// Bit n: the first byte of a text stands n bytes behind `place`, and the last one where it belongs. Of a text of one
  /// or two bytes that is all there is to it. Of 64 bytes, or as many as there are before `end`.
  @inline(__always)
  static func hits(of text: Span<UInt8>, in bytes: Span<UInt8>, from place: Int, to end: Int) -> UInt64 {
    mask(of: (text[0], text[text.count - 1]), gap: text.count - 1, in: bytes, from: place, to: end)
  }

  /// Bit n: a NUL stands n bytes behind `place`. Of 64 bytes, or as many as there are before `end`.
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

  /// The same where the text may reach beyond the last of all bytes.
  @inline(never)
  private static func lastMask(
    of pair: (UInt8, UInt8), gap: Int, in bytes: Span<UInt8>, from place: Int, to end: Int
  ) -> UInt64 {
    precondition(place >= 0 && place <= end && end <= bytes.count, "the searched range lies outside the bytes")
    // The last bytes of all are looked at with those before them.
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
