/// An immutable segment of the post index: the postings of a range of rows, shared by all snapshots that hold it.
///
/// Its documents are the posts that were live when it was built, newest first. A walk therefore meets the newest
/// results first, and posts with old times are in their place. A post that was removed since is still in it, as a
/// tombstone; searches check its row.
final class PostSegment: Sendable {
  /// The most rows of a segment. A larger one would take too much memory while it is built.
  static let maximumRowCount = 1 << 20
  /// The most bytes of texts. Ample for 4,096-byte posts, and within 32-bit word offsets whatever the texts fold to.
  static let maximumTextByteCount = 1 << 28
  static let documentsPerFence = 64

  /// The rows it covers, including those of removed posts.
  let rows: Range<UInt32>
  /// The row of each document.
  let order: [UInt32]
  /// By row, from the first one on: its document, or `UInt32.max`. Empty if documents are not kept by row.
  let documents: [UInt32]
  /// The key of every 64th document.
  private let fences: [PostKey]
  let words: WordPostings
  /// The bytes of the posts that were live when it was built.
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

  /// An upper bound of the keys; nil if there is no document.
  var newest: PostKey? { fences.first }
  /// A lower bound of the keys; nil if there is no document.
  let oldest: PostKey?

  /// A document at, or less than two fences before, the first one whose key is below `key`.
  func firstDocument(before key: PostKey) -> Int {
    var (low, high) = (0, fences.count)
    while low < high {
      let middle = (low + high) / 2
      if fences[middle] >= key { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1) * Self.documentsPerFence
  }
}
