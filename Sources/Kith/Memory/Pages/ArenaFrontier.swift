/// How far the newest arena is used, and how far the system has given it pages: so that another thread can have the
/// next ones made ready, and the next arena.
///
/// The first write to a huge page takes up to some milliseconds (4.4 on the virtual machine of the figures), because
/// the system finds and zeroes it. That would be the longest of all changes.
@safe struct ArenaFrontier {
  // Safety: addresses are compared, and never followed.

  /// What another thread is asked to make ready.
  struct Work: Equatable {
    /// The address of pages, and their bytes; 0 for none.
    var start = 0
    var byteCount = 0
    /// The bytes of an arena to map, 0 for none; and how many of its first ones to make ready.
    var arenaByteCount = 0
    var arenaReadyByteCount = 0

    /// What is made ready of the arena: its beginning, and its last huge page, where its end is written.
    func arenaPages(from start: Int) -> [Range<Int>] {
      let end = start + arenaByteCount
      let first = start..<start + arenaReadyByteCount
      return [first, max(first.upperBound, end - ArenaFrontier.pageByteCount)..<end]
    }
  }

  /// The bytes of a huge page.
  static let pageByteCount = 2 << 20
  /// Smaller pools are left alone: a small graph should take little.
  static let leastMappedByteCount = 64 << 20
  /// A fraction (1/n) of a pool is kept ready ahead, within limits. The least is more than the longest page, and than a
  /// thread fills while another wakes up and makes the next huge page ready. After a pin, a large graph copies pages
  /// faster than that thread follows: with a million users, 30 MB in 140 ms.
  private static let reserveShare = 64
  private static let leastReserve = pageByteCount
  private static let mostReserve = 16 * pageByteCount
  /// What is made ready at once, beyond the reserve.
  private static let stepByteCount = 2 * pageByteCount
  /// The next arena is asked for when this fraction (1/n) of an arena is left, or half of the reserve. The other half
  /// is made ready in it.
  private static let arenaShare = 4

  private var start = 0
  private var end = 0
  private(set) var ready = 0
  private var reached = 0
  private var reserve = leastReserve
  private var awaitsArena = false
  private var work: Work?
  private var isWorking = false

  /// What is ready and not yet used, or soon will be ready; empty without an arena.
  var unused: Range<Int> { reached..<max(reached, min(ready, end)) }

  /// Whether there is work, and no thread that will take it. The caller wakes one.
  @inline(__always)
  mutating func needsWorker() -> Bool {
    if work == nil || isWorking { return false }
    isWorking = true
    return true
  }

  /// All that is asked for; nil ends the work of the thread.
  mutating func takeWork() -> Work? {
    isWorking = work != nil
    defer { work = nil }
    return work
  }

  /// The pages asked for, which are more urgent than an arena.
  mutating func takePages() -> Work? {
    guard let asked = work, asked.byteCount > 0 else { return nil }
    work = nil
    if asked.arenaByteCount > 0 {
      work = Work(arenaByteCount: asked.arenaByteCount, arenaReadyByteCount: asked.arenaReadyByteCount)
    }
    return Work(start: asked.start, byteCount: asked.byteCount)
  }

  /// Begins an arena of which some bytes are ready. Pages of the one before that no thread has made ready are left out.
  /// - Parameter mappedByteCount: the bytes of the whole pool.
  mutating func begin(
    _ base: UnsafeMutableRawPointer, byteCount: Int, readyByteCount: Int, mappedByteCount: Int
  ) {
    let share = mappedByteCount / Self.reserveShare & ~(Self.pageByteCount - 1)
    reserve = min(max(Self.leastReserve, share), Self.mostReserve)
    start = Int(bitPattern: base)
    (end, ready, reached) = (start + byteCount, start + readyByteCount, start)
    awaitsArena = false
    _ = takePages()
  }

  /// Ends the arena, which is about to be unmapped, if it is this one.
  mutating func end(_ base: UnsafeMutableRawPointer) {
    if Int(bitPattern: base) == start { (start, end) = (0, 0) }
  }

  /// Notes that the arena is free from an address on.
  /// - Parameter arenaByteCount: the size of the next arena.
  mutating func reach(_ address: UnsafeMutableRawPointer, arenaByteCount: Int) {
    let address = Int(bitPattern: address)
    guard address >= start && address < end else { return }
    reached = max(reached, address)
    let next = min(end, (address + reserve + Self.stepByteCount) & ~(Self.pageByteCount - 1))
    if address + reserve > ready && next > ready {
      var more = work ?? Work(start: ready)
      if more.byteCount == 0 { more.start = ready }
      more.byteCount = next - more.start
      work = more
      ready = next
    }
    if end - address <= max((end - start) / Self.arenaShare, reserve / 2) && !awaitsArena {
      awaitsArena = true
      var more = work ?? Work()
      more.arenaByteCount = arenaByteCount
      more.arenaReadyByteCount = min(max(Self.pageByteCount, reserve / 2), arenaByteCount)
      work = more
    }
  }
}
