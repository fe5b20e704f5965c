import Dispatch
import Synchronization
import Testing

@testable import Kith

/// What becomes of the tiers of names when no name comes any more.
@Suite struct NameRestTests {
  @Test("After a short rest each tier holds over seven times what is younger; a name is rewritten a few times for it")
  func shortRests() {
    for seed in 1...3 as ClosedRange<UInt64> {
      var world = World(seed: seed, headCapacity: 16, fanout: 4)
      var (rewritten, restCount) = (0, 0)
      for number in 1...1_000 {
        world.add("name \(number &* 7_919 % 100_003)")
        if world.random.below(5) > 0 { continue }
        world.index.settle(names: world.names)
        while world.index.rest?.quietMilliseconds == 100 { rewritten += world.rest() }
        restCount += 1
        var younger = world.index.head.count
        for tier in world.index.tiers.reversed() {
          #expect(tier.count > 7 * younger, "seed \(seed), \(number) names")
          younger += tier.count
        }
      }
      world.checkInvariants()
      // A thousand is more than eight times eight times eight; so many times is a name rewritten eight times at most.
      let names = 1_000...1_000 * 8 * 4
      #expect(restCount > 100 && names.contains(rewritten), "\(rewritten) names rewritten at \(restCount) rests")
    }
  }

  @Test("Quiet for long, all names come into one segment, the later the more there are; then no more is to be done")
  func longRest() {
    var world = World(seed: 3, headCapacity: 128, fanout: 4)
    world.fill(3_000)
    for number in 1...140 { world.add("later \(number)") }
    #expect(world.index.rest == nil, "a full head is due anyway")
    world.index.settle(names: world.names)
    #expect(world.index.tiers.map(\.count) == [3_000, 128] && world.index.head.count == 12)
    #expect(world.index.rest == NameIndex.Rest(firstTier: 0, quietMilliseconds: 3_140 / 20))
    var pinned = world.pin()
    #expect(world.rest() == 3_140)
    #expect(world.index.tiers.map(\.count) == [3_140] && world.index.head.count == 0 && world.index.rest == nil)
    world.add("the next one")
    #expect(world.index.rest == nil, "a head beside the only tier may stay")
    #expect(pinned.index.tiers.map(\.count) == [3_000, 128] && pinned.index.head.count == 12)
    #expect(pinned.found("the next") == [] && world.found("the next") == ["the next one"])
    for _ in 0..<20 {
      pinned.compareOneSearch()
      world.compareOneSearch()
    }
    world.checkInvariants()
  }

  @Test("Names that come and go while names at rest are merged are found, and gone, at once")
  func changesMeanwhile() {
    for seed in 1...6 as ClosedRange<UInt64> {
      var world = World(seed: seed, headCapacity: 8, fanout: 3)
      for _ in 0..<100 { world.changeNames(growing: true) }
      world.index.settle(names: world.names)
      while world.index.rest == nil {
        world.changeNames(growing: true)
        world.index.settle(names: world.names)
      }
      world.merge = world.index.beginRestMerge(names: &world.names)
      for _ in 0..<12 { world.changeNames(growing: false) }
      for _ in 0..<10 { world.compareOneSearch() }
      world.finishMerge()
      for _ in 0..<10 { world.compareOneSearch() }
      world.checkInvariants()
    }
  }

  @Test("Names that died, all of them, leave no tier behind after a rest")
  func nobodyLeft() {
    var world = World(seed: 2, headCapacity: 4, fanout: 4)
    for number in 1...8 { world.add("name \(number)") }
    while world.plain.count > 0 { world.remove() }
    world.index.settle(names: world.names)
    while world.index.rest != nil { _ = world.rest() }
    #expect(world.index.tiers.isEmpty)
  }

  @Test("A merge that is stopped, whenever that is, brings no segment")
  func stopped() {
    for stop in 1...5 {
      var world = World(seed: 2, headCapacity: 4, fanout: 4)
      for number in 1...10 { world.add("name \(number)") }
      world.index.settle(names: world.names)
      #expect(world.index.tiers.map(\.count) == [8])
      guard let merge = world.index.beginRestMerge(names: &world.names) else {
        Issue.record("nothing to merge")
        return
      }
      // Asked before each of two tiers, and before the segment and its only part are made.
      var questionCount = 0
      let segment = merge.segment {
        questionCount += 1
        return questionCount == stop
      }
      #expect(segment?.count == (stop < 5 ? nil : 10) && questionCount == min(stop, 4))
      world.checkInvariants()
    }
  }

  @Test("A graph's names come into one segment when they rest, wait anew when one comes, and are left when it closes")
  func merger() throws {
    let clock = HeldClock()
    let graph = SocialGraph(
      GraphState(), store: nil, isReadOnly: false, nameMerger: NameMerger(later: clock.later))
    func shape() -> (tiers: [Int], head: Int) {
      graph.read { view in (view.state.users.search.tiers.map(\.count), view.state.users.search.head.count) }
    }
    for number in 1...10_000 { try graph.addUser("name \(number &* 7_919 % 100_003)") }
    // Merges that are due run beside: until they are through, each look leads to the next one.
    while shape() != ([10_000], 0) { try #expect(#require(clock.next()).run() >= 100) }
    for number in 1...4_100 { try graph.addUser("later \(number)") }
    while shape() != ([14_100], 0) { try #require(clock.next()).run() }
    for number in 1...5_000 { try graph.addUser("even later \(number)") }
    let rest = try #require(clock.next())
    try graph.addUser("just in time")
    rest.run()
    #expect(shape().tiers.first == 14_100, "one came meanwhile")
    try graph.close()
    try #require(clock.next()).run()
    #expect(shape().tiers.first == 14_100 && graph.pin().view.verify() == [])
  }
}

extension World {
  /// Merges names at rest; answers how many.
  mutating func rest() -> Int {
    guard let merge = index.beginRestMerge(names: &names) else { return 0 }
    let segment = merge.segment()
    index.adopt(segment, inPlaceOf: merge.inputs)
    return segment?.count ?? 0
  }
}

/// Keeps what is to run later until the test says so.
private final class HeldClock: Sendable {
  struct Entry: Sendable {
    let milliseconds: Int
    let body: @Sendable () -> Void

    /// Answers how long it was to wait.
    @discardableResult
    func run() -> Int {
      body()
      return milliseconds
    }
  }

  private let entries = Mutex<[Entry]>([])
  private let count = DispatchSemaphore(value: 0)

  var later: NameMerger.Later {
    { [self] milliseconds, body in
      entries.withLock { $0.append(Entry(milliseconds: milliseconds, body: body)) }
      count.signal()
    }
  }

  /// Waits until there is something, and takes it; nil when nothing came for a minute.
  func next() -> Entry? {
    count.wait(timeout: .now() + 60) == .success ? entries.withLock { $0.removeFirst() } : nil
  }
}
