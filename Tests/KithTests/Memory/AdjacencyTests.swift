import Testing

@testable import Kith

/// Relations against a dictionary of edges that is sorted for every comparison.
@Suite struct AdjacencyTests {
  @Test(
    "Late, tied and removed edges keep both sides and every pin in order",
    arguments: 1...3 as ClosedRange<UInt64>, ListForm.allCases)
  func churn(seed: UInt64, form: ListForm) {
    var twins = RelationTwins(rows: 24, seed: seed, form)
    for step in 0..<2_500 {
      twins.change(growing: step % 1_000 < 700)
      if step % 250 == 0 {
        twins.keep()
        twins.compare("step \(step)")
      }
    }
    twins.compare("end")
  }

  @Test(
    "Thousands of followers of one user, many in one second, are added and removed",
    arguments: 1...2 as ClosedRange<UInt64>, ListForm.allCases)
  func celebrity(seed: UInt64, form: ListForm) {
    var twins = RelationTwins(rows: 3_000, seed: seed, form)
    for source in 1..<2_700 as Range<UInt32> {
      twins.insert(source, 0, timestamp: UInt32(twins.random.below(4)))
      twins.insert(0, source, timestamp: UInt32(twins.random.below(3)))
    }
    twins.keep()
    twins.compare("grown")
    for source in stride(from: 1, to: 2_700 as UInt32, by: 3) {
      twins.remove(source, 0)
      twins.remove(0, source)
    }
    twins.compare("thinned")
    twins.removeAll(to: 0)
    twins.compare("without followers")
    twins.keep()
    twins.removeAll(from: 0)
    twins.compare("without followees")
    for source in 1..<40 as Range<UInt32> { twins.insert(source, 0, timestamp: 9) }
    twins.compare("begun again")
  }

  @Test("A removal among thousands of edges of one second does not scan them all")
  func leavingACrowd() {
    /// The least time of some runs of a hundred removals.
    func time(crowd count: Int) -> Duration {
      var ids = RowIDs()
      for id in 1...Int64(count) { ids.append(id) }
      var relation = Adjacency(
        degrees: [UInt32](repeating: 1, count: count), targetCount: 1, workers: 1, order: ids
      ) { (_, elements, buffer) throws(Never) in
        for index in elements.indices { buffer[index - elements.lowerBound] = 9 }
      }
      let clock = ContinuousClock()
      var random = SeededRandom(seed: 5)
      return (0..<5).reduce(Duration.seconds(60)) { least, _ in
        let sources = (0..<100).map { _ in UInt32(random.below(count)) }
        return min(least, clock.measure { for source in sources { _ = relation.remove(source, 0, order: ids) } })
      }
    }
    // A scan of all would take fifty times as long.
    #expect(time(crowd: 150_000) < time(crowd: 3_000) * 12)
  }

  @Test(
    "A bulk-built relation equals one built edge by edge, and continues like it",
    arguments: 1...3 as ClosedRange<UInt64>, ListForm.allCases
  )
  func bulk(seed: UInt64, form: ListForm) {
    var twins = RelationTwins(rows: 1_400, seed: seed, form)
    for source in 0..<1_400 as Range<UInt32> {
      for _ in 0..<twins.random.below(6) {
        twins.insert(source, UInt32(twins.random.below(1_400)), timestamp: UInt32(twins.random.below(5)))
      }
      if source > 5 { twins.insert(source, 5, timestamp: UInt32(twins.random.below(3))) }
      if source > 7 { twins.insert(7, source, timestamp: UInt32(twins.random.below(3))) }
    }
    twins.rebuild()
    twins.compare("at once")
    for _ in 0..<300 { twins.change(growing: false) }
    twins.removeAll(from: 7)
    twins.removeAll(to: 5)
    twins.compare("after changes")
  }

  @Test(
    "Bulk-added edges are sorted at the end, or when one of them is removed", arguments: [0, 1, 7],
    ListForm.allCases)
  func deferred(removals: Int, form: ListForm) {
    var twins = RelationTwins(rows: 40, seed: 3, form)
    for step in 0..<700 {
      if step % 250 == 100 { twins.deferBackward() }
      twins.insert(UInt32(twins.random.below(40)), UInt32(twins.random.below(40)), timestamp: UInt32(step % 5))
      if removals > 0 && step % 250 == 200 {
        for _ in 0..<removals { twins.change(growing: false) }
      }
    }
    twins.buildBackward()
    twins.compare("built")
    for _ in 0..<100 { twins.change(growing: false) }
    twins.compare("after changes")
  }

  @Test(
    "An edge is found among as many as are fetched at once, and among more",
    arguments: [0, 1, 2, 7, 8, 9, 63, 64, 65, 300], ListForm.allCases)
  func lookup(edgeCount: Int, form: ListForm) {
    var ids = RowIDs()
    var relation = Adjacency(form: form)
    for id in 1...700 as ClosedRange<Int64> {
      ids.append(id)
      relation.appendSource()
      relation.appendTarget()
    }
    // The lists beside it hold what must not be found in it.
    for (source, first) in [(4, 2), (5, 1), (6, 2)] as [(UInt32, UInt32)] {
      for index in 0..<UInt32(edgeCount) {
        _ = relation.insert(source, first + 2 * index, timestamp: 1_000 * source + index, order: ids)
      }
    }
    for target in 0..<700 as Range<UInt32> {
      let isEdge = target % 2 == 1 && target < 2 * UInt32(edgeCount)
      #expect(relation.timestamp(5, target) == (isEdge ? 5_000 + target / 2 : nil), "target \(target)")
    }
  }

  @Test("A repeated edge keeps its first time, and a missing one is not removed")
  func setSemantics() {
    var ids = RowIDs()
    var relation = Adjacency()
    for id in 1...3 as ClosedRange<Int64> {
      ids.append(id)
      relation.appendSource()
      relation.appendTarget()
    }
    let inserted = [(0, 1, 50), (0, 1, 60), (2, 2, .max)].map { (source: UInt32, target: UInt32, timestamp: UInt32) in
      relation.insert(source, target, timestamp: timestamp, order: ids)
    }
    #expect(inserted == [true, false, true])
    #expect(relation.timestamp(0, 1) == 50 && relation.timestamp(1, 0) == nil && relation.timestamp(2, 2) == .max)
    let removed = [(1, 0), (0, 2), (0, 1), (0, 1)].map { (source: UInt32, target: UInt32) in
      relation.remove(source, target, order: ids)
    }
    #expect(removed == [false, false, true, false])
    let problems = relation.checkInvariants("relation", order: ids)
    #expect(relation.count == 1 && problems == [])
  }

  @Test("A probe finds the edges to a target, however the targets of a source are spread", arguments: ListForm.allCases)
  func probes(form: ListForm) {
    var ids = RowIDs()
    var relation = Adjacency(form: form)
    let targetCount: UInt32 = 6_000
    for row in 0..<targetCount {
      ids.append(Int64(row) + 1)
      relation.appendTarget()
    }
    // Empty, one target, even, all low, all high, low and one high, and a list of several chunks.
    let lists: [[UInt32]] = [
      [], [3_000], Array(stride(from: 7, to: targetCount, by: 83)), Array(0..<200), Array(5_700..<targetCount),
      Array(10..<90) + [targetCount - 1], Array(stride(from: 0, to: targetCount, by: 3)),
    ]
    for (source, targets) in lists.enumerated() {
      relation.appendSource()
      for target in targets { _ = relation.insert(UInt32(source), target, timestamp: target * 2 + 1, order: ids) }
    }
    let sets = lists.map { Set($0) }
    for (source, targets) in sets.enumerated() {
      let found = TargetSet.lend(targetsOf: UInt32(source), in: relation) { set in
        (0..<targetCount).filter { set.contains($0) }
      }
      #expect(found == targets.sorted(), "the set of source \(source)")
      let foundAtOnce = TargetSet.lend(targetsOf: UInt32(source), in: relation) { set in
        (0..<targetCount / 8).flatMap { first in
          let rows = (0..<8).map { first + $0 * (targetCount / 8) }
          let members = set.members(among: rows.span)
          return rows.indices.filter { members >> UInt32($0) & 1 == 1 }.map { rows[$0] }
        }
      }
      #expect(foundAtOnce.sorted() == targets.sorted(), "eight at once in the set of source \(source)")
    }
    for target in 0..<targetCount {
      let probe = EdgeProbe(to: target, in: relation)
      for (source, targets) in sets.enumerated() {
        probe.prefetch(UInt32(source), relation)
        let expected: UInt32? = targets.contains(target) ? target * 2 + 1 : nil
        if probe.timestamp(UInt32(source), relation) != expected {
          Issue.record("source \(source), target \(target)")
        }
      }
    }
  }
}

/// A relation, its expected edges, and pinned versions of both. Ids descend where rows ascend.
private struct RelationTwins: ~Copyable {
  private struct Edge: Hashable {
    let source: UInt32
    let target: UInt32
  }

  private final class Kept {
    let relation: Adjacency
    let twin: [Edge: UInt32]

    init(_ relation: consuming Adjacency, _ twin: [Edge: UInt32]) {
      self.relation = relation
      self.twin = twin
    }
  }

  private let rows: Int
  private var ids = RowIDs()
  private var relation: Adjacency
  private var twin: [Edge: UInt32] = [:]
  private var kept: [Kept] = []
  var random: SeededRandom
  private let story: String

  init(rows: Int, seed: UInt64, _ form: ListForm) {
    self.rows = rows
    relation = Adjacency(form: form)
    random = SeededRandom(seed: seed)
    story = "seed \(seed), \(form)"
    for row in 0..<rows {
      ids.append(Int64(row % 2 == 0 ? 100_000 - row : row + 1))
      relation.appendSource()
      relation.appendTarget()
    }
  }

  mutating func change(growing: Bool) {
    let (source, target) = (UInt32(random.below(rows)), UInt32(random.below(rows)))
    switch random.below(60) {
    case 0: removeAll(from: source)
    case 1: removeAll(to: target)
    case 2..<(growing ? 45 : 20): insert(source, target, timestamp: UInt32(random.below(6)))
    default: remove(source, target)
    }
  }

  mutating func insert(_ source: UInt32, _ target: UInt32, timestamp: UInt32) {
    let edge = Edge(source: source, target: target)
    let isNew = twin[edge] == nil
    if isNew { twin[edge] = timestamp }
    let wasInserted = relation.insert(source, target, timestamp: timestamp, order: ids)
    #expect(wasInserted == isNew, "\(story)")
  }

  mutating func remove(_ source: UInt32, _ target: UInt32) {
    let wasThere = twin.removeValue(forKey: Edge(source: source, target: target)) != nil
    let wasRemoved = relation.remove(source, target, order: ids)
    #expect(wasRemoved == wasThere, "\(story)")
  }

  mutating func removeAll(from source: UInt32) {
    relation.removeAll(from: source, order: ids)
    twin = twin.filter { $0.key.source != source }
  }

  mutating func removeAll(to target: UInt32) {
    relation.removeAll(to: target, order: ids)
    twin = twin.filter { $0.key.target != target }
  }

  mutating func keep() {
    if kept.count == 3 { kept.remove(at: random.below(3)) }
    kept.append(Kept(relation.pin(), twin))
  }

  mutating func deferBackward() { relation.deferBackward() }
  mutating func buildBackward() { relation.buildBackward(order: ids) }

  /// The same relation, built in bulk from its out-edges.
  mutating func rebuild() {
    let forward = Self.forward(twin, rows: rows)
    let elements = forward.flatMap { $0 }
    relation = Adjacency(
      degrees: forward.map { UInt32($0.count) }, targetCount: rows, workers: 2, order: ids, form: relation.form
    ) { (_, range, buffer) throws(Never) in
      for index in range { buffer[index - range.lowerBound] = elements[index] }
    }
  }

  private static func forward(_ twin: [Edge: UInt32], rows: Int) -> [[UInt64]] {
    var lists = [[UInt64]](repeating: [], count: rows)
    for (edge, timestamp) in twin { lists[Int(edge.source)].append(UInt64(edge.target) << 32 | UInt64(timestamp)) }
    return lists.map { $0.sorted() }
  }

  func compare(_ moment: String) {
    compare(relation, twin, "\(moment), \(story)")
    for instant in kept { compare(instant.relation, instant.twin, "kept, \(moment), \(story)") }
  }

  private func compare(_ relation: borrowing Adjacency, _ twin: [Edge: UInt32], _ story: String) {
    #expect(relation.count == twin.count, "\(story)")
    let problems = relation.checkInvariants("relation", order: ids)
    #expect(problems == [], "\(story)")
    let forward = Self.forward(twin, rows: rows)
    var backward = [[(timestamp: UInt32, id: Int64, source: UInt32)]](repeating: [], count: rows)
    for (edge, timestamp) in twin {
      backward[Int(edge.target)].append((timestamp, ids[edge.source], edge.source))
    }
    for row in 0..<rows {
      let sources = backward[row].sorted { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) }.map(\.source)
      if Self.elements(relation.forward, row) != forward[row] || Self.elements(relation.backward, row) != sources {
        Issue.record("row \(row) differs: \(story)")
        return
      }
      #expect(relation.targetCount(UInt32(row)) == forward[row].count)
      #expect(relation.sourceCount(UInt32(row)) == sources.count)
    }
  }

  private static func elements<Element>(_ lists: borrowing PackedLists<Element>, _ list: Int) -> [Element] {
    var elements: [Element] = []
    lists.forEachRun(of: list) { span in
      for index in span.indices { elements.append(span[index]) }
    }
    return elements
  }
}
