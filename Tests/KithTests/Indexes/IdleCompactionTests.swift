import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Kith

/// Idle compaction of the name index: its sorted runs after the last addition.
@Suite struct IdleCompactionTests {
  @Test("After a short pause each run holds over seven times the younger ones; names are rewritten a few times")
  func shortPauses() {
    for seed in 1...3 as ClosedRange<UInt64> {
      var world = World(seed: seed, memtableCapacity: 16, fanout: 4)
      var (rewritten, pauseCount) = (0, 0)
      for number in 1...1_000 {
        world.add("name \(number &* 7_919 % 100_003)")
        if world.random.below(5) > 0 { continue }
        world.index.settle(names: world.names)
        while world.index.idlePlan?.idleMilliseconds == 100 { rewritten += world.compactIdle() }
        pauseCount += 1
        var younger = world.index.memtable.count
        for sortedRun in world.index.sortedRuns.reversed() {
          #expect(sortedRun.count > 7 * younger, "seed \(seed), \(number) names")
          younger += sortedRun.count
        }
      }
      world.checkInvariants()
      // A thousand exceeds 8³: a name is rewritten eight times at most.
      let names = 1_000...1_000 * 8 * 4
      #expect(pauseCount > 100 && names.contains(rewritten), "\(rewritten) names rewritten in \(pauseCount) pauses")
    }
  }

  @Test("After a long pause one segment remains; larger indexes wait longer; then nothing more is due")
  func longPause() {
    var world = World(seed: 3, memtableCapacity: 128, fanout: 4)
    world.fill(3_000)
    for number in 1...140 { world.add("later \(number)") }
    #expect(world.index.idlePlan == nil, "a full memtable is due anyway")
    world.index.settle(names: world.names)
    #expect(world.index.sortedRuns.map(\.count) == [3_000, 128] && world.index.memtable.count == 12)
    #expect(world.index.idlePlan == NameIndex.IdlePlan(firstRun: 0, idleMilliseconds: 3_140 / 20))
    var pinned = world.pin()
    #expect(world.compactIdle() == 3_140)
    #expect(
      world.index.sortedRuns.map(\.count) == [3_140] && world.index.memtable.count == 0 && world.index.idlePlan == nil)
    world.add("the next one")
    #expect(world.index.idlePlan == nil, "a memtable beside the only run may stay")
    #expect(pinned.index.sortedRuns.map(\.count) == [3_000, 128] && pinned.index.memtable.count == 12)
    #expect(pinned.found("the next") == [] && world.found("the next") == ["the next one"])
    for _ in 0..<20 {
      pinned.compareOneSearch()
      world.compareOneSearch()
    }
    world.checkInvariants()
  }

  @Test("An addition wakes the maintainer exactly when it makes an idle compaction worth its cost")
  func beginning() {
    for fullCount in 1...40 {
      var world = World(seed: 3, memtableCapacity: 64, fanout: 4)
      world.fill(fullCount)
      for number in 1..<64 {
        let before = world.index.idlePlan
        world.index.compactionMayBeDue = false
        world.add("later \(number)")
        let begins = before == nil && world.index.idlePlan != nil
        #expect(world.index.compactionMayBeDue == begins, "\(fullCount) names, \(number) more")
      }
      #expect(world.index.idlePlan != nil)
    }
  }

  @Test("Names added and removed during an idle compaction are found, and not found, at once")
  func changesMeanwhile() {
    for seed in 1...6 as ClosedRange<UInt64> {
      var world = World(seed: seed, memtableCapacity: 8, fanout: 3)
      for _ in 0..<100 { world.changeNames(growing: true) }
      world.index.settle(names: world.names)
      while world.index.idlePlan == nil {
        world.changeNames(growing: true)
        world.index.settle(names: world.names)
      }
      world.merge = world.index.beginIdleCompaction(names: &world.names)
      for _ in 0..<12 { world.changeNames(growing: false) }
      for _ in 0..<10 { world.compareOneSearch() }
      world.finishMerge()
      for _ in 0..<10 { world.compareOneSearch() }
      world.checkInvariants()
    }
  }

  @Test("Names that were all deleted leave no sorted run after an idle compaction")
  func noneLeft() {
    var world = World(seed: 2, memtableCapacity: 4, fanout: 4)
    for number in 1...8 { world.add("name \(number)") }
    while world.plain.count > 0 { world.remove() }
    world.index.settle(names: world.names)
    while world.index.idlePlan != nil { _ = world.compactIdle() }
    #expect(world.index.sortedRuns.isEmpty)
  }

  @Test("A compaction that is stopped at any step builds no segment")
  func stopped() {
    for stop in 1...5 {
      var world = World(seed: 2, memtableCapacity: 4, fanout: 4)
      for number in 1...10 { world.add("name \(number)") }
      world.index.settle(names: world.names)
      #expect(world.index.sortedRuns.map(\.count) == [8])
      guard let merge = world.index.beginIdleCompaction(names: &world.names) else {
        Issue.record("nothing to compact")
        return
      }
      // Asked before each of two sorted runs, and before the segment and its only part are built.
      var questionCount = 0
      let segment = merge.segment {
        questionCount += 1
        return questionCount == stop
      }
      #expect(segment?.count == (stop < 5 ? nil : 10) && questionCount == min(stop, 4))
      world.checkInvariants()
    }
  }

  @Test("An idle graph compacts to one segment, waits again after an addition, and stops when closed")
  func maintainer() throws {
    let clock = HeldClock()
    let graph = SocialGraph(
      GraphState(), store: nil, isReadOnly: false,
      nameMaintainer: IndexMaintainer(workerCount: 2, schedule: clock.schedule))
    func shape() -> (sortedRuns: [Int], memtable: Int) {
      graph.read { view in (view.state.users.search.sortedRuns.map(\.count), view.state.users.search.memtable.count) }
    }
    for number in 1...10_000 { try graph.addUser("name \(number &* 7_919 % 100_003)") }
    // Due compactions run at the same time: each step schedules the next until they are done.
    while shape() != ([10_000], 0) { try #expect(#require(clock.next()).run() >= 100) }
    for number in 1...4_100 { try graph.addUser("later \(number)") }
    while shape() != ([14_100], 0) { try #require(clock.next()).run() }
    for number in 1...5_000 { try graph.addUser("even later \(number)") }
    // Nothing is planned for a pause while a compaction is due.
    while graph.read({ view in view.state.users.search.dueCompaction() != nil }) { usleep(1_000) }
    let idle = try #require(clock.next())
    try graph.addUser("just in time")
    idle.run()
    #expect(shape().sortedRuns.first == 14_100, "one came meanwhile")
    try graph.close()
    try #require(clock.next()).run()
    #expect(shape().sortedRuns.first == 14_100 && graph.pin().view.verify() == [])
  }
}

extension World {
  /// Runs the idle compaction; returns how many names it rewrote.
  mutating func compactIdle() -> Int {
    guard let compaction = index.beginIdleCompaction(names: &names) else { return 0 }
    let segment = compaction.segment()
    index.install(segment, inPlaceOf: compaction.inputs)
    return segment?.count ?? 0
  }
}

/// A scheduler that keeps delayed work until the test runs it.
private final class HeldClock: Sendable {
  struct Entry: Sendable {
    let milliseconds: Int
    let body: @Sendable () -> Void

    /// Returns the delay.
    @discardableResult
    func run() -> Int {
      body()
      return milliseconds
    }
  }

  private let entries = Mutex<[Entry]>([])
  private let count = DispatchSemaphore(value: 0)

  var schedule: IndexMaintainer<UserTable>.Scheduler {
    { [self] milliseconds, body in
      entries.withLock { $0.append(Entry(milliseconds: milliseconds, body: body)) }
      count.signal()
    }
  }

  /// Waits for scheduled work and takes it; nil after a minute.
  func next() -> Entry? {
    count.wait(timeout: .now() + 60) == .success ? entries.withLock { $0.removeFirst() } : nil
  }
}
