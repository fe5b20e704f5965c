import Synchronization

/// A lossy, lock-free cache of one number per row. A hit may be stale: the caller must validate it.
///
/// It has sixteen thousand slots. Rows with the same low bits share a slot, and the last write wins. Any thread may
/// read and write without a lock.
/// - Complexity: O(1).
@safe final class RowCache: Sendable {
  private static let slotCount = 1 << 14

  /// The row in the high word, the number in the low word.
  @safe private final class Slots: @unchecked Sendable {
    // Safety: `slotCount` words, allocated once and freed with the object, and only accessed atomically.
    let words: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
      unsafe words = .allocate(capacity: slotCount)
      for index in 0..<slotCount { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    deinit {
      unsafe words.deinitialize(count: slotCount)
      unsafe words.deallocate()
    }
  }

  /// Allocated with the first hint: many graphs never need one.
  private let slots = AtomicLazyReference<Slots>()

  /// The hint of a row; 0 if there is none.
  /// - Parameter question: distinguishes hints for different queries; each has its own slot.
  func hint(of row: UInt32, for question: Int) -> UInt32 {
    guard let slots = slots.load() else { return 0 }
    let word = unsafe slots.words[Self.slot(row, question)].load(ordering: .relaxed)
    return UInt32(truncatingIfNeeded: word >> 32) == row ? UInt32(truncatingIfNeeded: word) : 0
  }

  func set(_ hint: UInt32, of row: UInt32, for question: Int) {
    let slots = slots.load() ?? slots.storeIfNil(Slots())
    let word = UInt64(row) << 32 | UInt64(hint)
    unsafe slots.words[Self.slot(row, question)].store(word, ordering: .relaxed)
  }

  @inline(__always)
  private static func slot(_ row: UInt32, _ question: Int) -> Int {
    (Int(truncatingIfNeeded: row) &+ question &* 1_021) & (slotCount - 1)
  }

  var byteCount: Int { slots.load() == nil ? 0 : Self.slotCount * MemoryLayout<UInt64>.stride }
}
