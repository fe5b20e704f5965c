/// Rejects many posts at once, without reading them: by the index of their texts and by the
/// signatures of their authors' names.
///
/// It covers one part of the index at a time: a memtable, or a window of the documents of a segment. A walk from newer
/// posts to older ones moves it along. Posts outside the part may match.
struct PostFilter {
  /// The most posts that are tested at once.
  static let groupCount = 32
  private static let postsPerPart = RecentTexts.capacity
  private static let wordsPerTerm = postsPerPart / 64
  /// The moves after which every post may match: between parts whose posts alternate, each move would cost more than
  /// it saves.
  private static let maximumMoveCount = 64
  /// The postings before a window that are read to get there, at most.
  private static let maximumSkippedCount = 4_096

  private struct Term {
    let key: [UInt8]
    let signature: NameSignature
    var postings: TermPostings
    /// Walks over the documents of its words in the present segment; nil for a word with too many of them, which is not
    /// tested.
    var walks: [WordPostings.Matches?] = []
  }

  private var terms: [Term] = []
  /// For each term, one bit for each post of the part that may contain it: in the text or, in a memtable, in the name.
  private var masks: [UInt64] = []
  /// The rows of the memtable, or of the segment.
  private var rows: Range<UInt32> = 0..<0
  private var segment: PostSegment?
  /// The window, where the part is a segment's.
  private var documents = 0..<0
  private var moveCount = 0
  /// The posts of the part whose texts may contain all terms.
  private var textCount = 0
  /// Whether the masks lack the names of the authors.
  private var lacksNames = false

  init(_ terms: borrowing Terms) {
    let queries = terms.queries
    self.terms.reserveCapacity(queries.count)
    for index in queries.indices {
      let key = queries[index].loose
      self.terms.append(Term(key: key, signature: terms.signature(ofWord: index), postings: TermPostings(of: key)))
    }
  }

  /// Whether a text that contains a term has words to look up.
  func hasWords(_ term: Int) -> Bool { !terms[term].postings.words.isEmpty }

  /// The first word to look up of a term that has any.
  func firstWord(of term: Int) -> WordQuery { terms[term].postings.words[0] }

  /// For each word of a term, its matches in a segment; nil for one with too many.
  mutating func matches(
    of term: Int, in segment: PostSegment, _ budget: inout QueryBudget
  ) -> [WordPostings.Matches?] {
    terms[term].postings.matches(in: segment, &budget)
  }

  /// Whether about one in so many posts of the part, or more, has a text that contains all terms.
  func isDense(_ ratio: Int) -> Bool {
    let postCount = segment == nil ? rows.count : documents.count
    return textCount * ratio >= postCount && postCount > 0
  }

  private func countTexts() -> Int {
    (0..<Self.wordsPerTerm).reduce(0) { count, word in
      count + terms.indices.reduce(~UInt64(0)) { $0 & masks[$1 * Self.wordsPerTerm + word] }.nonzeroBitCount
    }
  }

  /// The posts that may match, as bits.
  /// - Parameter posts: at most `groupCount`, oldest first.
  /// - Complexity: O(posts), and O(terms) for each post that may match.
  mutating func candidates(
    among posts: Span<UInt32>, _ budget: inout QueryBudget,
    _ state: borrowing GraphState
  ) -> UInt64 {
    precondition(posts.count <= Self.groupCount, "more posts than bits")
    if lacksNames { addNames(state) }
    var (passing, outside) = test(posts, state)
    if 2 * outside.nonzeroBitCount > posts.count && moveCount < Self.maximumMoveCount {
      moveCount += 1
      move(to: posts[posts.count / 2], &budget, state)
      if lacksNames { addNames(state) }
      (passing, outside) = test(posts, state)
    }
    for term in terms.indices.dropFirst() {
      var rest = passing & ~outside
      while rest != 0 {
        let bit = rest & (0 &- rest)
        rest ^= bit
        let row = posts[bit.trailingZeroBitCount]
        if isMarked(place(of: row), term) { continue }
        if segment != nil && isSigned(row, terms[term].signature, state) { continue }
        passing ^= bit
      }
    }
    return passing | outside
  }

  /// Tests posts for the first term.
  /// - Returns: the posts that may have it, and those that are not in the part, as bits.
  private func test(_ posts: Span<UInt32>, _ state: borrowing GraphState) -> (passing: UInt64, outside: UInt64) {
    if terms.isEmpty || rows.isEmpty { return (0, ~0 &>> UInt64(64 - posts.count)) }
    let (first, count) = (rows.lowerBound, rows.count)
    guard let segment else {
      return test(posts, placeCount: count, place: { Int($0 &- first) }, isSigned: { _ in false })
    }
    let (rowDocuments, start, signature) = (segment.documents, documents.lowerBound, terms[0].signature)
    return test(
      posts, placeCount: documents.count,
      place: { row in
        let offset = Int(row &- first)
        return offset < count ? Int(rowDocuments[offset]) &- start : -1
      },
      isSigned: { isSigned($0, signature, state) })
  }

  /// Without branches on what is read, so that the cache misses of authors and their cards overlap.
  @inline(__always)
  private func test(
    _ posts: Span<UInt32>, placeCount: Int, place: (UInt32) -> Int, isSigned: (UInt32) -> Bool
  ) -> (passing: UInt64, outside: UInt64) {
    var (passing, outside) = (UInt64(0), UInt64(0))
    let masks = masks.span
    for index in posts.indices {
      let place = place(posts[index])
      // A post outside the part has the bit of some other.
      let mark = masks[place &>> 6 & (Self.wordsPerTerm - 1)] &>> UInt64(place & 63) & 1
      let isSigned: UInt64 = isSigned(posts[index]) ? 1 : 0
      let isOutside: UInt64 = UInt(bitPattern: place) >= UInt(bitPattern: placeCount) ? 1 : 0
      passing |= (mark | isSigned) &<< UInt64(index)
      outside |= isOutside &<< UInt64(index)
    }
    return (passing, outside)
  }

  @inline(__always)
  private func isSigned(_ row: UInt32, _ signature: NameSignature, _ state: borrowing GraphState) -> Bool {
    state.users.digests.signature(state.posts.authors[row]).mayHold(signature)
  }

  private func isMarked(_ place: Int, _ term: Int) -> Bool {
    masks[term * Self.wordsPerTerm + place >> 6] >> UInt64(place & 63) & 1 == 1
  }

  /// The place of a post of the part.
  private func place(of row: UInt32) -> Int {
    let offset = Int(row - rows.lowerBound)
    return segment.map { Int($0.documents[offset]) - documents.lowerBound } ?? offset
  }

  // MARK: - Moving

  /// Covers the part that begins with a post or contains it; no posts if there is no such part.
  mutating func move(
    to row: UInt32, _ budget: inout QueryBudget, _ state: borrowing GraphState
  ) {
    let index = state.posts.index
    if masks.isEmpty { masks = [UInt64](repeating: 0, count: terms.count * Self.wordsPerTerm) }
    if let memtable = index.memtable(of: row) {
      (segment, rows, documents, lacksNames) = (nil, memtable.rows, 0..<0, true)
      for term in terms.indices {
        let key = terms[term].key
        let grams = Grams.ofQuery(key.span)
        for group in 0..<Self.wordsPerTerm {
          masks[term * Self.wordsPerTerm + group] = memtable.posts(ofGroup: group, holding: grams)
        }
      }
      textCount = countTexts()
      return
    }
    lacksNames = false
    guard let next = index.segments.first(where: { $0.segment.rows.contains(row) })?.segment, !next.documents.isEmpty
    else {
      (segment, rows, documents) = (nil, 0..<0, 0..<0)
      return
    }
    let document = Int(next.documents[Int(row - next.rows.lowerBound)])
    var start = max(0, document - Self.groupCount) & ~63
    if segment === next && document >= documents.upperBound {
      start = max(start, documents.upperBound)
    } else {
      for term in terms.indices { terms[term].walks = terms[term].postings.matches(in: next, &budget) }
    }
    (segment, rows) = (next, next.rows)
    documents = start..<min(start + Self.postsPerPart, next.order.count)
    for term in terms.indices { mark(term, next) }
    textCount = countTexts()
  }

  /// Adds the posts of a memtable whose authors' names may contain a term.
  private mutating func addNames(_ state: borrowing GraphState) {
    lacksNames = false
    let first = rows.lowerBound
    guard let memtable = state.posts.index.memtable(of: first) else { return }
    for term in terms.indices {
      for group in 0..<Self.wordsPerTerm {
        masks[term * Self.wordsPerTerm + group] |= memtable.posts(ofGroup: group, by: terms[term].signature)
      }
    }
  }

  /// Sets the bits of a term in the window.
  private mutating func mark(_ term: Int, _ segment: PostSegment) {
    let first = term * Self.wordsPerTerm
    for word in 0..<Self.wordsPerTerm { masks[first + word] = ~0 }
    withTemporaryList(of: UInt64.self, capacity: Self.wordsPerTerm) { list in
      list.append(repeating: 0, count: Self.wordsPerTerm)
      var marks = list.mutableSpan
      for index in terms[term].walks.indices {
        guard let count = terms[term].walks[index]?.listedCount,
          count * documents.lowerBound / segment.order.count <= Self.maximumSkippedCount,
          var walks = terms[term].walks[index].take()
        else { continue }
        for word in marks.indices { marks[word] = 0 }
        segment.words.mark(&walks, in: documents, &marks)
        terms[term].walks[index] = walks
        for word in marks.indices { masks[first + word] &= marks[word] }
      }
    }
  }
}
