/// A lazily evaluated set of documents of one segment: those with certain words, and the posts of certain authors. Many
/// authors are not walked: their posts are recognised among the documents of other sets.
struct PostSet {
  /// A walk over an author's posts in the segment, newest first.
  private struct AuthorWalk {
    let author: Int
    /// The posts before it are still to be read.
    var position: PackedLists<UInt32>.Position
    /// The row that was read last.
    var row: UInt32 = 0
    /// Where the document that was gathered last is in `documents`, until others are gathered; -1 if there is none.
    var place = -1
    /// That document: all before it are gathered, too.
    var last = -1
    /// Whether no other post is in the segment.
    var isAtEnd = false

    /// Adds the rows of the segment's next posts to `rows`.
    /// - Parameter count: how many posts of the segment, or with smaller rows, are read at most.
    mutating func read(
      _ count: Int, of segment: PostSegment, to rows: inout [UInt32], _ posts: borrowing PostTable
    ) {
      let (covered, documents) = (segment.rows, segment.documents)
      var left = count
      place = -1
      while left > 0 {
        if position.offset == 0 {
          isAtEnd = position.run == 0
          if isAtEnd { return }
          position.run -= 1
          position.offset = posts.byAuthor.run(position.run, of: author).count
          continue
        }
        let run = posts.byAuthor.run(position.run, of: author)
        while position.offset > 0 && left > 0 {
          position.offset -= 1
          row = run[position.offset]
          if row >= covered.upperBound { continue }
          left -= 1
          if row < covered.lowerBound { continue }
          if !documents.isEmpty { documents.span.prefetch(Int(row - covered.lowerBound), count: 1) }
          place = rows.count
          rows.append(row)
        }
      }
      if row < covered.lowerBound { posts.texts.prefetchReference(Int(row)) }  // and with it the time
    }
  }

  /// The authors between the one whose list is read and the one whose list is prefetched.
  private static let authorsAhead = 16
  /// The posts of an author, of this segment or older, that are read at once: most authors have fewer.
  private static let postsAtOnce = 16
  /// The newer posts of an author that are skipped one by one. More are skipped by a binary search, which reads times
  /// that are scattered in memory.
  private static let skippedCount = 128
  /// The documents whose authors are fetched together.
  private static let groupCount = 64

  private var words: WordPostings.Matches
  /// The walks that have not ended.
  private var walks: [AuthorWalk] = []
  /// The documents of the authors that were gathered and not passed yet, in no order. The last one of each walk is
  /// among them.
  private var documents: [UInt32] = []
  /// The first of them; `Int.max` if there is none.
  private var firstGathered = Int.max
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
    if authors.isEmpty { return }
    walks.reserveCapacity(authors.count)
    var readCount = 0
    for index in authors.indices {
      if index + Self.authorsAhead < authors.count {
        posts.byAuthor.prefetchHead(of: Int(authors[index + Self.authorsAhead]))
      }
      let author = Int(authors[index])
      let count = posts.byAuthor.count(of: author)
      if count == 0 { continue }
      posts.byAuthor.prefetchLast(of: author)
      var walk = AuthorWalk(author: author, position: posts.byAuthor.endPosition(of: author))
      if count > Self.skippedCount, let newest = segment.newest {
        let end = min(high, PostKey(time: newest.time, id: newest.id + 1))
        walk.position = posts.byAuthor.partitionPoint(of: author) { posts.isBefore($0, end) }
      }
      walks.append(walk)
      readCount += min(count, Self.postsAtOnce)
    }
    documents.reserveCapacity(readCount)
    gather(below: 0, segment, posts)
    let count = walks.reduce(documents.count) { $0 + posts.byAuthor.count(of: $1.author) }
    documentCount += count
    walkedCount += count
    for document in documents { firstGathered = min(firstGathered, Int(document)) }
  }

  /// A set that can only restrict others.
  init(_ words: WordPostings.Matches, manyAuthors: RowBloomFilter) {
    self.words = words
    self.manyAuthors = manyAuthors
    documentCount = .max
    walkedCount = words.listedCount
  }

  var isEmpty: Bool { words.isEmpty && documents.isEmpty && manyAuthors == nil }

  /// Gathers the documents of the authors below `end`, and some behind.
  private mutating func gather(below end: Int, _ segment: PostSegment, _ posts: borrowing PostTable) {
    while walks.contains(where: { $0.last < end }) {
      // All rows are read before the first document: documents are scattered in memory, and their cache misses overlap.
      let first = documents.count
      for index in walks.indices where walks[index].last < end {
        walks[index].read(Self.postsAtOnce, of: segment, to: &documents, posts)
      }
      // A live post of the segment has a document.
      for index in first..<documents.count {
        documents[index] = UInt32(segment.document(of: documents[index], posts) ?? Int(UInt32.max))
      }
      for index in walks.indices where walks[index].last < end {
        let row = walks[index].row
        if walks[index].place >= 0 { walks[index].last = Int(documents[walks[index].place]) }
        if !segment.rows.contains(row), let oldest = segment.oldest, posts.key(row) < oldest {
          walks[index].isAtEnd = true
        }
      }
      walks.removeAll { $0.isAtEnd }
    }
  }

  /// No document before this one is in the set; 0 if unknown.
  var firstDocument: Int {
    words.hasBitmaps || manyAuthors != nil ? 0 : min(words.firstDocument, firstGathered)
  }

  /// Sets the bits of the documents in a window and advances past it (see `WordPostings.mark`).
  mutating func mark(
    in window: Range<Int>, _ bits: inout [UInt64], _ segment: PostSegment, _ posts: borrowing PostTable
  ) {
    var bits = bits.mutableSpan
    segment.words.mark(&words, in: window, &bits)
    if firstGathered >= window.upperBound { return }
    gather(below: window.upperBound, segment, posts)
    var gathered = documents.mutableSpan
    var (left, first) = (0, Int.max)
    for index in gathered.indices {
      let document = Int(gathered[index])
      if document >= window.upperBound {
        first = min(first, document)
        gathered[left] = gathered[index]
        left += 1
      } else if document >= window.lowerBound {
        let bit = document - window.lowerBound
        bits[bit >> 6] |= 1 << UInt64(bit & 63)
      }
    }
    documents.removeLast(documents.count - left)
    firstGathered = first
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
      let words = bits.span
      // Most words of few results are zero.
      var word = words.firstNonzero(from: 0)
      while word < words.count {
        var rest = words[word]
        while rest != 0 {
          documents.append(window.lowerBound + word * 64 + rest.trailingZeroBitCount)
          rest &= rest - 1
          if documents.isFull { wantedCount = Self.visit(&documents, wantedCount, segment, posts, body) }
          if wantedCount <= 0 { return 0 }
        }
        word = words.firstNonzero(from: word + 1)
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
      Self.intersect(&bits, with: setBits)
    }
  }

  private static func intersect(_ bits: inout [UInt64], with others: [UInt64]) {
    var words = bits.mutableSpan
    for word in words.indices { words[word] &= others[word] }
  }

  private static func clear(_ bits: inout [UInt64], _ count: Int) {
    bits.removeAll(keepingCapacity: true)
    bits.append(addingCapacity: count) { $0.append(repeating: 0, count: count) }
  }
}
