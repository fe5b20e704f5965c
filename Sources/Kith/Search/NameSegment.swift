/// Usernames in order, for ever as they were when the segment was made; shared by all views that hold it.
///
/// Neighbouring names make blocks of 16, to which trigrams are posted, and groups of 64, to which one-byte and
/// two-byte grams are. So a query of one or two letters looks through at most one group for every answer it gives,
/// whatever the number of names. Sixteen names a block take less than half of the room of postings to names, and
/// finding the name in its block is one pass over about 200 neighbouring bytes.
///
/// Some entries may be dead: the one who holds the rows' serials knows which (see `NameIndex`).
final class NameSegment: Sendable {
  static let namesPerBlock = 16
  static let namesPerGroup = 64
  static let blocksPerGroup = namesPerGroup / namesPerBlock
  static let maximumNamesPerPart = GramPostings.maximumBlockCount * namesPerBlock
  /// Zeros behind the last key, so that whole vectors can be loaded (see `ByteSearch.find`).
  static let paddingByteCount = 16
  /// What a segment's 32-bit offsets reach.
  static let maximumKeyByteCount = Int(UInt32.max) - paddingByteCount

  /// The heads that were frozen into this segment.
  let serials: ClosedRange<UInt32>
  /// By rank.
  let rows: [UInt32]
  /// By block: where the loose key of its first name begins in `keys`; and where the last block ends. Within a block,
  /// keys are found by their NULs: that costs less than fetching where each of them begins.
  let blockStarts: [UInt32]
  /// Loose keys in order, each followed by a NUL, which no key and no query contains: no hit spans two names.
  let keys: [UInt8]
  /// The leading words of the first key of each group: a search for a place touches the keys of one group only.
  let fences: [UInt64]
  /// One after the other in the order, each of `namesPerPart` names: no more than postings reach.
  let parts: [Part]
  let namesPerPart: Int

  /// Where grams occur in a run of names, at most 1,048,576.
  struct Part: Sendable {
    /// By block of the part.
    let trigrams: GramPostings
    /// One-byte and two-byte grams, by group of the part.
    let shortGrams: GramPostings
  }

  init(
    serials: ClosedRange<UInt32>, rows: [UInt32], blockStarts: [UInt32], keys: [UInt8], fences: [UInt64],
    parts: [Part], namesPerPart: Int
  ) {
    self.serials = serials
    self.rows = rows
    self.blockStarts = blockStarts
    self.keys = keys
    self.fences = fences
    self.parts = parts
    self.namesPerPart = namesPerPart
  }

  var count: Int { rows.count }

  var byteCount: Int {
    (rows.count + blockStarts.count) * 4 + keys.count + fences.count * 8
      + parts.reduce(0) { $0 + $1.trigrams.byteCount + $1.shortGrams.byteCount }
  }

  /// A place in the order: a rank, and where its key begins.
  struct Place {
    var rank: Int
    var start: Int
  }

  /// The place of a rank; behind the last one it is the end.
  func place(of rank: Int) -> Place {
    if rank == count { return Place(rank: rank, start: keys.count - Self.paddingByteCount) }
    let block = rank / Self.namesPerBlock
    var place = Place(rank: block * Self.namesPerBlock, start: Int(blockStarts[block]))
    let keys = keys
    while place.rank < rank { Self.step(&place, in: keys.span) }
    return place
  }

  /// Goes on to the next rank.
  @inline(__always)
  private static func step(_ place: inout Place, in keys: Span<UInt8>) {
    place = Place(rank: place.rank + 1, start: ByteSearch.terminator(in: keys, from: place.start) + 1)
  }

  /// The first place whose key is not before `key`.
  /// - Complexity: O(log count).
  func lowerBound(_ key: Span<UInt8>) -> Place {
    let word = ByteSearch.leadingWord(key)
    let (fences, keys, blockStarts, rows) = (fences, keys, blockStarts, rows)
    // Groups before the first that begins at or behind the word begin before the key.
    var (low, high) = (0, fences.count)
    while low < high {
      let middle = (low + high) / 2
      if fences[middle] < word { low = middle + 1 } else { high = middle }
    }
    // Groups whose first key has the same leading word may begin before the key, too.
    var group = low
    while group < fences.count && fences[group] == word { group += 1 }
    let before = max(0, low - 1)
    keys.span.prefetch(Int(blockStarts[before * Self.blocksPerGroup]), count: Self.namesPerGroup * 16)
    rows.span.prefetch(before * Self.namesPerGroup, count: Self.namesPerGroup)
    // The first block that begins at or behind the key: the place is there, or in the block before it.
    var block = before * Self.blocksPerGroup
    var end = min(group * Self.blocksPerGroup, blockStarts.count - 1)
    while block < end {
      let middle = (block + end) / 2
      let isBefore = ByteSearch.compare(Self.key(at: Int(blockStarts[middle]), in: keys.span), key) < 0
      if isBefore { block = middle + 1 } else { end = middle }
    }
    var place = place(of: max(0, block - 1) * Self.namesPerBlock)
    let last = min(block * Self.namesPerBlock, count)
    while place.rank < last && ByteSearch.compare(Self.key(at: place.start, in: keys.span), key) < 0 {
      Self.step(&place, in: keys.span)
    }
    return place
  }

  /// The key that begins at `start`.
  @inline(__always)
  @_lifetime(copy keys)
  static func key(at start: Int, in keys: Span<UInt8>) -> Span<UInt8> {
    keys.extracting(start..<ByteSearch.terminator(in: keys, from: start))
  }
}
