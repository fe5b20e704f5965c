/// The merge itself: of the authors that the pass left, by a binary heap on exact keys.
extension TimelineMerge {
  /// Finds the rows of the first `limit` posts.
  mutating func merge(_ posts: borrowing PostTable) {
    endPass(posts)
    // Out of the struct while they are written, so that the rest can be read meanwhile.
    var (walkers, heap, rows) = (scratch.walkers, scratch.heap, scratch.rows)
    (scratch.walkers, scratch.heap, scratch.rows) = ([], [], [])
    let authorCount = scratch.candidates.count
    Self.grow(&walkers, to: authorCount, with: Walker())
    Self.grow(&heap, to: authorCount, with: Standing())
    Self.grow(&rows, to: min(limit, posts.count), with: 0)
    prefetchHeads(posts)
    var found = rows.mutableSpan
    let foundCount = merge(walkers.mutableSpan, heap.mutableSpan, into: &found, posts)
    rows.removeLast(rows.count - foundCount)
    (scratch.walkers, scratch.heap, scratch.rows) = (walkers, heap, rows)
  }

  /// The walkers stay where they are; the heap holds their numbers and times. Returns how many rows there are.
  private func merge(
    _ walkers: consuming MutableSpan<Walker>, _ heap: consuming MutableSpan<Standing>,
    into found: inout MutableSpan<UInt32>, _ posts: borrowing PostTable
  ) -> Int {
    var count = 0
    for index in 0..<scratch.candidates.count {
      if let walker = head(of: scratch.candidates.row(index), posts) {
        walkers[count] = walker
        heap[count] = standing(of: count, walkers)
        count &+= 1
      }
    }
    for index in stride(from: count / 2 - 1, through: 0, by: -1) {
      siftDown(&heap, count, heap[index], from: index, walkers)
    }
    var foundCount = 0
    while count > 0, foundCount < found.count {
      let first = Int(heap[0].walker)
      found[foundCount] = walkers[first].row
      foundCount &+= 1
      if step(&walkers[first], posts) {
        siftDown(&heap, count, standing(of: first, walkers), from: 0, walkers)
      } else {
        count &-= 1
        if count > 0 { siftDown(&heap, count, heap[count], from: 0, walkers) }
      }
    }
    return foundCount
  }

  /// Asks for what the heads of all candidates are read from, one stage after the other.
  private func prefetchHeads(_ posts: borrowing PostTable) {
    for index in 0..<scratch.candidates.count { posts.byAuthor.prefetchEnd(of: author(index)) }
    let likelyRow = highRow ?? .max
    for index in 0..<scratch.candidates.count {
      if highRow == nil {
        posts.byAuthor.prefetchLast(of: author(index))
      } else {
        posts.byAuthor.prefetchSearch(of: author(index))
      }
    }
    if direction == .newer { return }
    for index in 0..<scratch.candidates.count {
      guard let row = posts.byAuthor.packedLast(of: author(index)) else { continue }
      if row < likelyRow {
        posts.times.prefetch(Int(row))
      } else {
        let place = posts.byAuthor.partitionPoint(of: author(index)) { $0 < likelyRow }
        posts.prefetchTimes(around: place, of: scratch.candidates.row(index))
      }
    }
  }

  @inline(__always)
  private func author(_ index: Int) -> Int { Int(scratch.candidates.row(index)) }

  static func grow<Element>(_ array: inout [Element], to count: Int, with element: Element) {
    if array.count < count { array.append(contentsOf: repeatElement(element, count: count - array.count)) }
  }

  /// Moves a walker to the next post of its author; false if there is none.
  @inline(__always)
  private func step(_ walker: inout Walker, _ posts: borrowing PostTable) -> Bool {
    let list = Int(walker.author)
    var next: (row: UInt32, position: PackedLists<UInt32>.Position)?
    switch direction {
    case .older: next = posts.byAuthor.element(before: walker.position, of: list)
    case .newer:
      let after = PackedLists<UInt32>.Position(run: walker.position.run, offset: walker.position.offset + 1)
      next = posts.byAuthor.element(atOrAfter: after, of: list)
    }
    guard let next else { return false }
    if direction == .older { posts.prefetchTime(before: next.position, of: walker.author) }
    walker.key = posts.key(next.row)
    walker.row = next.row
    walker.position = next.position
    return low < walker.key && walker.key < high
  }

  @inline(__always)
  private func standing(of walker: Int, _ walkers: borrowing MutableSpan<Walker>) -> Standing {
    let time = UInt64(bitPattern: walkers[walker].key.time)
    return Standing(rank: direction == .older ? time : ~time, walker: UInt32(truncatingIfNeeded: walker))
  }

  @inline(__always)
  private func comesFirst(_ left: Standing, _ right: Standing, _ walkers: borrowing MutableSpan<Walker>) -> Bool {
    if left.rank != right.rank { return left.rank > right.rank }
    let (leftID, rightID) = (walkers[Int(left.walker)].key.id, walkers[Int(right.walker)].key.id)
    return direction == .older ? rightID < leftID : leftID < rightID
  }

  /// Puts a walker where the heap's `start` is empty, or below it.
  @inline(__always)
  private func siftDown(
    _ heap: inout MutableSpan<Standing>, _ count: Int, _ standing: Standing, from start: Int,
    _ walkers: borrowing MutableSpan<Walker>
  ) {
    var parent = start
    while true {
      var child = 2 &* parent &+ 1
      if child >= count { break }
      var best = heap[child]
      if child &+ 1 < count {
        let other = heap[child &+ 1]
        if comesFirst(other, best, walkers) {
          child &+= 1
          best = other
        }
      }
      if !comesFirst(best, standing, walkers) { break }
      heap[parent] = best
      parent = child
    }
    heap[parent] = standing
  }

  // MARK: - Heads

  /// The first visible post of an author in the direction of the walk.
  @inline(__always)
  private func head(of author: UInt32, _ posts: borrowing PostTable) -> Walker? {
    let list = Int(author)
    if direction == .older {
      // Mostly the newest post is it, and its row tells when it is not.
      guard let (newest, position) = posts.byAuthor.last(of: list) else { return nil }
      if newest < highRow ?? .max {
        let key = posts.key(newest)
        if key < high {
          posts.prefetchTime(before: position, of: author)
          return low < key ? Walker(key: key, row: newest, author: author, position: position) : nil
        }
      }
    }
    return searchHead(of: author, posts)
  }

  @inline(never)
  func searchHead(of author: UInt32, _ posts: borrowing PostTable) -> Walker? {
    let list = Int(author)
    switch direction {
    case .older:
      let place = posts.place(of: high, likelyRow: highRow ?? .max, in: posts.byAuthor, list: list)
      guard let (row, position) = posts.byAuthor.element(before: place, of: list) else { return nil }
      posts.prefetchTime(before: position, of: author)
      return walker(row, author, position, posts)
    case .newer:
      let place = posts.byAuthor.partitionPoint(of: list) { posts.key($0) <= low }
      guard let (row, position) = posts.byAuthor.element(atOrAfter: place, of: list) else { return nil }
      return walker(row, author, position, posts)
    }
  }

  @inline(__always)
  private func walker(
    _ row: UInt32, _ author: UInt32, _ position: PackedLists<UInt32>.Position, _ posts: borrowing PostTable
  ) -> Walker? {
    let key = posts.key(row)
    return low < key && key < high ? Walker(key: key, row: row, author: author, position: position) : nil
  }
}
