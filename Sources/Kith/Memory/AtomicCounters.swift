import Synchronization

/// A million counters of a byte each, all zero at first, at which any number of threads may look while they change.
///
/// They say quickly that nobody is interested in something: a look is one load, mostly from the second-level cache. A
/// counter that ever reached 255 stays there: it only says less then.
@safe final class AtomicCounters: @unchecked Sendable {
  // Safety: the address never changes, every slot is within the allocation, and each byte is only touched atomically.
  private let counters: UnsafeMutablePointer<Atomic<UInt8>>

  private static let bitCount: UInt64 = 20
  static let count = 1 << Int(bitCount)

  init() {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: Self.count, alignment: 64)
    // An atomic byte is a byte; this way the memory is cleared at the speed of memory.
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Self.count)
    unsafe counters = bytes.bindMemory(to: Atomic<UInt8>.self, capacity: Self.count)
  }

  deinit { unsafe counters.deallocate() }

  /// The counter that a hash leads to.
  @inline(__always)
  subscript(hash: UInt64) -> UInt8 { unsafe counters[Self.slot(hash)].load(ordering: .relaxed) }

  func increment(_ hash: UInt64) { change(hash) { $0 + 1 } }
  func decrement(_ hash: UInt64) { change(hash) { $0 - 1 } }

  private func change(_ hash: UInt64, _ changed: (UInt8) -> UInt8) {
    let slot = Self.slot(hash)
    var value = unsafe counters[slot].load(ordering: .relaxed)
    while value < .max {
      let outcome = unsafe counters[slot].weakCompareExchange(
        expected: value, desired: changed(value), ordering: .relaxed)
      if outcome.exchanged { return }
      value = outcome.original
    }
  }

  @inline(__always)
  private static func slot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> (64 - bitCount)) }
}
