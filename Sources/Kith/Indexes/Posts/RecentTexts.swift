/// Bit-sliced Bloom filters of the latest texts: for each gram, by hash, one word with a bit for each of 64 blocks of
/// sixteen texts; and for each text a filter of its trigrams, to choose among the texts of a block.
///
/// Cheaper than postings for few texts: adding a text takes some hundred stores, and a word is looked up by
/// intersecting one word per gram (filters stored by bit: R. W. Roberts and others, "BitFunnel", 2017). A text of a
/// hundred bytes sets a sixth of its filter. A query word of five letters lets about one in two hundred texts of a
/// block pass by chance.
struct RecentTexts: Sendable {
  static let textsPerBlock = 16
  static let capacity = 64 * textsPerBlock
  /// The grams of sixteen texts of a hundred bytes set about one bit in six.
  private static let slotBitCount = 13

  /// The words of the filter of one text: the trigrams' half of `GramBloomFilter`.
  private static let wordsPerText = GramBloomFilter.wordCount / 2

  private static let ready = ReadyZeros(count: 1 << slotBitCount + capacity * wordsPerText)

  /// The words of the grams, then the filters of all texts, concatenated.
  private var words: [UInt64]

  /// - Parameter isFirst: whether no others are expected soon.
  init(isFirst: Bool) { words = Self.ready.take(preparesNext: !isFirst) }

  /// Where the filter of a text begins.
  private static func filter(_ index: Int) -> Int { 1 << slotBitCount + index * wordsPerText }

  @inline(__always)
  private static func slot(_ gram: UInt32) -> Int { Int((gram &* 0x9E37_79B1) >> (32 - UInt32(slotBitCount))) }

  /// Adds a text by its loose key.
  mutating func add(_ key: Span<UInt8>, at index: Int) {
    let bit: UInt64 = 1 << UInt64(index / Self.textsPerBlock)
    let start = Self.filter(index)
    var words = words.mutableSpan
    // Both in one pass: the hash of a gram is computed once.
    Grams.forEachTrigram(of: key, after: 0) { gram in
      words[Self.slot(gram)] |= bit
      let place = GramBloomFilter.bit(of: gram)
      words[start + place / 64] |= 1 << UInt64(place % 64)
    }
    Grams.forEachShortGram(of: key, after: 0) { words[Self.slot($0)] |= bit }
  }

  /// The blocks that may contain a text with all the grams, as bits.
  func blocks(holding grams: [UInt32]) -> UInt64 {
    var blocks = ~UInt64(0)
    for gram in grams where blocks != 0 { blocks &= words[Self.slot(gram)] }
    return blocks
  }

  /// The texts of a block that may contain all the grams, as bits. Grams of fewer than three bytes are ignored.
  func texts(of block: Int, holding grams: [UInt32]) -> UInt64 {
    var texts: UInt64 = (1 << UInt64(Self.textsPerBlock)) - 1
    for gram in grams where gram >= 1 << 16 {
      let bit = GramBloomFilter.bit(of: gram)
      let first = Self.filter(block * Self.textsPerBlock) + bit / 64
      for text in 0..<Self.textsPerBlock {
        let isSet = words[first + text * Self.wordsPerText] >> UInt64(bit % 64) & 1
        texts &= ~((isSet ^ 1) << UInt64(text))
      }
      if texts == 0 { break }
    }
    return texts
  }

  var byteCount: Int { words.count * 8 }
}
