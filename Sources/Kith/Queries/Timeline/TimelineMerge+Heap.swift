import CSupport

/// The merge of the remaining authors' lists, by a binary heap on exact keys.
extension TimelineMerge {
  /// Finds the rows of the first `limit` posts.
  ///
  /// The cursors are not moved; the heap holds their indices and times.
  func merge(_ posts: borrowing PostTable) {
    findHeads(posts)
    lists.value.heap.resize(to: lists.value.candidates.count)
    var count = 0
    for index in 0..<lists.value.candidates.count {
      let cursor = cursor(index)
      if !lists.value.cursors[cursor].moveToHead(range, posts) { continue }
      lists.value.heap[count] = lists.value.entry(of: cursor, range.direction)
      count &+= 1
    }
    for index in stride(from: count / 2 - 1, through: 0, by: -1) {
      lists.value.place(lists.value.heap[index], at: index, count, range.direction, posts)
    }
    lists.value.rows.resize(to: min(range.limit, posts.count))
    var foundCount = 0
    while count > 0, foundCount < lists.value.rows.count {
      let first = Int(lists.value.heap[0].cursor)
      lists.value.rows[foundCount] = lists.value.cursors[first].row
      foundCount &+= 1
      var next: HeapEntry
      if lists.value.cursors[first].step(range, posts) {
        next = lists.value.entry(of: first, range.direction)
      } else {
        count &-= 1
        if count == 0 { break }
        next = lists.value.heap[count]
      }
      lists.value.place(next, at: 0, count, range.direction, posts)
    }
    lists.value.rows.truncate(to: foundCount)
  }

  /// Finds the lists of candidates that were not searched, and prefetches their newest posts, in stages.
  private func findHeads(_ posts: borrowing PostTable) {
    let count = lists.value.candidates.count
    for index in 0..<count where lists.value.cursors[cursor(index)].isUnsearched {
      posts.byAuthor.prefetchHead(of: Int(lists.value.cursors[cursor(index)].author))
    }
    for index in 0..<count where lists.value.cursors[cursor(index)].isUnsearched {
      let end = posts.byAuthor.endCursor(of: Int(lists.value.cursors[cursor(index)].author))
      end.prefetchBefore()
      lists.value.cursors[cursor(index)].place = end
    }
    for index in 0..<count where lists.value.cursors[cursor(index)].isUnsearched {
      posts.prefetchTime(before: lists.value.cursors[cursor(index)].place)
    }
  }

  @inline(__always)
  private func cursor(_ candidate: Int) -> Int { Int(lists.value.candidates.ranked(candidate)) }
}

extension TimelineLists {
  @inline(__always)
  fileprivate func entry(of cursor: Int, _ direction: TimelineQuery.Direction) -> TimelineMerge.HeapEntry {
    let time = UInt64(bitPattern: cursors[cursor].time)
    return TimelineMerge.HeapEntry(
      rank: direction == .older ? time : ~time, cursor: UInt32(truncatingIfNeeded: cursor))
  }

  /// Places a cursor at the heap's empty `start`, or below it.
  ///
  /// The better child moves up at each level, which takes no branch, and the cursor rises from the last one
  /// (I. Wegener, "Bottom-up-heapsort", 1993). In a timeline of ten followees it rises by 0.8 levels of 1.8.
  @inline(__always)
  fileprivate func place(
    _ entry: TimelineMerge.HeapEntry, at start: Int, _ count: Int, _ direction: TimelineQuery.Direction,
    _ posts: borrowing PostTable
  ) {
    var hole = start
    var child = 2 &* hole &+ 1
    while child &+ 1 < count {
      if heap[child].rank == heap[child &+ 1].rank {
        if isTiedFirst(heap[child &+ 1], heap[child], direction, posts) { child &+= 1 }
      } else {
        child = kith_index_after(child, heap[child &+ 1].rank > heap[child].rank)
      }
      heap[hole] = heap[child]
      hole = child
      child = 2 &* hole &+ 1
    }
    if child < count {
      heap[hole] = heap[child]
      hole = child
    }
    while hole > start {
      let parent = (hole &- 1) &>> 1
      if entry.rank < heap[parent].rank { break }
      if entry.rank == heap[parent].rank && !isTiedFirst(entry, heap[parent], direction, posts) { break }
      heap[hole] = heap[parent]
      hole = parent
    }
    heap[hole] = entry
  }

  @inline(__always)
  private func isTiedFirst(
    _ left: TimelineMerge.HeapEntry, _ right: TimelineMerge.HeapEntry, _ direction: TimelineQuery.Direction,
    _ posts: borrowing PostTable
  ) -> Bool {
    let (left, right) = (cursors[Int(left.cursor)].row, cursors[Int(right.cursor)].row)
    return direction == .older ? posts.isKey(of: right, before: left) : posts.isKey(of: left, before: right)
  }
}

extension PostTable {
  /// Whether a post comes before another one, ascending. Of posts of one time, which are rare, the ids are read.
  @inline(never)
  fileprivate func isKey(of left: UInt32, before right: UInt32) -> Bool { key(left) < key(right) }
}

extension TimelineMerge.AuthorCursor {
  /// Whether the author's post was not looked up yet.
  @inline(__always)
  var isUnsearched: Bool { row == Self.noRow }

  /// Moves to the author's newest post, which is before the bound, if the author was not searched. Whether the author
  /// has a post in the range.
  @inline(__always)
  fileprivate mutating func moveToHead(_ range: TimelineRange, _ posts: borrowing PostTable) -> Bool {
    if isUnsearched && !moveBack(posts) { return false }
    if range.direction == .older { posts.prefetchTime(before: place) }
    return isInRange(range, posts)
  }

  /// Moves to the author's next post; false at the end.
  @inline(__always)
  fileprivate mutating func step(_ range: TimelineRange, _ posts: borrowing PostTable) -> Bool {
    if range.direction == .older {
      if !moveBack(posts) { return false }
      posts.prefetchTime(before: place)
    } else {
      place.skip()
      if !settle(posts) { return false }
    }
    return isInRange(range, posts)
  }

  /// Whether the post is between the bounds. In the direction of the scan it cannot be beyond the bound that the scan
  /// starts from.
  @inline(__always)
  private func isInRange(_ range: TimelineRange, _ posts: borrowing PostTable) -> Bool {
    if range.direction == .older {
      return time > range.low.time || time == range.low.time && posts.isAfter(row, range.low)
    }
    return time < range.high.time || time == range.high.time && posts.isBefore(row, range.high)
  }

  /// Moves to the post before the place; false if there is none.
  @inline(__always)
  mutating func moveBack(_ posts: borrowing PostTable) -> Bool {
    guard let row = place.moveBack(in: posts.byAuthor, list: Int(author)) else { return false }
    (self.row, time) = (row, posts.time(row))
    return true
  }

  /// Moves to the post after the place; false if there is none.
  @inline(__always)
  mutating func settle(_ posts: borrowing PostTable) -> Bool {
    guard let row = place.settle(in: posts.byAuthor, list: Int(author)) else { return false }
    (self.row, time) = (row, posts.time(row))
    return true
  }
}
