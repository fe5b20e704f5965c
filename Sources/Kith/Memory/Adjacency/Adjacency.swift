import CSupport

/// An adjacency index: out-edges with times and in-edges of follows, likes, blocks or mutes, between two kinds of rows.
///
/// Forward: a source's targets ascend by row, each with the timestamp of its edge in seconds (8 bytes). Backward: a
/// target's sources are sorted by (timestamp, id of the source), or by another `SourceOrder` where timestamps are
/// equal, without the timestamp (4 bytes), which is looked up forward when needed.
/// - Complexity: lookup O(log targets). Insertion and removal: the same, plus O(log² …) backward, where most edges are
///   the newest and are appended.
struct Adjacency: ~Copyable, Sendable {
  /// The targets of each source: row in the high word, timestamp in the low word.
  private(set) var forward: PackedLists<UInt64>
  /// The sources of each target, oldest first.
  private(set) var backward: PackedLists<UInt32>
  /// By group of adjacent targets (eight, or 32 of compact lists): an upper bound of the timestamps of their edges. A
  /// later edge, as nearly all are, is appended without reading the edge before it, whose timestamp is in a distant
  /// forward list (five dependent cache misses). Groups at the end that have no edge yet are absent: theirs is 0.
  private(set) var latestTimestamps: Column<UInt32>
  /// The number of edges.
  private(set) var count: Int
  /// Whether the backward lists wait for `buildBackward`, during a bulk insertion.
  private(set) var defersBackward: Bool

  /// - Parameter hasSparseTargets: whether most targets have a few edges, as posts have likes.
  init(form: ListForm = .plain, hasSparseTargets: Bool = false) {
    forward = PackedLists(listsPerBlock: Self.sourcesPerBlock(form), form: form)
    backward = PackedLists(listsPerBlock: Self.targetsPerBlock(form, isSparse: hasSparseTargets), form: form)
    latestTimestamps = Column()
    count = 0
    defersBackward = false
  }

  /// Compact blocks have more lists, because their heads weigh more beside fewer bytes of elements.
  static func sourcesPerBlock(_ form: ListForm) -> Int { form == .compact ? 32 : 8 }
  static func targetsPerBlock(_ form: ListForm, isSparse: Bool) -> Int {
    form == .compact ? isSparse ? 128 : 32 : 16
  }

  init(
    forward: consuming PackedLists<UInt64>, backward: consuming PackedLists<UInt32>,
    latestTimestamps: consuming Column<UInt32>, count: Int, defersBackward: Bool
  ) {
    self.forward = forward
    self.backward = backward
    self.latestTimestamps = latestTimestamps
    self.count = count
    self.defersBackward = defersBackward
  }

  var form: ListForm { forward.form }

  mutating func pin() -> Adjacency {
    Adjacency(
      forward: forward.pin(), backward: backward.pin(), latestTimestamps: latestTimestamps.pin(), count: count,
      defersBackward: defersBackward)
  }

  /// The number of adjacent targets that share a latest timestamp, as a power of two: half a byte each, or an eighth.
  var targetsPerTimestampShift: Int { Self.targetsPerTimestampShift(form) }

  static func targetsPerTimestampShift(_ form: ListForm) -> Int { form == .compact ? 5 : 3 }

  /// Stops maintaining the backward lists, for a bulk insertion whose edges may come in any order of time.
  mutating func deferBackward() { defersBackward = true }

  /// Rebuilds the backward lists if they were deferred.
  /// - Parameter boundsGroups: as of the bulk construction.
  mutating func buildBackward(
    workers: Int = 1, boundsGroups: Bool = false, order: borrowing some SourceOrder & ~Copyable
  ) {
    if !defersBackward { return }
    let built = Self.backward(
      of: forward, targetCount: backward.count, targetsPerBlock: backward.listsPerBlock, boundsGroups: boundsGroups,
      workers: workers, order: order)
    backward = built.lists
    latestTimestamps = built.latestTimestamps
    defersBackward = false
  }

  mutating func appendSource() { forward.appendList() }

  mutating func appendTarget() { backward.appendList() }

  /// The target of a forward element.
  @inline(__always)
  static func target(_ element: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: element >> 32) }

  /// The timestamp of a forward element: seconds since 1970.
  @inline(__always)
  static func timestamp(_ element: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: element) }

  // MARK: - Reading

  @inline(__always)
  func targetCount(_ source: UInt32) -> Int { forward.count(of: Int(source)) }
  @inline(__always)
  func sourceCount(_ target: UInt32) -> Int { backward.count(of: Int(target)) }

  /// Whether there is an edge.
  func contains(_ source: UInt32, _ target: UInt32) -> Bool { timestamp(source, target) != nil }

  /// Whether a row is among targets that are searched repeatedly and so are cached. Branchless, to avoid
  /// mispredictions.
  @inline(__always)
  static func contains(_ target: UInt32, in targets: Span<UInt64>) -> Bool {
    // Safety: the index is at most the count, and read only below it.
    unsafe targets.withUnsafeBufferPointer { elements in
      guard let base = elements.baseAddress else { return false }
      let place = unsafe kith_lower_bound(base, elements.count, UInt64(target) << 32)
      return unsafe place < elements.count && Self.target(base[place]) == target
    }
  }

  /// The timestamp of an edge; nil if there is none.
  func timestamp(_ source: UInt32, _ target: UInt32) -> UInt32? {
    let (base, count, isLong) = unsafe forward.packed(Int(source))
    if isLong || count > Self.fetchedCount { return searchedTimestamp(source, target) }
    let place = unsafe Self.fetchedPlace(of: target, in: base, count)
    guard unsafe place < count && Self.target(base[place]) == target else { return nil }
    return unsafe Self.timestamp(base[place])
  }

  /// The place of the first of some elements that is not before a target; their count if all are.
  ///
  /// Fetches all of them. The misses of one list overlap, and without a branch to mispredict those of the next call do
  /// too: a fourth faster than a search with branches on lists of forty that are not cached.
  @inline(__always)
  private static func fetchedPlace(of target: UInt32, in base: UnsafePointer<UInt64>, _ count: Int) -> Int {
    var place = 0
    while place < count {
      unsafe kith_prefetch(base + place)
      place &+= elementsPerLine
    }
    // A list mostly begins within a line, and so ends in one more.
    unsafe kith_prefetch(base + max(0, count &- 1))
    return unsafe kith_lower_bound(base, count, UInt64(target) << 32)
  }

  /// The elements of a list that are all fetched at once to find one of them: nine cache lines at most.
  private static let fetchedCount = 64
  private static let elementsPerLine = 8

  /// The position of the first element of a source that is not before a target.
  @inline(__always)
  private func forwardPosition(_ source: UInt32, notBefore target: UInt32) -> PackedLists<UInt64>.Position {
    let (base, count, isLong) = unsafe forward.packed(Int(source))
    if isLong || count > Self.fetchedCount {
      let key = UInt64(target) << 32
      return forward.partitionPoint(of: Int(source)) { $0 < key }
    }
    return .init(run: 0, offset: unsafe Self.fetchedPlace(of: target, in: base, count))
  }

  private func searchedTimestamp(_ source: UInt32, _ target: UInt32) -> UInt32? {
    guard let element = forward.first(notBelow: UInt64(target) << 32, in: Int(source)), Self.target(element) == target
    else { return nil }
    return Self.timestamp(element)
  }

  /// The first position in a target's sources that is not before (timestamp, id).
  func backwardPosition(
    _ target: UInt32, timestamp: UInt32, id: Int64, ids: borrowing RowIDs
  ) -> PackedLists<UInt32>.Position {
    backward.partitionPoint(of: Int(target)) { source in
      let own = self.timestamp(source, target) ?? 0
      return own < timestamp || (own == timestamp && ids[source] < id)
    }
  }

  /// The first position in a target's sources that is not before an edge from a source.
  private func backwardPosition(
    of source: UInt32, _ target: UInt32, timestamp: UInt32, order: borrowing some SourceOrder & ~Copyable
  ) -> PackedLists<UInt32>.Position {
    backward.partitionPoint(of: Int(target)) { other in
      let own = self.timestamp(other, target) ?? 0
      return own < timestamp || (own == timestamp && order.isBefore(other, source))
    }
  }

  // MARK: - Changing

  /// Prefetches both lists of an edge, so that their cache misses overlap.
  @inline(__always)
  private func prefetch(_ source: UInt32, _ target: UInt32) {
    forward.prefetchHead(of: Int(source))
    backward.prefetchHead(of: Int(target))
  }

  /// A change of one edge, and where it changes both lists. Found before anything is written, so that readers can run
  /// meanwhile. Valid until the next change.
  struct EdgeEdit {
    let source: UInt32
    let target: UInt32
    let timestamp: UInt32
    fileprivate let forward: PackedLists<UInt64>.Position
    fileprivate let backward: PackedLists<UInt32>.Position
  }

  /// Prefetches what an edit writes, of both lists at once.
  @inline(__always)
  func prefetch(_ edit: EdgeEdit) {
    forward.prefetchTail(of: Int(edit.source), at: edit.forward)
    backward.prefetchTail(of: Int(edit.target), at: edit.backward)
  }

  /// Adds an edge.
  /// - Returns: false if it existed.
  mutating func insert(
    _ source: UInt32, _ target: UInt32, timestamp: UInt32, order: borrowing some SourceOrder & ~Copyable
  ) -> Bool {
    guard let edit = insertion(source, target, timestamp: timestamp, order: order) else { return false }
    insert(edit)
    return true
  }

  /// The insertion of an edge; nil if it exists.
  @inline(__always)
  func insertion(_ source: UInt32, _ target: UInt32, timestamp: UInt32, order: borrowing some SourceOrder & ~Copyable)
    -> EdgeEdit?
  {
    prefetch(source, target)
    let (list, position) = (Int(source), forwardPosition(source, notBefore: target))
    if let (element, _) = forward.element(atOrAfter: position, of: list), Self.target(element) == target { return nil }
    let backward =
      defersBackward
      ? self.backward.startPosition() : insertionBackward(source, target, timestamp: timestamp, order: order)
    return EdgeEdit(source: source, target: target, timestamp: timestamp, forward: position, backward: backward)
  }

  /// Makes an insertion.
  mutating func insert(_ edit: EdgeEdit) {
    if !defersBackward {
      backward.insert(edit.source, in: Int(edit.target), at: edit.backward)
      let group = Int(edit.target) >> targetsPerTimestampShift
      if edit.timestamp > latestTimestamp(ofGroup: group) {
        if group >= latestTimestamps.count { latestTimestamps.grow(to: group + 1, filledWith: 0) }
        latestTimestamps[group] = edit.timestamp
      }
    }
    forward.insert(UInt64(edit.target) << 32 | UInt64(edit.timestamp), in: Int(edit.source), at: edit.forward)
    count += 1
  }

  @inline(__always)
  private func insertionBackward(
    _ source: UInt32, _ target: UInt32, timestamp: UInt32, order: borrowing some SourceOrder & ~Copyable
  ) -> PackedLists<UInt32>.Position {
    let latest = latestTimestamp(to: target)
    if timestamp > latest { return backward.endPosition(of: Int(target)) }
    return placeBackward(source, target, timestamp: timestamp, latest: latest, order: order)
  }

  @inline(__always)
  func latestTimestamp(ofGroup group: Int) -> UInt32 {
    group < latestTimestamps.count ? latestTimestamps[group] : 0
  }

  /// A time that no edge to a target is later than.
  @inline(__always)
  func latestTimestamp(to target: UInt32) -> UInt32 {
    latestTimestamp(ofGroup: Int(target) >> targetsPerTimestampShift)
  }

  /// Prefetches what `latestTimestamp(to:)` reads.
  @inline(__always)
  func prefetchLatestTimestamp(to target: UInt32) {
    let group = Int(target) >> targetsPerTimestampShift
    if group < latestTimestamps.count { latestTimestamps.prefetch(group) }
  }

  /// The backward position of a new edge that may not be the latest. It is still mostly the end.
  private func placeBackward(
    _ source: UInt32, _ target: UInt32, timestamp: UInt32, latest: UInt32, order: borrowing some SourceOrder & ~Copyable
  ) -> PackedLists<UInt32>.Position {
    let end = backward.endPosition(of: Int(target))
    guard let (last, _) = backward.element(before: end, of: Int(target)) else { return end }
    let isBehind = order.isBefore(last, source)
    // None is later than the latest. Among equal timestamps, the order of sources decides.
    if timestamp == latest && isBehind { return end }
    let newest = self.timestamp(last, target) ?? 0
    if newest < timestamp || (newest == timestamp && isBehind) { return end }
    return backwardPosition(of: source, target, timestamp: timestamp, order: order)
  }

  /// Removes an edge.
  /// - Returns: false if there was none.
  mutating func remove(_ source: UInt32, _ target: UInt32, order: borrowing some SourceOrder & ~Copyable) -> Bool {
    guard let edit = removal(source, target, order: order) else { return false }
    remove(edit)
    return true
  }

  /// The removal of an edge; nil if there is none.
  @inline(__always)
  func removal(_ source: UInt32, _ target: UInt32, order: borrowing some SourceOrder & ~Copyable) -> EdgeEdit? {
    prefetch(source, target)
    let (list, position) = (Int(source), forwardPosition(source, notBefore: target))
    guard let (element, found) = forward.element(atOrAfter: position, of: list), Self.target(element) == target else {
      return nil
    }
    let timestamp = Self.timestamp(element)
    let backward =
      defersBackward
      ? self.backward.startPosition() : removalBackward(source, target, timestamp: timestamp, order: order)
    return EdgeEdit(source: source, target: target, timestamp: timestamp, forward: found, backward: backward)
  }

  /// Makes a removal.
  mutating func remove(_ edit: EdgeEdit) {
    if !defersBackward { backward.remove(from: Int(edit.target), at: edit.backward) }
    forward.remove(from: Int(edit.source), at: edit.forward)
    count -= 1
  }

  /// The backward position of an edge. In a short list, scanning the rows is faster than a search that looks up
  /// seconds.
  private func removalBackward(
    _ source: UInt32, _ target: UInt32, timestamp: UInt32, order: borrowing some SourceOrder & ~Copyable
  ) -> PackedLists<UInt32>.Position {
    let list = Int(target)
    if backward.runCount(of: list) == 1, let offset = backward.firstOffset(of: source, run: 0, of: list) {
      return .init(run: 0, offset: offset)
    }
    let position = backwardPosition(of: source, target, timestamp: timestamp, order: order)
    guard let (found, place) = backward.element(atOrAfter: position, of: list), found == source else {
      preconditionFailure("an edge stands forward but not backward")
    }
    return place
  }

  /// Removes all edges from a source.
  mutating func removeAll(from source: UInt32, order: borrowing some SourceOrder & ~Copyable) {
    for run in 0..<(defersBackward ? 0 : forward.runCount(of: Int(source))) {
      for offset in 0..<forward.runLength(run, of: Int(source)) {
        let element = forward[Int(source), .init(run: run, offset: offset)]
        let target = Self.target(element)
        let place = removalBackward(source, target, timestamp: Self.timestamp(element), order: order)
        backward.remove(from: Int(target), at: place)
      }
    }
    count -= forward.count(of: Int(source))
    forward.removeAll(from: Int(source))
  }

  /// Removes all edges to a target.
  mutating func removeAll(to target: UInt32, order: borrowing some SourceOrder & ~Copyable) {
    buildBackward(order: order)
    let key = UInt64(target) << 32
    for run in 0..<backward.runCount(of: Int(target)) {
      for offset in 0..<backward.runLength(run, of: Int(target)) {
        let list = Int(backward[Int(target), .init(run: run, offset: offset)])
        let position = forward.partitionPoint(of: list) { $0 < key }
        if let (_, found) = forward.element(atOrAfter: position, of: list) { forward.remove(from: list, at: found) }
      }
    }
    count -= backward.count(of: Int(target))
    backward.removeAll(from: Int(target))
  }
}
