/// The blocks that contain one gram, ascending, 64 at a time as the bits of a word.
///
/// Blocks are always trigram blocks. Short grams are posted by groups of four blocks; a group's bit is expanded to its
/// four blocks, so that words of both kinds can be combined.
struct GramStream {
  static let blocksPerWord = 64
  private static let groupsPerWord = blocksPerWord / NameSegment.blocksPerGroup

  let weight: UInt64
  let isDense: Bool
  private let isShort: Bool
  /// The position in the lists; for a dense gram, the start of its bitmap.
  private var place: Int
  private let end: Int

  /// Nil if the gram occurs nowhere.
  init?(_ gram: UInt32, in part: borrowing NameSegment.Part) {
    isShort = gram < 1 << 16
    guard let entry = isShort ? part.shortGrams.entry(of: gram) : part.trigrams.entry(of: gram) else { return nil }
    isDense = entry.isDense
    weight = entry.weight
    place = entry.isDense ? entry.place : entry.place + 1
    if entry.isDense {
      end = 0
    } else {
      end = place + Int(isShort ? part.shortGrams.lists[entry.place] : part.trigrams.lists[entry.place])
    }
  }

  /// About how many blocks contain the gram; of a short gram, how many groups.
  var countEstimate: Int { GramPostings.Entry.countEstimate(of: weight) }

  /// The postings of a part, lent to its streams.
  struct Source: ~Copyable {
    fileprivate let lists: [UInt16]
    fileprivate let bitmaps: [UInt64]
    fileprivate let shortLists: [UInt16]
    fileprivate let shortBitmaps: [UInt64]

    init(_ part: borrowing NameSegment.Part) {
      lists = part.trigrams.lists
      bitmaps = part.trigrams.bitmaps
      shortLists = part.shortGrams.lists
      shortBitmaps = part.shortGrams.bitmaps
    }
  }

  /// Which of the 64 blocks from `word` · 64 on contain the gram.
  /// - Parameter word: not less than the one requested before.
  @inline(__always)
  mutating func bits(of word: Int, in source: borrowing Source) -> UInt64 {
    if isShort { return bits(ofGroups: word, in: source) }
    if isDense { return source.bitmaps[place + word] }
    return bits(source.lists.span, from: word * Self.blocksPerWord, count: Self.blocksPerWord, width: 1)
  }

  @inline(never)
  private mutating func bits(ofGroups word: Int, in source: borrowing Source) -> UInt64 {
    if isDense {
      let groups = source.shortBitmaps[place + word / 4] >> UInt64(word % 4 * Self.groupsPerWord)
      return Self.spread(groups & 0xFFFF)
    }
    return bits(source.shortLists.span, from: word * Self.groupsPerWord, count: Self.groupsPerWord, width: 4)
  }

  @inline(__always)
  private mutating func bits(_ lists: Span<UInt16>, from first: Int, count: Int, width: Int) -> UInt64 {
    if place < end && lists[place] < first {
      place = lists.lowerBound(of: UInt16(first), from: place, to: end)
    }
    var bits: UInt64 = 0
    while place < end {
      let offset = Int(lists[place]) &- first
      if offset >= count { break }
      bits |= (1 &<< UInt64(width) &- 1) &<< UInt64(offset &* width)
      place &+= 1
    }
    return bits
  }

  /// Writes the bits of a window of words.
  /// - Parameters:
  ///   - window: not before the one of the last call.
  ///   - start: where to, in `words`: zeros.
  mutating func expand(
    _ window: Range<Int>, in source: borrowing Source, to start: Int, of words: inout MutableSpan<UInt64>
  ) {
    if isShort || isDense {
      for index in 0..<window.count { words[start + index] = bits(of: window.lowerBound + index, in: source) }
      return
    }
    let lists = source.lists.span
    let (first, last) = (window.lowerBound * Self.blocksPerWord, window.upperBound * Self.blocksPerWord)
    if place < end && lists[place] < first {
      place = lists.lowerBound(of: UInt16(first), from: place, to: end)
    }
    let behind = last > Int(UInt16.max) ? end : lists.lowerBound(of: UInt16(last), from: place, to: end)
    Self.setBits(of: lists.extracting(place..<behind), from: first - start * Self.blocksPerWord, in: &words)
    place = behind
  }

  /// Sets the bits of some blocks, ascending.
  /// - Parameter first: the block of the first bit; may be negative.
  private static func setBits(of blocks: Span<UInt16>, from first: Int, in words: inout MutableSpan<UInt64>) {
    @inline(__always)
    func set(_ index: Int, _ words: inout MutableSpan<UInt64>) {
      let bit = UInt(bitPattern: Int(blocks[index]) &- first)
      words[Int(bit / UInt(blocksPerWord))] |= 1 &<< UInt64(bit % UInt(blocksPerWord))
    }
    // From four places in turn: neighbours are often in the same word, and each would wait until the last is stored.
    let quarter = blocks.count / 4
    for index in 0..<quarter {
      set(index, &words)
      set(index + quarter, &words)
      set(index + 2 * quarter, &words)
      set(index + 3 * quarter, &words)
    }
    for index in 4 * quarter..<blocks.count { set(index, &words) }
  }

  /// The next word that may have bits, after `word` as the last one requested; nil at the end.
  @inline(__always)
  func next(after word: Int, in source: borrowing Source) -> Int? {
    if isDense { return word + 1 }
    if place == end { return nil }
    return isShort
      ? Int(source.shortLists[place]) / Self.groupsPerWord : Int(source.lists[place]) / Self.blocksPerWord
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
