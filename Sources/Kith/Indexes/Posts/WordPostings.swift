/// Word postings: a dictionary of all words, searched like usernames, and for each word its documents: an ascending
/// list, or a bitmap over all documents where that is smaller.
///
/// Words are indexed rather than grams because a text has many times more grams than words. With everything needed to
/// find a million posts, the index takes 0.24 bytes per byte of text; plain lists of grams take 3.9. A word that occurs
/// nowhere costs one dictionary lookup; with grams, documents would have to be read. Immutable; a class, so that a
/// query takes one reference, not one for each array.
final class WordPostings: Sendable {
  let documentCount: Int
  /// The dictionary. Its rows are indices of `entries`.
  let words: NameSegment
  let entries: [Entry]
  /// Posting lists: gaps between documents, less one, as base-128 varints, low bits first.
  private let lists: [UInt8]
  /// For each frequent word: one bit per document.
  private let bitmaps: [UInt64]

  /// The offset of a word's posting list or bitmap, and its number of documents.
  struct Entry: Sendable {
    private let bits: UInt64

    init(count: Int, isBitmap: Bool, place: Int) {
      bits = UInt64(place) << 24 | UInt64(isBitmap ? 1 << 23 : 0) | UInt64(count)
    }

    var count: Int { Int(bits & 0x7F_FFFF) }
    var isBitmap: Bool { bits >> 23 & 1 == 1 }
    var place: Int { Int(bits >> 24) }
  }

  init(documentCount: Int, words: NameSegment, entries: [Entry], lists: [UInt8], bitmaps: [UInt64]) {
    self.documentCount = documentCount
    self.words = words
    self.entries = entries
    self.lists = lists
    self.bitmaps = bitmaps
  }

  var byteCount: Int { words.byteCount + entries.count * 8 + lists.count + bitmaps.count * 8 }

  static func wordsPerBitmap(_ documentCount: Int) -> Int { (documentCount + 63) / 64 }

  // MARK: - Queries

  /// A walk over the documents of one word.
  struct ListWalk {
    fileprivate var place: Int
    fileprivate var leftCount: Int
    /// The current document; `Int.max` at the end.
    fileprivate(set) var document = -1
  }

  /// The documents of all words that match one query.
  struct Matches {
    fileprivate(set) var lists: [ListWalk] = []
    /// The starts of the bitmaps.
    fileprivate(set) var bitmaps: [Int] = []
    /// The number of documents, counted once per word; and those of them that are in lists.
    fileprivate(set) var documentCount = 0
    fileprivate(set) var listedCount = 0

    var isEmpty: Bool { documentCount == 0 }
    var hasBitmaps: Bool { !bitmaps.isEmpty }

    /// The next document of any list.
    var firstDocument: Int { lists.reduce(Int.max) { min($0, $1.document) } }
  }

  /// The words whose entries are read together.
  private static let readCount = 128

  /// The words that match a query; nil if there are more than `limit`.
  func matches(
    of query: WordQuery, limit: Int, _ budget: inout QueryBudget
  ) -> Matches? {
    var matches = Matches()
    var count = 0
    withTemporaryList(of: UInt32.self, capacity: Self.readCount) { ranks in
      words.forEachMatch(of: query.key, query.match, &budget) { place, _, _ in
        count += 1
        if count > limit { return false }
        if ranks.isFull { take(&ranks, to: &matches) }
        ranks.append(UInt32(place.rank))
        return true
      }
      if count <= limit { take(&ranks, to: &matches) }
    }
    return count > limit ? nil : matches
  }

  /// Moves the words of some ranks to the matches. Their entries and lists are scattered in memory: read together,
  /// their cache misses overlap.
  private func take(_ ranks: inout OutputSpan<UInt32>, to matches: inout Matches) {
    let (rows, entries, lists) = (words.rows, entries, lists)
    let first = matches.lists.count
    if first == 0 { matches.lists.reserveCapacity(ranks.count) }
    for index in ranks.indices {
      let entry = entries[Int(rows[Int(ranks[index])])]
      matches.documentCount += entry.count
      if entry.isBitmap {
        matches.bitmaps.append(entry.place)
        continue
      }
      lists.span.prefetch(entry.place, count: 1)
      matches.lists.append(ListWalk(place: entry.place, leftCount: entry.count))
      matches.listedCount += entry.count
    }
    for index in first..<matches.lists.count { Self.step(&matches.lists[index], lists.span) }
    ranks.removeAll()
  }

  @inline(__always)
  private static func step(_ walk: inout ListWalk, _ lists: Span<UInt8>) {
    if walk.leftCount == 0 {
      walk.document = .max
      return
    }
    var byte = lists[walk.place]
    walk.place &+= 1
    var gap = Int(byte & 0x7F)
    var shift = 7
    while byte >= 0x80 {
      byte = lists[walk.place]
      walk.place &+= 1
      gap |= Int(byte & 0x7F) &<< shift
      shift &+= 7
    }
    walk.document &+= gap &+ 1
    walk.leftCount &-= 1
  }

  /// Sets the bits of the documents of `matches` in a window, and advances past it.
  /// - Parameters:
  ///   - window: begins at a multiple of 64, and not before the end of the previous window.
  ///   - bits: one per document of the window, in order.
  func mark(_ matches: inout Matches, in window: Range<Int>, _ bits: inout MutableSpan<UInt64>) {
    let (lists, bitmaps) = (lists, bitmaps)
    var walks = matches.lists.mutableSpan
    for index in walks.indices where walks[index].document < window.upperBound {
      var walk = walks[index]
      while walk.document < window.lowerBound { Self.step(&walk, lists.span) }
      while walk.document < window.upperBound {
        let bit = walk.document &- window.lowerBound
        bits[bit >> 6] |= 1 &<< UInt64(bit & 63)
        Self.step(&walk, lists.span)
      }
      walks[index] = walk
    }
    let count = (window.count + 63) / 64
    for place in matches.bitmaps {
      let first = place + window.lowerBound / 64
      let words = bitmaps.span.extracting(first..<first + count)
      for word in words.indices { bits[word] |= words[word] }
    }
  }

  // MARK: - Invariants

  func checkInvariants(_ name: String) -> [String] {
    var problems: [String] = []
    let lists = lists
    for (slot, entry) in entries.enumerated() {
      if entry.isBitmap {
        let bits = bitmaps[entry.place..<entry.place + Self.wordsPerBitmap(documentCount)]
        let count = bits.reduce(0) { $0 + $1.nonzeroBitCount }
        if count != entry.count { problems.append("\(name): word \(slot) counts \(entry.count) of \(count)") }
      } else {
        var walk = ListWalk(place: entry.place, leftCount: entry.count)
        for _ in 0..<entry.count { Self.step(&walk, lists.span) }
        if walk.document >= documentCount { problems.append("\(name): word \(slot) leads beyond the documents") }
      }
    }
    if words.count != entries.count || Set(words.rows).count != words.count {
      problems.append("\(name): \(entries.count) lists for \(words.count) words")
    }
    return problems
  }
}
