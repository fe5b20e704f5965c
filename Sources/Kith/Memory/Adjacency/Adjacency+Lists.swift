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

  /// Backward lists that wait count with what they will take, so that a limit binds an import to it.
  var byteCount: Int {
    let backwardByteCount = defersBackward ? max(backward.byteCount, deferredByteCount) : backward.byteCount
    return forward.byteCount + backwardByteCount + latestTimestamps.byteCount
  }

  private var deferredByteCount: Int {
    let bits = form == .compact ? Int.bitWidth - forward.count.leadingZeroBitCount : UInt32.bitWidth
    return PackedLists<UInt32>.byteCount(count, of: backward.count, perBlock: backward.listsPerBlock, bits: bits)
  }

  /// Checks that forward and backward lists hold the same edges, each in its order.
  func checkInvariants(
    _ name: String, order: borrowing some SourceOrder & ~Copyable, _ control: PassControl = PassControl()
  ) -> [String] {
    if defersBackward { return ["\(name): the lists by target wait to be built"] }
    var problems = forward.checkInvariants("\(name) forward") + backward.checkInvariants("\(name) backward")
    var forwardCount = 0
    for source in 0..<forward.count {
      var previous: UInt64?
      forward.forEachRun(of: source) { elements in
        for index in elements.indices {
          if let previous, previous >> 32 >= elements[index] >> 32 {
            problems.append("\(name): the targets of row \(source) do not ascend")
          }
          previous = elements[index]
        }
        forwardCount += elements.count
      }
      if !control.visit(rows: forward.count(of: source)) { return problems }
    }
    var backwardCount = 0
    for target in 0..<backward.count {
      var previous: (timestamp: UInt32, source: UInt32)?
      backward.forEachRun(of: target) { sources in
        for index in sources.indices {
          guard let timestamp = timestamp(sources[index], UInt32(target)) else {
            problems.append("\(name): \(sources[index]) to \(target) stands backward but not forward")
            continue
          }
          if timestamp > latestTimestamp(ofGroup: target >> targetsPerTimestampShift) {
            problems.append("\(name): an edge to \(target) is later than the latest")
          }
          if let previous,
            previous.timestamp > timestamp
              || previous.timestamp == timestamp && !order.isBefore(previous.source, sources[index])
          {
            problems.append("\(name): the sources of row \(target) are out of order")
          }
          previous = (timestamp, sources[index])
        }
        backwardCount += sources.count
      }
      if !control.visit(rows: backward.count(of: target)) { return problems }
    }
    if forwardCount != count || backwardCount != count {
      problems.append("\(name): \(count) edges counted, \(forwardCount) forward, \(backwardCount) backward")
    }
    return problems
  }
}
