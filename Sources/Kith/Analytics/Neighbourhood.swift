/// The users around a user, along follows in either direction, and the follows among them.
package struct Neighbourhood {
  package struct Node {
    package let row: Int
    /// The number of follows from the user in the middle.
    package let distance: Int
  }

  /// The most follows that are read to find the users of one distance: each is a cache miss, so in a large graph this
  /// takes some 50 ms.
  package static let readLimit = 300_000

  /// The nearest first; of one distance, those with the most followers first, among the follows that were read.
  package private(set) var nodes: [Node]
  /// Pairs of indices in `nodes`: the first follows the second.
  package private(set) var edges: [(Int, Int)] = []
  /// Whether users were left out.
  package private(set) var isTruncated = false

  /// - Parameters:
  ///   - hops: the greatest distance.
  ///   - limit: the most nodes, at least 1.
  ///   - readLimit: the most follows that are read for each distance.
  /// - Throws: `unknownUser`, `closed`.
  /// - Complexity: O(follows read + limit² · log followees).
  package init(
    of user: UserID, hops: Int, limit: Int, readLimit: Int = readLimit, in view: borrowing GraphView
  ) throws(KithError) {
    nodes = [Node(row: try view.row(of: user), distance: 0)]
    var seen = [Bool](repeating: false, count: view.rowCount)
    seen[nodes[0].row] = true
    var level = 0..<1
    for distance in 1...max(1, hops) {
      let rows = best(limit - nodes.count, around: level, readLimit, in: view, &seen)
      level = nodes.count..<nodes.count + rows.count
      nodes += rows.map { Node(row: $0, distance: distance) }
    }
    for (source, one) in nodes.enumerated() {
      for (target, other) in nodes.enumerated() where source != target {
        if view.isFollowing(row: other.row, asRow: one.row) { edges.append((source, target)) }
      }
    }
  }

  /// The users next to those of a level that were not seen before: those with the most followers; of equals, the first
  /// rows.
  private mutating func best(
    _ count: Int, around level: Range<Int>, _ readLimit: Int, in view: borrowing GraphView, _ seen: inout [Bool]
  ) -> [Int] {
    // One more than fit, which shows whether users were left out.
    var best = TopK<UInt64>(limit: count + 1)
    func add(_ row: Int, _ view: borrowing GraphView) {
      if seen[row] { return }
      seen[row] = true
      best.push(UInt64(view.followerCount(at: row)) << 32 | UInt64(~UInt32(row)))
    }
    // How many follows may still be read, and whether some were not.
    var left = readLimit
    var isCut = false
    func readable(_ count: Int) -> Range<Int> {
      let readable = min(left, count)
      if readable < count { isCut = true }
      left -= readable
      return 0..<readable
    }
    for place in level {
      let row = nodes[place].row
      if isCut || (count == 0 && best.count > 0) { break }
      view.forEachFollowees(at: row) { followees in
        for index in readable(followees.count) { add(Int(followees[index].row), view) }
      }
      view.forEachFollowers(at: row) { followers in
        for index in readable(followers.count) { add(Int(followers[index]), view) }
      }
    }
    if isCut { isTruncated = true }
    let rows = best.sorted().map { Int(~UInt32(truncatingIfNeeded: $0)) }
    if rows.count > count { isTruncated = true }
    return Array(rows.prefix(count))
  }
}
