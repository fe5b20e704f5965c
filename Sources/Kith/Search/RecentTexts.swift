/// Which of the latest texts may hold some grams: 64 blocks of sixteen texts, and for every gram, by hash, one word
/// with a bit for each block that may have it; and of each text a signature of its trigrams, for the texts of a block.
///
/// Room for a few before there are enough for postings: to enter a text is some hundred stores, to ask for a word is to
/// intersect as many words as it has grams (signatures stored by bit: R. W. Roberts and others, "BitFunnel", 2017).
/// A text of a hundred bytes fills a sixth of its signature: of the texts of a block, a word of five letters lets about
/// one in two hundred pass by chance.
struct RecentTexts: Sendable {
  static let textsPerBlock = 16
  static let capacity = 64 * textsPerBlock
  /// The grams of sixteen texts of a hundred bytes set about one bit in six.
  private static let slotBitCount = 13

  /// The trigrams' half of a signature.
  private static let wordsPerText = GramSignature.wordCount / 2

  private var slots = [UInt64](repeating: 0, count: 1 << slotBitCount)
  /// Text after text.
  private var signatures = [UInt64](repeating: 0, count: capacity * wordsPerText)

  @inline(__always)
  private static func slot(_ gram: UInt32) -> Int { Int((gram &* 0x9E37_79B1) >> (32 - UInt32(slotBitCount))) }

  /// Enters a text by its loose key.
  mutating func add(_ key: Span<UInt8>, at index: Int) {
    let bit: UInt64 = 1 << UInt64(index / Self.textsPerBlock)
    sign(key, at: index)
    var slots = slots.mutableSpan
    Grams.forEachTrigram(of: key, after: 0) { slots[Self.slot($0)] |= bit }
    Grams.forEachShortGram(of: key, after: 0) { slots[Self.slot($0)] |= bit }
  }

  private mutating func sign(_ key: Span<UInt8>, at index: Int) {
    let start = index * Self.wordsPerText
    var signatures = signatures.mutableSpan
    Grams.forEachTrigram(of: key, after: 0) { gram in
      let bit = GramSignature.bit(of: gram)
      signatures[start + bit / 64] |= 1 << UInt64(bit % 64)
    }
  }

  /// The blocks that may hold a text with all of some grams, a bit for each.
  func blocks(holding grams: [UInt32]) -> UInt64 {
    var blocks = ~UInt64(0)
    for gram in grams where blocks != 0 { blocks &= slots[Self.slot(gram)] }
    return blocks
  }

  /// The texts of a block that may hold all of some grams, a bit for each; grams of less than three bytes are passed
  /// over.
  func texts(of block: Int, holding grams: [UInt32]) -> UInt64 {
    var texts: UInt64 = (1 << UInt64(Self.textsPerBlock)) - 1
    for gram in grams where gram >= 1 << 16 {
      let bit = GramSignature.bit(of: gram)
      let first = block * Self.textsPerBlock * Self.wordsPerText + bit / 64
      for text in 0..<Self.textsPerBlock {
        let isSet = signatures[first + text * Self.wordsPerText] >> UInt64(bit % 64) & 1
        texts &= ~((isSet ^ 1) << UInt64(text))
      }
      if texts == 0 { break }
    }
    return texts
  }

  var byteCount: Int { (slots.count + signatures.count) * 8 }
}
