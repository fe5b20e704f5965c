import CHints

/// Who points at whom, since when: follows, likes, blocks and mutes are each one relation between two kinds of rows.
///
/// Forward, a source's targets ascend by row, each with the second of the edge beside it (8 bytes). Backward, a
/// target's sources stand in the order of (second, id of the source) (4 bytes); the second is looked up forward when it
/// is needed.
/// - Complexity: finding O(log targets); inserting and removing that plus O(log² …) backward, where most edges are the
///   newest and go to the end.
struct Relation: ~Copyable, Sendable {
  /// Targets of every source: row in the high word, second in the low one.
  private(set) var forward: PackedLists<UInt64>
  /// Sources of every target, oldest first.
  private(set) var backward: PackedLists<UInt32>
  /// By four neighbouring targets: no edge to them is later. What comes later still, as nearly all do, goes to the end
  /// without a look at the edge before it, which stands forward, in a list far away (five cache lines, one after the
  /// other).
  private var latestSeconds: Column<UInt32>
  /// Number of edges.
  private(set) var count = 0
  /// Whether the backward side waits for `buildBackward`: many edges come at once.
  private var defersBackward = false

  init() {
    forward = PackedLists(listsPerBlock: 8)
    backward = PackedLists(listsPerBlock: 16)
    latestSeconds = Column()
  }

  init(
    forward: consuming PackedLists<UInt64>, backward: consuming PackedLists<UInt32>,
    latestSeconds: consuming Column<UInt32>, count: Int
  ) {
    self.forward = forward
    self.backward = backward
    self.latestSeconds = latestSeconds
    self.count = count
  }

  mutating func pin() -> Relation {
    Relation(forward: forward.pin(), backward: backward.pin(), latestSeconds: latestSeconds.pin(), count: count)
  }

  /// How many neighbouring targets share a latest second, as a power of two: a byte a target.
  private static let targetsPerSecondShift = 2

  /// From now on only the forward side is kept: many edges come at once, perhaps in no order of time.
  mutating func deferBackward() { defersBackward = true }

  /// Makes the backward side anew, if it waits.
  mutating func buildBackward(workers: Int = 1, ids: borrowing Column<Int64>) {
    if !defersBackward { return }
    let (degrees, latest) = Self.backwardDegrees(of: forward, targetCount: backward.count)
    backward = Self.backward(of: forward, degrees: degrees, workers: workers, ids: ids)
    latestSeconds = Self.latestSeconds(latest, targetCount: backward.count)
    defersBackward = false
  }

  mutating func appendSource() { forward.appendList() }

  mutating func appendTarget() {
    if backward.count >> Self.targetsPerSecondShift == latestSeconds.count { latestSeconds.append(0) }
    backward.appendList()
  }

  /// As `latestSeconds`, of targets that are made at once: none is later than the latest of all.
  static func latestSeconds(_ latest: UInt32, targetCount: Int) -> Column<UInt32> {
    var seconds = Column<UInt32>()
    seconds.grow(to: (targetCount + (1 << targetsPerSecondShift) - 1) >> targetsPerSecondShift, filledWith: latest)
    return seconds
  }

  /// The target of a forward element.
  @inline(__always)
  static func target(_ element: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: element >> 32) }

  /// The second of a forward element.
  @inline(__always)
  static func second(_ element: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: element) }

  // MARK: - Asking

  @inline(__always)
  func targetCount(_ source: UInt32) -> Int { forward.count(of: Int(source)) }
  @inline(__always)
  func sourceCount(_ target: UInt32) -> Int { backward.count(of: Int(target)) }

  /// Whether there is an edge.
  func contains(_ source: UInt32, _ target: UInt32) -> Bool { second(source, target) != nil }

  /// Whether a row is among targets that are searched again and again, and so are at hand: without a branch that the
  /// processor could guess wrongly.
  @inline(__always)
  static func contains(_ target: UInt32, in targets: Span<UInt64>) -> Bool {
    // Safety: the place is at most the count, and only read below it.
    unsafe targets.withUnsafeBufferPointer { elements in
      guard let base = elements.baseAddress else { return false }
      let place = unsafe kith_lower_bound(base, elements.count, UInt64(target) << 32)
      return unsafe place < elements.count && Self.target(base[place]) == target
    }
  }

  /// The second of an edge, or nil where there is none.
  func second(_ source: UInt32, _ target: UInt32) -> UInt32? {
    guard let element = forward.first(notBelow: UInt64(target) << 32, in: Int(source)), Self.target(element) == target
    else { return nil }
    return Self.second(element)
  }

  /// The place in a target's sources from which on they are not before (second, id).
  func backwardPosition(
    _ target: UInt32, second: UInt32, id: Int64, ids: borrowing Column<Int64>
  ) -> PackedLists<UInt32>.Position {
    backward.partitionPoint(of: Int(target)) { source in
      let own = self.second(source, target) ?? 0
      return own < second || (own == second && ids[source] < id)
    }
  }

  // MARK: - Changing

  /// Asks for both lists of an edge before either is read, so that the waits for memory overlap.
  @inline(__always)
  private func prefetch(_ source: UInt32, _ target: UInt32) {
    forward.prefetchEnd(of: Int(source))
    backward.prefetchEnd(of: Int(target))
  }

  /// Adds an edge; false if it was there.
  mutating func insert(_ source: UInt32, _ target: UInt32, second: UInt32, ids: borrowing Column<Int64>) -> Bool {
    prefetch(source, target)
    let list = Int(source)
    let key = UInt64(target) << 32
    let position = forward.partitionPoint(of: list) { $0 < key }
    if let (element, _) = forward.element(atOrAfter: position, of: list), Self.target(element) == target {
      return false
    }
    if !defersBackward {
      insertBackward(source, target, second: second, ids: ids)
    }
    forward.insert(key | UInt64(second), in: list, at: position)
    count += 1
    return true
  }

  private mutating func insertBackward(
    _ source: UInt32, _ target: UInt32, second: UInt32, ids: borrowing Column<Int64>
  ) {
    let group = Int(target) >> Self.targetsPerSecondShift
    let latest = latestSeconds[group]
    let place =
      second > latest
      ? backward.endPosition(of: Int(target)) : placeBackward(source, target, second: second, latest: latest, ids: ids)
    backward.insert(source, in: Int(target), at: place)
    if second > latest { latestSeconds[group] = second }
  }

  /// Where a new edge goes backward that need not be the latest: mostly at the end all the same.
  private func placeBackward(
    _ source: UInt32, _ target: UInt32, second: UInt32, latest: UInt32, ids: borrowing Column<Int64>
  ) -> PackedLists<UInt32>.Position {
    let end = backward.endPosition(of: Int(target))
    guard let (last, _) = backward.element(before: end, of: Int(target)) else { return end }
    let isBehind = ids[last] < ids[source]
    // None is later than the latest: of its second, ids alone decide.
    if second == latest && isBehind { return end }
    let newest = self.second(last, target) ?? 0
    if newest < second || (newest == second && isBehind) { return end }
    return backwardPosition(target, second: second, id: ids[source], ids: ids)
  }

  /// Takes an edge away; false if there was none.
  mutating func remove(_ source: UInt32, _ target: UInt32, ids: borrowing Column<Int64>) -> Bool {
    prefetch(source, target)
    let list = Int(source)
    let key = UInt64(target) << 32
    let position = forward.partitionPoint(of: list) { $0 < key }
    guard let (element, found) = forward.element(atOrAfter: position, of: list), Self.target(element) == target else {
      return false
    }
    if !defersBackward { removeBackward(source, target, second: Self.second(element), ids: ids) }
    forward.remove(from: list, at: found)
    count -= 1
    return true
  }

  /// In a short list a scan of the rows is quicker than a search that looks seconds up.
  private mutating func removeBackward(
    _ source: UInt32, _ target: UInt32, second: UInt32, ids: borrowing Column<Int64>
  ) {
    let list = Int(target)
    if backward.runCount(of: list) == 1, let offset = backward.firstOffset(of: source, run: 0, of: list) {
      backward.remove(from: list, at: .init(run: 0, offset: offset))
      return
    }
    let position = backwardPosition(target, second: second, id: ids[source], ids: ids)
    if let (found, place) = backward.element(atOrAfter: position, of: list), found == source {
      backward.remove(from: list, at: place)
    } else {
      preconditionFailure("an edge stands forward but not backward")
    }
  }

  /// Takes away all edges from a source.
  mutating func removeAll(from source: UInt32, ids: borrowing Column<Int64>) {
    for run in 0..<(defersBackward ? 0 : forward.runCount(of: Int(source))) {
      for offset in 0..<forward.run(run, of: Int(source)).count {
        let element = forward[Int(source), .init(run: run, offset: offset)]
        removeBackward(source, Self.target(element), second: Self.second(element), ids: ids)
      }
    }
    count -= forward.count(of: Int(source))
    forward.removeAll(from: Int(source))
  }

  /// Takes away all edges to a target.
  mutating func removeAll(to target: UInt32, ids: borrowing Column<Int64>) {
    buildBackward(ids: ids)
    let key = UInt64(target) << 32
    for run in 0..<backward.runCount(of: Int(target)) {
      for offset in 0..<backward.run(run, of: Int(target)).count {
        let list = Int(backward[Int(target), .init(run: run, offset: offset)])
        let position = forward.partitionPoint(of: list) { $0 < key }
        if let (_, found) = forward.element(atOrAfter: position, of: list) { forward.remove(from: list, at: found) }
      }
    }
    count -= backward.count(of: Int(target))
    backward.removeAll(from: Int(target))
  }
}

extension Relation {
  var byteCount: Int { forward.byteCount + backward.byteCount + latestSeconds.byteCount }

  /// Forward and backward hold the same edges, each in its order.
  func checkInvariants(_ name: String, ids: borrowing Column<Int64>) -> [String] {
    var problems = forward.checkInvariants("\(name) forward") + backward.checkInvariants("\(name) backward")
    var forwardCount = 0
    for source in 0..<forward.count {
      var previous: UInt64?
      for run in 0..<forward.runCount(of: source) {
        let elements = forward.run(run, of: source)
        for index in elements.indices {
          if let previous, previous >> 32 >= elements[index] >> 32 {
            problems.append("\(name): the targets of row \(source) do not ascend")
          }
          previous = elements[index]
        }
        forwardCount += elements.count
      }
    }
    var backwardCount = 0
    for target in 0..<backward.count {
      var previous: (UInt32, Int64)?
      for run in 0..<backward.runCount(of: target) {
        let sources = backward.run(run, of: target)
        for index in sources.indices {
          guard let second = second(sources[index], UInt32(target)) else {
            problems.append("\(name): \(sources[index]) to \(target) stands backward but not forward")
            continue
          }
          if second > latestSeconds[target >> Self.targetsPerSecondShift] {
            problems.append("\(name): an edge to \(target) is later than the latest")
          }
          let key = (second, ids[sources[index]])
          if let previous, previous >= key {
            problems.append("\(name): the sources of row \(target) are out of order")
          }
          previous = key
        }
        backwardCount += sources.count
      }
    }
    if forwardCount != count || backwardCount != count {
      problems.append("\(name): \(count) edges counted, \(forwardCount) forward, \(backwardCount) backward")
    }
    return problems
  }
}
