extension TimelineMerge {
  /// One author's list on its way: the post it stands at.
  struct Walker {
    var key = PostKey(time: 0, id: 0)
    var row: UInt32 = 0
    var author: UInt32 = 0
    var position = PackedLists<UInt32>.Position(run: 0, offset: 0)
  }

  /// A walker's place in the heap.
  struct Standing {
    /// By time; the highest comes first.
    var rank: UInt64 = 0
    var walker: UInt32 = 0
  }
}

/// The arrays of a merge, kept for the next one.
struct TimelineScratch: Sendable {
  /// Authors that may be among the first, by the coarse time of their first post.
  let candidates = RankBuffer()
  /// Authors whose lists are to be searched, because their newest post is not before the bound.
  let later = RankBuffer()
  var walkers: [TimelineMerge.Walker] = []
  var heap: [TimelineMerge.Standing] = []
  var rows: [UInt32] = []
  /// Of a walk: whom the user follows; made by the first that needs it.
  var signature: RowSignature?

  private static let pool = StripedPool<TimelineScratch>()

  static func borrow() -> TimelineScratch { pool.take() ?? TimelineScratch() }

  /// What is given back is not to be used again; its arrays must not be shared with the next to take them.
  static func giveBack(_ scratch: inout TimelineScratch) {
    scratch.candidates.removeAll()
    scratch.later.removeAll()
    scratch.rows.removeAll(keepingCapacity: true)
    pool.put(scratch)
    (scratch.walkers, scratch.heap, scratch.rows, scratch.signature) = ([], [], [], nil)
  }
}
