/// A set of grams that may answer "yes" wrongly and never "no" wrongly: 512 bits, one for each gram.
///
/// The trigrams of 32 names fill about four tenths of it, so a query of five letters passes one block in thirty by
/// chance.
struct GramSignature: Equatable, Sendable {
  private var words = SIMD8<UInt64>()

  init() {}

  init(_ grams: [UInt32]) {
    for gram in grams { insert(gram) }
  }

  @inline(__always)
  mutating func insert(_ gram: UInt32) {
    let bit = (gram &* 0x9E37_79B1) >> 23
    words[Int(bit >> 6)] |= 1 << UInt64(bit & 63)
  }

  /// Whether all that is in `other` may be in here.
  @inline(__always)
  func covers(_ other: GramSignature) -> Bool {
    // By halves: comparing vectors as a whole is not made of vector instructions.
    let missing = other.words & ~words
    let folded = missing.lowHalf | missing.highHalf
    let pair = folded.lowHalf | folded.highHalf
    return pair[0] | pair[1] == 0
  }
}
