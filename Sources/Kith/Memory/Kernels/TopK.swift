/// The top k: the largest `limit` of many keys.
///
/// A small limit keeps its keys sorted, and inserts. A large one appends to a buffer; when it holds twice the limit,
/// the largest are selected and the others dropped. The smallest key kept is the bar: a key that is not above it is
/// rejected by one comparison. Insertion raises the bar at once, so that fewer keys pass it: selection takes twice as
/// long for 20 of 400 keys.
///
/// It manages its own memory, because each insertion into an array checks uniqueness and bounds. Noncopyable for that
/// reason.
/// - Complexity: O(keys + limit² · log (keys / limit)) up to `insertionLimit`, O(keys + limit · log limit) beyond, for
///   keys in random order. Ascending keys take O(keys · limit) with insertion, so that lists which ascend select.
@safe struct TopK<Key: Comparable & BitwiseCopyable>: ~Copyable {
  /// The largest limit whose keys are kept sorted.
  static var insertionLimit: Int { 64 }

  private let limit: Int
  /// Whether the keys are kept sorted.
  private let inserts: Bool
  // Safety: `capacity` keys are allocated, of which the first `count` are initialized.
  private var keys: UnsafeMutablePointer<Key>
  private var capacity: Int
  /// The number of keys kept.
  private(set) var count = 0
  /// A lower bound: keys not above it are not among the largest. Nil until there were `limit` keys.
  private(set) var bar: Key?

  /// - Parameters:
  ///   - limit: at least 1.
  ///   - ascends: whether keys tend to come in ascending order. Each insertion would move all others.
  init(limit: Int, ascends: Bool = false) {
    precondition(limit > 0, "the largest of nothing")
    self.limit = limit
    inserts = limit <= Self.insertionLimit && !ascends
    capacity = min(limit, Self.insertionLimit)
    unsafe keys = .allocate(capacity: capacity)
  }

  deinit { unsafe keys.deallocate() }

  @inline(__always)
  mutating func push(_ key: Key) {
    if let bar, key <= bar { return }
    if inserts { insert(key) } else { gather(key) }
  }

  @inline(__always)
  private mutating func insert(_ key: Key) {
    // The last of enough keys drops out.
    var place = min(count, limit &- 1)
    count = place &+ 1
    while unsafe place > 0 && keys[place &- 1] < key {
      unsafe keys[place] = keys[place &- 1]
      place &-= 1
    }
    unsafe keys[place] = key
    if count == limit { bar = unsafe keys[limit &- 1] }
  }

  private mutating func gather(_ key: Key) {
    if count == capacity { grow() }
    unsafe keys[count] = key
    count += 1
    if count - limit >= limit { select() }
  }

  private mutating func grow() {
    let wider = UnsafeMutablePointer<Key>.allocate(capacity: capacity * 2)
    unsafe wider.update(from: keys, count: count)
    unsafe keys.deallocate()
    unsafe keys = wider
    capacity *= 2
  }

  /// Drops keys that are not among the largest. This may raise the bar.
  mutating func select() {
    if count < limit { return }
    if !inserts {
      var all = unsafe MutableSpan(_unsafeStart: keys, count: count)
      Selection.moveLargest(limit, of: &all)
      count = limit
    }
    bar = unsafe keys[limit - 1]
  }

  /// The largest keys, in descending order.
  mutating func sorted() -> [Key] {
    if count > limit { select() }
    var all = unsafe UnsafeMutableBufferPointer(start: keys, count: count)
    if !inserts { unsafe all.sort(by: >) }
    return unsafe Array(all)
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

extension WeightedID: BitwiseCopyable where Weight: BitwiseCopyable {}
