/// What one query found for some rows, kept for as long as it runs: a table of fixed size that forgets what does not
/// fit. Emptied in O(1), so that a query pays for what it keeps.
struct ScratchMap: ~Copyable {
  // Not private: the compiler of Swift 6.3.1 then emits an invalid module.
  struct Slot: BitwiseCopyable {
    var row: UInt32 = 0
    var generation: UInt32 = 0
    var value: UInt64 = 0
  }

  private static let slotCount = 1_024
  private static let probeCount = 4

  private var slots = ScratchList<Slot>()
  private var generation: UInt32 = 1

  init() {
    slots.resize(to: Self.slotCount)
    for index in 0..<Self.slotCount { slots[index] = Slot() }
  }

  /// Forgets all rows.
  mutating func removeAll() {
    generation &+= 1
    if generation == 0 {
      for index in 0..<Self.slotCount { slots[index] = Slot() }
      generation = 1
    }
  }

  /// The value of a row; nil if it was not set, or forgotten.
  subscript(row: UInt32) -> UInt64? {
    get {
      for probe in 0..<Self.probeCount {
        let slot = slots[Self.place(of: row, probe)]
        if slot.generation == generation && slot.row == row { return slot.value }
      }
      return nil
    }
    set {
      var place = Self.place(of: row, 0)
      for probe in 0..<Self.probeCount {
        let other = Self.place(of: row, probe)
        if slots[other].generation != generation || slots[other].row == row {
          place = other
          break
        }
      }
      slots[place] = Slot(row: row, generation: generation, value: newValue ?? 0)
    }
  }

  @inline(__always)
  private static func place(of row: UInt32, _ probe: Int) -> Int {
    (Int((row &* 2_654_435_761) >> 22) &+ probe) & (slotCount &- 1)
  }
}
