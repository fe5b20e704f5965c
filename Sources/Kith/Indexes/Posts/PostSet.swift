/// A lazily evaluated set of documents of one segment: those with certain words, and the posts of certain authors. Many
/// authors are not walked: their posts are recognised among the documents of other sets.
struct PostSet {
  /// A walk over an author's posts in the segment, newest first.
  private struct AuthorWalk {
    let author: Int
    var position: PackedLists<UInt32>.Position
    /// The row of the current post.
    var row: UInt32 = 0
    /// The current document; -1 before the first and for a post outside the segment, `Int.max` at the end.
    var document = -1
  }

  /// The authors between the one whose list is read and the one whose list is prefetched.
  private static let authorsAhead = 16
  /// The documents whose authors are fetched together.
  private static let groupCount = 64

  private var words: WordPostings.Matches
  private var authors: [AuthorWalk] = []
  /// Many authors; nil where there are none. May hold others.
  private var manyAuthors: RowBloomFilter?
  /// An upper bound of the number of documents.
  private(set) var documentCount: Int
  /// The number of documents that are enumerated one by one. Those of bitmaps are not.
  private(set) var walkedCount: Int

  /// - Parameter high: only posts before it are included.
  init(
    _ words: WordPostings.Matches = WordPostings.Matches(), authors: [UInt32], in segment: PostSegment,
    before high: PostKey, _ posts: borrowing PostTable
  ) {
    self.words = words
    documentCount = words.documentCount
    walkedCount = words.listedCount
    for index in authors.indices {
      if index + Self.authorsAhead < authors.count {
        posts.byAuthor.prefetchHead(of: Int(authors[index + Self.authorsAhead]))
      }
      let author = Int(authors[index])
      let count = posts.byAuthor.count(of: author)
      if count == 0 { continue }
      posts.byAuthor.prefetchLast(of: author)
      var walk = AuthorWalk(author: author, position: posts.byAuthor.endPosition(of: author))
      // A binary search for the start pays if there are many posts to skip.
      if count > 16, let newest = segment.newest {
        let end = min(high, PostKey(time: newest.time, id: newest.id + 1))
        if let (last, _) = posts.byAuthor.element(before: walk.position, of: author), !posts.isBefore(last, end) {
          walk.position = posts.byAuthor.partitionPoint(of: author) { posts.isBefore($0, end) }
        }
      }
      self.authors.append(walk)
    }
    if self.authors.isEmpty { return }
    var active = Array(self.authors.indices)
    while !active.isEmpty { step(&active, below: 0, segment, posts) }
    // A copy without spare capacity: most authors may have no post in the segment.
    self.authors = self.authors.filter { $0.document < .max }
    for walk in self.authors {
      let count = posts.byAuthor.count(of: walk.author)
      documentCount += count
      walkedCount += count
    }
  }

  /// A set that can only restrict others.
  init(_ words: WordPostings.Matches, manyAuthors: RowBloomFilter) {
    self.words = words
    self.manyAuthors = manyAuthors
    documentCount = .max
    walkedCount = words.listedCount
  }

  var isEmpty: Bool { words.isEmpty && authors.isEmpty && manyAuthors == nil }

  /// Moves each of some walks to its next post. All documents are prefetched before the first is read: they are
  /// scattered in memory.
  /// - Parameter active: indices of `authors`; those remain whose document is known to be below `end`, or not known.
  private mutating func step(
    _ active: inout [Int], below end: Int, _ segment: PostSegment, _ posts: borrowing PostTable
  ) {
    let (rows, documents) = (segment.rows, segment.documents)
    for index in active {
      if let (row, position) = posts.byAuthor.element(before: authors[index].position, of: authors[index].author) {
        authors[index].position = position
        authors[index].row = row
        authors[index].document = -1
        if rows.contains(row) { documents.span.prefetch(Int(row - rows.lowerBound), count: 1) }
      } else {
        authors[index].document = .max
      }
    }
    var count = 0
    for index in active {
      if authors[index].document < 0 {
        let row = authors[index].row
        if let document = segment.document(of: row, posts) {
          authors[index].document = document
        } else if let oldest = segment.oldest, posts.key(row) < oldest {
          authors[index].document = .max
        }
      }
      active[count] = index
      if authors[index].document < end { count += 1 }
    }
    active.removeLast(active.count - count)
  }

  /// No document before this one is in the set; 0 if unknown.
  var firstDocument: Int {
    if words.hasBitmaps || manyAuthors != nil { return 0 }
    return authors.reduce(words.firstDocument) { min($0, $1.document) }
  }

  /// Sets the bits of the documents in a window and advances past it (see `WordPostings.mark`).
  mutating func mark(
    in window: Range<Int>, _ bits: inout [UInt64], _ segment: PostSegment, _ posts: borrowing PostTable
  ) {
    var bits = bits.mutableSpan
    segment.words.mark(&words, in: window, &bits)
    if authors.isEmpty { return }
    var active = authors.indices.filter { authors[$0].document < window.upperBound }
    while !active.isEmpty {
      for index in active where authors[index].document >= window.lowerBound {
        let bit = authors[index].document - window.lowerBound
        bits[bit >> 6] |= 1 << UInt64(bit & 63)
      }
      step(&active, below: window.upperBound, segment, posts)
    }
  }

  /// Sets the bits of those documents in `others` whose author is one of many.
  func markManyAuthors(
    in window: Range<Int>, among others: [UInt64], _ bits: inout [UInt64], _ segment: PostSegment,
    _ posts: borrowing PostTable
  ) {
    guard let manyAuthors else { return }
    withTemporaryList(of: Int.self, capacity: Self.groupCount) { places in
      for word in 0..<(window.count + 63) / 64 {
        var rest = others[word] & ~bits[word]
        while rest != 0 {
          places.append(word * 64 + rest.trailingZeroBitCount)
          rest &= rest - 1
          if places.isFull { Self.mark(&places, by: manyAuthors, from: window.lowerBound, &bits, segment, posts) }
        }
      }
      Self.mark(&places, by: manyAuthors, from: window.lowerBound, &bits, segment, posts)
    }
  }

  /// Sets the bits of those of some documents whose author is one of many, and removes all of them. What is read of
  /// them is prefetched in stages: the row, then the author.
  private static func mark(
    _ places: inout OutputSpan<Int>, by authors: RowBloomFilter, from first: Int, _ bits: inout [UInt64],
    _ segment: PostSegment, _ posts: borrowing PostTable
  ) {
    let order = segment.order
    for index in places.indices { order.span.prefetch(first + places[index], count: 1) }
    for index in places.indices { posts.authors.prefetch(Int(order[first + places[index]])) }
    for index in places.indices {
      let place = places[index]
      if authors.mayContain(posts.authors[order[first + place]]) { bits[place >> 6] |= 1 << UInt64(place & 63) }
    }
    places.removeAll()
  }
}

/// The intersection of sets, in windows of documents that double in size while few results are found. A full page reads
/// few documents beyond its last one; a nearly empty result takes few windows.
struct PostWindows {
  private static let smallest = 1_024
  private static let largest = 65_536
  /// The posts that are prefetched together: about a page.
  private static let prefetchedCount = 24
  /// The documents that the last window is expected to hold beyond those that are wanted.
  private static let spareCount = 3

  private var bits: [UInt64] = []
  private var setBits: [UInt64] = []

  /// Calls `body` with each document that is in all sets, ascending, until it wants no more.
  /// - Parameters:
  ///   - first: a multiple of 64.
  ///   - limit: how many are wanted.
  ///   - body: takes a document or not. Returns how many more are wanted.
  mutating func forEachDocument(
    inAll sets: inout [PostSet], of segment: PostSegment, from first: Int, limit: Int, _ posts: borrowing PostTable,
    _ budget: inout QueryBudget, _ body: (Int) -> Int
  ) {
    var start = first
    var width = Self.smallest
    var (readCount, wantedCount) = (0, limit)
    while true {
      for index in sets.indices { start = max(start, sets[index].firstDocument & ~63) }
      if start >= segment.order.count || !budget.takeStep() { return }
      let window = start..<min(start + width, segment.order.count)
      intersect(&sets, window, segment, posts)
      wantedCount = visit(window, wantedCount, segment, posts, body)
      if wantedCount <= 0 { return }
      start += width
      readCount += width
      // If the documents taken so far lead to expect the last one sooner, the next window ends there.
      let expected = (wantedCount + Self.spareCount) * readCount / max(1, limit - wantedCount)
      width = min(2 * width, Self.largest, max(Self.smallest, (expected + 63) & ~63))
    }
  }

  /// Calls `body` with the documents of a window, until it wants no more.
  /// - Returns: how many more are wanted.
  private func visit(
    _ window: Range<Int>, _ wantedCount: Int, _ segment: PostSegment, _ posts: borrowing PostTable,
    _ body: (Int) -> Int
  ) -> Int {
    withTemporaryList(of: Int.self, capacity: Self.prefetchedCount) { documents in
      var wantedCount = wantedCount
      for word in 0..<(window.count + 63) / 64 {
        var rest = bits[word]
        while rest != 0 {
          documents.append(window.lowerBound + word * 64 + rest.trailingZeroBitCount)
          rest &= rest - 1
          if documents.isFull { wantedCount = Self.visit(&documents, wantedCount, segment, posts, body) }
          if wantedCount <= 0 { return 0 }
        }
      }
      return Self.visit(&documents, wantedCount, segment, posts, body)
    }
  }

  /// The same for some documents, and removes them. What is read of their posts is prefetched in stages: author, time
  /// and the location of the text, then the text.
  private static func visit(
    _ documents: inout OutputSpan<Int>, _ wantedCount: Int, _ segment: PostSegment, _ posts: borrowing PostTable,
    _ body: (Int) -> Int
  ) -> Int {
    let order = segment.order
    for index in documents.indices {
      let row = Int(order[documents[index]])
      posts.authors.prefetch(row)
      posts.texts.prefetchReference(row)
    }
    for index in documents.indices {
      _ = posts.texts.prefetch(referenced: posts.texts.reference(Int(order[documents[index]])))
    }
    var wantedCount = wantedCount
    for index in documents.indices where wantedCount > 0 { wantedCount = body(documents[index]) }
    documents.removeAll()
    return wantedCount
  }

  private mutating func intersect(
    _ sets: inout [PostSet], _ window: Range<Int>, _ segment: PostSegment, _ posts: borrowing PostTable
  ) {
    let count = (window.count + 63) / 64
    Self.clear(&bits, count)
    sets[0].mark(in: window, &bits, segment, posts)
    for index in sets.indices.dropFirst() {
      Self.clear(&setBits, count)
      sets[index].mark(in: window, &setBits, segment, posts)
      sets[index].markManyAuthors(in: window, among: bits, &setBits, segment, posts)
      for word in 0..<count { bits[word] &= setBits[word] }
    }
  }

  private static func clear(_ bits: inout [UInt64], _ count: Int) {
    bits.removeAll(keepingCapacity: true)
    bits.append(addingCapacity: count) { $0.append(repeating: 0, count: count) }
  }
}
