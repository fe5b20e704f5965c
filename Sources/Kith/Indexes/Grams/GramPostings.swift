/// The posting lists of one index: for each gram, the blocks of names that contain it. A list holds ascending block
/// numbers, or a bitmap over all blocks where that is smaller.
///
/// A block is a run of names that are adjacent in the order. There are at most 65,536 blocks, so a block number takes
/// two bytes; four would cost six bytes more per name at a million names. Immutable; a class, so that a query takes one
/// reference, not one for each array.
final class GramPostings: Sendable {
  static let maximumBlockCount = 1 << 16

  /// The number of blocks that were indexed.
  let blockCount: Int
  /// An open-addressed hash table of entries. Its size is a power of two; 0 marks a free slot.
  private let table: [UInt64]
  /// For each sparse gram: the number of its blocks, then their numbers.
  let lists: [UInt16]
  /// For each dense gram: one bit per block.
  let bitmaps: [UInt64]

  init(blockCount: Int, table: [UInt64], lists: [UInt16], bitmaps: [UInt64]) {
    self.blockCount = blockCount
    self.table = table
    self.lists = lists
    self.bitmaps = bitmaps
  }

  var byteCount: Int { table.count * 8 + lists.count * 2 + bitmaps.count * 8 }

  static func wordsPerBitmap(_ blockCount: Int) -> Int { (blockCount + 63) / 64 }

  /// A table entry in one word, so that choosing the rarest gram reads no list: gram (24 bits), weight (8), offset of
  /// its list or bitmap (32).
  struct Entry {
    let bits: UInt64

    /// - Parameter count: the number of blocks with the gram; at least 1.
    init(gram: UInt32, count: Int, isDense: Bool, place: Int) {
      // A logarithm in steps of a quarter: precise enough to order grams by frequency.
      let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
      let quarter = exponent >= 2 ? (count >> (exponent - 2)) & 3 : 0
      let weight = min(exponent * 4 + quarter, 127) | (isDense ? 128 : 0)
      bits = UInt64(gram) << 40 | UInt64(weight) << 32 | UInt64(place)
    }

    fileprivate init(bits: UInt64) { self.bits = bits }

    /// Ascends with the number of blocks; all sparse grams come before all dense ones.
    var weight: UInt64 { bits >> 32 & 0xFF }
    /// About how many blocks contain the gram, by its weight: not more, and at least four fifths.
    var countEstimate: Int { Self.countEstimate(of: weight) }

    static func countEstimate(of weight: UInt64) -> Int {
      let steps = Int(weight & 127)
      return steps < 8 ? 1 << (steps / 4) : (4 + steps % 4) << (steps / 4 - 2)
    }
    var isDense: Bool { bits >> 39 & 1 == 1 }
    var place: Int { Int(bits & 0xFFFF_FFFF) }
  }

  @inline(__always)
  static func home(of gram: UInt32, mask: Int) -> Int { Int((gram &* 0x9E37_79B1) >> 7) & mask }

  func entry(of gram: UInt32) -> Entry? {
    let table = table
    let mask = table.count - 1
    var index = Self.home(of: gram, mask: mask)
    while true {
      let bits = table[index]
      if bits == 0 { return nil }
      if bits >> 40 == UInt64(gram) { return Entry(bits: bits) }
      index = (index + 1) & mask
    }
  }

  /// Whether an ASCII text, in lower case, has a trigram that occurs nowhere.
  func lacksTrigram(of ascii: Span<UInt8>) -> Bool {
    var gram: UInt32 = 0
    for index in ascii.indices {
      gram = (gram << 8 | UInt32(Folding.lowercased(ascii[index]))) & 0xFF_FFFF
      if index >= 2 && entry(of: gram) == nil { return true }
    }
    return false
  }

  /// The number of blocks that contain a gram.
  /// - Complexity: O(1), and O(blocks) for a dense gram.
  func count(of gram: UInt32) -> Int {
    guard let entry = entry(of: gram) else { return 0 }
    if !entry.isDense { return Int(lists[entry.place]) }
    return bitmaps[entry.place..<entry.place + Self.wordsPerBitmap(blockCount)].reduce(0) { $0 + $1.nonzeroBitCount }
  }

  /// Prefetches the table entries of some grams. They are far apart in memory, so their cache misses overlap.
  func prefetchEntries(of grams: Span<UInt32>) {
    let mask = table.count - 1
    let table = table
    for index in grams.indices { table.span.prefetch(Self.home(of: grams[index], mask: mask), count: 1) }
  }

  /// Every gram that occurs, in hash order.
  var postedGrams: [UInt32] { table.filter { $0 != 0 }.map { UInt32($0 >> 40) } }
}
