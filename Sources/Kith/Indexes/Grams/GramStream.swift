/// The blocks that contain one gram, ascending, 64 at a time as the bits of a word.
///
/// Blocks are always trigram blocks. Short grams are posted by groups of four blocks; a group's bit is expanded to its
/// four blocks, so that words of both kinds can be combined.
struct GramStream {
  static let blocksPerWord = 64
  private static let groupsPerWord = blocksPerWord / NameSegment.blocksPerGroup

  let weight: UInt64
  private let isDense: Bool
  private let isShort: Bool
  /// The position in the lists; for a dense gram, the start of its bitmap.
  private var place: Int
  private let end: Int

  /// Nil if the gram occurs nowhere.
  init?(_ gram: UInt32, in part: NameSegment.Part) {
    isShort = gram < 1 << 16
    let postings = isShort ? part.shortGrams : part.trigrams
    guard let entry = postings.entry(of: gram) else { return nil }
    isDense = entry.isDense
    weight = entry.weight
    place = entry.isDense ? entry.place : entry.place + 1
    end = entry.isDense ? 0 : entry.place + 1 + Int(postings.lists[entry.place])
  }

  /// Which of the 64 blocks from `word` · 64 on contain the gram.
  /// - Parameter word: not less than the one requested before.
  @inline(__always)
  mutating func bits(of word: Int, in part: NameSegment.Part) -> UInt64 {
    if isShort {
      if isDense {
        let groups = part.shortGrams.bitmaps[place + word / 4] >> UInt64(word % 4 * Self.groupsPerWord)
        return Self.spread(groups & 0xFFFF)
      }
      return bits(part.shortGrams, from: word * Self.groupsPerWord, count: Self.groupsPerWord, width: 4)
    }
    if isDense { return part.trigrams.bitmaps[place + word] }
    return bits(part.trigrams, from: word * Self.blocksPerWord, count: Self.blocksPerWord, width: 1)
  }

  @inline(__always)
  private mutating func bits(_ postings: GramPostings, from first: Int, count: Int, width: Int) -> UInt64 {
    let lists = postings.lists.span
    place = GramPostings.gallop(lists, from: place, to: end, reaching: UInt16(first))
    var bits: UInt64 = 0
    while place < end && Int(lists[place]) < first + count {
      bits |= (1 << UInt64(width) - 1) << UInt64((Int(lists[place]) - first) * width)
      place += 1
    }
    return bits
  }

  /// The next word that may have bits, after `word` as the last one requested; nil at the end.
  func next(after word: Int, in part: NameSegment.Part) -> Int? {
    if isDense { return word + 1 }
    if place == end { return nil }
    return isShort
      ? Int(part.shortGrams.lists[place]) / Self.groupsPerWord : Int(part.trigrams.lists[place]) / Self.blocksPerWord
  }

  /// Repeats each of sixteen bits four times.
  private static func spread(_ bits: UInt64) -> UInt64 {
    var spread = (bits | bits << 24) & 0x0000_00FF_0000_00FF
    spread = (spread | spread << 12) & 0x000F_000F_000F_000F
    spread = (spread | spread << 6) & 0x0303_0303_0303_0303
    spread = (spread | spread << 3) & 0x1111_1111_1111_1111
    return spread &* 0xF
  }
}
