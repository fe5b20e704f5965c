/// Which rows may be in a small set, and which are certainly not: one bit of 1,024 for each row that is in it.
///
/// Of the rows that are not in a set of a hundred, ninety in a hundred are told apart by one look (B. H. Bloom,
/// "Space/time trade-offs in hash coding with allowable errors", 1970, with a single hash).
struct RowSignature: Sendable {
  private static let wordCount = 16
  private var words = [UInt64](repeating: 0, count: wordCount)

  /// The bit of a row: the high bits of a product (D. E. Knuth, "The Art of Computer Programming", 6.4).
  @inline(__always)
  private static func bit(_ row: UInt32) -> Int { Int((row &* 0x9E37_79B1) >> 22) }

  @inline(__always)
  mutating func insert(_ row: UInt32) {
    let bit = Self.bit(row)
    words[bit >> 6] |= 1 << UInt64(bit & 63)
  }

  @inline(__always)
  func mayContain(_ row: UInt32) -> Bool {
    let bit = Self.bit(row)
    return words[bit >> 6] >> UInt64(bit & 63) & 1 == 1
  }
}
