/// Which blocks of names hold a gram: for every gram that occurs, the ascending numbers of its blocks, or a bitmap over
/// all blocks where that is smaller.
///
/// A block is a run of names that are neighbours in the order. There are at most 65,536 of them, so that a number takes
/// two bytes: at a million names six bytes a name fewer than with four. Immutable, plain data.
struct GramPostings: Sendable {
  static let maximumBlockCount = 1 << 16

  /// Of the blocks that were given.
  let blockCount: Int
  /// An open-addressed table of entries; its size is a power of two; 0 is a free place.
  private let table: [UInt64]
  /// Of each sparse gram: how many blocks, then their numbers.
  let lists: [UInt16]
  /// Of each dense gram: one bit for each block.
  let bitmaps: [UInt64]

  init(blockCount: Int, table: [UInt64], lists: [UInt16], bitmaps: [UInt64]) {
    self.blockCount = blockCount
    self.table = table
    self.lists = lists
    self.bitmaps = bitmaps
  }

  var byteCount: Int { table.count * 8 + lists.count * 2 + bitmaps.count * 8 }

  static func wordsPerBitmap(_ blockCount: Int) -> Int { (blockCount + 63) / 64 }

  /// What the table knows of a gram, in one word, so that choosing the rarest gram touches no list:
  /// gram (24 bits), weight (8), place of its list or bitmap (32).
  struct Entry {
    let bits: UInt64

    /// - Parameter count: the number of blocks with the gram; at least 1.
    init(gram: UInt32, count: Int, isDense: Bool, place: Int) {
      // A logarithm in quarters: exact enough to put the rare before the frequent.
      let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
      let quarter = exponent >= 2 ? (count >> (exponent - 2)) & 3 : 0
      let weight = min(exponent * 4 + quarter, 127) | (isDense ? 128 : 0)
      bits = UInt64(gram) << 40 | UInt64(weight) << 32 | UInt64(place)
    }

    fileprivate init(bits: UInt64) { self.bits = bits }

    /// Ascends with the number of blocks; all sparse grams come before all dense ones.
    var weight: UInt64 { bits >> 32 & 0xFF }
    var isDense: Bool { bits >> 39 & 1 == 1 }
    var place: Int { Int(bits & 0xFFFF_FFFF) }
  }

  @inline(__always)
  static func home(of gram: UInt32, mask: Int) -> Int { Int((gram &* 0x9E37_79B1) >> 7) & mask }

  func entry(of gram: UInt32) -> Entry? {
    let mask = table.count - 1
    var index = Self.home(of: gram, mask: mask)
    while true {
      let bits = table[index]
      if bits == 0 { return nil }
      if bits >> 40 == UInt64(gram) { return Entry(bits: bits) }
      index = (index + 1) & mask
    }
  }

  /// Asks for what is known of some grams: it lies far apart, so that its cache misses overlap.
  func prefetchEntries(of grams: [UInt32]) {
    let mask = table.count - 1
    for gram in grams { table.span.prefetch(Self.home(of: gram, mask: mask), count: 1) }
  }

  /// Every gram that occurs, in no order that means anything.
  var postedGrams: [UInt32] { table.filter { $0 != 0 }.map { UInt32($0 >> 40) } }

  /// The first place in lists[start..<end] whose block is at least `block`, found by doubling steps.
  @inline(__always)
  static func gallop(_ lists: Span<UInt16>, from start: Int, to end: Int, reaching block: UInt16) -> Int {
    var (low, step) = (start, 1)
    while low < end && lists[low] < block {
      let high = min(low + step, end)
      if high == end || lists[high] >= block {
        var (left, right) = (low + 1, high)
        while left < right {
          let middle = (left + right) / 2
          if lists[middle] < block { left = middle + 1 } else { right = middle }
        }
        return left
      }
      low = high
      step *= 2
    }
    return low
  }
}
