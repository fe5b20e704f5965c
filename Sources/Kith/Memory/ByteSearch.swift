/// Searching and comparing runs of bytes, sixteen or eight at a time.
///
/// The loads are unsafe because a bounds check at each of them costs as much as the comparison; every one is preceded
/// by a test that keeps it inside its span.
enum ByteSearch {
  /// Where `needle` first occurs in `bytes[start..<end]`, or nil. An empty needle occurs at `start`.
  ///
  /// Compares first and last byte of the needle at sixteen places at once, and the middle only where both agree (the
  /// "generic SIMD" search of W. Muła). It loads whole vectors while they fit `bytes`, so it is fastest when at least
  /// sixteen bytes follow `end`.
  /// - Complexity: O(end - start) for needles that occur seldom; at worst times their length.
  static func find(_ needle: Span<UInt8>, in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    precondition(start >= 0 && end <= bytes.count, "the searched range lies outside the bytes")
    let length = needle.count
    let last = end - length  // the last place where the needle can begin
    if length == 0 || start > last { return length == 0 && start <= end ? start : nil }
    let raw = unsafe bytes.bytes
    let heads = SIMD16<UInt8>(repeating: needle[0])
    let tails = SIMD16<UInt8>(repeating: needle[length - 1])
    let lastVector = min(last, bytes.count - length - 15)
    var place = start
    while place <= lastVector {
      // Safety: place + length - 1 + 16 <= bytes.count.
      let head = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: SIMD16<UInt8>.self)
      let tail = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: place + length - 1, as: SIMD16<UInt8>.self)
      let agreeing = (head .== heads) .& (tail .== tails)
      // Safety: sixteen bytes of all ones or zeros, read as two words.
      let words = unsafe unsafeBitCast(agreeing, to: SIMD2<UInt64>.self)
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
      place += 16
    }
    while place <= last {
      if bytes[place] == needle[0] && agrees(needle, bytes, at: place) { return place }
      place += 1
    }
    return nil
  }

  /// Whether `needle` occurs anywhere in `bytes`.
  static func contains(_ needle: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
    find(needle, in: bytes, from: 0, to: bytes.count) != nil
  }

  /// Unsigned lexicographic order: negative, zero or positive as `left` comes before, with or after `right`.
  static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    let shared = commonPrefix(left, right)
    if shared < left.count && shared < right.count { return Int(left[shared]) - Int(right[shared]) }
    return left.count - right.count
  }

  /// How many bytes two runs begin with in common.
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

  /// Where the first NUL at or behind `start` stands; the end if there is none.
  @inline(__always)
  static func terminator(in bytes: Span<UInt8>, from start: Int) -> Int {
    let raw = unsafe bytes.bytes
    var place = start
    while place + 8 <= bytes.count {
      // Safety: place + 8 <= bytes.count, and no caller begins before 0.
      let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
      // The lowest set bit marks the first zero byte (bits above it may be wrong by the borrow).
      let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
      if zeros != 0 { return place + zeros.trailingZeroBitCount / 8 }
      place += 8
    }
    while place < bytes.count && bytes[place] != 0 { place += 1 }
    return place
  }

  /// The first eight bytes as a number that orders like them; shorter runs are filled up with zeros.
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

  /// Whether the needle stands at `place`, where it is known to fit.
  @inline(__always)
  private static func agrees(_ needle: Span<UInt8>, _ bytes: Span<UInt8>, at place: Int) -> Bool {
    commonPrefix(needle, bytes.extracting(place..<place + needle.count)) == needle.count
  }
}
