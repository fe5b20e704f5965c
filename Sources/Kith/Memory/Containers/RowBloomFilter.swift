/// A Bloom filter of rows with one hash, one byte per slot: adding a row stores a byte and reads nothing.
///
/// With ten slots per row of the set, one test rejects 90 % of the other rows; with thirty slots, 97 % (B. H. Bloom,
/// "Space/time trade-offs in hash coding with allowable errors", 1970, with a single hash).
struct RowBloomFilter: Sendable {
  private static let smallestSlotCount = 1_024
  /// The minimum for a set that is tested for hundreds of rows: eight kilobytes are cleared quickly.
  private static let longSlotCount = 1 << 13
  /// A megabyte, which fits a second-level cache.
  private static let largestSlotCount = 1 << 20

  private var slots: [UInt8]
  /// The shift of a hash that leaves the index of a slot.
  private var shift: UInt32

  /// Creates an empty filter of 1,024 slots.
  init() {
    slots = Array(repeating: 0, count: Self.smallestSlotCount)
    shift = Self.shift(Self.smallestSlotCount)
  }

  private static func shift(_ slotCount: Int) -> UInt32 { 32 - UInt32(slotCount.trailingZeroBitCount) }

  /// The slot of a row: the high bits of a product (D. E. Knuth, "The Art of Computer Programming", 6.4).
  @inline(__always)
  private static func slot(_ row: UInt32, _ shift: UInt32) -> Int { Int((row &* 0x9E37_79B1) &>> shift) }

  @inline(__always)
  mutating func insert(_ row: UInt32) { slots[Self.slot(row, shift)] = 1 }

  @inline(__always)
  func mayContain(_ row: UInt32) -> Bool { slots[Self.slot(row, shift)] != 0 }

  /// Clears the filter, and sizes it for a set of `count` rows: sixteen slots or more per row, up to the size of a
  /// cache.
  mutating func clear(forCount count: Int) {
    var slotCount = Self.longSlotCount
    while slotCount < 16 * count && slotCount < Self.largestSlotCount { slotCount *= 2 }
    shift = Self.shift(slotCount)
    if slots.count < slotCount { slots.append(contentsOf: repeatElement(0, count: slotCount - slots.count)) }
    var used = slots.mutableSpan
    for index in 0..<min(slotCount, used.count) { used[index] = 0 }
  }

  /// Adds the targets of a source.
  /// - Complexity: O(targets).
  mutating func insert(targetsOf source: UInt32, in relation: borrowing Relation) {
    let shift = shift
    var slots = self.slots.mutableSpan
    relation.forward.forEachRun(of: Int(source)) { targets in
      for index in targets.indices { slots[Self.slot(Relation.target(targets[index]), shift)] = 1 }
    }
  }
}

/// A Bloom filter of a few rows on the stack, with one hash and one byte per slot. A test is one load, where a binary
/// search in sixty rows takes six, each after the one before. With as many, one in eight of the other rows passes.
struct SmallRowBloomFilter: ~Copyable, ~Escapable {
  /// Beyond this, too many of the other rows pass.
  static let maximumRowCount = 64
  private static let slotCount = 512

  private let slots: Span<UInt8>

  @_lifetime(copy slots)
  private init(_ slots: Span<UInt8>) { self.slots = slots }

  /// Lends a filter of the targets of forward elements while `body` runs.
  @inline(__always)
  static func lend(targets: Span<UInt64>, _ body: (borrowing SmallRowBloomFilter) -> Void) {
    withTemporaryList(of: UInt8.self, capacity: slotCount) { slots in
      slots.append(repeating: 0, count: slotCount)
      var used = slots.mutableSpan
      for index in targets.indices { used[slot(Relation.target(targets[index]))] = 1 }
      body(SmallRowBloomFilter(used.span))
    }
  }

  /// The high bits of a product (D. E. Knuth, "The Art of Computer Programming", 6.4).
  @inline(__always)
  private static func slot(_ row: UInt32) -> Int { Int((row &* 0x9E37_79B1) &>> 23) }

  /// Whether a row may be in the filter; true for every row that is.
  @inline(__always)
  func mayContain(_ row: UInt32) -> Bool { slots[Self.slot(row)] != 0 }
}
