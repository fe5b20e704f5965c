/// Which blocks of names hold a gram: for every gram that occurs, the ascending numbers of its blocks.
///
/// A block is a run of names that are neighbours in the order. There are at most 65,536 of them, and a gram's are kept
/// in one of three ways, so that one block among them is found without searching through memory that is far away:
/// - few of them as a list of numbers of two bytes;
/// - more as the low bytes of their numbers, and for every 256 blocks where theirs begin: one byte each, and one
///   comparison of sixteen bytes tells whether a block is among them;
/// - most as a bitmap over all blocks.
///
/// Immutable, plain data.
struct GramPostings: Sendable {
  static let maximumBlockCount = 1 << 16

  /// Of the blocks that were given.
  let blockCount: Int
  /// An open-addressed table of entries; its size is a power of two; 0 is a free place.
  private let table: [UInt64]
  /// Of each sparse gram: how many blocks, then their numbers. If there are many, then where their low bytes begin (two
  /// numbers, the low half first), then how many of them come before each chunk of 256 blocks, and before the end.
  let lists: [UInt16]
  /// The low bytes of the blocks of grams that have many, and padding.
  let lowBytes: [UInt8]
  /// Of each dense gram: one bit for each block.
  let bitmaps: [UInt64]

  init(blockCount: Int, table: [UInt64], lists: [UInt16], lowBytes: [UInt8], bitmaps: [UInt64]) {
    self.blockCount = blockCount
    self.table = table
    self.lists = lists
    self.lowBytes = lowBytes
    self.bitmaps = bitmaps
  }

  var byteCount: Int { table.count * 8 + lists.count * 2 + lowBytes.count + bitmaps.count * 8 }

  static func wordsPerBitmap(_ blockCount: Int) -> Int { (blockCount + 63) / 64 }
  static func chunkCount(_ blockCount: Int) -> Int { (blockCount + 255) / 256 }

  /// How a gram is kept that so many blocks of all have.
  enum Form {
    case list, chunks, bitmap

    @inline(__always)
    init(_ count: Int, of blockCount: Int) {
      if count * 32 >= blockCount {
        // Up to four times as much room as chunks, for the quickest answers about the grams that are asked for most.
        self = .bitmap
      } else {
        self = count > 2 * GramPostings.chunkCount(blockCount) + 6 ? .chunks : .list
      }
    }
  }

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
    /// No less than the number of blocks of a sparse gram, and less than twice as much.
    var roundedCount: Int { 2 << Int(weight / 4) }
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

  /// Asks for what the table knows of some grams, which is soon read.
  func prefetchEntries(of grams: [UInt32]) {
    for gram in grams { table.span.prefetch(Self.home(of: gram, mask: table.count - 1), count: 1) }
  }

  /// Every gram that occurs, in no order that means anything.
  var postedGrams: [UInt32] { table.filter { $0 != 0 }.map { UInt32($0 >> 40) } }
}
