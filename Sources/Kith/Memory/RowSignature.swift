/// Which rows may be in a set, and which are certainly not: one bit for each row that is in it.
///
/// With ten bits for each row of the set, ninety in a hundred of the others are told apart by one look, with thirty
/// bits 97 (B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970, with a single hash).
struct RowSignature: Sendable {
  private static let smallestBitCount = 1_024
  /// At least so many for a set that is asked of thousands of rows: eight kilobytes are soon cleared.
  private static let longBitCount = 1 << 16
  /// 128 KB, which a second-level cache holds.
  private static let largestBitCount = 1 << 20

  private var words: [UInt64]
  /// How far a hash is shifted to leave the number of a bit.
  private var shift: UInt32

  /// Of no row; 1,024 bits.
  init() {
    words = Array(repeating: 0, count: Self.smallestBitCount / 64)
    shift = Self.shift(Self.smallestBitCount)
  }

  private static func shift(_ bitCount: Int) -> UInt32 { 32 - UInt32(bitCount.trailingZeroBitCount) }

  /// The bit of a row: the high bits of a product (D. E. Knuth, "The Art of Computer Programming", 6.4).
  @inline(__always)
  private static func bit(_ row: UInt32, _ shift: UInt32) -> Int { Int((row &* 0x9E37_79B1) &>> shift) }

  @inline(__always)
  mutating func insert(_ row: UInt32) {
    let bit = Self.bit(row, shift)
    words[bit >> 6] |= 1 << UInt64(bit & 63)
  }

  @inline(__always)
  func mayContain(_ row: UInt32) -> Bool {
    let bit = Self.bit(row, shift)
    return words[bit >> 6] &>> UInt64(bit & 63) & 1 == 1
  }

  /// Forgets what it held, for a set of so many rows: sixteen bits or more for each, as far as a cache holds them.
  mutating func clear(forCount count: Int) {
    var bitCount = Self.longBitCount
    while bitCount < 16 * count && bitCount < Self.largestBitCount { bitCount *= 2 }
    shift = Self.shift(bitCount)
    let wordCount = bitCount / 64
    if words.count < wordCount { words.append(contentsOf: repeatElement(0, count: wordCount - words.count)) }
    var used = words.mutableSpan
    for index in 0..<min(wordCount, used.count) { used[index] = 0 }
  }

  /// Enters the targets of a source.
  /// - Complexity: O(targets).
  mutating func insert(targetsOf source: UInt32, in relation: borrowing Relation) {
    let shift = shift
    var words = self.words.mutableSpan
    relation.forward.forEachRun(of: Int(source)) { targets in
      for index in targets.indices {
        let bit = Self.bit(Relation.target(targets[index]), shift)
        words[bit >> 6] |= 1 &<< UInt64(bit & 63)
      }
    }
  }
}
