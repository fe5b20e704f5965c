/// A reference-counted run of plain memory: the unit that a graph shares with its MVCC snapshots, and copies at the
/// first write afterwards.
///
/// Reading does not retain a page. Readers follow raw addresses in the directory (`PageTable`), whose reference keeps
/// the page alive.
@safe final class MemoryPage {
  /// The address of the first byte; constant. Aligned to sixteen bytes, or to 64 for pages of four kilobytes or more.
  let base: UnsafeMutableRawPointer
  let byteCount: Int
  /// The end of the used bytes, for pages filled from the start. Several copies of one value may advance it.
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

  /// The overhead of a page: the object, and the allocator's block header.
  static let overheadByteCount = 48 + TLSFAllocator.headerByteCount

  /// All bytes that a page takes: with its overhead, and what the allocator adds to its length.
  var footprint: Int {
    let isPooled = byteCount <= PagePool.maximumByteCount
    return (isPooled ? TLSFAllocator.takenByteCount(for: byteCount) : byteCount) + Self.overheadByteCount
  }
}
