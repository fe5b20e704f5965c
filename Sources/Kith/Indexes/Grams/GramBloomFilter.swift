/// A Bloom filter of grams with one hash function: 1,024 bits, one bit per gram. It has false positives, never false
/// negatives.
///
/// Trigrams use one half, shorter grams the other. The trigrams of 32 names set about 40 % of their half. A query of
/// five letters therefore passes one block in fifteen by chance. In most cases the first or second gram already rejects
/// the block.
enum GramBloomFilter {
  static let wordCount = 16

  /// The hash of a gram: a product (D. E. Knuth, "The Art of Computer Programming", 6.4).
  @inline(__always)
  static func hash(of gram: UInt32) -> UInt32 { gram &* 0x9E37_79B1 }

  /// The bit of a gram.
  @inline(__always)
  static func bit(of gram: UInt32) -> Int { bit(ofHash: hash(of: gram)) | (gram < 1 << 16 ? 512 : 0) }

  /// The bit of a trigram with a hash.
  @inline(__always)
  static func bit(ofHash hash: UInt32) -> Int { Int(hash >> 23) }
}
