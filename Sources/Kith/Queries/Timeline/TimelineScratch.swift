/// The memory of one timeline query: taken from a pool, and returned to it at the end of the value's life.
struct TimelineScratch: ~Copyable {
  private static let pool = StripedPool<Box<TimelineLists>>()

  let lists: Box<TimelineLists>

  init() { lists = Self.pool.take() ?? Box(TimelineLists()) }

  deinit { Self.pool.put(lists) }
}

/// Lists that are kept for later queries, which allocate nothing once they are long enough. What they have is that of
/// an earlier query.
struct TimelineLists: ~Copyable {
  /// The posts that were found.
  var rows = ScratchList<UInt32>()
  /// In a backward scan: a filter of the followees, created by the first scan that needs it.
  var bloomFilter: RowBloomFilter?
  /// In a merge: authors whose lists need a binary search, because their newest post is not before the bound.
  var later = ScratchList<UInt32>()
  /// In a merge: the authors that may be among the first, or were.
  var cursors = ScratchList<TimelineMerge.AuthorCursor>()
  /// In a merge: the cursors of those who may be, by the coarse time of their first post.
  var candidates = ScratchList<UInt64>()
  var heap = ScratchList<TimelineMerge.HeapEntry>()
}

extension TimelineMerge {
  /// A position in the list of one author.
  struct AuthorCursor: BitwiseCopyable {
    /// The row of a cursor whose post was not looked up yet.
    static let noRow = UInt32.max

    /// Before the post.
    var place = ListCursor<UInt32>()
    let author: UInt32
    var row = noRow
    /// When the post was created.
    var time: Int64 = 0
  }

  /// An entry of the heap, for one cursor.
  struct HeapEntry: BitwiseCopyable {
    /// By time, descending.
    var rank: UInt64 = 0
    var cursor: UInt32 = 0
  }
}
