/// A match of a search, with the position of its key.
struct NameHit {
  let row: UInt32
  /// The primary sort key, before the name; descending.
  private(set) var rank: Int
  /// The index of the sorted run; the number of sorted runs denotes the memtable.
  let source: Int
  /// The block of the memtable; 0 for other runs.
  let block: Int
  let start: Int
  let keyByteCount: Int
  /// The first eight bytes of the key. They decide most comparisons.
  let word: UInt64

  init(row: UInt32, rank: Int, source: Int, block: Int, start: Int, key: Span<UInt8>) {
    self.row = row
    self.rank = rank
    self.source = source
    self.block = block
    self.start = start
    keyByteCount = key.count
    word = ByteSearch.leadingWord(key)
  }

  /// The same name with another rank.
  func withRank(_ rank: Int) -> NameHit {
    var hit = self
    hit.rank = rank
    return hit
  }
}

/// The top k of the matches of several sources, each of which yields its matches in name order.
///
/// `TopK` does not fit: the last match kept must be known after each insertion, because it decides when a source can
/// yield no more, and comparing two matches reads the index.
/// - Complexity: inserting a match is O(1) when it comes last, else O(log limit) comparisons and a move of small
///   numbers.
struct NameSelection {
  private let limit: Int
  private var hits: [NameHit] = []
  /// Indices of `hits`, best first.
  private var order: [UInt16] = []

  /// - Parameter limit: 1…65,535.
  init(limit: Int) {
    precondition((1...Int(UInt16.max)).contains(limit), "a selection holds 1 to 65,535 matches")
    self.limit = limit
  }

  /// The match before which a further one must sort to be kept; nil while there is room.
  var last: NameHit? { order.count == limit ? hits[Int(order[limit - 1])] : nil }

  /// Inserts a match if it is among the best so far.
  @inline(__always)
  mutating func take(_ hit: NameHit, isBefore: (NameHit, NameHit) -> Bool) {
    // The matches of one source come in order, so most are appended.
    if let place = order.last {
      let worst = hits[Int(place)]
      let isAfter = worst.source == hit.source && worst.rank >= hit.rank || isBefore(worst, hit)
      if !isAfter { return insert(hit, isBefore: isBefore) }
      if order.count == limit { return }
    }
    if hits.isEmpty {
      hits.reserveCapacity(min(limit, 32))
      order.reserveCapacity(min(limit, 32))
    }
    order.append(UInt16(hits.count))
    hits.append(hit)
  }

  @inline(never)
  private mutating func insert(_ hit: NameHit, isBefore: (NameHit, NameHit) -> Bool) {
    var (low, high) = (0, order.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(hits[Int(order[middle])], hit) { low = middle + 1 } else { high = middle }
    }
    if order.count == limit {
      let freed = order.removeLast()
      hits[Int(freed)] = hit
      order.insert(freed, at: low)
    } else {
      order.insert(UInt16(hits.count), at: low)
      hits.append(hit)
    }
  }

  /// The matches, best first.
  func found() -> [FoundName] {
    order.map { FoundName(row: hits[Int($0)].row, rank: hits[Int($0)].rank) }
  }
}

/// A result: the row of the name, and its primary sort key.
struct FoundName: Equatable, Sendable {
  let row: UInt32
  let rank: Int
}
