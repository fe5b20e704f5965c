/// The memory of one timeline query: taken from a pool, and returned to it at the end of the value's life.
struct TimelineScratch: ~Copyable {
  private static let pool = StripedPool<Reusable<Arrays>>()

  let memory: Reusable<Arrays>

  init() { memory = Self.pool.take() ?? Reusable(Arrays()) }

  deinit {
    memory.value.candidates.removeAll()
    memory.value.later.removeAll()
    memory.value.rows.removeAll(keepingCapacity: true)
    Self.pool.put(memory)
  }

  /// Arrays that are kept for later queries, which allocate nothing once they are long enough.
  struct Arrays {
    /// The posts that were found.
    var rows: [UInt32] = []
    /// In a backward scan: a filter of the followees, created by the first scan that needs it.
    var bloomFilter: RowBloomFilter?
    /// In a merge: authors that may be among the first, by the coarse time of their first post.
    let candidates = RankBuffer()
    /// In a merge: authors whose lists need a binary search, because their newest post is not before the bound.
    let later = RankBuffer()
    var cursors: [TimelineMerge.AuthorCursor] = []
    var heap: [TimelineMerge.HeapEntry] = []
  }
}

extension TimelineMerge {
  /// A position in the list of one author.
  struct AuthorCursor {
    var key = PostKey(time: 0, id: 0)
    var row: UInt32 = 0
    var author: UInt32 = 0
    var position = PackedLists<UInt32>.Position(run: 0, offset: 0)
  }

  /// An entry of the heap, for one cursor.
  struct HeapEntry {
    /// By time, descending.
    var rank: UInt64 = 0
    var cursor: UInt32 = 0
  }
}
