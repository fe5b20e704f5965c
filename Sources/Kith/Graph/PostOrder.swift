/// A place in the order of posts: time, then id.
///
/// The id is unsigned, so that a bound can lie behind every id there is.
struct PostKey: Hashable, Comparable, Sendable {
  var time: Int64
  var id: UInt64

  /// Behind every post there may be.
  static var end: PostKey { PostKey(time: .max, id: .max) }

  @inline(__always)
  static func < (left: PostKey, right: PostKey) -> Bool {
    left.time < right.time || (left.time == right.time && left.id < right.id)
  }
}

/// The order of posts, and places in it.
extension PostTable {
  /// The place of a post in the order of all posts.
  @inline(__always)
  func key(_ row: UInt32) -> PostKey { PostKey(time: times[row], id: UInt64(bitPattern: identifiers.id(of: row))) }

  /// Whether a post comes before a place, in ascending order. The id is read only when times tie.
  @inline(__always)
  func isBefore(_ row: UInt32, _ key: PostKey) -> Bool {
    let time = times[row]
    return time < key.time || (time == key.time && UInt64(bitPattern: identifiers.id(of: row)) < key.id)
  }

  /// A time in about seconds (1,024 ms) from 1 on: a later time is never coarsely earlier.
  @inline(__always)
  static func coarse(_ time: Int64) -> UInt32 { UInt32(clamping: (time >> 10) + 1) }

  /// Asks for the time of the post before a place in the list of an author: whoever steps there soon compares it.
  @inline(__always)
  func prefetchTime(before position: PackedLists<UInt32>.Position, of author: UInt32) {
    if let row = byAuthor.packedElement(before: position, of: Int(author)) { times.prefetch(Int(row)) }
  }

  /// About the first row that is not before a key, exactly where rows are in the order of posts, as they mostly are.
  /// - Complexity: O(1) for the key of a post that is there, O(log posts) otherwise.
  func likelyRow(of key: PostKey) -> UInt32 {
    if let row = identifiers.row(of: Int64(bitPattern: key.id)), times[row] == key.time { return row }
    var (low, high) = (0, rowCount)
    while low < high {
      let middle = (low &+ high) &>> 1
      if times[middle] < key.time { low = middle &+ 1 } else { high = middle }
    }
    return UInt32(low)
  }

  /// Where a list has its first post that is not before a key, its end if there is none.
  ///
  /// It is looked for by row, which reads nothing but the list, and then made sure by the two times around it; where
  /// these tell otherwise, it is looked for by key.
  /// - Parameter likelyRow: that of the key.
  /// - Complexity: O(log list).
  @inline(__always)
  func place(
    of key: PostKey, likelyRow: UInt32, in lists: borrowing PackedLists<UInt32>, list: Int
  ) -> PackedLists<UInt32>.Position {
    let guess = lists.partitionPoint(of: list) { $0 < likelyRow }
    return checked(guess, of: key, in: lists, list: list)
  }

  /// A place if it is that of a key, or else the right one.
  @inline(__always)
  func checked(
    _ guess: PackedLists<UInt32>.Position, of key: PostKey, in lists: borrowing PackedLists<UInt32>, list: Int
  ) -> PackedLists<UInt32>.Position {
    if let (row, _) = lists.element(before: guess, of: list), !isBefore(row, key) {
      return search(for: key, in: lists, list: list)
    }
    if let (row, _) = lists.element(atOrAfter: guess, of: list), isBefore(row, key) {
      return search(for: key, in: lists, list: list)
    }
    return guess
  }

  @inline(never)
  private func search(
    for key: PostKey, in lists: borrowing PackedLists<UInt32>, list: Int
  ) -> PackedLists<UInt32>.Position {
    lists.partitionPoint(of: list) { isBefore($0, key) }
  }

  /// Asks for the times around a place of an author's list.
  @inline(__always)
  func prefetchTimes(around place: PackedLists<UInt32>.Position, of author: UInt32) {
    prefetchTime(before: place, of: author)
    if let row = byAuthor.packedElement(at: place, of: Int(author)) { times.prefetch(Int(row)) }
  }
}
