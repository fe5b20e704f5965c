/// A Bloom filter of grams with one hash function: 1,024 bits, one bit per gram. It has false positives, never false
/// negatives.
///
/// Trigrams use one half, shorter grams the other. The trigrams of 32 names set about 40 % of their half. A query of
/// five letters therefore passes one block in fifteen by chance. In most cases the first or second gram already rejects
/// the block.
enum GramBloomFilter {
  static let wordCount = 16

  /// The bit of a gram.
  @inline(__always)
  static func bit(of gram: UInt32) -> Int {
    Int((gram &* 0x9E37_79B1) >> 23) | (gram < 1 << 16 ? 512 : 0)
  }
}
