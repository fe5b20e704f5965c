/// The largest `limit` of many keys: which rows are the best, where a key says how good and which.
///
/// A key that is not above the bar, the last of the best so far, is turned away by one comparison. Few are kept in
/// order, each put in its place; of many the best are selected whenever twice as many have come (C. A. R. Hoare,
/// "Algorithm 65: find", 1961).
/// - Complexity: O(keys + limit · log limit) for keys in random order.
struct BestKeys<Key: Comparable> {
  /// Up to so many are kept in order.
  private static var fewest: Int { 64 }

  private let limit: Int
  private var keys: [Key] = []
  private var bar: Key?

  /// - Parameter limit: at least 1.
  init(limit: Int) {
    precondition(limit > 0, "the best of nothing")
    self.limit = limit
    keys.reserveCapacity(min(limit, Self.fewest) + 1)
  }

  @inline(__always)
  mutating func push(_ key: Key) {
    if let bar, key <= bar { return }
    if limit <= Self.fewest { insert(key) } else { gather(key) }
  }

  /// The best keys, the best first.
  consuming func sorted() -> [Key] {
    if keys.count > limit { select() }
    if limit > Self.fewest { keys.sort(by: >) }
    return keys
  }

  private mutating func insert(_ key: Key) {
    if keys.count < limit { keys.append(key) }
    var hole = keys.count - 1
    var places = keys.mutableSpan
    while hole > 0 && places[hole - 1] < key {
      places[hole] = places[hole - 1]
      hole -= 1
    }
    places[hole] = key
    let last = places[places.count - 1]
    if keys.count == limit { bar = last }
  }

  private mutating func gather(_ key: Key) {
    keys.append(key)
    if keys.count == 2 * limit { select() }
  }

  /// Moves the best `limit` to the front and throws the rest away.
  private mutating func select() {
    let last = limit - 1
    var (low, high) = (0, keys.count - 1)
    while low < high {
      let pivot = keys[(low + high) / 2]
      var (left, right) = (low, high)
      while left <= right {
        while keys[left] > pivot { left += 1 }
        while pivot > keys[right] { right -= 1 }
        if left > right { break }
        keys.swapAt(left, right)
        left += 1
        right -= 1
      }
      if last <= right { high = right } else if last >= left { low = left } else { break }
    }
    keys.removeLast(keys.count - limit)
    bar = keys[last]
  }
}

/// A weight and an id: the larger weight is the larger, and of one weight the lower id.
struct WeightedID<Weight: Comparable>: Comparable {
  var weight: Weight
  var id: Int64

  @inline(__always)
  static func < (left: WeightedID, right: WeightedID) -> Bool {
    left.weight < right.weight || (left.weight == right.weight && left.id > right.id)
  }
}
