/// The users around a user, along edges between users in either direction, and the edges among them.
package struct Neighbourhood {
  package struct Node {
    package let row: Int
    /// The number of edges from the user in the middle.
    package let distance: Int
  }

  package struct Edge: Hashable {
    /// Indices in `nodes`.
    package let source, target: Int
    /// An index in the relations that were asked for.
    package let relation: Int
  }

  /// The most edges that are read to find the users of one distance: each is a cache miss, so in a large graph this
  /// takes some 50 ms.
  package static let readLimit = 300_000
  /// The most edges that are read to find those among the users.
  private static let edgeReadLimit = 1_000_000
  /// Of the nodes, the part that is left to the users of the greatest distance: otherwise a user with many followers
  /// would have the same neighbourhood with one hop as with two.
  private static let partOfLast = (numerator: 3, denominator: 5)

  /// The nearest first; of one distance, those with the most followers first, among the edges that were read.
  package private(set) var nodes: [Node]
  /// By relation, then by source and target.
  package private(set) var edges: [Edge] = []
  /// The number of users that were found, also of those who were left out.
  package private(set) var foundCount: Int
  /// Whether users were left out.
  package private(set) var isTruncated = false
  /// Whether edges were not read, so that more users may be there than were found.
  package private(set) var isCut = false

  /// - Parameters:
  ///   - relations: relations between users.
  ///   - hops: the greatest distance.
  ///   - limit: the most nodes, at least 1.
  ///   - readLimit: the most edges that are read for each distance.
  /// - Throws: `unknownUser`, `closed`; `invalidRequest` for a relation that is not between users.
  /// - Complexity: O(edges read).
  package init(
    of user: UserID, along relations: [Relation] = [.follow], hops: Int, limit: Int, readLimit: Int = readLimit,
    in view: borrowing GraphView
  ) throws(KithError) {
    var kinds: [RelationKind?] = []
    for relation in relations {
      let known = try view.knownRelation(relation.name)
      guard known.source == .user, known.target == .user else {
        throw .invalidRequest(.noSuchList(of: relation.name))
      }
      // One without an edge has no index.
      kinds.append(known.kind.flatMap { view.state.isInUse($0) ? $0 : nil })
    }
    nodes = [Node(row: try view.row(of: user), distance: 0)]
    foundCount = 1
    var seen = [Bool](repeating: false, count: view.rowCount)
    seen[nodes[0].row] = true
    var level = 0..<1
    for distance in 1...max(1, hops) {
      let free = limit - nodes.count
      let kept = distance < hops ? free * Self.partOfLast.numerator / Self.partOfLast.denominator : 0
      let rows = best(free - kept, around: level, along: kinds.compactMap(\.self), readLimit, in: view, &seen)
      level = nodes.count..<nodes.count + rows.count
      nodes += rows.map { Node(row: $0, distance: distance) }
    }
    findEdges(of: kinds, in: view)
  }

  private mutating func findEdges(of kinds: [RelationKind?], in view: borrowing GraphView) {
    var places: [UInt32: Int] = [:]
    for (place, node) in nodes.enumerated() { places[UInt32(node.row)] = place }
    var left = Self.edgeReadLimit
    for (relation, kind) in kinds.enumerated() {
      guard let kind else { continue }
      for (source, node) in nodes.enumerated() {
        let row = UInt32(node.row), count = view.state[kind].targetCount(row)
        var targets: [Int] = []
        // A long list is asked for each of the others.
        if count <= left, count < 64 * nodes.count {
          left -= count
          view.state[kind].forEachTarget(of: row) { target, _ in
            if let place = places[target] { targets.append(place) }
          }
        } else {
          for (place, other) in nodes.enumerated() where view.state[kind].contains(row, UInt32(other.row)) {
            targets.append(place)
          }
        }
        edges += targets.sorted().map { Edge(source: source, target: $0, relation: relation) }
      }
    }
  }

  /// The users next to those of a level that were not seen before: those with the most followers; of equals, the first
  /// rows.
  private mutating func best(
    _ count: Int, around level: Range<Int>, along kinds: [RelationKind], _ readLimit: Int,
    in view: borrowing GraphView, _ seen: inout [Bool]
  ) -> [Int] {
    var best = TopK<UInt64>(limit: max(1, count))
    var found = 0
    func add(_ row: UInt32, _ view: borrowing GraphView) {
      if seen[Int(row)] { return }
      seen[Int(row)] = true
      found += 1
      best.push(UInt64(view.followerCount(at: Int(row))) << 32 | UInt64(~row))
    }
    // How many edges may still be read.
    var left = readLimit
    func readable(_ count: Int) -> Range<Int> {
      let readable = min(left, count)
      if readable < count { isCut = true }
      left -= readable
      return 0..<readable
    }
    for place in level where !isCut {
      let row = nodes[place].row
      for kind in kinds {
        view.state[kind].forward.forEachRun(of: row) { targets in
          for index in readable(targets.count) { add(Adjacency.target(targets[index]), view) }
        }
        view.state[kind].backward.forEachRun(of: row) { sources in
          for index in readable(sources.count) { add(sources[index], view) }
        }
      }
    }
    foundCount += found
    if isCut || found > count { isTruncated = true }
    return best.sorted().prefix(count).map { Int(~UInt32(truncatingIfNeeded: $0)) }
  }
}
