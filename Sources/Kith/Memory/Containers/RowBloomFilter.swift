/// A Bloom filter of rows with one hash: one bit to test, and one to set.
///
/// With 128 bits per row of the set, one test rejects 99 % of the other rows (B. H. Bloom, "Space/time trade-offs in
/// hash coding with allowable errors", 1970, with a single hash).
struct RowBloomFilter: Sendable {
  private static let bitsPerWord = 64
  private static let smallestWordCount = 128
  /// The minimum for a set that is tested for hundreds of rows: eight kilobytes are cleared quickly.
  private static let longWordCount = 1 << 10
  /// A megabyte, which fits a second-level cache.
  private static let largestWordCount = 1 << 17
  private static let wordsPerRow = 2

  private var words: [UInt64]
  /// The shift of a hash that leaves the number of a bit.
  private var shift: UInt32

  /// Creates an empty filter of 8,192 bits.
  init() {
    words = Array(repeating: 0, count: Self.smallestWordCount)
    shift = Self.shift(Self.smallestWordCount)
  }

  private static func shift(_ wordCount: Int) -> UInt32 {
    32 - UInt32((wordCount * bitsPerWord).trailingZeroBitCount)
  }

  /// The bit of a row: the high bits of a product (D. E. Knuth, "The Art of Computer Programming", 6.4).
  @inline(__always)
  private static func bit(_ row: UInt32, _ shift: UInt32) -> (word: Int, mask: UInt64) {
    let number = (row &* 0x9E37_79B1) &>> shift
    return (Int(number &>> 6), 1 &<< UInt64(number))
  }

  @inline(__always)
  mutating func insert(_ row: UInt32) {
    let (word, mask) = Self.bit(row, shift)
    words[word] |= mask
  }

  @inline(__always)
  func mayContain(_ row: UInt32) -> Bool {
    let (word, mask) = Self.bit(row, shift)
    return words[word] & mask != 0
  }

  /// Clears the filter, and sizes it for a set of `count` rows: 128 bits or more per row, up to the size of a cache.
  mutating func clear(forCount count: Int) {
    var wordCount = Self.longWordCount
    while wordCount < Self.wordsPerRow * count && wordCount < Self.largestWordCount { wordCount *= 2 }
    shift = Self.shift(wordCount)
    if words.count < wordCount { words.append(contentsOf: repeatElement(0, count: wordCount - words.count)) }
    var used = words.mutableSpan
    for index in 0..<min(wordCount, used.count) { used[index] = 0 }
  }

  /// Adds the targets of a source.
  /// - Complexity: O(targets).
  mutating func insert(targetsOf source: UInt32, in relation: borrowing Adjacency) {
    let shift = shift
    var words = self.words.mutableSpan
    relation.forward.forEachRun(of: Int(source)) { targets in
      for index in targets.indices {
        let (word, mask) = Self.bit(Adjacency.target(targets[index]), shift)
        words[word] |= mask
      }
    }
  }
}

/// A Bloom filter of a few rows on the stack, with one hash and one byte per slot. A test is one load, where a binary
/// search in sixty rows takes six, each after the one before. With as many, one in eight of the other rows passes.
struct SmallRowBloomFilter: ~Copyable, ~Escapable {
  /// Beyond this, too many of the other rows pass.
  static let maximumRowCount = 64
  private static let slotCount = 512

  private let slots: Span<UInt8>

  @_lifetime(copy slots)
  private init(_ slots: Span<UInt8>) { self.slots = slots }

  /// Lends a filter of the targets of forward elements while `body` runs.
  @inline(__always)
  static func lend(targets: Span<UInt64>, _ body: (borrowing SmallRowBloomFilter) -> Void) {
    withTemporaryList(of: UInt8.self, capacity: slotCount) { slots in
      slots.append(repeating: 0, count: slotCount)
      var used = slots.mutableSpan
      for index in targets.indices { used[slot(Adjacency.target(targets[index]))] = 1 }
      body(SmallRowBloomFilter(used.span))
    }
  }

  /// The high bits of a product (D. E. Knuth, "The Art of Computer Programming", 6.4).
  @inline(__always)
  private static func slot(_ row: UInt32) -> Int { Int((row &* 0x9E37_79B1) &>> 23) }

  /// Whether a row may be in the filter; true for every row that is.
  @inline(__always)
  func mayContain(_ row: UInt32) -> Bool { slots[Self.slot(row)] != 0 }
}
