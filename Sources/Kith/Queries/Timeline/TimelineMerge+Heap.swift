/// The merge of the remaining authors' lists, by a binary heap on exact keys.
extension TimelineMerge {
  /// Finds the rows of the first `limit` posts.
  mutating func merge(_ posts: borrowing PostTable) {
    // Moved out of the struct while they are written, so that the rest can be read.
    let memory = scratch.memory
    var heap = exchange(&memory.value.heap, with: [])
    var rows = exchange(&memory.value.rows, with: [])
    Self.grow(&heap, to: candidates.count, with: HeapEntry())
    Self.grow(&rows, to: min(limit, posts.count), with: 0)
    prefetchHeads(posts)
    var found = rows.mutableSpan
    let foundCount = merge(heap.mutableSpan, into: &found, posts)
    rows.removeLast(rows.count - foundCount)
    (memory.value.heap, memory.value.rows) = (heap, rows)
  }

  /// The cursors are not moved; the heap holds their indices and times. Returns the number of rows.
  private func merge(
    _ heap: consuming MutableSpan<HeapEntry>, into found: inout MutableSpan<UInt32>, _ posts: borrowing PostTable
  ) -> Int {
    var count = 0
    for index in 0..<candidates.count {
      let cursor = cursor(index)
      if !moveToHead(&cursors[cursor], posts) { continue }
      heap[count] = entry(of: cursor)
      count &+= 1
    }
    for index in stride(from: count / 2 - 1, through: 0, by: -1) {
      siftDown(&heap, count, heap[index], from: index, posts)
    }
    var foundCount = 0
    while count > 0, foundCount < found.count {
      let first = Int(heap[0].cursor)
      found[foundCount] = cursors[first].row
      foundCount &+= 1
      if step(&cursors[first], posts) {
        siftDown(&heap, count, entry(of: first), from: 0, posts)
      } else {
        count &-= 1
        if count > 0 { siftDown(&heap, count, heap[count], from: 0, posts) }
      }
    }
    return foundCount
  }

  /// Prefetches the newest posts of candidates that were not searched, in stages.
  private func prefetchHeads(_ posts: borrowing PostTable) {
    for index in 0..<candidates.count where cursors[cursor(index)].isUnsearched {
      posts.byAuthor.prefetchEnd(of: Int(cursors[cursor(index)].author))
    }
    for index in 0..<candidates.count where cursors[cursor(index)].isUnsearched {
      posts.byAuthor.prefetchLast(of: Int(cursors[cursor(index)].author))
    }
    for index in 0..<candidates.count where cursors[cursor(index)].isUnsearched {
      guard let row = posts.byAuthor.packedLast(of: Int(cursors[cursor(index)].author)) else { continue }
      posts.prefetchTime(of: row)
    }
  }

  @inline(__always)
  private func cursor(_ candidate: Int) -> Int { Int(candidates.ranked(candidate)) }

  static func grow<Element>(_ array: inout [Element], to count: Int, with element: Element) {
    if array.count < count { array.append(contentsOf: repeatElement(element, count: count - array.count)) }
  }

  /// Moves the cursor of an author who was not searched to the author's newest post, which is before the bound. Whether
  /// the author has a post between the bounds.
  @inline(__always)
  private func moveToHead(_ cursor: inout AuthorCursor, _ posts: borrowing PostTable) -> Bool {
    if cursor.isUnsearched && !cursor.move(to: posts.byAuthor.last(of: Int(cursor.author)), posts) { return false }
    if direction == .older { posts.prefetchTime(before: cursor.position, of: cursor.author) }
    return isInRange(cursor, posts)
  }

  /// Moves a cursor to the next post of its author; false at the end.
  @inline(__always)
  private func step(_ cursor: inout AuthorCursor, _ posts: borrowing PostTable) -> Bool {
    let list = Int(cursor.author)
    var next: (row: UInt32, position: PackedLists<UInt32>.Position)?
    switch direction {
    case .older: next = posts.byAuthor.element(before: cursor.position, of: list)
    case .newer:
      let after = PackedLists<UInt32>.Position(run: cursor.position.run, offset: cursor.position.offset + 1)
      next = posts.byAuthor.element(atOrAfter: after, of: list)
    }
    guard cursor.move(to: next, posts) else { return false }
    if direction == .older { posts.prefetchTime(before: cursor.position, of: cursor.author) }
    return isInRange(cursor, posts)
  }

  /// Whether a cursor is at a post between the bounds. Posts in the direction of the scan cannot be beyond the bound
  /// that it starts from.
  @inline(__always)
  private func isInRange(_ cursor: AuthorCursor, _ posts: borrowing PostTable) -> Bool {
    switch direction {
    case .older: cursor.time > low.time || cursor.time == low.time && posts.isAfter(cursor.row, low)
    case .newer: cursor.time < high.time || cursor.time == high.time && posts.isBefore(cursor.row, high)
    }
  }

  @inline(__always)
  private func entry(of cursor: Int) -> HeapEntry {
    let time = UInt64(bitPattern: cursors[cursor].time)
    return HeapEntry(rank: direction == .older ? time : ~time, cursor: UInt32(truncatingIfNeeded: cursor))
  }

  @inline(__always)
  private func comesFirst(_ left: HeapEntry, _ right: HeapEntry, _ posts: borrowing PostTable) -> Bool {
    if left.rank != right.rank { return left.rank > right.rank }
    return isTiedFirst(left.cursor, right.cursor, posts)
  }

  /// Of two posts of one time, whether the one with the first id comes first. Ids are read for ties alone.
  @inline(never)
  private func isTiedFirst(_ left: UInt32, _ right: UInt32, _ posts: borrowing PostTable) -> Bool {
    let (left, right) = (posts.key(cursors[Int(left)].row), posts.key(cursors[Int(right)].row))
    return direction == .older ? right < left : left < right
  }

  /// Places a cursor at the heap's empty `start`, or below it.
  @inline(__always)
  private func siftDown(
    _ heap: inout MutableSpan<HeapEntry>, _ count: Int, _ entry: HeapEntry, from start: Int,
    _ posts: borrowing PostTable
  ) {
    var parent = start
    while true {
      var child = 2 &* parent &+ 1
      if child >= count { break }
      var best = heap[child]
      if child &+ 1 < count {
        let other = heap[child &+ 1]
        if comesFirst(other, best, posts) {
          child &+= 1
          best = other
        }
      }
      if !comesFirst(best, entry, posts) { break }
      heap[parent] = best
      parent = child
    }
    heap[parent] = entry
  }
}

extension TimelineMerge.AuthorCursor {
  /// Whether the author's post was not looked up yet.
  @inline(__always)
  var isUnsearched: Bool { row == Self.noRow }

  /// Moves to a post; false if there is none.
  @inline(__always)
  mutating func move(
    to post: (row: UInt32, position: PackedLists<UInt32>.Position)?, _ posts: borrowing PostTable
  ) -> Bool {
    guard let post else { return false }
    row = post.row
    position = post.position
    time = posts.time(post.row)
    return true
  }
}
