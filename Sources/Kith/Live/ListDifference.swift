/// The difference between two versions of a list, by id: for an animated data source or a batch of table updates.
///
/// To update the old list, remove `removals` and the `from` of `moves`, then insert `insertions` and the `to` of
/// `moves` in ascending order. The number of moves is minimal.
public struct ListDifference<ID: Hashable & Sendable>: Hashable, Sendable {
  /// An id and its index.
  public struct Place: Hashable, Sendable {
    /// The id of the item.
    public let id: ID
    /// Its index: in the old list for a removal, otherwise in the new list.
    public let index: Int
  }

  /// An item that moved relative to others.
  public struct Move: Hashable, Sendable {
    /// The id of the item.
    public let id: ID
    /// Its index in the old list.
    public let from: Int
    /// Its index in the new list.
    public let to: Int
  }

  /// The removed items, by old index, ascending.
  public internal(set) var removals: [Place] = []
  /// The inserted items, by new index, ascending.
  public internal(set) var insertions: [Place] = []
  /// The moved items, by new index, ascending.
  public internal(set) var moves: [Move] = []
  /// The items in both lists whose properties changed, in the new order: cells to redraw.
  public internal(set) var updates: [ID] = []

  /// Whether the lists are equal.
  public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }

  /// Computes the difference between two lists. Ids must be unique within each list.
  ///
  /// The items that need not move are a longest increasing subsequence of the old indices (C. Schensted, 1961).
  /// - Complexity: O(*n* · log *n*) for lists of *n*.
  public init<Item: Identifiable & Equatable>(
    from old: some Collection<Item>, to new: some Collection<Item>
  ) where Item.ID == ID {
    let oldItems = Array(old)
    var oldIndex: [ID: Int] = [:]
    for (index, item) in oldItems.enumerated() { oldIndex[item.id] = index }
    /// The items in both lists: their indices, in the new order.
    var kept: [(old: Int, new: Int)] = []
    var isKept = Array(repeating: false, count: oldItems.count)
    for (index, item) in new.enumerated() {
      guard let old = oldIndex[item.id] else {
        insertions.append(Place(id: item.id, index: index))
        continue
      }
      kept.append((old, index))
      isKept[old] = true
      if oldItems[old] != item { updates.append(item.id) }
    }
    for (index, item) in oldItems.enumerated() where !isKept[index] {
      removals.append(Place(id: item.id, index: index))
    }
    let steady = Self.longestAscending(kept.map(\.old))
    for (place, pair) in kept.enumerated() where !steady[place] {
      moves.append(Move(id: oldItems[pair.old].id, from: pair.old, to: pair.new))
    }
  }

  /// The empty difference.
  init() {}

  /// Which of the numbers, all distinct, are part of a longest increasing subsequence.
  private static func longestAscending(_ numbers: [Int]) -> [Bool] {
    /// For each length, the index of the smallest number that ends a subsequence of that length.
    var ends: [Int] = []
    /// For each index, the previous index of its subsequence.
    var before = Array(repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var isMember = Array(repeating: false, count: numbers.count)
    var index = ends.last ?? -1
    while index >= 0 {
      isMember[index] = true
      index = before[index]
    }
    return isMember
  }
}
