import CSupport

/// Memory for one unit of work after the other, of one thread at a time. Long ones are on huge pages, for writes at
/// random, and are mapped once: the C library would return each to the system, which would clear its pages again.
@safe final class WorkBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  // Safety: it owns the memory, and a pool lends it to one thread at a time.
  private var start: UnsafeMutableRawPointer?
  private var byteCount = 0
  private var isMapped = false

  /// Shorter memory comes from the C library: a small graph should not have a huge page cleared.
  private static var leastMappedByteCount: Int { 1 << 20 }

  deinit { release() }

  /// Calls `body` with memory for some elements: those that the last call left, unless more are needed now.
  func lend<R, Failure: Error>(
    _ count: Int, _ body: (inout MutableSpan<Element>) throws(Failure) -> R
  ) throws(Failure) -> R {
    let needed = max(1, count) * MemoryLayout<Element>.stride
    if needed > byteCount { grow(to: needed) }
    guard let start = unsafe start else { preconditionFailure("grown memory has an address") }
    var elements = unsafe MutableSpan<Element>(
      _unsafeStart: start.assumingMemoryBound(to: Element.self), count: count)
    return try body(&elements)
  }

  /// Units differ somewhat, so that an eighth is to spare.
  private func grow(to needed: Int) {
    release()
    isMapped = needed >= Self.leastMappedByteCount
    if isMapped {
      byteCount = HugePage.roundUp(needed + needed / 8)
      unsafe start = unsafe kith_map(byteCount, true)
      precondition(unsafe start != nil, "the system has no more memory")
    } else {
      byteCount = needed
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: byteCount, alignment: MemoryLayout<Element>.alignment)
      unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
      unsafe start = unsafe memory
    }
  }

  private func release() {
    guard let memory = unsafe start else { return }
    if isMapped { unsafe kith_unmap(memory, byteCount) } else { unsafe memory.deallocate() }
    unsafe (start, byteCount) = (nil, 0)
  }
}
