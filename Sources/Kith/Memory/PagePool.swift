import CHints
import Synchronization

/// The memory of all pages of the process, kept apart from everybody else's and laid on huge pages where the system has
/// them.
///
/// A graph is read and written at random, so nearly every access to a page of four kilobytes misses the processor's
/// table of addresses, too. On pages of two megabytes, with a million users, a question whether somebody follows takes
/// three quarters of the time, twenty users by id three fifths; a follow hardly gains, and neither does a graph of a
/// hundred thousand. To be given a gigabyte takes about a ninth. The C library's allocator would ask for such pages
/// only if the whole process did, by a setting of its environment.
enum PagePool {
  /// Longer pages come from the C library; under a sanitizer, which watches what that hands out, all do.
  static let maximumByteCount = 1 << 20

  private static let heap = Mutex(SegregatedHeap())

  private static func holds(_ byteCount: Int) -> Bool { byteCount <= maximumByteCount && !kith_is_sanitized() }

  /// Bytes of any content, at a multiple of sixteen; of 64 for four kilobytes or more.
  static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    if holds(byteCount) { return unsafe heap.withLock { unsafe $0.allocate(byteCount: byteCount) } }
    return .allocate(byteCount: byteCount, alignment: SegregatedHeap.lineByteCount)
  }

  /// Bytes of all graphs of the process: lent by the system, and taken by pages.
  static var byteCounts: (mapped: Int, taken: Int) { heap.withLock { ($0.mappedByteCount, $0.takenByteCount) } }

  /// Takes back what `allocate` gave for so many bytes.
  static func free(_ base: UnsafeMutableRawPointer, byteCount: Int) {
    if holds(byteCount) { return heap.withLock { unsafe $0.free(base) } }
    unsafe base.deallocate()
  }
}
