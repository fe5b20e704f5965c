/// The merge of the remaining authors' lists, by a binary heap on exact keys.
extension TimelineMerge {
  /// Finds the rows of the first `limit` posts.
  mutating func merge(_ posts: borrowing PostTable) {
    // Moved out of the struct while they are written, so that the rest can be read.
    let memory = scratch.memory
    var cursors = exchange(&memory.value.cursors, with: [])
    var heap = exchange(&memory.value.heap, with: [])
    var rows = exchange(&memory.value.rows, with: [])
    let authorCount = candidates.count
    Self.grow(&cursors, to: authorCount, with: AuthorCursor())
    Self.grow(&heap, to: authorCount, with: HeapEntry())
    Self.grow(&rows, to: min(limit, posts.count), with: 0)
    prefetchHeads(posts)
    var found = rows.mutableSpan
    let foundCount = merge(cursors.mutableSpan, heap.mutableSpan, into: &found, posts)
    rows.removeLast(rows.count - foundCount)
    (memory.value.cursors, memory.value.heap, memory.value.rows) = (cursors, heap, rows)
  }

  /// The cursors are not moved; the heap holds their indices and times. Returns the number of rows.
  private func merge(
    _ cursors: consuming MutableSpan<AuthorCursor>, _ heap: consuming MutableSpan<HeapEntry>,
    into found: inout MutableSpan<UInt32>, _ posts: borrowing PostTable
  ) -> Int {
    var count = 0
    for index in 0..<candidates.count {
      if let cursor = head(of: candidates.row(index), posts) {
        cursors[count] = cursor
        heap[count] = entry(of: count, cursors)
        count &+= 1
      }
    }
    for index in stride(from: count / 2 - 1, through: 0, by: -1) {
      siftDown(&heap, count, heap[index], from: index, cursors)
    }
    var foundCount = 0
    while count > 0, foundCount < found.count {
      let first = Int(heap[0].cursor)
      found[foundCount] = cursors[first].row
      foundCount &+= 1
      if step(&cursors[first], posts) {
        siftDown(&heap, count, entry(of: first, cursors), from: 0, cursors)
      } else {
        count &-= 1
        if count > 0 { siftDown(&heap, count, heap[count], from: 0, cursors) }
      }
    }
    return foundCount
  }

  /// Prefetches the memory of the first posts of all candidates, in stages.
  private func prefetchHeads(_ posts: borrowing PostTable) {
    for index in 0..<candidates.count { posts.byAuthor.prefetchEnd(of: author(index)) }
    let likelyRow = highRow ?? .max
    for index in 0..<candidates.count {
      if highRow == nil {
        posts.byAuthor.prefetchLast(of: author(index))
      } else {
        posts.byAuthor.prefetchSearch(of: author(index))
      }
    }
    if direction == .newer { return }
    for index in 0..<candidates.count {
      guard let row = posts.byAuthor.packedLast(of: author(index)) else { continue }
      if row < likelyRow {
        posts.prefetchTime(of: row)
      } else {
        let place = posts.byAuthor.position(notBelow: likelyRow, in: author(index))
        posts.prefetchTimes(around: place, of: candidates.row(index))
      }
    }
  }

  @inline(__always)
  private func author(_ index: Int) -> Int { Int(candidates.row(index)) }

  static func grow<Element>(_ array: inout [Element], to count: Int, with element: Element) {
    if array.count < count { array.append(contentsOf: repeatElement(element, count: count - array.count)) }
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
    guard let next else { return false }
    if direction == .older { posts.prefetchTime(before: next.position, of: cursor.author) }
    cursor.key = posts.key(next.row)
    cursor.row = next.row
    cursor.position = next.position
    return low < cursor.key && cursor.key < high
  }

  @inline(__always)
  private func entry(of cursor: Int, _ cursors: borrowing MutableSpan<AuthorCursor>) -> HeapEntry {
    let time = UInt64(bitPattern: cursors[cursor].key.time)
    return HeapEntry(rank: direction == .older ? time : ~time, cursor: UInt32(truncatingIfNeeded: cursor))
  }

  @inline(__always)
  private func comesFirst(
    _ left: HeapEntry, _ right: HeapEntry, _ cursors: borrowing MutableSpan<AuthorCursor>
  ) -> Bool {
    if left.rank != right.rank { return left.rank > right.rank }
    let (leftID, rightID) = (cursors[Int(left.cursor)].key.id, cursors[Int(right.cursor)].key.id)
    return direction == .older ? rightID < leftID : leftID < rightID
  }

  /// Places a cursor at the heap's empty `start`, or below it.
  @inline(__always)
  private func siftDown(
    _ heap: inout MutableSpan<HeapEntry>, _ count: Int, _ entry: HeapEntry, from start: Int,
    _ cursors: borrowing MutableSpan<AuthorCursor>
  ) {
    var parent = start
    while true {
      var child = 2 &* parent &+ 1
      if child >= count { break }
      var best = heap[child]
      if child &+ 1 < count {
        let other = heap[child &+ 1]
        if comesFirst(other, best, cursors) {
          child &+= 1
          best = other
        }
      }
      if !comesFirst(best, entry, cursors) { break }
      heap[parent] = best
      parent = child
    }
    heap[parent] = entry
  }

  // MARK: - First posts

  /// The first visible post of an author in the direction of the scan.
  @inline(__always)
  private func head(of author: UInt32, _ posts: borrowing PostTable) -> AuthorCursor? {
    let list = Int(author)
    if direction == .older {
      // It is usually the newest post. Its row shows when it is not.
      guard let (newest, position) = posts.byAuthor.last(of: list) else { return nil }
      if newest < highRow ?? .max {
        let key = posts.key(newest)
        if key < high {
          posts.prefetchTime(before: position, of: author)
          return low < key ? AuthorCursor(key: key, row: newest, author: author, position: position) : nil
        }
      }
    }
    return searchHead(of: author, posts)
  }

  @inline(never)
  func searchHead(of author: UInt32, _ posts: borrowing PostTable) -> AuthorCursor? {
    let list = Int(author)
    switch direction {
    case .older:
      let place = posts.place(of: high, likelyRow: highRow ?? .max, in: posts.byAuthor, list: list)
      guard let (row, position) = posts.byAuthor.element(before: place, of: list) else { return nil }
      posts.prefetchTime(before: position, of: author)
      return cursor(row, author, position, posts)
    case .newer:
      let place = posts.byAuthor.partitionPoint(of: list) { posts.key($0) <= low }
      guard let (row, position) = posts.byAuthor.element(atOrAfter: place, of: list) else { return nil }
      return cursor(row, author, position, posts)
    }
  }

  @inline(__always)
  private func cursor(
    _ row: UInt32, _ author: UInt32, _ position: PackedLists<UInt32>.Position, _ posts: borrowing PostTable
  ) -> AuthorCursor? {
    let key = posts.key(row)
    guard low < key && key < high else { return nil }
    return AuthorCursor(key: key, row: row, author: author, position: position)
  }
}
