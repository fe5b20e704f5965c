/// The memory of one timeline query: taken from a pool, and returned to it at the end of the value's life.
struct TimelineScratch: ~Copyable {
  private static let pool = StripedPool<Reusable<Arrays>>()

  let memory: Reusable<Arrays>

  init() { memory = Self.pool.take() ?? Reusable(Arrays()) }

  deinit {
    memory.value.candidates.truncate(to: 0)
    memory.value.later.truncate(to: 0)
    memory.value.cursors.truncate(to: 0)
    memory.value.rows.removeAll(keepingCapacity: true)
    Self.pool.put(memory)
  }

  /// Arrays that are kept for later queries, which allocate nothing once they are long enough.
  struct Arrays {
    /// The posts that were found.
    var rows: [UInt32] = []
    /// In a backward scan: a filter of the followees, created by the first scan that needs it.
    var bloomFilter: RowBloomFilter?
    /// In a merge: authors whose lists need a binary search, because their newest post is not before the bound.
    let later = ScratchList<UInt32>()
    /// In a merge: the authors that may be among the first, or were.
    let cursors = ScratchList<TimelineMerge.AuthorCursor>()
    /// In a merge: the cursors of those who may be, by the coarse time of their first post.
    let candidates = ScratchList<UInt64>()
    var heap: [TimelineMerge.HeapEntry] = []
  }
}

extension TimelineMerge {
  /// A position in the list of one author.
  struct AuthorCursor: BitwiseCopyable {
    /// The row of a cursor whose post was not looked up yet.
    static let noRow = UInt32.max

    let author: UInt32
    var row = noRow
    var position = PackedLists<UInt32>.Position(run: 0, offset: 0)
    /// When the post was created.
    var time: Int64 = 0
  }

  /// An entry of the heap, for one cursor.
  struct HeapEntry {
    /// By time, descending.
    var rank: UInt64 = 0
    var cursor: UInt32 = 0
  }
}
