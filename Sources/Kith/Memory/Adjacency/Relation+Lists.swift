/// Whole lists of edges.
extension Relation {
  /// Calls `body` with every target of a source and the timestamp of the edge, targets ascending.
  @inline(__always)
  func forEachTarget(of source: UInt32, _ body: (_ target: UInt32, _ timestamp: UInt32) -> Void) {
    forward.forEachRun(of: Int(source)) { elements in
      for index in elements.indices { body(Self.target(elements[index]), Self.timestamp(elements[index])) }
    }
  }

  /// Calls `body` with every source of a target, oldest edge first.
  @inline(__always)
  func forEachSource(of target: UInt32, _ body: (_ source: UInt32) -> Void) {
    backward.forEachRun(of: Int(target)) { sources in
      for index in sources.indices { body(sources[index]) }
    }
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
