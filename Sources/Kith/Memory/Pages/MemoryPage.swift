import CSupport

/// A reference-counted run of plain memory: the unit that a graph shares with its MVCC snapshots, and copies at the
/// first write afterwards.
///
/// This value owns one reference. The count is in the header of the allocator's block, so a page needs no object: that
/// would take another 48 bytes, as much as the targets of six follows. Reading does not retain a page. Readers follow
/// raw addresses in the directory (`PageTable`), which owns the pages.
@safe struct MemoryPage: ~Copyable, @unchecked Sendable {
  // Safety: the address is that of a page, of which this value owns a reference.

  /// The address of the first byte; constant. Aligned to sixteen bytes, or to 64 for pages of four kilobytes or more.
  let base: UnsafeMutableRawPointer

  /// Takes over a reference that `take` gave.
  @unsafe init(owning base: UnsafeMutableRawPointer) { unsafe self.base = unsafe base }

  deinit { unsafe Self.release(base) }

  /// An uninitialised page.
  static func allocate(byteCount: Int) -> MemoryPage {
    let base = unsafe PagePool.allocate(byteCount: byteCount)
    unsafe kith_page_begin(base)
    return unsafe MemoryPage(owning: base)
  }

  static func zeroed(byteCount: Int) -> MemoryPage {
    let page = allocate(byteCount: byteCount)
    unsafe page.base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    return page
  }

  /// Gives the reference to the caller, as an address.
  @unsafe consuming func take() -> UnsafeMutableRawPointer {
    let base = unsafe base
    discard self
    return unsafe base
  }

  /// The bytes that may be used: those asked for, rounded up as the allocator does.
  var byteCount: Int { unsafe PagePool.byteCount(of: base) }

  /// All bytes that the page takes.
  var footprint: Int { unsafe Self.footprint(of: base) }

  // MARK: - References by address

  @unsafe static func retain(_ base: UnsafeMutableRawPointer) { unsafe kith_page_retain(base) }

  @unsafe static func release(_ base: UnsafeMutableRawPointer) {
    if unsafe kith_page_release(base) { unsafe PagePool.free(base) }
  }

  /// Prefetches the count of references.
  @unsafe static func prefetch(_ base: UnsafeMutableRawPointer) { unsafe kith_prefetch(base - 4) }

  @unsafe static func isUnique(_ base: UnsafeMutableRawPointer) -> Bool { unsafe kith_page_is_unique(base) }

  @unsafe static func footprint(of base: UnsafeMutableRawPointer) -> Int {
    unsafe TLSFAllocator.footprint(of: base)
  }
}

/// A page that several values own as an object: a chunk of a long list, or texts.
@safe final class SharedPage {
  private let page: MemoryPage
  /// The end of the used bytes, for pages filled from the start. Several copies of one value may advance it.
  var filledByteCount = 0

  init(_ page: consuming MemoryPage) { self.page = page }

  var base: UnsafeMutableRawPointer { unsafe page.base }
  var byteCount: Int { page.byteCount }

  /// The bytes of the object.
  static let overheadByteCount = 48
  /// All bytes that the page takes, with its object.
  var footprint: Int { page.footprint + Self.overheadByteCount }
}
