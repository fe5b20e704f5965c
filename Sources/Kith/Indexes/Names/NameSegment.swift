/// An immutable sorted segment of usernames, shared by all snapshots that use it.
///
/// Sixteen adjacent names form a block; trigrams are posted by block. Four blocks form a group of 64 names; one-byte
/// and two-byte grams are posted by group. A query of one or two letters therefore scans at most one group per result,
/// whatever the number of names. Postings by block take less than half the memory of postings by name. Finding the name
/// in its block is one pass over about 200 contiguous bytes.
///
/// Some entries may be deleted. The index knows which, by the generations of their rows (see `NameIndex`).
final class NameSegment: Sendable {
  static let namesPerBlock = 16
  static let namesPerGroup = 64
  static let blocksPerGroup = namesPerGroup / namesPerBlock
  static let maximumNamesPerPart = GramPostings.maximumBlockCount * namesPerBlock
  /// Zeros after the last key, so that whole vectors can be loaded (see `ByteSearch.find`).
  static let paddingByteCount = 16
  /// The limit of the segment's 32-bit offsets.
  static let maximumKeyByteCount = Int(UInt32.max) - paddingByteCount

  /// The generations of the memtables that were compacted into this segment.
  let generations: ClosedRange<UInt32>
  /// By rank.
  let rows: [UInt32]
  /// By block: the start of its first loose key in `keys`; then the end of the last block. Within a block, keys are
  /// found by their NULs, which costs less than fetching an offset for each.
  let blockStarts: [UInt32]
  /// Loose keys in order, each terminated by a NUL. No key and no query contains a NUL, so no match spans two names.
  let keys: [UInt8]
  /// The first eight bytes of the first key of each group. A binary search reads the keys of one group only.
  let fences: [UInt64]
  /// Consecutive runs of `namesPerPart` names each. A part has no more names than postings can address.
  let parts: [Part]
  let namesPerPart: Int
  /// By rank, one bit: whether the loose key equals the strict key (`NameSegmentBuilder.hasEqualKeys`). Empty in a
  /// segment of other texts than names.
  private let equalKeys: [UInt64]
  /// Empty in a segment of other texts than names.
  let firstRanks: FirstRanks
  /// Whether some entries may have display names (`NamesKey`).
  let hasDisplayNames: Bool

  /// The gram postings of a run of at most 1,048,576 names.
  struct Part: Sendable {
    /// By block of the part.
    let trigrams: GramPostings
    /// One-byte and two-byte grams, by group of the part.
    let shortGrams: GramPostings
  }

  init(
    generations: ClosedRange<UInt32>, rows: [UInt32], blockStarts: [UInt32], keys: [UInt8], fences: [UInt64],
    parts: [Part], namesPerPart: Int, equalKeys: [UInt64], hasDisplayNames: Bool
  ) {
    self.generations = generations
    self.rows = rows
    self.blockStarts = blockStarts
    self.keys = keys
    self.fences = fences
    self.parts = parts
    self.namesPerPart = namesPerPart
    self.equalKeys = equalKeys
    self.hasDisplayNames = hasDisplayNames
    firstRanks = FirstRanks()
  }

  /// The same segment with the first ranks of its frequent grams.
  init(_ other: NameSegment, firstRanks: FirstRanks) {
    generations = other.generations
    rows = other.rows
    blockStarts = other.blockStarts
    keys = other.keys
    fences = other.fences
    parts = other.parts
    namesPerPart = other.namesPerPart
    equalKeys = other.equalKeys
    hasDisplayNames = other.hasDisplayNames
    self.firstRanks = firstRanks
  }

  var count: Int { rows.count }

  var byteCount: Int {
    (rows.count + blockStarts.count) * 4 + keys.count + (fences.count + equalKeys.count) * 8 + firstRanks.byteCount
      + parts.reduce(0) { $0 + $1.trigrams.byteCount + $1.shortGrams.byteCount }
  }

  /// Whether the loose key of a rank equals its strict key. If it is ASCII, too, it is the name in lower case.
  @inline(__always)
  func hasEqualKeys(_ rank: Int) -> Bool { equalKeys[rank >> 6] >> UInt64(rank & 63) & 1 == 1 }

  /// The number of adjacent ranks with equal keys from a rank on; not all of them where they end a word of 64 bits.
  func equalKeysCount(from rank: Int) -> Int {
    (~(equalKeys[rank >> 6] >> UInt64(rank & 63))).trailingZeroBitCount
  }

  /// A position in the order: a rank, and the start of its key.
  struct Place {
    var rank: Int
    var start: Int
  }

  /// The position of a rank; for `count`, the end.
  func place(of rank: Int) -> Place {
    if rank == count { return Place(rank: rank, start: keys.count - Self.paddingByteCount) }
    let block = rank / Self.namesPerBlock
    var place = Place(rank: block * Self.namesPerBlock, start: Int(blockStarts[block]))
    let keys = keys
    while place.rank < rank { Self.step(&place, in: keys.span) }
    return place
  }

  /// Where the key of a rank is in `keys`.
  func keyRange(at rank: Int) -> Range<Int> {
    let (start, keys) = (place(of: rank).start, keys)
    return start..<ByteSearch.terminator(in: keys.span, from: start)
  }

  /// Advances to the next rank.
  @inline(__always)
  private static func step(_ place: inout Place, in keys: Span<UInt8>) {
    place = Place(rank: place.rank + 1, start: ByteSearch.terminator(in: keys, from: place.start) + 1)
  }

  /// The first position whose key is not below `key`.
  /// - Complexity: O(log count).
  func lowerBound(_ key: Span<UInt8>) -> Place {
    let word = ByteSearch.leadingWord(key)
    let (fences, keys, blockStarts, rows) = (fences, keys, blockStarts, rows)
    // Groups before the first one at or after the word begin before the key.
    var (low, high) = (0, fences.count)
    while low < high {
      let middle = (low + high) / 2
      if fences[middle] < word { low = middle + 1 } else { high = middle }
    }
    // Groups whose first key has the same first eight bytes may begin before the key, too.
    var group = low
    while group < fences.count && fences[group] == word { group += 1 }
    let before = max(0, low - 1)
    keys.span.prefetch(Int(blockStarts[before * Self.blocksPerGroup]), count: Self.namesPerGroup * 16)
    rows.span.prefetch(before * Self.namesPerGroup, count: Self.namesPerGroup)
    // The first block that begins at or after the key: the position is there, or in the block before it.
    var block = before * Self.blocksPerGroup
    var end = min(group * Self.blocksPerGroup, blockStarts.count - 1)
    while block < end {
      let middle = (block + end) / 2
      if isKey(at: Int(blockStarts[middle]), before: key, word, in: keys.span) {
        block = middle + 1
      } else {
        end = middle
      }
    }
    var place = place(of: max(0, block - 1) * Self.namesPerBlock)
    let last = min(block * Self.namesPerBlock, count)
    while place.rank < last, isKey(at: place.start, before: key, word, in: keys.span) {
      Self.step(&place, in: keys.span)
    }
    return place
  }

  /// Whether the key that begins at `start`, of a username, is before another, of which `word` is the leading word.
  ///
  /// The first eight bytes decide most comparisons, also of a key that ends in them: its NUL is below any byte of a
  /// key.
  @inline(__always)
  private func isKey(at start: Int, before key: Span<UInt8>, _ word: UInt64, in keys: Span<UInt8>) -> Bool {
    var own = ByteSearch.leadingWord(keys, at: start)
    if hasDisplayNames { own = NamesKey.nameWord(own) }
    if own != word { return own < word }
    let whole = Self.key(at: start, in: keys)
    return ByteSearch.compare(hasDisplayNames ? NamesKey.name(whole) : whole, key) < 0
  }

  /// The first position in the block after that of a position; nil if there is none.
  @inline(__always)
  func nextBlock(after place: Place) -> Place? {
    let block = place.rank / Self.namesPerBlock + 1
    return block < blockStarts.count - 1
      ? Place(rank: block * Self.namesPerBlock, start: Int(blockStarts[block])) : nil
  }

  /// Whether the key at a position begins with a text.
  @inline(__always)
  func begins(_ place: Place, with prefix: borrowing ByteSearch.Prefix) -> Bool {
    let keys = keys
    return prefix.begins(keys.span, at: place.start)
  }

  /// The key that begins at `start`.
  @inline(__always)
  @_lifetime(copy keys)
  static func key(at start: Int, in keys: Span<UInt8>) -> Span<UInt8> {
    keys.extracting(start..<ByteSearch.terminator(in: keys, from: start))
  }
}
