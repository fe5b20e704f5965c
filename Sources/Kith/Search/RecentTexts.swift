/// Which of the latest texts may hold some grams: 64 blocks of sixteen texts, and for every gram, by hash, one word
/// with a bit for each block that may have it.
///
/// Room for a few before there are enough for postings: to enter a text is some hundred stores, to ask for a word is to
/// intersect as many words as it has grams (signatures stored by bit: R. W. Roberts and others, "BitFunnel", 2017).
struct RecentTexts: Sendable {
  static let textsPerBlock = 16
  static let capacity = 64 * textsPerBlock
  /// The grams of sixteen texts of a hundred bytes set about one bit in six.
  private static let slotBitCount = 13

  private var slots = [UInt64](repeating: 0, count: 1 << slotBitCount)

  @inline(__always)
  private static func slot(_ gram: UInt32) -> Int { Int((gram &* 0x9E37_79B1) >> (32 - UInt32(slotBitCount))) }

  /// Enters a text by its loose key.
  mutating func add(_ key: Span<UInt8>, at index: Int) {
    let bit: UInt64 = 1 << UInt64(index / Self.textsPerBlock)
    var slots = slots.mutableSpan
    Grams.forEachTrigram(of: key, after: 0) { slots[Self.slot($0)] |= bit }
    Grams.forEachShortGram(of: key, after: 0) { slots[Self.slot($0)] |= bit }
  }

  /// The blocks that may hold a text with all of some grams, a bit for each.
  func blocks(holding grams: [UInt32]) -> UInt64 {
    var blocks = ~UInt64(0)
    for gram in grams where blocks != 0 { blocks &= slots[Self.slot(gram)] }
    return blocks
  }

  var byteCount: Int { slots.count * 8 }
}
