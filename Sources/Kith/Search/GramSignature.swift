/// A set of grams that may answer "yes" wrongly and never "no" wrongly: a kilobit, one bit for each gram of it.
///
/// Trigrams have one half, shorter grams the other. The trigrams of 32 names fill about four tenths of theirs, so a
/// query of five letters passes one block in fifteen by chance; mostly the first or second gram already says no.
enum GramSignature {
  static let wordCount = 16

  /// The bit of a gram.
  @inline(__always)
  static func bit(of gram: UInt32) -> Int {
    Int((gram &* 0x9E37_79B1) >> 23) | (gram < 1 << 16 ? 512 : 0)
  }
}
