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

  /// The bytes of a huge page. One is made ready when less than half of it is behind the frontier.
  static let aheadByteCount = 2 << 20
  /// Smaller pools are left alone: a small graph should take little.
  static let leastMappedByteCount = 64 << 20

  private var start = 0
  private var end = 0
  private(set) var ready = 0
  private var reached = 0
  private var awaitsArena = false
  private var work: Work?

  var hasWork: Bool { work != nil }

  mutating func takeWork() -> Work? {
    defer { work = nil }
    return work
  }

  /// Begins an arena of which some bytes are ready. Pages of the one before that no thread has made ready are left out.
  mutating func begin(_ base: UnsafeMutableRawPointer, byteCount: Int, readyByteCount: Int) {
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

  /// Forgets what is ready behind the frontier: it was given back.
  mutating func forget() { (ready, awaitsArena, work) = (reached, false, nil) }

  /// Notes that the arena is free from an address on.
  /// - Parameter arenaByteCount: the size of the next arena.
  mutating func reach(_ address: UnsafeMutableRawPointer, arenaByteCount: Int) {
    let address = Int(bitPattern: address)
    guard address >= start && address < end else { return }
    reached = max(reached, address)
    if address + Self.aheadByteCount / 2 <= ready { return }
    let next = min(end, (address + Self.aheadByteCount * 3 / 2) & ~(Self.aheadByteCount - 1))
    if next > ready {
      var more = work ?? Work(start: ready)
      if more.byteCount == 0 { more.start = ready }
      more.byteCount = next - more.start
      work = more
      ready = next
    }
    if ready == end && !awaitsArena {
      awaitsArena = true
      var more = work ?? Work()
      more.arenaByteCount = arenaByteCount
      work = more
    }
  }
}
