/// Compacts a range of rows of posts into one segment of the post index, dropping removed posts.
///
/// Reads an immutable snapshot of the posts, not the memtables and segments that it replaces, so it needs no lock. A
/// post that is removed during the compaction is in the segment as a tombstone.
final class PostCompaction: IndexCompaction {
  /// The number of posts added between two checks of `isStopped`.
  private static let stride = 1 << 12

  let rows: Range<UInt32>
  /// The edits that the texts contain (`PostIndex.editCount`).
  let editCount: UInt64
  private let keepsDocuments: Bool
  private let ids: RowIDs
  private let authors: Column<UInt32>
  private let texts: TextColumn

  init(
    rows: Range<UInt32>, editCount: UInt64, keepsDocuments: Bool, ids: consuming RowIDs,
    authors: consuming Column<UInt32>,
    texts: consuming TextColumn
  ) {
    self.rows = rows
    self.editCount = editCount
    self.keepsDocuments = keepsDocuments
    self.ids = ids
    self.authors = authors
    self.texts = texts
  }

  var inputRange: Range<UInt32> { rows }

  /// Builds the segment. It ends before `rows` does if the texts exceed the bytes of one segment.
  /// - Complexity: O(bytes + posts · log posts).
  func segment(unless isStopped: () -> Bool = { false }) -> PostSegment? {
    let (posts, end, byteCount) = livePosts()
    var builder = WordPostingsBuilder()
    var fences: [PostKey] = []
    fences.reserveCapacity(posts.count / PostSegment.documentsPerFence + 1)
    var documents = [UInt32](repeating: .max, count: keepsDocuments ? Int(end - rows.lowerBound) : 0)
    for (document, post) in posts.enumerated() {
      if document % Self.stride == 0 && isStopped() { return nil }
      builder.add(Self.folded(texts, post.row).span)
      if document % PostSegment.documentsPerFence == 0 { fences.append(post.key) }
      if keepsDocuments { documents[Int(post.row - rows.lowerBound)] = UInt32(document) }
    }
    return PostSegment(
      rows: rows.lowerBound..<end, order: posts.map(\.row), documents: documents, fences: fences,
      oldest: posts.last?.key, words: builder.finish(), textByteCount: byteCount)
  }

  private static func folded(_ texts: borrowing TextColumn, _ row: UInt32) -> [UInt8] {
    texts.withBytes(Int(row)) { Folding.loose($0) }
  }

  /// The live posts, newest first; the end of the rows taken; and the bytes of their texts.
  private func livePosts() -> (posts: [(key: PostKey, row: UInt32)], end: UInt32, byteCount: Int) {
    var posts: [(key: PostKey, row: UInt32)] = []
    posts.reserveCapacity(rows.count)
    var byteCount = 0
    var end = rows.lowerBound
    for row in rows {
      let own = texts.byteCount(Int(row))
      if byteCount + own > PostSegment.maximumTextByteCount { break }
      byteCount += own
      end = row + 1
      if authors[row] == PostIndex.noAuthor { continue }
      posts.append((PostKey(time: texts.time(of: Int(row)), id: UInt64(bitPattern: ids[row])), row))
    }
    // The posts are nearly in ascending order, which makes the sort fast.
    posts.sort { $0.key < $1.key }
    posts.reverse()
    return (posts, end, byteCount)
  }
}
