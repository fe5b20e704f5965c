/// The top k: the largest `limit` of many keys.
///
/// Keys are appended to a buffer. When it holds twice the limit, the largest are selected and the others dropped. The
/// smallest key left is the bar: a key that is not above it is rejected by one comparison. A larger buffer would select
/// less often, but raise the bar later, and each key that then passes the bar costs more. With 64 more keys, post
/// searches read 15 % more posts.
/// - Complexity: O(keys + limit · log limit) for keys in random order.
struct TopK<Key: Comparable> {
  private static var initialCapacity: Int { 64 }

  private let limit: Int
  private var keys: [Key] = []
  /// A lower bound: keys not above it are not among the largest. Nil until there were `limit` keys.
  private(set) var bar: Key?

  /// - Parameter limit: at least 1.
  init(limit: Int) {
    precondition(limit > 0, "the largest of nothing")
    self.limit = limit
    keys.reserveCapacity(min(limit, Self.initialCapacity))
  }

  /// The number of keys in the buffer.
  var count: Int { keys.count }

  @inline(__always)
  mutating func push(_ key: Key) {
    if let bar, key <= bar { return }
    gather(key)
  }

  private mutating func gather(_ key: Key) {
    keys.append(key)
    if keys.count - limit >= limit { select() }
  }

  /// Drops keys that are not among the largest. This may raise the bar.
  mutating func select() {
    if keys.count < limit { return }
    let limit = limit
    var all = keys.mutableSpan
    Selection.moveLargest(limit, of: &all)
    bar = all[limit - 1]
    keys.removeSubrange(limit...)
  }

  /// The largest keys, in descending order.
  mutating func sorted() -> [Key] {
    if keys.count > limit { select() }
    keys.sort(by: >)
    return keys
  }
}

/// A weight and an id. Sorted by weight, then by id in descending order.
struct WeightedID<Weight: Comparable>: Comparable {
  var weight: Weight
  var id: Int64

  @inline(__always)
  static func < (left: WeightedID, right: WeightedID) -> Bool {
    left.weight < right.weight || (left.weight == right.weight && left.id > right.id)
  }
}
