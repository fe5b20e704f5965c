import CSupport
import Synchronization

/// The memory of all pages of the process, separate from other allocations, and on huge pages where the system has
/// them.
///
/// A graph is accessed at random, so on pages of 4 KB nearly every access is a TLB miss too. On pages of 2 MB, with a
/// million users, `isFollowing` takes three quarters of the time, and reading twenty users by id three fifths. A follow
/// hardly gains, nor does a graph of a hundred thousand users. Allocating a gigabyte takes about a ninth of the time.
/// The C library's allocator would use huge pages only for the whole process, by an environment variable.
enum PagePool {
  /// Longer pages come from the C library. Under a sanitizer, which instruments that allocator, all pages do.
  static let maximumByteCount = 1 << 20

  private static let heap = PageHeap()

  /// Whether a sanitizer instruments the C library's allocator, so that the pool is not used.
  static var isSanitized: Bool {
    @inline(__always) get { kith_is_sanitized() }
  }

  /// Allocates uninitialised bytes, aligned to sixteen, or to 64 for four kilobytes or more. They are preceded by a
  /// header, also those of the C library, in which the owner may use the last word.
  static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    if byteCount <= maximumByteCount && !isSanitized {
      let (base, needsWorker) = unsafe heap.withLock { heap in
        (unsafe heap.allocate(byteCount: byteCount), heap.needsWorker())
      }
      if needsWorker { wakeWorker() }
      return unsafe base
    }
    let (margin, byteCount) = (TLSFAllocator.lineByteCount, (byteCount + 3) & ~3)
    let start = UnsafeMutableRawPointer.allocate(byteCount: margin + byteCount, alignment: margin)
    unsafe TLSFAllocator.noteOutside(start + margin, byteCount: byteCount)
    return unsafe start + margin
  }

  /// Runs work that fills much memory at once, as reading a snapshot does: new memory is then on huge pages from its
  /// first write on, whether they are ready or not.
  static func filling<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    heap.withLock { $0.beginFilling() }
    defer { heap.withLock { $0.endFilling() } }
    return try body()
  }

  /// Has the pages that will be allocated next made ready, on another thread.
  @inline(never)
  private static func wakeWorker() {
    Threads.post(isBackground: true) {
      while let work = heap.withLock({ $0.takeWork() }) {
        populate(work)
        if work.arenaByteCount > 0 { mapAhead(work) }
      }
    }
  }

  /// Prefaults the page that was taken. If it was unmapped since then, this does nothing, or prefaults another page of
  /// the process.
  private static func populate(_ work: ArenaFrontier.Work) {
    if !work.used.isEmpty {
      unsafe kith_advise_huge(UnsafeMutableRawPointer(bitPattern: work.used.lowerBound), work.used.count, true)
    }
    if work.byteCount > 0 { unsafe kith_populate(UnsafeMutableRawPointer(bitPattern: work.start), work.byteCount) }
  }

  /// Maps the next arena and makes its beginning ready, a huge page at a time, and what is asked for meanwhile first.
  private static func mapAhead(_ work: ArenaFrontier.Work) {
    guard let base = unsafe kith_map(work.arenaByteCount, false) else { return }
    let address = Int(bitPattern: base)
    for pages in work.arenaPages(from: address) {
      for page in stride(from: pages.lowerBound, to: pages.upperBound, by: HugePage.byteCount) {
        while let urgent = heap.withLock({ $0.takePage() }) { populate(urgent) }
        populate(ArenaFrontier.Work(start: page, byteCount: HugePage.byteCount))
      }
    }
    let isTaken = heap.withLock { heap in
      guard let base = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return false }
      return unsafe heap.offer(base, work)
    }
    if !isTaken { unsafe kith_unmap(base, work.arenaByteCount) }
  }

  /// The bytes of an allocation that were asked for, rounded up.
  @unsafe static func byteCount(of base: UnsafeMutableRawPointer) -> Int { unsafe TLSFAllocator.byteCount(of: base) }

  /// Bytes of all graphs of the process: mapped from the system, and allocated to pages.
  static var byteCounts: (mapped: Int, taken: Int) { heap.withLock { ($0.mappedByteCount, $0.takenByteCount) } }

  /// Bytes that no page takes and the system has not got back.
  static var freeByteCount: Int { heap.withLock { $0.idleByteCount } }

  /// Whether the system would now map this many more bytes. It need not keep that promise, and other processes may
  /// allocate too. But where a process is limited (address space, strict accounting), the answer is no.
  static func canProvide(_ byteCount: Int) -> Bool {
    let byteCount = HugePage.roundUp(max(byteCount, 1))
    guard let start = unsafe kith_map(byteCount, false) else { return false }
    unsafe kith_unmap(start, byteCount)
    return true
  }

  /// Returns free memory to the system, also that of the C library's allocator: after work that took much for a while.
  /// It takes some milliseconds, in which other allocations wait.
  static func giveBack() {
    heap.withLock { $0.giveBack() }
    kith_give_back()
  }

  /// Frees the memory that `allocate` returned.
  static func free(_ base: UnsafeMutableRawPointer) {
    if unsafe !TLSFAllocator.isOutside(base) { return heap.withLock { unsafe $0.free(base) } }
    unsafe (base - TLSFAllocator.lineByteCount).deallocate()
  }
}

/// The allocator and its mutex, which a fork waits for: the child allocates and frees pages whatever other threads did.
@safe private final class PageHeap: @unchecked Sendable {
  // Safety: the allocator is accessed under the mutex alone, whose word is never moved.
  private let mutex = unsafe WordMutex(kith_page_word())
  private let allocator = Box(TLSFAllocator())

  @inline(__always)
  func withLock<R>(_ body: (inout TLSFAllocator) -> R) -> R {
    unsafe mutex.lock()
    defer { unsafe mutex.unlock() }
    return body(&allocator.value)
  }
}
