/// Whole lists of edges.
extension Adjacency {
  /// Calls `body` with every target of a source and the timestamp of the edge, targets ascending.
  @inline(__always)
  func forEachTarget(of source: UInt32, _ body: (_ target: UInt32, _ timestamp: UInt32) -> Void) {
    forward.forEachRun(of: Int(source)) { elements in
      for index in elements.indices { body(Self.target(elements[index]), Self.timestamp(elements[index])) }
    }
  }

  /// Calls `body` with the targets of a source from a row on, ascending, until it answers false.
  @inline(__always)
  func forEachTarget(of source: UInt32, from row: UInt32, _ body: (UInt32) -> Bool) {
    var place = forward.start(of: Int(source), from: row)
    while let (element, found) = forward.element(atOrAfter: place, of: Int(source)), body(Self.target(element)) {
      place = PackedLists<UInt64>.Position(run: found.run, offset: found.offset + 1)
    }
  }

  /// Calls `body` with every source of a target, oldest edge first.
  @inline(__always)
  func forEachSource(of target: UInt32, _ body: (_ source: UInt32) -> Void) {
    backward.forEachRun(of: Int(target)) { sources in
      for index in sources.indices { body(sources[index]) }
    }
  }

  /// Whether the backward lists hold the edges of the forward lists, in whatever order; true while they are deferred.
  /// Sums of hashes are compared.
  /// - Complexity: O(edges), without a lookup: `checkInvariants` looks up the time of each, for the order.
  var hasEqualSums: Bool {
    if defersBackward { return true }
    var (outgoing, incoming): (UInt64, UInt64) = (0, 0)
    for source in 0..<forward.count {
      forEachTarget(of: UInt32(source)) { target, _ in outgoing &+= Hashing.hash(UInt32(source), target) }
    }
    for target in 0..<backward.count {
      forEachSource(of: UInt32(target)) { source in incoming &+= Hashing.hash(source, UInt32(target)) }
    }
    return outgoing == incoming
  }

  /// Where a page of a target's sources begins: at the end of the order, or after the last edge of the page before.
  /// Going up, that of the first source of the page; going down, that behind it.
  func place(
    in target: UInt32, after last: (timestamp: UInt32, id: Int64)?, isAscending: Bool, ids: borrowing RowIDs
  ) -> PackedLists<UInt32>.Position {
    guard let last else { return isAscending ? backward.startPosition() : backward.endPosition(of: Int(target)) }
    var place = backwardPosition(target, timestamp: last.timestamp, id: last.id, ids: ids)
    if isAscending, let (source, position) = backward.element(atOrAfter: place, of: Int(target)) {
      place = position
      if timestamp(source, target) ?? 0 == last.timestamp && ids[source] == last.id { place.offset += 1 }
    }
    return place
  }

  /// The targets of a source, ascending.
  func targets(of source: UInt32) -> [UInt32] {
    var targets: [UInt32] = []
    targets.reserveCapacity(targetCount(source))
    forEachTarget(of: source) { target, _ in targets.append(target) }
    return targets
  }

  /// The sources of a target, oldest edge first.
  func sources(of target: UInt32) -> [UInt32] {
    var sources: [UInt32] = []
    sources.reserveCapacity(sourceCount(target))
    forEachSource(of: target) { sources.append($0) }
    return sources
  }
}
