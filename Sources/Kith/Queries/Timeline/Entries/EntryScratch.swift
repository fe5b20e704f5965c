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

  private mutating func sink(
    _ head: EntryScratch.Head, _ direction: TimelineQuery.Direction, _ state: borrowing GraphState
  ) {
    let count = heap.count
    var place = 0
    while true {
      var child = 2 &* place &+ 1
      if child >= count { break }
      if child &+ 1 < count, isFirst(heap[child &+ 1], heap[child], direction, state) { child &+= 1 }
      if !isFirst(heap[child], head, direction, state) { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = head
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

/// A place in a list of entries, and the entry there.
struct EntryList: BitwiseCopyable {
  enum Kind: UInt8 {
    /// The posts of a user.
    case authored
    /// The posts that lead to a user.
    case tagged
    /// The reposts of a user.
    case reposted
    /// All posts, of which those of sources are shown: of all users, or where they are scanned for them.
    case all
    case scanned
  }

  let kind: Kind
  private let list: Int
  private var posts = ListCursor<UInt32>()
  private var reposts = ListCursor<UInt64>()
  private(set) var entry = TimelineEntry(time: 0, post: 0, reposter: TimelineEntry.noReposter)

  /// A place at the beginning of the range, in its direction.
  init(
    _ kind: Kind, _ row: UInt32, _ direction: TimelineQuery.Direction, low: EntryKey, high: EntryKey,
    near likelyRow: UInt32,
    _ state: borrowing GraphState
  ) {
    self.kind = kind
    list = Int(row)
    let bound = direction == .older ? high : low
    switch kind {
    case .authored: posts = Self.place(in: state.posts.byAuthor, list, direction, bound, near: likelyRow, state)
    case .all, .scanned: posts = Self.place(in: state.posts.all, list, direction, bound, near: likelyRow, state)
    case .tagged:
      if let entries = state.declared.entries {
        posts = Self.place(in: entries.value.tagged, list, direction, bound, near: likelyRow, state)
      }
    case .reposted:
      if let entries = state.declared.entries {
        reposts = Self.place(of: row, in: entries.value.reposts, direction, bound, state)
      }
    }
  }

  private static func place(
    in lists: borrowing PackedLists<UInt32>, _ list: Int, _ direction: TimelineQuery.Direction, _ bound: EntryKey,
    near likelyRow: UInt32, _ state: borrowing GraphState
  ) -> ListCursor<UInt32> {
    if bound == EntryRange.end { return lists.endCursor(of: list) }
    // A post's own place comes before those of its reposts.
    if direction == .older {
      let key = bound.postBound
      return state.posts.checked(
        lists.cursor(notBelow: likelyRow, in: list), of: key, in: lists, list: list)
    }
    let key = bound.ownPlace
    return lists.cursor(at: lists.partitionPoint(of: list) { !state.posts.isAfter($0, key) }, of: list)
  }

  private static func place(
    of user: UInt32, in lists: borrowing PackedLists<UInt64>, _ direction: TimelineQuery.Direction, _ bound: EntryKey,
    _ state: borrowing GraphState
  ) -> ListCursor<UInt64> {
    let list = Int(user)
    if bound == EntryRange.end { return lists.endCursor(of: list) }
    let place = lists.partitionPoint(of: list) { element in
      let time = EntryLists.time(element)
      if time != bound.time { return time < bound.time }
      let key = TimelineEntry(time: time, post: EntryLists.post(element), reposter: user).key(state)
      return direction == .older ? key < bound : key <= bound
    }
    return lists.cursor(at: place, of: list)
  }

  /// Moves to the first entry. False if there is none.
  @inline(__always)
  mutating func move(_ direction: TimelineQuery.Direction, _ state: borrowing GraphState) -> Bool {
    switch kind {
    case .authored: return set(posts.move(direction, in: state.posts.byAuthor, list), state)
    case .all, .scanned: return set(posts.move(direction, in: state.posts.all, list), state)
    case .tagged:
      guard let entries = state.declared.entries else { return false }
      return set(posts.move(direction, in: entries.value.tagged, list), state)
    case .reposted:
      guard let entries = state.declared.entries,
        let element = reposts.move(direction, in: entries.value.reposts, list)
      else { return false }
      entry = TimelineEntry(
        time: EntryLists.time(element), post: EntryLists.post(element), reposter: UInt32(truncatingIfNeeded: list))
      return true
    }
  }

  /// Prefetches what is read of the next post of an author.
  @inline(__always)
  func prefetchNext(_ filter: EntryFilter, _ direction: TimelineQuery.Direction, _ state: borrowing GraphState) {
    if kind == .authored && direction == .older { filter.prefetch(before: posts, state) }
  }

  /// Moves to the next entry. False if there is none.
  @inline(__always)
  mutating func advance(_ direction: TimelineQuery.Direction, _ state: borrowing GraphState) -> Bool {
    if direction == .newer { if kind == .reposted { reposts.skip() } else { posts.skip() } }
    return move(direction, state)
  }

  @inline(__always)
  private mutating func set(_ post: UInt32?, _ state: borrowing GraphState) -> Bool {
    guard let post else { return false }
    entry = TimelineEntry(time: state.posts.time(post), post: post, reposter: TimelineEntry.noReposter)
    return true
  }
}

extension ListCursor {
  /// Moves to the next element in a direction; nil at the end.
  @inline(__always)
  fileprivate mutating func move(
    _ direction: TimelineQuery.Direction, in lists: borrowing PackedLists<Element>, _ list: Int
  ) -> Element? {
    direction == .older ? moveBack(in: lists, list: list) : settle(in: lists, list: list)
  }
}
