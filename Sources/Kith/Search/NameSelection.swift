/// An answer to a search, and where its key lies.
struct NameHit {
  let row: UInt32
  /// What goes before the name in the order: larger ones come first.
  private(set) var front: Int
  /// Which tier; the number of tiers means the head.
  let source: Int
  /// Block of a head; else 0.
  let block: Int
  let start: Int
  let keyByteCount: Int
  /// The key's leading word: it decides most comparisons.
  let word: UInt64

  init(row: UInt32, front: Int, source: Int, block: Int, start: Int, key: Span<UInt8>) {
    self.row = row
    self.front = front
    self.source = source
    self.block = block
    self.start = start
    keyByteCount = key.count
    word = ByteSearch.leadingWord(key)
  }

  /// The same name with another front.
  func withFront(_ front: Int) -> NameHit {
    var hit = self
    hit.front = front
    return hit
  }
}

/// The best answers of several sources, each of which gives its own in order of name, one source after the other.
///
/// - Complexity: taking an answer O(1) when it comes last, else O(log limit) comparisons and a move of small numbers.
struct NameSelection {
  private let limit: Int
  private var hits: [NameHit] = []
  /// Places in `hits`, best first.
  private var order: [UInt16] = []

  /// - Parameter limit: 1…65,535.
  init(limit: Int) {
    precondition((1...Int(UInt16.max)).contains(limit), "a selection holds 1 to 65,535 answers")
    self.limit = limit
  }

  /// The answer that a further one must come before; nil while there is room.
  var last: NameHit? { order.count == limit ? hits[Int(order[limit - 1])] : nil }

  /// Keeps an answer if it is among the best so far.
  @inline(__always)
  mutating func take(_ hit: NameHit, isBefore: (NameHit, NameHit) -> Bool) {
    // What one source gives comes in order, so mostly it goes to the end.
    if let place = order.last {
      let worst = hits[Int(place)]
      let isAfter = worst.source == hit.source && worst.front >= hit.front || isBefore(worst, hit)
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

  /// The answers, best first.
  func found() -> [FoundName] {
    order.map { FoundName(row: hits[Int($0)].row, front: hits[Int($0)].front) }
  }
}

/// An answer: whose name, and what goes before the name in the order.
struct FoundName: Equatable, Sendable {
  let row: UInt32
  let front: Int
}
