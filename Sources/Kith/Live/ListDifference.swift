/// What became of a list between two answers, by id: ready for a data source that animates, and for a table's batch of
/// updates.
///
/// Take `removals` and the `from` of `moves` out of the old list; put `insertions` and the `to` of `moves` into what is
/// left, in ascending order: that is the new list. Items that stay in order among each other are as many as can be.
public struct ListDifference<ID: Hashable & Sendable>: Hashable, Sendable {
  /// An id and its place.
  public struct Place: Hashable, Sendable {
    /// Whose place it is.
    public let id: ID
    /// Its index in the old list, if it was removed, else in the new one.
    public let index: Int
  }

  /// An id that changed places with others.
  public struct Move: Hashable, Sendable {
    /// Who moved.
    public let id: ID
    /// Its index in the old list.
    public let from: Int
    /// Its index in the new list.
    public let to: Int
  }

  /// Who is gone, by old index, ascending.
  public internal(set) var removals: [Place] = []
  /// Who is new, by new index, ascending.
  public internal(set) var insertions: [Place] = []
  /// Who stands elsewhere among those that stay, by new index, ascending.
  public internal(set) var moves: [Move] = []
  /// Who stayed or moved and says something else now, in the new order: cells to draw again.
  public internal(set) var updates: [ID] = []

  /// Whether nothing became of it.
  public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }

  /// From one list to another; in each, every id stands once.
  ///
  /// Those who need not move are a longest ascending subsequence of old places (C. Schensted, 1961).
  /// - Complexity: O(*n* · log *n*) for lists of *n*.
  public init<Item: Identifiable & Equatable>(
    from old: some Collection<Item>, to new: some Collection<Item>
  ) where Item.ID == ID {
    let oldItems = Array(old)
    var oldIndex: [ID: Int] = [:]
    for (index, item) in oldItems.enumerated() { oldIndex[item.id] = index }
    /// Items in both lists: their places, in the new order.
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

  /// Nothing.
  init() {}

  /// Which of the numbers, all different, belong to a longest ascending subsequence.
  private static func longestAscending(_ numbers: [Int]) -> [Bool] {
    /// For each length, the index of the smallest number that ends a subsequence of it.
    var ends: [Int] = []
    /// For each index, the one before it in its subsequence.
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
