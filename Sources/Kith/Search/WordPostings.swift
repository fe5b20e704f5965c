/// Which documents hold a word: a dictionary of all words, searched as usernames are, and for each of them the
/// ascending numbers of its documents, or a bitmap over all documents where that is smaller.
///
/// A text has many times more grams than words: with all that finds a million posts the index takes 0.24 of their
/// texts' bytes, where plain lists of grams take 3.9; and a word that occurs nowhere costs one look into the
/// dictionary, where grams leave documents to be read. Immutable, plain data.
struct WordPostings: Sendable {
  let documentCount: Int
  /// Rows are slots of `entries`.
  private let words: NameSegment
  private let entries: [Entry]
  /// Of each list: the steps from document to document, less one, seven bits a byte, the lowest first.
  private let lists: [UInt8]
  /// Of each frequent word: one bit for each document.
  private let bitmaps: [UInt64]

  /// Where the documents of a word are, and how many.
  struct Entry: Sendable {
    private let bits: UInt64

    init(count: Int, isBitmap: Bool, place: Int) {
      bits = UInt64(place) << 24 | UInt64(isBitmap ? 1 << 23 : 0) | UInt64(count)
    }

    var count: Int { Int(bits & 0x7F_FFFF) }
    var isBitmap: Bool { bits >> 23 & 1 == 1 }
    var place: Int { Int(bits >> 24) }
  }

  /// What an entry counts to.
  static let maximumDocumentCount = 1 << 22

  init(documentCount: Int, words: NameSegment, entries: [Entry], lists: [UInt8], bitmaps: [UInt64]) {
    self.documentCount = documentCount
    self.words = words
    self.entries = entries
    self.lists = lists
    self.bitmaps = bitmaps
  }

  var byteCount: Int { words.byteCount + entries.count * 8 + lists.count + bitmaps.count * 8 }

  static func wordsPerBitmap(_ documentCount: Int) -> Int { (documentCount + 63) / 64 }

  // MARK: - Asking

  /// A walk over the documents of one word.
  struct ListWalk {
    fileprivate var place: Int
    fileprivate var leftCount: Int
    /// The document it has come to; `Int.max` at the end.
    fileprivate(set) var document = -1
  }

  /// The documents of all words that answer one query.
  struct Matches {
    fileprivate(set) var lists: [ListWalk] = []
    /// Where bitmaps begin.
    fileprivate(set) var bitmaps: [Int] = []
    /// Documents, once for each of their words; and those of them that are in lists.
    fileprivate(set) var documentCount = 0
    fileprivate(set) var listedCount = 0

    var isEmpty: Bool { documentCount == 0 }
    var hasBitmaps: Bool { !bitmaps.isEmpty }

    /// The first document of any list that is not walked through.
    var firstDocument: Int { lists.reduce(Int.max) { min($0, $1.document) } }
  }

  /// The words that answer a query; nil if there are more than `limit`.
  func matches(of query: NameQuery, limit: Int, _ work: inout SearchWork) -> Matches? {
    var matches = Matches()
    var count = 0
    words.forEachMatch(of: query, from: nil, &work) { place, _ in
      count += 1
      if count > limit { return false }
      let entry = entries[Int(words.rows[place.rank])]
      matches.documentCount += entry.count
      if entry.isBitmap {
        matches.bitmaps.append(entry.place)
      } else {
        var walk = ListWalk(place: entry.place, leftCount: entry.count)
        Self.step(&walk, lists.span)
        matches.lists.append(walk)
        matches.listedCount += entry.count
      }
      return true
    }
    return count > limit ? nil : matches
  }

  @inline(__always)
  private static func step(_ walk: inout ListWalk, _ lists: Span<UInt8>) {
    if walk.leftCount == 0 {
      walk.document = .max
      return
    }
    var byte = lists[walk.place]
    walk.place += 1
    var gap = Int(byte & 0x7F)
    var shift = 7
    while byte >= 0x80 {
      byte = lists[walk.place]
      walk.place += 1
      gap |= Int(byte & 0x7F) << shift
      shift += 7
    }
    walk.document += gap + 1
    walk.leftCount -= 1
  }

  /// Sets the bits of the documents of `matches` in a window, and goes on behind it.
  /// - Parameters:
  ///   - window: begins at a multiple of 64, and not before the last one's end.
  ///   - bits: one for each document of the window, the first one's first.
  func mark(_ matches: inout Matches, in window: Range<Int>, _ bits: inout [UInt64]) {
    var bits = bits.mutableSpan
    let lists = lists.span
    for index in matches.lists.indices {
      var walk = matches.lists[index]
      if walk.document >= window.upperBound { continue }
      while walk.document < window.lowerBound { Self.step(&walk, lists) }
      while walk.document < window.upperBound {
        let bit = walk.document - window.lowerBound
        bits[bit >> 6] |= 1 << UInt64(bit & 63)
        Self.step(&walk, lists)
      }
      matches.lists[index] = walk
    }
    let bitmaps = bitmaps.span
    for place in matches.bitmaps {
      let first = place + window.lowerBound / 64
      for word in 0..<(window.count + 63) / 64 { bits[word] |= bitmaps[first + word] }
    }
  }

  // MARK: - Invariants

  func checkInvariants(_ name: String) -> [String] {
    var problems: [String] = []
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
