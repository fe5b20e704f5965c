/// The postings of a run of rows of posts, for ever as they were when the segment was made; shared by all views that
/// hold it.
///
/// Its documents are the posts that were there, newest first. So the first answers that a walk meets are the newest,
/// and posts with old times stand in their place. Posts that were removed since are still in it: whoever asks looks at
/// the row.
final class PostSegment: Sendable {
  /// Ends before a multiple of as many: what takes longer to build would hold too much memory meanwhile.
  static let maximumRowCount = 1 << 20
  /// Enough for every 4,096 posts, and what 32-bit offsets of words reach, whatever the texts fold to.
  static let maximumTextByteCount = 1 << 28
  static let documentsPerFence = 64

  /// The rows it tells about, those of removed posts among them.
  let rows: Range<UInt32>
  /// By document.
  let order: [UInt32]
  /// By row, from the first one on: its document, `UInt32.max` for none. Empty where that is not kept.
  private let documents: [UInt32]
  /// The key of every 64th document, as it was then.
  private let fences: [PostKey]
  let words: WordPostings
  /// Of the posts that were there.
  let textByteCount: Int

  init(
    rows: Range<UInt32>, order: [UInt32], documents: [UInt32], fences: [PostKey], oldest: PostKey?,
    words: WordPostings, textByteCount: Int
  ) {
    self.rows = rows
    self.order = order
    self.documents = documents
    self.fences = fences
    self.oldest = oldest
    self.words = words
    self.textByteCount = textByteCount
  }

  var byteCount: Int {
    (order.count + documents.count) * 4 + fences.count * MemoryLayout<PostKey>.stride + words.byteCount
  }

  /// No post of it has a higher key; nil if there was none.
  var newest: PostKey? { fences.first }
  /// And none a lower one.
  let oldest: PostKey?

  /// A document that is not behind the first one before a key, by less than two fences.
  func firstDocument(before key: PostKey) -> Int {
    var (low, high) = (0, fences.count)
    while low < high {
      let middle = (low + high) / 2
      if fences[middle] >= key { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1) * Self.documentsPerFence
  }

  /// The document of a post that is there; nil for one of other rows.
  /// - Complexity: O(1), or O(log documents) where documents are not kept by row.
  func document(of row: UInt32, _ posts: borrowing PostTable) -> Int? {
    guard rows.contains(row) else { return nil }
    if !documents.isEmpty { return Int(documents[Int(row - rows.lowerBound)]) }
    let key = posts.key(row)
    var document = firstDocument(before: PostKey(time: key.time, id: key.id + 1))
    while document < order.count {
      if order[document] == row { return document }
      document += 1
    }
    return nil
  }

  func checkInvariants(_ posts: borrowing PostTable) -> [String] {
    let name = "post index, rows from \(rows.lowerBound)"
    var problems = words.checkInvariants(name)
    if words.documentCount != order.count { problems.append("\(name): words of \(words.documentCount) documents") }
    var previous: PostKey?
    var live = 0
    for (document, row) in order.enumerated() where rows.contains(row) && posts.isLive(row) {
      live += 1
      let key = posts.key(row)
      if let previous, previous <= key { problems.append("\(name): row \(row) is out of order") }
      previous = key
      if self.document(of: row, posts) != document { problems.append("\(name): row \(row) leads elsewhere") }
    }
    let there = rows.reduce(0) { $0 + (posts.isLive($1) ? 1 : 0) }
    if live != there { problems.append("\(name): \(live) posts of \(there)") }
    return problems
  }
}

/// The making of a segment: a function of one instant that anybody may run while posts are searched and changed.
struct PostSegmentBuild: ~Copyable, Sendable {
  let rows: Range<UInt32>
  private let keepsDocuments: Bool
  private let ids: Column<Int64>
  private let authors: Column<UInt32>
  private let times: Column<Int64>
  private let texts: TextColumn

  init(
    rows: Range<UInt32>, keepsDocuments: Bool, ids: consuming Column<Int64>, authors: consuming Column<UInt32>,
    times: consuming Column<Int64>, texts: consuming TextColumn
  ) {
    self.rows = rows
    self.keepsDocuments = keepsDocuments
    self.ids = ids
    self.authors = authors
    self.times = times
    self.texts = texts
  }

  /// The segment; it ends before `rows` do where their texts are too many bytes for one.
  /// - Complexity: O(bytes + posts · log posts).
  func segment() -> PostSegment {
    var places: [(key: PostKey, row: UInt32)] = []
    places.reserveCapacity(rows.count)
    var byteCount = 0
    var end = rows.lowerBound
    for row in rows {
      let own = texts.byteCount(Int(row))
      if byteCount + own > PostSegment.maximumTextByteCount { break }
      byteCount += own
      end = row + 1
      if authors[row] == PostTable.nobody { continue }
      places.append((PostKey(time: times[row], id: UInt64(bitPattern: ids[row])), row))
    }
    // Rows come in nearly ascending order, which the sort makes use of.
    places.sort { $0.key < $1.key }
    places.reverse()
    var builder = WordPostingsBuilder()
    var fences: [PostKey] = []
    var documents = [UInt32](repeating: .max, count: keepsDocuments ? Int(end - rows.lowerBound) : 0)
    for (document, place) in places.enumerated() {
      builder.add(Folding.loose(texts.bytes(Int(place.row))).span)
      if document % PostSegment.documentsPerFence == 0 { fences.append(place.key) }
      if keepsDocuments { documents[Int(place.row - rows.lowerBound)] = UInt32(document) }
    }
    return PostSegment(
      rows: rows.lowerBound..<end, order: places.map(\.row), documents: documents, fences: fences,
      oldest: places.last?.key, words: builder.finish(), textByteCount: byteCount)
  }
}
