/// Users in levels by approximate number of followers, so that a search in order of popularity can begin at the top.
///
/// There are four levels per doubling. A user changes level at one follow in eight, and less often the more popular the
/// user is. Within a level, users ascend by row. Users with fewer than 32 followers are in no level.
struct Popularity: ~Copyable, Sendable {
  /// The number of followers of the lowest level.
  static let minimumCount = 32
  private static let levelCount = 4 * (32 - minimumCount.trailingZeroBitCount)

  private var levels: PackedLists<UInt32>
  /// Whether updates are deferred until a rebuild, during a bulk load.
  private(set) var isDeferred: Bool

  init() {
    levels = PackedLists(listsPerBlock: 1)
    isDeferred = false
    for _ in 0..<Self.levelCount { levels.appendList() }
  }

  /// The levels of all targets of a relation.
  /// - Complexity: O(targets).
  init(_ follows: borrowing Adjacency) {
    self.init()
    for row in 0..<UInt32(follows.backward.count) {
      guard let level = Self.level(of: follows.sourceCount(row)) else { continue }
      levels.insert(row, in: level, at: levels.endPosition(of: level))
    }
  }

  private init(levels: consuming PackedLists<UInt32>, isDeferred: Bool) {
    self.levels = levels
    self.isDeferred = isDeferred
  }

  mutating func pin() -> Popularity { Popularity(levels: levels.pin(), isDeferred: isDeferred) }

  /// Stops recording changes until a rebuild.
  mutating func deferUpdates() { isDeferred = true }

  /// Records a change of a user's number of followers.
  /// - Complexity: O(1), and O(log level) when the level changes.
  mutating func note(_ row: UInt32, from old: Int, to new: Int) {
    if max(old, new) < Self.minimumCount || isDeferred { return }
    let (left, entered) = (Self.level(of: old), Self.level(of: new))
    if left == entered { return }
    if let left, let (found, place) = levels.element(atOrAfter: position(of: row, in: left), of: left), found == row {
      levels.remove(from: left, at: place)
    }
    if let entered { levels.insert(row, in: entered, at: position(of: row, in: entered)) }
  }

  /// The number of users in a level.
  func count(of level: Int) -> Int { levels.count(of: level) }

  /// Calls `body` with the users of a level, by row, in runs.
  func forEachRun(of level: Int, _ body: (Span<UInt32>) -> Void) { levels.forEachRun(of: level, body) }

  /// The levels from that of `count` followers down to the lowest.
  static func levels(from count: Int) -> ReversedCollection<Range<Int>> {
    (0..<(level(of: count).map { $0 + 1 } ?? 0)).reversed()
  }

  /// The level of `count` followers; nil if there are too few.
  private static func level(of count: Int) -> Int? {
    if count < minimumCount { return nil }
    let exponent = min(Int.bitWidth - 1 - count.leadingZeroBitCount, 31)
    let quarter = (min(count, 1 << 32 - 1) >> (exponent - 2)) & 3
    return (exponent - minimumCount.trailingZeroBitCount) * 4 + quarter
  }

  private func position(of row: UInt32, in level: Int) -> PackedLists<UInt32>.Position {
    levels.partitionPoint(of: level) { $0 < row }
  }

  var byteCount: Int { levels.byteCount }

  /// Checks that the levels equal those of a rebuild.
  func checkInvariants(_ follows: borrowing Adjacency) -> [String] {
    let expected = Popularity(follows)
    var problems = levels.checkInvariants("popularity")
    for level in 0..<Self.levelCount {
      var (rows, right): ([UInt32], [UInt32]) = ([], [])
      forEachRun(of: level) { for index in $0.indices { rows.append($0[index]) } }
      expected.forEachRun(of: level) { for index in $0.indices { right.append($0[index]) } }
      if rows != right { problems.append("popularity: level \(level) holds \(rows.count) users, not \(right.count)") }
    }
    return problems
  }
}
