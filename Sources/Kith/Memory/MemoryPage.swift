/// One run of plain memory with an owner: the unit that is shared between a graph and its pinned views, and copied at
/// its first write afterwards.
///
/// Nobody retains a page to read it: readers follow raw addresses that the directory (`PageTable`) keeps, and the
/// directory's reference keeps the page alive.
@safe final class MemoryPage {
  /// The address of the first byte; it never changes. A multiple of sixteen, of a page of four kilobytes or more a
  /// multiple of 64.
  let base: UnsafeMutableRawPointer
  let byteCount: Int
  /// How far the page is filled, for those who fill it from its start: several copies of one value may.
  var filledByteCount = 0

  private init(byteCount: Int) {
    unsafe base = PagePool.allocate(byteCount: byteCount)
    self.byteCount = byteCount
  }

  deinit { unsafe PagePool.free(base, byteCount: byteCount) }

  static func allocate(byteCount: Int) -> MemoryPage { MemoryPage(byteCount: byteCount) }

  static func zeroed(byteCount: Int) -> MemoryPage {
    let page = allocate(byteCount: byteCount)
    unsafe page.base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    return page
  }

  /// What a page costs beyond its bytes: the object, and the pool's notes.
  static let overheadByteCount = 48 + SegregatedHeap.noteByteCount
}
