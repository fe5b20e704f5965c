/// Bit-sliced Bloom filters of the latest texts: for each gram of two or three bytes, by hash, one word with a bit for
/// each of 64 blocks of sixteen texts; and for each group of 64 texts, filters of their trigrams: for each trigram, by
/// hash, one word with a bit for each text. So one word per trigram chooses among 64 texts, and 64 texts are added to
/// the same 4 KB.
///
/// Cheaper than postings for few texts: adding a text takes some hundred stores, and a word is looked up by
/// intersecting one word per gram (filters stored by bit: R. W. Roberts and others, "BitFunnel", 2017). A text of a
/// hundred bytes sets a sixth of its filter. A query word of five letters lets about one in two hundred texts of a
/// block pass by chance.
struct RecentTexts: Sendable {
  static let textsPerBlock = 16
  static let textsPerGroup = 64
  static let capacity = 64 * textsPerBlock
  /// The grams of sixteen texts of a hundred bytes set about one bit in six.
  private static let slotBitCount = 13

  /// The words of the filters of a group: one for each bit of the trigrams' half of `GramBloomFilter`.
  private static let wordsPerGroup = GramBloomFilter.wordCount / 2 * 64

  /// A power of two.
  private static let filterWordCount = capacity / textsPerGroup * wordsPerGroup

  /// The words of the grams.
  private var slots = [UInt64](repeating: 0, count: 1 << slotBitCount)
  /// The filters of all groups, concatenated.
  private var filters = [UInt64](repeating: 0, count: filterWordCount)

  @inline(__always)
  private static func slot(_ gram: UInt32) -> Int { slot(ofHash: GramBloomFilter.hash(of: gram)) }

  @inline(__always)
  private static func slot(ofHash hash: UInt32) -> Int { Int(hash >> (32 - UInt32(slotBitCount))) }

  /// The bit of a trigram in the filters, also of one that begins with a NUL, which looks like a shorter gram.
  @inline(__always)
  private static func bit(_ gram: UInt32) -> Int { GramBloomFilter.bit(of: gram) & (wordsPerGroup - 1) }

  /// Adds a text by its loose key.
  /// - Parameter index: the number of texts before it.
  mutating func add(_ key: Span<UInt8>, at index: Int) { Self.add(key, at: index, to: &slots, &filters) }

  private static func add(_ key: Span<UInt8>, at index: Int, to slots: inout [UInt64], _ filters: inout [UInt64]) {
    let block: UInt64 = 1 << UInt64(index / textsPerBlock)
    let own: UInt64 = 1 << UInt64(index % textsPerGroup)
    let first = index / textsPerGroup * wordsPerGroup
    var slots = slots.mutableSpan
    var filters = filters.mutableSpan
    // So that no index needs a check: a hash has as many bits as there are words, and a place in the filters is masked.
    precondition(slots.count == 1 << slotBitCount && filters.count == filterWordCount)
    // The hash is a product, so that of a gram follows from that of the gram before it and of its last byte. The first
    // byte has the hash of a pair after nothing, and so on: no slot of another gram is set. Single bytes have no slots:
    // nearly all of them are in some text of every block.
    var (byteBefore, pairBefore) = (UInt32(0), UInt32(0))
    for place in key.indices {
      let byte = GramBloomFilter.hash(of: UInt32(key[place]))
      let pair = byteBefore &<< 8 &+ byte
      let trigram = pairBefore &<< 8 &+ byte
      slots[slot(ofHash: pair)] |= block
      slots[slot(ofHash: trigram)] |= block
      if place > 1 { filters[(first | GramBloomFilter.bit(ofHash: trigram)) & (filterWordCount - 1)] |= own }
      (byteBefore, pairBefore) = (byte, pair)
    }
  }

  /// The blocks that may contain a text with all the grams, as bits. Grams of one byte are ignored.
  func blocks(holding grams: [UInt32]) -> UInt64 {
    var blocks = ~UInt64(0)
    for gram in grams where gram >= 1 << 8 && blocks != 0 { blocks &= slots[Self.slot(gram)] }
    return blocks
  }

  /// The texts of a group that may contain all the grams, as bits. Grams of fewer than three bytes are ignored.
  func texts(ofGroup group: Int, holding grams: [UInt32]) -> UInt64 {
    var texts = ~UInt64(0)
    let start = group * Self.wordsPerGroup
    for gram in grams where gram >= 1 << 16 { texts &= filters[start + Self.bit(gram)] }
    return texts
  }

  /// The same for the texts of a block.
  func texts(of block: Int, holding grams: [UInt32]) -> UInt64 {
    let blocksPerGroup = Self.textsPerGroup / Self.textsPerBlock
    let texts = texts(ofGroup: block / blocksPerGroup, holding: grams)
    return texts >> UInt64(block % blocksPerGroup * Self.textsPerBlock) & ((1 << UInt64(Self.textsPerBlock)) - 1)
  }

  var byteCount: Int { (slots.count + filters.count) * 8 }
}
