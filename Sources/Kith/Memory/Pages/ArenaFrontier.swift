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
    /// The bytes of an arena to map; 0 for none.
    var arenaByteCount = 0
  }

  /// The bytes of a huge page.
  static let pageByteCount = 2 << 20
  /// Smaller pools are left alone: a small graph should take little.
  static let leastMappedByteCount = 64 << 20
  /// A fraction (1/n) of a pool is kept ready ahead, within limits; at least half of it stays ready. That is more than
  /// the longest page, and than a thread fills while another wakes up and makes the next huge page ready.
  private static let aheadShare = 128
  private static let leastAheadByteCount = 2 * pageByteCount
  private static let mostAheadByteCount = 4 * pageByteCount
  /// The next arena is asked for when this fraction (1/n) of an arena is left.
  private static let arenaShare = 4

  private var start = 0
  private var end = 0
  private(set) var ready = 0
  private var reached = 0
  private var aheadByteCount = leastAheadByteCount
  private var awaitsArena = false
  private var work: Work?

  var hasWork: Bool { work != nil }

  /// What is ready and not yet used, or soon will be ready; empty without an arena.
  var unused: Range<Int> { reached..<max(reached, min(ready, end)) }

  mutating func takeWork() -> Work? {
    defer { work = nil }
    return work
  }

  /// What is made ready of an arena that is mapped ahead: its first huge page, and its last, where its end is written.
  static func readyPages(of start: Int, byteCount: Int) -> [Range<Int>] {
    let end = start + byteCount
    return [start..<min(end, start + pageByteCount), max(start, end - pageByteCount)..<end]
  }

  /// Begins an arena of which some bytes are ready. Pages of the one before that no thread has made ready are left out.
  /// - Parameter mappedByteCount: the bytes of the whole pool.
  mutating func begin(
    _ base: UnsafeMutableRawPointer, byteCount: Int, readyByteCount: Int, mappedByteCount: Int
  ) {
    let share = mappedByteCount / Self.aheadShare & ~(Self.pageByteCount - 1)
    aheadByteCount = min(max(Self.leastAheadByteCount, share), Self.mostAheadByteCount)
    start = Int(bitPattern: base)
    (end, ready, reached) = (start + byteCount, start + readyByteCount, start)
    awaitsArena = false
    if let arenaByteCount = work?.arenaByteCount {
      work = arenaByteCount == 0 ? nil : Work(arenaByteCount: arenaByteCount)
    }
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
    let next = min(end, (address + aheadByteCount * 3 / 2) & ~(Self.pageByteCount - 1))
    if address + aheadByteCount / 2 > ready && next > ready {
      var more = work ?? Work(start: ready)
      if more.byteCount == 0 { more.start = ready }
      more.byteCount = next - more.start
      work = more
      ready = next
    }
    if end - address <= (end - start) / Self.arenaShare && !awaitsArena {
      awaitsArena = true
      var more = work ?? Work()
      more.arenaByteCount = arenaByteCount
      work = more
    }
  }
}
