import CSupport

/// Vectorised search and comparison of bytes, sixteen or eight at a time.
///
/// Safe because a test before every unchecked load keeps it inside its span. The loads are unchecked because a bounds
/// check at each of them would cost as much as the comparison.
package enum ByteSearch {
  /// The first occurrence of `needle` in `bytes[start..<end]`; nil if there is none. An empty needle occurs at `start`.
  ///
  /// Compares the first and last byte of the needle at sixteen positions at once, and the bytes between only where both
  /// match (the "generic SIMD" search of W. Muła). It loads whole vectors while they fit `bytes`, so it is fastest if
  /// at least sixteen bytes follow `end`.
  /// - Complexity: O(end - start) for rare needles; in the worst case times the length of the needle.
  static func find(_ needle: Span<UInt8>, in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    precondition(start >= 0 && end <= bytes.count, "the searched range lies outside the bytes")
    let length = needle.count
    let last = end - length  // the last position at which the needle can begin
    if length == 0 || start > last { return length == 0 && start <= end ? start : nil }
    let ends = (SIMD16<UInt8>(repeating: needle[0]), SIMD16<UInt8>(repeating: needle[length - 1]))
    let raw = unsafe bytes.bytes
    let lastVector = min(last, bytes.count - length - 15)
    let gap = length - 1
    var place = start
    while place <= lastVector {
      // Four vectors at a time while they fit: most contain no candidate. No index overflows, because all lie in
      // `bytes`.
      if place &+ 48 <= lastVector {
        let first = agreeing(raw, place, gap, ends) .| agreeing(raw, place &+ 16, gap, ends)
        let second = agreeing(raw, place &+ 32, gap, ends) .| agreeing(raw, place &+ 48, gap, ends)
        let words = unsafe unsafeBitCast(first .| second, to: SIMD2<UInt64>.self)
        if words[0] | words[1] == 0 {
          place &+= 64
          continue
        }
      }
      // Safety: sixteen bytes of all ones or zeros, read as two words.
      let words = unsafe unsafeBitCast(agreeing(raw, place, gap, ends), to: SIMD2<UInt64>.self)
      if words[0] | words[1] != 0 {
        for half in 0..<2 {
          var word = UInt64(littleEndian: words[half])
          while word != 0 {
            let candidate = place + half * 8 + word.trailingZeroBitCount / 8
            if candidate > last { return nil }
            if length <= 2 || agrees(needle, bytes, at: candidate) { return candidate }
            word &= ~(0xFF << UInt64(word.trailingZeroBitCount & ~7))
          }
        }
      }
      place &+= 16
    }
    while place <= last {
      if bytes[place] == needle[0] && agrees(needle, bytes, at: place) { return place }
      place += 1
    }
    return nil
  }

  /// All ones at those of sixteen positions from `place` on that have the first byte of a needle, and `gap` bytes later
  /// the last.
  /// - Precondition: place + gap + 16 bytes exist.
  @inline(__always)
  private static func agreeing(
    _ bytes: RawSpan, _ place: Int, _ gap: Int, _ ends: (SIMD16<UInt8>, SIMD16<UInt8>)
  ) -> SIMDMask<SIMD16<Int8>> {
    // Safety: place + gap + 16 <= bytes.count, which every caller checks.
    let head = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: SIMD16<UInt8>.self)
    let tail = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place &+ gap, as: SIMD16<UInt8>.self)
    return (head .== ends.0) .& (tail .== ends.1)
  }

  /// The start of the NUL-free run that contains `place`, and the number of NULs from `start` to there.
  /// - Precondition: start <= place, at most 255 NULs between them, and sixteen bytes follow `place`.
  @inline(__always)
  static func run(around place: Int, in bytes: Span<UInt8>, from start: Int) -> (start: Int, terminatorCount: Int) {
    precondition(start >= 0 && start <= place && place + 16 <= bytes.count, "a run is looked for within the bytes")
    let raw = unsafe bytes.bytes
    // Sixteen counters of a byte each. For vectors of bytes, the compiler would emit one instruction per byte.
    let low = SIMD2<UInt64>(repeating: 0x7F7F_7F7F_7F7F_7F7F)
    var counts = SIMD2<UInt64>()
    var position = start
    while position + 16 <= place {
      // Safety: position + 16 <= place.
      let vector = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: SIMD2<UInt64>.self)
      counts &+= ~(((vector & low) &+ low) | vector | low) &>> 7
      position += 16
    }
    var count = sumOfBytes(counts[0] &+ counts[1])
    while position < place {
      // Safety: position < place, which sixteen bytes follow.
      let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
      let zeros = zeroBytes(UInt64(littleEndian: word))
      count += sumOfBytes((position + 8 <= place ? zeros : zeros & ((1 << UInt64(8 * (place - position))) - 1)) >> 7)
      position += 8
    }
    return (runStart(before: place, raw, from: start), count)
  }

  /// The start of the NUL-free run that contains `place`, not before `start`.
  /// - Precondition: start <= place.
  @inline(__always)
  static func runStart(before place: Int, in bytes: Span<UInt8>, from start: Int) -> Int {
    precondition(start >= 0 && start <= place && place <= bytes.count, "a run is looked for within the bytes")
    return unsafe runStart(before: place, bytes.bytes, from: start)
  }

  /// The end of the last NUL between `start` and `place`; `start` if there is none.
  @inline(__always)
  private static func runStart(before place: Int, _ raw: RawSpan, from start: Int) -> Int {
    var end = place
    while end - 8 >= start {
      // Safety: the eight bytes before `end` are after `start`.
      let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: end - 8, as: UInt64.self)
      let zeros = zeroBytes(UInt64(littleEndian: word))
      if zeros != 0 { return end - zeros.leadingZeroBitCount / 8 }
      end -= 8
    }
    while end > start {
      // Safety: end - 1 is not before `start`.
      let byte = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: end - 1, as: UInt8.self)
      if byte == 0 { break }
      end -= 1
    }
    return end
  }

  /// The top bit of every byte that is zero.
  @inline(__always)
  private static func zeroBytes(_ word: UInt64) -> UInt64 {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    return ~(((word & low) + low) | word | low)
  }

  @inline(__always)
  private static func sumOfBytes(_ word: UInt64) -> Int {
    let even: UInt64 = 0x00FF_00FF_00FF_00FF
    return Int((((word & even) + (word >> 8 & even)) &* 0x0001_0001_0001_0001) >> 48)
  }

  /// Whether `needle` occurs anywhere in `bytes`.
  static func contains(_ needle: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
    find(needle, in: bytes, from: 0, to: bytes.count) != nil
  }

  /// Whether a text contains `needle`, which is ASCII in lower case, in any case; nil if its keys must be searched,
  /// which may be so if it is not ASCII.
  ///
  /// True where the next byte is ASCII, too, or the text ends: no mark changes the last letter, so both keys contain
  /// the needle.
  @inline(__always)
  static func containsLowercase(_ needle: Span<UInt8>, in text: Span<UInt8>) -> Bool? {
    precondition(needle.count > 0, "an empty text occurs everywhere")
    let result = unsafe text.withUnsafeBufferPointer { text in
      unsafe needle.withUnsafeBufferPointer { needle in
        // Safety: reads no byte outside the two.
        guard let start = text.baseAddress, let first = needle.baseAddress else { return Int32(0) }
        return unsafe kith_contains_lowercase(start, text.count, first, needle.count)
      }
    }
    return result < 0 ? nil : result > 0
  }

  /// Compares by unsigned lexicographic order: negative, zero or positive if `left` sorts before, with or after
  /// `right`.
  static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    let shared = commonPrefix(left, right)
    if shared < left.count && shared < right.count { return Int(left[shared]) - Int(right[shared]) }
    return left.count - right.count
  }

  /// The length of the common prefix.
  @inline(__always)
  static func commonPrefix(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    let shorter = min(left.count, right.count)
    let (leftRaw, rightRaw) = unsafe (left.bytes, right.bytes)
    var place = 0
    while place + 8 <= shorter {
      // Safety: place + 8 <= both counts.
      let leftWord = unsafe leftRaw.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
      let rightWord = unsafe rightRaw.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
      if leftWord != rightWord {
        return place + UInt64(littleEndian: leftWord ^ rightWord).trailingZeroBitCount / 8
      }
      place += 8
    }
    while place < shorter && left[place] == right[place] { place += 1 }
    return place
  }

  @inline(__always)
  static func hasPrefix(_ bytes: Span<UInt8>, _ prefix: Span<UInt8>) -> Bool {
    bytes.count >= prefix.count && commonPrefix(bytes, prefix) == prefix.count
  }

  /// A text with which many runs may begin. The first eight bytes decide most comparisons, as one word.
  struct Prefix: ~Escapable {
    private let text: Span<UInt8>
    private let word: UInt64
    private let mask: UInt64

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) {
      self.text = text
      word = leadingWord(text)
      mask = text.isEmpty ? 0 : ~0 &<< UInt64(truncatingIfNeeded: 64 &- 8 &* min(text.count, 8))
    }

    /// Whether a run begins with the text.
    @inline(__always)
    func begins(_ bytes: Span<UInt8>) -> Bool {
      if text.count > 8 || bytes.count < 8 { return hasPrefix(bytes, text) }
      return (leadingWord(bytes) ^ word) & mask == 0
    }

    /// Whether the run that begins at `start`, ended by a NUL that seven bytes follow, begins with the text. The text
    /// has no NUL.
    @inline(__always)
    func begins(_ bytes: Span<UInt8>, at start: Int) -> Bool {
      if (leadingWord(bytes, at: start) ^ word) & mask != 0 { return false }
      return text.count <= 8 || hasPrefix(bytes.extracting(start..<terminator(in: bytes, from: start)), text)
    }
  }

  /// The position of the first NUL at or after `start`; the end if there is none.
  @inline(__always)
  static func terminator(in bytes: Span<UInt8>, from start: Int) -> Int { place(of: 0, in: bytes, from: start) }

  /// The position of the first such byte at or after `start`; the end if there is none.
  @inline(__always)
  static func place(of byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
    let raw = unsafe bytes.bytes
    var place = start
    while place + 8 <= bytes.count {
      // Safety: place + 8 <= bytes.count, and no caller begins before 0.
      let loaded = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
      let word = loaded ^ UInt64(byte) &* 0x0101_0101_0101_0101
      // The lowest set bit marks the first zero byte (bits above it may be wrong by the borrow).
      let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
      if zeros != 0 { return place + zeros.trailingZeroBitCount / 8 }
      place += 8
    }
    while place < bytes.count && bytes[place] != byte { place += 1 }
    return place
  }

  /// The first of two bytes from `start` on, and whether a third byte precedes it.
  /// - Returns: the end of `bytes`, if none of the two occurs.
  package static func first(
    of ends: (UInt8, UInt8), noting noted: UInt8, in bytes: Span<UInt8>, from start: Int
  ) -> (place: Int, isNoted: Bool) {
    precondition(start >= 0 && start <= bytes.count, "the searched range lies outside the bytes")
    let (one, other) = (SIMD16<UInt8>(repeating: ends.0), SIMD16<UInt8>(repeating: ends.1))
    let third = SIMD16<UInt8>(repeating: noted)
    let raw = unsafe bytes.bytes
    var (place, isNoted) = (start, false)
    while place + 16 <= bytes.count {
      // Safety: place + 16 <= bytes.count.
      let vector = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: SIMD16<UInt8>.self)
      let agreeing = (vector .== one) .| (vector .== other) .| (vector .== third)
      // Safety: sixteen bytes of all ones or zeros, read as two words.
      let words = unsafe unsafeBitCast(agreeing, to: SIMD2<UInt64>.self)
      if words[0] | words[1] == 0 {
        place += 16
        continue
      }
      let (low, high) = (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
      place += (low != 0 ? low.trailingZeroBitCount : 64 + high.trailingZeroBitCount) / 8
      if bytes[place] != noted { return (place, isNoted) }
      isNoted = true
      place += 1
    }
    while place < bytes.count, bytes[place] != ends.0, bytes[place] != ends.1 {
      if bytes[place] == noted { isNoted = true }
      place += 1
    }
    return (place, isNoted)
  }

  /// The first eight bytes as a number with the same order; a shorter run is padded with zeros.
  @inline(__always)
  static func leadingWord(_ bytes: Span<UInt8>) -> UInt64 {
    if bytes.count >= 8 {
      // Safety: eight bytes are there.
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self)
      return UInt64(bigEndian: word)
    }
    var word: UInt64 = 0
    for index in bytes.indices { word |= UInt64(bytes[index]) << UInt64(56 - 8 * index) }
    return word
  }

  /// The eight bytes from `start` on, as a number with the same order.
  @inline(__always)
  static func leadingWord(_ bytes: Span<UInt8>, at start: Int) -> UInt64 {
    precondition(start >= 0 && start <= bytes.count - 8, "a word is read within the bytes")
    // Safety: eight bytes are there.
    return UInt64(bigEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
  }

  /// Whether the needle occurs at `place`, where it is known to fit.
  @inline(__always)
  static func agrees(_ needle: Span<UInt8>, _ bytes: Span<UInt8>, at place: Int) -> Bool {
    commonPrefix(needle, bytes.extracting(place..<place + needle.count)) == needle.count
  }
}
