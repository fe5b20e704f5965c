import CSupport
import Testing

@testable import Kith

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite struct TLSFAllocatorTests {
  /// An allocated block: every byte of it identifies it.
  @safe private struct Taken {
    let base: UnsafeMutableRawPointer
    let byteCount: Int
    let mark: UInt8

    init(_ base: UnsafeMutableRawPointer, byteCount: Int, mark: UInt8) {
      unsafe self.base = unsafe base
      self.byteCount = byteCount
      self.mark = mark
      unsafe base.initializeMemory(as: UInt8.self, repeating: mark, count: byteCount)
    }

    var isIntact: Bool {
      (0..<byteCount).allSatisfy { unsafe base.load(fromByteOffset: $0, as: UInt8.self) == mark }
    }
  }

  /// Sizes as in a graph: blocks of lists, pages of columns and indexes, sometimes pages of texts.
  private static func byteCount(_ random: inout SeededRandom) -> Int {
    switch random.below(20) {
    case 0: 16_384
    case 1, 2: 4_096
    case 3: random.below(200_000)
    case 4 where random.below(10) == 0: TextColumn.pageByteCount
    default: random.below(3_000)
    }
  }

  @Test("Pages asked for of one arena are not mixed with those of the next, wherever it is", arguments: [1, 9])
  func frontier(next: Int) throws {
    // Addresses that are compared, and never followed.
    func arena(_ place: Int) throws -> UnsafeMutableRawPointer {
      unsafe try #require(UnsafeMutableRawPointer(bitPattern: place << 30))
    }
    let size = 32 << 20
    var frontier = ArenaFrontier()
    unsafe frontier.begin(try arena(5), byteCount: size, readyByteCount: 0, mappedByteCount: size)
    unsafe frontier.reach(try arena(5), arenaByteCount: size)
    let isAsked = (frontier.needsWorker(), frontier.needsWorker())
    #expect(isAsked == (true, false), "one thread is woken")
    unsafe frontier.begin(try arena(next), byteCount: size, readyByteCount: 0, mappedByteCount: size)
    unsafe frontier.reach(try arena(next), arenaByteCount: size)
    let (start, page) = (next << 30, HugePage.byteCount)
    #expect(frontier.unused == start..<start + 4 * page)
    let second = ArenaFrontier.Work(start: start + page, byteCount: page, used: start..<start)
    #expect(frontier.takeWork() == second, "the first page is used too soon; a page at a time")
    // The third page would be used while it is made ready.
    unsafe frontier.reach(try arena(next) + page + 1, arenaByteCount: size)
    let fourth = ArenaFrontier.Work(start: start + 3 * page, byteCount: page, used: start..<start + 2 * page)
    #expect(frontier.takeWork() == fourth)
    unsafe frontier.reach(try arena(next) + 5 * page / 2, arenaByteCount: size)
    let fifth = ArenaFrontier.Work(start: start + 4 * page, byteCount: page, used: start + 2 * page..<start + 3 * page)
    #expect(frontier.takeWork() == fifth, "the third page is in use")
  }

  @Test("Whole huge pages are asked for, in a pool of any size", arguments: (2...128).map { 32 * $0 })
  func wholePages(mappedMegabytes: Int) throws {
    let (base, size) = (3 << 30, 64 << 20)
    var frontier = ArenaFrontier()
    // What is left of a block begins anywhere.
    for isArena in [true, false] {
      let start = unsafe try #require(UnsafeMutableRawPointer(bitPattern: isArena ? base : base + 100_016))
      unsafe frontier.begin(start, byteCount: size, isArena: isArena, mappedByteCount: mappedMegabytes << 20)
      for offset in stride(from: 0, to: size, by: 900_000) {
        unsafe frontier.reach(start + offset, arenaByteCount: size)
        while let work = frontier.takeWork() {
          for bytes in [work.start, work.byteCount, work.arenaReadyByteCount] {
            #expect(bytes % HugePage.byteCount == 0, "\(work)")
          }
          #expect(work.byteCount == 0 || (work.start >= base && work.start + work.byteCount <= base + size))
        }
      }
    }
  }

  @Test("Memory that was used and freed is not vacant, unless it was given back to the system")
  func vacancy() {
    var heap = TLSFAllocator()
    let bases = unsafe (0..<400).map { _ in unsafe heap.allocate(byteCount: 3_000) }
    func unused() -> Int { heap.mappedByteCount - heap.takenByteCount - heap.vacantByteCount }
    let overhead = unused()
    for index in stride(from: 0, to: 400, by: 2) { unsafe heap.free(bases[index]) }
    #expect(unused() - overhead >= 200 * 3_000 && heap.checkInvariants().isEmpty)
    let vacant = heap.vacantByteCount
    for index in stride(from: 1, to: 200, by: 2) { unsafe heap.free(bases[index]) }
    #expect(heap.vacantByteCount == vacant && heap.checkInvariants().isEmpty)
    // The first 200 are one long free block now, the others blocks of a few pages.
    heap.giveBack()
    #expect(heap.vacantByteCount >= vacant + 200 * 3_000 && unused() - overhead < 110 * 3_016)
    #expect(heap.idleByteCount == unused(), "nothing is made ready in a small pool")
    for index in stride(from: 201, to: 400, by: 2) { unsafe heap.free(bases[index]) }
    #expect(heap.takenByteCount == 0 && heap.checkInvariants().isEmpty)
  }

  #if os(Linux)
    private static func isResident(_ address: Int) -> Bool {
      var page: UInt8 = 0
      let start = unsafe UnsafeMutableRawPointer(bitPattern: address & ~4_095)
      return unsafe mincore(start, 1, &page) == 0 && page & 1 == 1
    }

    @Test("Memory of a large pool that is not ready is on small pages, also what was given back")
    func smallPages() throws {
      var heap = TLSFAllocator()
      var blocks: [Taken] = []
      func take(_ byteCount: Int) -> Int {
        let base = unsafe heap.allocate(byteCount: byteCount)
        blocks.append(unsafe Taken(base, byteCount: byteCount, mark: 1))
        return Int(bitPattern: base)
      }
      // No thread makes anything ready here. A huge page with the end of a block would be resident up to its own end.
      func isOnSmallPages(_ address: Int) -> Bool {
        let page = (address + 1_000_000) & ~(HugePage.byteCount - 1)
        return !Self.isResident(page + HugePage.byteCount - 8_192)
      }
      // Where small pages were, the system keeps them. So the old arenas are on huge pages.
      heap.beginFilling()
      while heap.mappedByteCount < 2 * ArenaFrontier.leastMappedByteCount { _ = take(1_000_000) }
      heap.endFilling()
      while heap.mappedByteCount < 3 * ArenaFrontier.leastMappedByteCount { _ = take(1_000_000) }
      #expect(isOnSmallPages(take(1_000_000)), "the newest arena")
      // Blocks of an old arena that are neighbours.
      func address(_ index: Int) -> Int { unsafe Int(bitPattern: blocks[index].base) }
      let first = try #require((80..<118).first { (0..<11_000_000).contains(address($0 + 10) - address($0)) })
      let place = address(first)
      for block in blocks[first..<first + 10] { unsafe heap.free(block.base) }
      blocks.removeSubrange(first..<first + 10)
      heap.giveBack()
      let again = take(1_000_000)
      #expect(again >= place && again < place + 2_000_000, "what was given back is used first")
      // Two megabytes further, a huge page is wholly inside what was given back.
      _ = take(1_000_000)
      #expect(isOnSmallPages(take(1_000_000)), "a block that was given back")
      let work = heap.takeWork()
      let asked = try #require(work)
      #expect(asked.byteCount > 0, "its next pages are made ready")
      #expect(asked.start > place && asked.start < place + 8_000_000)
      for block in blocks { unsafe heap.free(block.base) }
      #expect(heap.takenByteCount == 0 && heap.checkInvariants() == [])
    }

    @Test("What was used and freed is not resident after it was given back, also in the newest arena of a large pool")
    func givenBack() {
      var heap = TLSFAllocator()
      var (old, newest): ([Taken], [Taken]) = ([], [])
      while heap.mappedByteCount < 2 * ArenaFrontier.leastMappedByteCount || newest.count < 40 {
        let mapped = heap.mappedByteCount
        let base = unsafe heap.allocate(byteCount: 100_000)
        if heap.mappedByteCount != mapped {
          old += newest
          newest = []
        }
        newest.append(unsafe Taken(base, byteCount: 100_000, mark: 1))
      }
      for block in newest.reversed() { unsafe heap.free(block.base) }
      let stay = newest.allSatisfy { unsafe Self.isResident(Int(bitPattern: $0.base + 8_192)) }
      #expect(stay, "what was freed stays with the pool")
      heap.giveBack()
      let kept = heap.frontier.unused
      let left = newest.filter {
        let address = unsafe Int(bitPattern: $0.base + 8_192)
        return Self.isResident(address) && !kept.contains(address)
      }
      #expect(left.isEmpty, "\(left.count) of \(newest.count) blocks are resident")
      for block in old { unsafe heap.free(block.base) }
      #expect(heap.takenByteCount == 0 && heap.checkInvariants() == [])
    }
  #endif

  @Test("Nothing is allocated in a page while it is made ready", arguments: UInt64(1)...2)
  func pageInTheMaking(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var heap = TLSFAllocator()
    var blocks: [Taken] = []
    var making = 0..<0
    var takenCount = 0
    func allocate() {
      let byteCount = 1 + random.below(random.below(4) == 0 ? 1_000_000 : 20_000)
      let base = unsafe heap.allocate(byteCount: byteCount)
      let start = Int(bitPattern: base)
      // The header of what is behind it, and the neighbours of that in its list.
      #expect(!making.overlaps(start - 8..<start + byteCount + 24), "seed \(seed), page \(takenCount)")
      blocks.append(unsafe Taken(base, byteCount: byteCount, mark: UInt8(truncatingIfNeeded: blocks.count)))
    }
    while heap.mappedByteCount < 2 * ArenaFrontier.leastMappedByteCount { allocate() }
    while takenCount < 12 {
      let work = heap.takeWork()
      making = work.map { $0.start..<$0.start + $0.byteCount } ?? 0..<0
      if !making.isEmpty { takenCount += 1 }
      // Together more than the distance to the page.
      for _ in 0..<150 { allocate() }
      #expect(heap.checkInvariants() == [], "seed \(seed), page \(takenCount)")
      if random.below(3) == 0 {
        for _ in 0..<100 { unsafe heap.free(blocks.remove(at: random.below(blocks.count)).base) }
      }
    }
    while heap.takeWork() != nil {}
    for block in blocks {
      #expect(block.isIntact, "seed \(seed)")
      unsafe heap.free(block.base)
    }
    #expect(heap.takenByteCount == 0 && heap.checkInvariants() == [], "seed \(seed)")
  }

  /// A worker that answers at once, as the pool's does soon.
  @Test("Nearly all first writes to huge pages of a large pool are to pages that were made ready")
  func readyPages() {
    var random = SeededRandom(seed: 1)
    var heap = TLSFAllocator()
    var ready: [Range<Int>] = []
    var pages: Set<Int> = []
    var (freshCount, coldCount) = (0, 0)
    func note(_ address: Int) {
      guard pages.insert(address >> 21).inserted, heap.mappedByteCount > 2 * ArenaFrontier.leastMappedByteCount else {
        return
      }
      freshCount += 1
      if !ready.contains(where: { $0.contains(address) }) { coldCount += 1 }
    }
    for _ in 0..<60_000 {
      let byteCount = random.below(200) == 0 ? TextColumn.pageByteCount : [100, 2_600, 5_000, 16_384][random.below(4)]
      let base = unsafe heap.allocate(byteCount: byteCount)
      note(Int(bitPattern: base))
      // The header of what is left behind it.
      note(Int(bitPattern: base) + byteCount)
      while let work = heap.takeWork() {
        ready.append(work.start..<work.start + work.byteCount)
        guard work.arenaByteCount > 0, let arena = unsafe kith_map(work.arenaByteCount, false) else { continue }
        let start = Int(bitPattern: arena)
        ready += work.arenaPages(from: start)
        let isTaken = unsafe heap.offer(arena, work)
        #expect(isTaken, "one arena is asked for at a time")
        // When it is mapped, its end is written.
        note(start + work.arenaByteCount - 8)
      }
    }
    #expect(heap.checkInvariants() == [])
    #expect(freshCount > 50 && coldCount * 50 < freshCount, "\(coldCount) of \(freshCount) pages were not ready")
  }

  @Test("Random allocations and releases keep every invariant", arguments: UInt64(1)...6)
  func randomAllocations(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var heap = TLSFAllocator()
    var taken: [Taken] = []
    for step in 0..<3_000 {
      // Alternately the allocator fills and empties.
      if taken.isEmpty || random.below(100) < (step / 500 % 2 == 0 ? 70 : 30) {
        let byteCount = Self.byteCount(&random)
        let base = unsafe heap.allocate(byteCount: byteCount)
        let alignment = byteCount >= TLSFAllocator.pageByteCount ? TLSFAllocator.lineByteCount : 16
        #expect(Int(bitPattern: base) % alignment == 0, "seed \(seed), step \(step)")
        taken.append(unsafe Taken(base, byteCount: byteCount, mark: UInt8(truncatingIfNeeded: step)))
      } else {
        let block = taken.remove(at: random.below(taken.count))
        #expect(block.isIntact, "seed \(seed), step \(step): bytes of a block were written by another")
        unsafe heap.free(block.base)
      }
      if step % 100 == 0 { #expect(heap.checkInvariants() == [], "seed \(seed), step \(step)") }
    }
    for block in taken {
      #expect(block.isIntact, "seed \(seed)")
      unsafe heap.free(block.base)
    }
    #expect(heap.checkInvariants() == [], "seed \(seed)")
    #expect(heap.takenByteCount == 0 && heap.mappedByteCount <= 1 << 25, "seed \(seed): one arena may be kept")
  }

  @Test("A released page is reused")
  func releasedPage() {
    var heap = TLSFAllocator()
    var pages = unsafe (0..<400).map { _ in unsafe heap.allocate(byteCount: 16_384) }
    let mapped = heap.mappedByteCount
    for round in 0..<1_000 {
      unsafe heap.free(pages[round % 400])
      unsafe pages[round % 400] = heap.allocate(byteCount: 16_384)
    }
    #expect(heap.mappedByteCount == mapped)
    #expect(heap.checkInvariants() == [])
    for index in 0..<400 { unsafe heap.free(pages[index]) }
    #expect(heap.takenByteCount == 0)
  }

  /// Blocks that grow a little, in turn, leave gaps that the next ones fit in.
  @Test("Churn wastes little memory")
  func churn() {
    var random = SeededRandom(seed: 9)
    var heap = TLSFAllocator()
    var blocks = (0..<2_000).map { _ in
      let byteCount = 500 + random.below(6_000)
      return unsafe Taken(heap.allocate(byteCount: byteCount), byteCount: byteCount, mark: 0)
    }
    for _ in 0..<40_000 {
      let index = random.below(blocks.count)
      let byteCount = 500 + random.below(6_000)
      unsafe heap.free(blocks[index].base)
      blocks[index] = unsafe Taken(heap.allocate(byteCount: byteCount), byteCount: byteCount, mark: 0)
    }
    #expect(heap.checkInvariants() == [])
    #expect(heap.mappedByteCount < heap.takenByteCount * 5 / 4, "\(heap.takenByteCount) of \(heap.mappedByteCount)")
    for block in blocks { unsafe heap.free(block.base) }
  }

  @Test("A block keeps its size when it is copied again and again", arguments: [48, 256, 2_600, 4_096, 16_384])
  func copies(around size: Int) {
    var random = SeededRandom(seed: 9)
    var heap = TLSFAllocator()
    func asked(_ block: Taken) -> Int { unsafe TLSFAllocator.byteCount(of: block.base) }
    var blocks = (0..<500).map { _ in
      let byteCount = size + 16 * random.below(8)
      return unsafe Taken(heap.allocate(byteCount: byteCount), byteCount: byteCount, mark: 0)
    }
    let byteCounts = blocks.map(asked)
    for _ in 0..<20_000 {
      let index = random.below(blocks.count)
      let byteCount = asked(blocks[index])
      let copy = unsafe Taken(heap.allocate(byteCount: byteCount), byteCount: byteCount, mark: 0)
      unsafe heap.free(blocks[index].base)
      blocks[index] = copy
    }
    #expect(blocks.map(asked) == byteCounts)
    let footprint = blocks.reduce(0) { unsafe $0 + TLSFAllocator.footprint(of: $1.base) }
    #expect(footprint == heap.takenByteCount && heap.checkInvariants() == [])
    for block in blocks { unsafe heap.free(block.base) }
  }

  @Test("Free memory that is given back can be allocated again, and blocks beside it are intact")
  func givingBack() {
    var random = SeededRandom(seed: 9)
    var heap = TLSFAllocator()
    var blocks = (0..<200).map { step in
      let byteCount = random.below(3) == 0 ? TextColumn.pageByteCount : 1 + random.below(200_000)
      return unsafe Taken(heap.allocate(byteCount: byteCount), byteCount: byteCount, mark: UInt8(step))
    }
    for round in 0..<3 {
      for _ in 0..<120 { unsafe heap.free(blocks.remove(at: random.below(blocks.count)).base) }
      heap.giveBack()
      #expect(heap.checkInvariants() == [] && blocks.allSatisfy { $0.isIntact }, "round \(round)")
      for step in 0..<120 {
        let byteCount = 1 + random.below(900_000)
        blocks.append(
          unsafe Taken(heap.allocate(byteCount: byteCount), byteCount: byteCount, mark: UInt8(200 + step % 50)))
      }
      #expect(heap.checkInvariants() == [] && blocks.allSatisfy { $0.isIntact }, "round \(round)")
    }
    for block in blocks { unsafe heap.free(block.base) }
  }

  @Test("Two pages of texts fill a huge page, the smallest arena")
  func textPages() {
    var heap = TLSFAllocator()
    let pages = unsafe (0..<10).map { _ in unsafe heap.allocate(byteCount: TextColumn.pageByteCount) }
    #expect(heap.mappedByteCount == 5 << 21 && heap.checkInvariants() == [])
    for index in unsafe pages.indices { unsafe heap.free(pages[index]) }
    #expect(heap.takenByteCount == 0)
  }

  @Test("A megabyte and more can be allocated")
  func largeBlocks() {
    for byteCount in [0, 1, PagePool.maximumByteCount, PagePool.maximumByteCount + 1, 5 << 20] {
      let page = MemoryPage.zeroed(byteCount: byteCount)
      #expect(page.byteCount >= byteCount && page.byteCount <= byteCount + 112)
      if byteCount > 0 { #expect(unsafe page.base.load(fromByteOffset: byteCount - 1, as: UInt8.self) == 0) }
    }
  }
}
