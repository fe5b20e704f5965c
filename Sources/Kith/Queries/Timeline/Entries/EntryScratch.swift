/// The memory of one merge of entries: taken from a pool, and returned to it at the end of the value's life.
struct EntryScratch: ~Copyable {
  private static let pool = StripedPool<Box<Lists>>()

  let lists: Box<Lists>

  init() { lists = Self.pool.take() ?? Box(Lists()) }

  deinit { Self.pool.put(lists) }

  /// A list in the heap, by the time of its next entry: a greater rank comes first.
  struct Head: BitwiseCopyable {
    var rank: UInt64 = 0
    var list: UInt32 = 0
  }

  /// What is kept for later queries.
  struct Lists: ~Copyable {
    /// The lists that were opened.
    var lists = ScratchList<EntryList>()
    /// Of those that have an entry: a binary heap.
    var heap = ScratchList<Head>()
    /// Those that may be opened next: of posts, and of what enters timelines.
    var authored = EntryCandidates()
    var entering = EntryCandidates()
    /// The likely row of the first post that is not before the upper bound.
    var highRow: UInt32 = 0
    /// What was found out on the way.
    var memory = EntryMemory()

    mutating func removeAll(listCount: Int) {
      authored.removeAll(wanted: listCount)
      entering.removeAll(wanted: listCount)
      lists.truncate(to: 0)
      heap.truncate(to: 0)
      memory.removeAll()
    }
  }
}

extension EntryScratch.Lists {
  /// Whether an entry of a coarse time, 0 for none, may come before those in the heap, towards older ones.
  @inline(__always)
  func heapIsBehind(_ rank: UInt32) -> Bool {
    rank > 0 && (heap.count == 0 || PostTable.coarse(Int64(bitPattern: heap[0].rank)) <= rank)
  }

  @inline(__always)
  private func head(_ list: Int, _ direction: TimelineQuery.Direction) -> EntryScratch.Head {
    let time = UInt64(bitPattern: lists[list].entry.time)
    return EntryScratch.Head(rank: direction == .older ? time : ~time, list: UInt32(truncatingIfNeeded: list))
  }

  /// Adds a list to the heap.
  mutating func push(_ list: Int, _ direction: TimelineQuery.Direction, _ state: borrowing GraphState) {
    let head = head(list, direction)
    heap.append(head)
    var place = heap.count - 1
    while place > 0 {
      let parent = (place - 1) / 2
      if !isFirst(head, heap[parent], direction, state) { break }
      heap[place] = heap[parent]
      place = parent
    }
    heap[place] = head
  }

  /// Places the head's list by its next entry.
  @inline(__always)
  mutating func replaceHead(_ list: Int, _ direction: TimelineQuery.Direction, _ state: borrowing GraphState) {
    sink(head(list, direction), direction, state)
  }

  mutating func removeHead(_ direction: TimelineQuery.Direction, _ state: borrowing GraphState) {
    let last = heap[heap.count - 1]
    heap.truncate(to: heap.count - 1)
    if heap.count > 0 { sink(last, direction, state) }
  }

  private func sink(
    _ head: EntryScratch.Head, _ direction: TimelineQuery.Direction, _ state: borrowing GraphState
  ) {
    heap.sink(head, from: 0) { isFirst($0, $1, direction, state) }
  }

  @inline(__always)
  private func isFirst(
    _ left: EntryScratch.Head, _ right: EntryScratch.Head, _ direction: TimelineQuery.Direction,
    _ state: borrowing GraphState
  ) -> Bool {
    left.rank == right.rank ? isTiedFirst(left, right, direction, state) : left.rank > right.rank
  }

  /// Of entries of one time, which are rare, the ids are read.
  @inline(never)
  private func isTiedFirst(
    _ left: EntryScratch.Head, _ right: EntryScratch.Head, _ direction: TimelineQuery.Direction,
    _ state: borrowing GraphState
  ) -> Bool {
    let (left, right) = (lists[Int(left.list)].entry.key(state), lists[Int(right.list)].entry.key(state))
    return direction == .older ? right < left : left < right
  }
}
