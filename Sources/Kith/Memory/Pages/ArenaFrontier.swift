/// How far the vacant memory that is being cut up is used, and how far the system has given it pages: so that another
/// thread can have the next ones made ready, and the next arena. That memory is the newest arena, or a long block that
/// was given back to the system.
///
/// The first write to a huge page takes up to some milliseconds (4.4 on the virtual machine of the figures), because
/// the system finds and zeroes it. That would be the longest of all changes. So vacant memory is on small pages until
/// it is made ready: a thread that fills it faster than it is made ready waits some microseconds for each of these.
@safe struct ArenaFrontier {
  // Safety: addresses are compared, and never followed.

  /// What another thread is asked to make ready.
  struct Work: Equatable {
    /// The address of huge pages, and their bytes; 0 for none. Of those asked for, one is taken at a time.
    var start = 0
    var byteCount = 0
    /// Pages before them that are in use already, on small pages: the system may merge these.
    var used = 0..<0
    /// The bytes of an arena to map, 0 for none; and how many of its first ones to make ready.
    var arenaByteCount = 0
    var arenaReadyByteCount = 0

    /// What is made ready of the arena: its beginning, and its last huge page, where its end is written.
    func arenaPages(from start: Int) -> [Range<Int>] {
      let end = start + arenaByteCount
      let first = start..<start + arenaReadyByteCount
      return [first, max(first.upperBound, end - HugePage.byteCount)..<end]
    }
  }

  /// Smaller pools are left alone: a small graph should take little.
  static let leastMappedByteCount = 64 << 20
  /// A fraction (1/n) of a pool is kept ready ahead, within limits. The least is more than the lead and the longest
  /// page together, and than a thread fills while another wakes up and makes the next huge page ready. After a pin, a
  /// large graph copies pages faster than that thread follows: with a million users, 30 MB in 140 ms.
  private static let reserveShare = 64
  private static let leastReserve = 2 * HugePage.byteCount
  private static let mostReserve = 16 * HugePage.byteCount
  /// What is made ready at once, beyond the reserve.
  private static let stepByteCount = 2 * HugePage.byteCount
  /// How far ahead a page is made ready at least. What is left out is filled on small pages, which take longer.
  private static let lead = HugePage.byteCount
  /// The next arena is asked for when this fraction (1/n) of an arena is left, or half of the reserve. As much as this
  /// half is made ready in it, or the least reserve.
  private static let arenaShare = 4

  private var start = 0
  private var end = 0
  private var ready = 0
  private var reached = 0
  private var reserve = leastReserve
  /// Whether what is followed is in the newest arena. Another one is asked for before its end.
  private var isArena = true
  private var awaitsArena = false
  private var work: Work?
  /// Pages that no thread makes ready, because they are used too soon, and that were not in use when they were left
  /// out.
  private var leftOut = 0..<0
  private var isWorking = false
  /// The page that was taken last, which the thread is making ready; empty after that.
  private var making = 0..<0

  /// What is ready and not yet used, or soon will be ready; empty without an arena.
  var unused: Range<Int> { reached..<max(reached, min(ready, end)) }

  /// Whether there is work, and no thread that will take it. The caller wakes one.
  @inline(__always)
  mutating func needsWorker() -> Bool {
    if work == nil || isWorking { return false }
    isWorking = true
    return true
  }

  /// A page to make ready, otherwise an arena; nil ends the work of the thread.
  mutating func takeWork() -> Work? {
    if let pages = takePage() { return pages }
    isWorking = work != nil
    defer { work = nil }
    return work
  }

  /// The next page asked for, which is more urgent than an arena. Pages that may be reached before they are ready are
  /// left out: while a page is made ready, a free block that has been used up to it is set aside.
  mutating func takePage() -> Work? {
    making = 0..<0
    guard var asked = work, asked.byteCount > 0 else { return nil }
    let end = asked.start + asked.byteCount
    let soon = HugePage.roundUp(reached + Self.lead)
    let page = min(max(asked.start, soon), end)
    // Not before a page is in use: its first write would be to a huge page that is not ready.
    let passed = (leftOut.isEmpty ? asked.start : leftOut.lowerBound)..<page
    let used = min(max(passed.lowerBound, HugePage.roundUp(reached)), page)
    leftOut = used..<page
    var taken = Work(used: passed.lowerBound..<used)
    if page < end {
      (taken.start, taken.byteCount) = (page, HugePage.byteCount)
      making = page..<page + HugePage.byteCount
    }
    asked.start = min(page + HugePage.byteCount, end)
    asked.byteCount = end - asked.start
    work = asked.byteCount > 0 || asked.arenaByteCount > 0 ? asked : nil
    return taken
  }

  /// Begins an arena of which some bytes are ready, or a vacant block. Pages of the memory before it that no thread has
  /// made ready are left out.
  /// - Parameter mappedByteCount: the bytes of the whole pool.
  mutating func begin(
    _ base: UnsafeMutableRawPointer, byteCount: Int, readyByteCount: Int = 0, isArena: Bool = true, mappedByteCount: Int
  ) {
    let share = HugePage.roundDown(mappedByteCount / Self.reserveShare)
    reserve = min(max(Self.leastReserve, share), Self.mostReserve)
    start = Int(bitPattern: base)
    (end, reached) = (start + byteCount, start)
    ready = HugePage.roundUp(start) + readyByteCount
    self.isArena = isArena
    if isArena { awaitsArena = false }
    leftOut = 0..<0
    work?.byteCount = 0
    if work?.arenaByteCount == 0 { work = nil }
  }

  /// Whether an address is in the memory that is followed.
  @inline(__always)
  func contains(_ address: UnsafeMutableRawPointer) -> Bool {
    let address = Int(bitPattern: address)
    return address >= start && address < end
  }

  /// Whether some memory overlaps the page that is being made ready. Its first write would take as long as that.
  @inline(__always)
  func isMakingReady(_ memory: Range<Int>) -> Bool {
    making.lowerBound < memory.upperBound && memory.lowerBound < making.upperBound
  }

  /// Whether a vacant block is to be followed from now on: a long one, as blocks are cut off the shortest that fits.
  static func isLong(_ byteCount: Int) -> Bool { byteCount >= 2 * HugePage.byteCount }

  /// Follows nothing from now on, if what is followed is in an arena: it is about to be unmapped.
  mutating func end(_ base: UnsafeMutableRawPointer, byteCount: Int) {
    let base = Int(bitPattern: base)
    if start >= base && start < base + byteCount { (start, end) = (0, 0) }
  }

  /// Notes that the memory is free from an address on.
  /// - Parameter arenaByteCount: the size of the next arena; 0 if there is one already.
  mutating func reach(_ address: UnsafeMutableRawPointer, arenaByteCount: Int) {
    let address = Int(bitPattern: address)
    reached = max(reached, address)
    let next = HugePage.roundDown(min(end, address + reserve + Self.stepByteCount))
    if address + reserve > ready && next > ready {
      var more = work ?? Work(start: ready)
      if more.byteCount == 0 { more.start = ready }
      more.byteCount = next - more.start
      work = more
      ready = next
    }
    if arenaByteCount > 0 && isArena && !awaitsArena
      && end - address <= max((end - start) / Self.arenaShare, reserve / 2)
    {
      awaitsArena = true
      var more = work ?? Work()
      more.arenaByteCount = arenaByteCount
      more.arenaReadyByteCount = min(max(Self.leastReserve, HugePage.roundUp(reserve / 2)), arenaByteCount)
      work = more
    }
  }

  /// What is not ready, or was not when a thread took the last page that it was asked for. Begins with what was left
  /// out, even if pages behind that are ready.
  var rest: Range<Int> {
    let end = HugePage.roundDown(end)
    var start = if let work, work.byteCount > 0 { work.start } else { ready }
    if !leftOut.isEmpty { start = leftOut.lowerBound }
    return min(start, end)..<end
  }
}
