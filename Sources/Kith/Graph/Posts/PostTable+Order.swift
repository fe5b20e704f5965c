/// The order of posts, and positions in it.
extension PostTable {
  /// The rows that a binary search takes over from an interpolation, and the most guesses before that.
  private static let interpolatedCount = 128
  private static let interpolationCount = 4

  /// The position of a post in the order of all posts.
  @inline(__always)
  func key(_ row: UInt32) -> PostKey { PostKey(time: time(row), id: UInt64(bitPattern: identifiers.id(of: row))) }

  /// Whether a post sorts before a position, ascending. The id is read only if the times are equal.
  @inline(__always)
  func isBefore(_ row: UInt32, _ key: PostKey) -> Bool {
    let time = self.time(row)
    return time < key.time || (time == key.time && UInt64(bitPattern: identifiers.id(of: row)) < key.id)
  }

  /// Whether a post sorts after a position. As `isBefore`.
  @inline(__always)
  func isAfter(_ row: UInt32, _ key: PostKey) -> Bool {
    let time = self.time(row)
    return time > key.time || (time == key.time && UInt64(bitPattern: identifiers.id(of: row)) > key.id)
  }

  /// A time in units of 1,024 ms, from 1 on. Monotonic: a later time is never coarsely earlier.
  @inline(__always)
  static func coarse(_ time: Int64) -> UInt32 { UInt32(clamping: (time >> 10) + 1) }

  @inline(__always)
  func prefetchTime(of row: UInt32) { texts.prefetchReference(Int(row)) }

  /// Prefetches the time of the post before a place in a list, for a caller that soon compares it.
  @inline(__always)
  func prefetchTime(before place: ListCursor<UInt32>) { if let row = place.before { prefetchTime(of: row) } }

  /// An estimate of the first row that is not before a key. Exact where rows are in the order of posts, as they mostly
  /// are.
  /// - Complexity: O(1) for the key of an existing post, otherwise O(log posts), and fewer reads where posts come at a
  ///   steady rate.
  func likelyRow(of key: PostKey) -> UInt32 {
    if let row = identifiers.row(of: Int64(bitPattern: key.id)), time(row) == key.time { return row }
    var (low, high) = likelyRows(of: key.time)
    while low < high {
      let middle = (low &+ high) &>> 1
      if texts.time(of: middle) < key.time { low = middle &+ 1 } else { high = middle }
    }
    return UInt32(low)
  }

  /// A range with the first row that is not before a time, or whose end is that row.
  ///
  /// Interpolates: where posts come at a steady rate, two reads around a guess leave the square root of the rows. Each
  /// read of a binary search is a cache miss instead, down to the last rows.
  private func likelyRows(of time: Int64) -> (low: Int, high: Int) {
    var (low, high) = (0, rowCount)
    if high == 0 { return (0, 0) }
    var (first, last) = (texts.time(of: 0), texts.time(of: high &- 1))
    for _ in 0..<Self.interpolationCount where high &- low > Self.interpolatedCount && first < time && time < last {
      let share = Self.distance(first, time) / Self.distance(first, last)
      let guess = low &+ Int(share * Double(high &- low &- 1))
      let margin = 2 &* Int(Double(high &- low).squareRoot())
      let (left, right) = (max(low, guess &- margin), min(high &- 1, guess &+ margin))
      let (leftTime, rightTime) = (texts.time(of: left), texts.time(of: right))
      if leftTime >= time {
        (high, last) = (left &+ 1, leftTime)
      } else if rightTime < time {
        (low, first) = (right, rightTime)
      } else {
        (low, first, high, last) = (left, leftTime, right &+ 1, rightTime)
      }
    }
    return (low, high)
  }

  /// The distance to a later time. The integers are subtracted: as floating-point numbers, times beyond 2^53 that are
  /// close together are equal, and a share of their distance is no number.
  @inline(__always)
  private static func distance(_ early: Int64, _ late: Int64) -> Double { Double(UInt64(bitPattern: late &- early)) }

  /// The place in a list before the first post that is not before a key; the end if there is none.
  ///
  /// The two times around the guess verify it. If they contradict it, a binary search by key follows.
  /// - Parameter guess: the place of the likely row (`likelyRow`). Finding it reads nothing but the list.
  /// - Complexity: O(1), or O(log list).
  @inline(__always)
  func checked(
    _ guess: ListCursor<UInt32>, of key: PostKey, in lists: borrowing PackedLists<UInt32>, list: Int
  ) -> ListCursor<UInt32> {
    var place = guess
    if let row = place.moveBack(in: lists, list: list), !isBefore(row, key) {
      return search(for: key, in: lists, list: list)
    }
    place = guess
    if let row = place.settle(in: lists, list: list), isBefore(row, key) {
      return search(for: key, in: lists, list: list)
    }
    return guess
  }

  @inline(never)
  private func search(
    for key: PostKey, in lists: borrowing PackedLists<UInt32>, list: Int
  ) -> ListCursor<UInt32> {
    lists.cursor(at: lists.partitionPoint(of: list) { isBefore($0, key) }, of: list)
  }

  /// Prefetches the times around a place in a list.
  @inline(__always)
  func prefetchTimes(around place: ListCursor<UInt32>) {
    prefetchTime(before: place)
    if let row = place.after { prefetchTime(of: row) }
  }
}

/// Posts as the sources of edges that have their times.
extension PostTable: SourceOrder {
  func isBefore(_ row: UInt32, _ other: UInt32) -> Bool { isBefore(row, key(other)) }
}

extension PostSegment {
  /// The document of a live post; nil for a row that the segment does not cover.
  /// - Complexity: O(1), or O(log documents) where documents are not kept by row.
  func document(of row: UInt32, _ posts: borrowing PostTable) -> Int? {
    guard rows.contains(row) else { return nil }
    if !documents.isEmpty { return Int(documents[Int(row - rows.lowerBound)]) }
    let key = posts.key(row)
    var document = firstDocument(before: PostKey(time: key.time, id: key.id + 1))
    while document < order.count {
      if order[document] == row { return document }
      document += 1
    }
    return nil
  }
}
