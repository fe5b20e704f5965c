/// One run of plain memory with an owner: the unit that is shared between a graph and its pinned views, and copied at
/// its first write afterwards.
///
/// Object and bytes are one allocation. Nobody retains a page to read it: readers follow raw addresses that the
/// directory (`PageTable`) keeps, and the directory's reference keeps the page alive.
@safe final class MemoryPage: ManagedBuffer<MemoryPage.Header, UInt8> {
  /// Sixteen bytes, so that the bytes behind it are aligned to sixteen.
  struct Header {
    var byteCount: Int
    /// Of a page that is filled from its start by several copies of one value: how far it is filled.
    var filledByteCount = 0
  }

  static func allocate(byteCount: Int) -> MemoryPage {
    let page = MemoryPage.create(minimumCapacity: byteCount) { _ in Header(byteCount: byteCount) }
    return unsafe unsafeDowncast(page, to: MemoryPage.self)
  }

  static func zeroed(byteCount: Int) -> MemoryPage {
    let page = allocate(byteCount: byteCount)
    unsafe page.base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    return page
  }

  /// The address of the first byte; it never changes.
  var base: UnsafeMutableRawPointer {
    unsafe withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }

  var byteCount: Int { header.byteCount }

  /// How far the page is filled, for those who fill it from its start.
  var filledByteCount: Int {
    get { header.filledByteCount }
    set { header.filledByteCount = newValue }
  }

  /// What a page of `byteCount` costs beyond its bytes: object header, our header.
  static let overheadByteCount = 32
}
