import Synchronization
import Testing

@testable import Kith

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a verification costs and reports, and how it ends early. Other suites test what it finds.
@Suite struct VerificationTests {
  /// An index of one segment: many names that begin with digits, and fewer, of eight letters, that hold every frequent
  /// gram. `isFirst` puts those in front of the others.
  private func world(lettersFirst isFirst: Bool) -> World {
    var world = World(seed: 9, memtableCapacity: 4_096, fanout: 8, namesPerPart: NameSegment.maximumNamesPerPart)
    func add(_ name: String, to world: inout World) {
      world.names.append(Array(name.utf8).span)
      world.index.insert(UInt32(world.names.count - 1), names: world.names)
    }
    for number in 0..<16_000 { add((isFirst ? "z" : "0") + "\(100_000 + number)", to: &world) }
    for number in 0..<6_000 {
      var (text, rest) = (isFirst ? "0" : "z", world.random.below(1 << 24))
      for _ in 0..<8 {
        text.append(Character(Unicode.Scalar(UInt8(ascii: "k") + UInt8(rest & 7))))
        rest >>= 3
      }
      add(text + "\(number)", to: &world)
    }
    world.index.freezeMemtable(names: world.names)
    let merge = world.index.beginCompaction(of: 0..<world.index.sortedRuns.count, names: &world.names)
    world.index.install(merge.segment(), inPlaceOf: merge.inputs)
    return world
  }

  /// The least processor time of this thread for three checks, in nanoseconds.
  private func cost(of world: borrowing World) -> Int {
    var least = Int.max
    for _ in 0..<3 {
      let began = Self.threadNanoseconds()
      #expect(world.index.checkInvariants(names: world.names) == [])
      least = min(least, Self.threadNanoseconds() - began)
    }
    return least
  }

  private static func threadNanoseconds() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  @Test("The index of names is verified in one walk, wherever its frequent grams are")
  func cost() {
    let near = world(lettersFirst: true)
    let far = world(lettersFirst: false)
    #expect(near.frequentGramCount > 300 && far.frequentGramCount > 300)
    let (first, second) = (cost(of: near), cost(of: far))
    // A walk over the names for each gram takes more than ten times as long.
    #expect(second < 3 * first, "\(second) ns, after \(first) ns")
  }

  @Test("First ranks of another name, or of too few names, are found")
  func firstRanks() throws {
    var world = world(lettersFirst: false)
    let (run, segment) = try #require(
      world.index.sortedRuns.lazy.compactMap { run -> (NameIndex.SortedRun, NameSegment)? in
        if case .segment(let segment) = run.body { (run, segment) } else { nil }
      }.first)
    let gram = UInt32(UInt8(ascii: "k"))
    let range = try #require(segment.firstRanks.range(of: gram))
    let ranks = Array(segment.firstRanks.ranks[range])
    var last = ranks
    last[ranks.count - 1] += 1
    for (index, forged) in [ranks, Array(ranks.dropFirst()) + [ranks[0]], last].enumerated() {
      var table: [UInt64] = [0, 0]
      table[GramPostings.home(of: gram, mask: 1)] = UInt64(gram) << 32
      let other = NameSegment(segment, firstRanks: FirstRanks(table: table, ranks: forged))
      let before = world.index.sortedRuns.filter { $0.generations == run.generations }
      world.index.install(other, inPlaceOf: before)
      let problems = world.index.checkInvariants(names: world.names)
      #expect(problems.count == (index == 0 ? 0 : 1), "\(problems)")
      #expect(problems.allSatisfy { $0.hasSuffix("the first ranks of gram \(gram) are others") })
    }
  }

  @Test("A posting list, or a bitmap, holds exactly its blocks")
  func postings() throws {
    let world = world(lettersFirst: false)
    var (listCount, bitmapCount) = (0, 0)
    for run in world.index.sortedRuns {
      guard case .segment(let segment) = run.body else { continue }
      for postings in segment.parts.flatMap({ [$0.trigrams, $0.shortGrams] }) {
        for gram in postings.postedGrams {
          let held = (0..<postings.blockCount).count { postings.holds(gram, in: $0) }
          #expect(held == postings.count(of: gram), "gram \(gram)")
          if postings.entry(of: gram)?.isDense == true { bitmapCount += 1 } else { listCount += 1 }
        }
        #expect(!postings.holds(0x010101, in: 0))
      }
    }
    #expect(listCount > 0 && bitmapCount > 0)
  }

  // MARK: - Progress and cancellation

  private static let userCount = 20_000

  private func graph() throws -> SocialGraph {
    let graph = SocialGraph()
    try graph.bulk { batch throws(KithError) in
      for number in 1...Self.userCount { try batch.apply(.addUser(id: nil, username: "user \(number)")) }
      for number in 1..<Self.userCount {
        try batch.apply(.follow(as: UserID(Int64(number)), target: UserID(Int64(number) + 1), at: nil))
        try batch.apply(.addPost(id: nil, by: UserID(Int64(number)), text: "post \(number)", createdAt: nil))
      }
    }
    return graph
  }

  @Test("A verification reports its progress up to the end")
  func progress() throws {
    let pin = try graph().pin()
    let fractions = Mutex<[Double]>([])
    // The control is asked by the thread that verifies, so it cannot be freed meanwhile.
    let box = Mutex<PassControl?>(nil)
    let control = PassControl {
      let fraction = box.withLock { $0?.fraction } ?? -1
      fractions.withLock { $0.append(fraction) }
      return false
    }
    box.withLock { $0 = control }
    #expect(try pin.view.verify(control: control) == [])
    #expect(control.fraction == 1)
    let seen = fractions.withLock { $0 }
    #expect(seen.count > 1 && seen == seen.sorted() && seen.allSatisfy { 0 < $0 && $0 <= 1 }, "\(seen)")
    box.withLock { $0 = nil }
  }

  @Test("A verification that is cancelled, or that no client waits for, ends early with an error")
  func cancellation() throws {
    let pin = try graph().pin()
    let cancelled = PassControl()
    cancelled.cancel()
    #expect(throws: KithError.cancelled) { try pin.view.verify(control: cancelled) }
    let count = Atomic<Int>(0)
    let abandoned = PassControl {
      count.add(1, ordering: .relaxed)
      return true
    }
    #expect(throws: KithError.cancelled) { try pin.view.verify(control: abandoned) }
    #expect(count.load(ordering: .relaxed) == 1 && abandoned.fraction < 0.9)
  }

  @Test("The async form verifies beside changes, and the cancellation of its task ends it")
  func asyncForm() async throws {
    let graph = try graph()
    #expect(try await graph.verify() == [])
    let control = PassControl {
      // Until the change that follows the cancellation of the task.
      while graph.read({ $0.counts.users }) == Self.userCount {}
      return false
    }
    let task = Task { try await graph.verify(control: control) }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    _ = try await graph.addUser("goes on")
    await #expect(throws: KithError.cancelled) { try await task.value }
    try await graph.close()
    await #expect(throws: KithError.closed) { try await graph.verify() }
  }

  @Test("A deep verification of files is cancelled by its control")
  func files() throws {
    let directory = try TemporaryDirectory()
    let graph = try SocialGraph.open(directory.file("store"))
    try graph.addUser("ann")
    try graph.close()
    let control = PassControl()
    #expect(try Verification(of: directory.file("store"), .deep, passes: control).problems == [])
    #expect(control.fraction == 1)
    control.cancel()
    #expect(throws: KithError.cancelled) { try Verification(of: directory.file("store"), .deep, passes: control) }
  }
}
