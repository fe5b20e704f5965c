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
