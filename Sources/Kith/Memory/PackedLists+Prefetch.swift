import CHints

/// Asking for memory ahead. Blocks lie anywhere, so whoever goes through many lists waits for memory most of the time
/// (suggestions for somebody who follows 300: 60 against 45 µs); whoever knows which lists come next asks for their
/// blocks, a little later for their elements, and reads them later still.
extension PackedLists {
  /// Asks for the head of the block of a list; none is asked for behind the last.
  @inline(__always)
  func prefetchBlock(of list: Int) {
    if list < count { unsafe kith_prefetch(blocks.base(list &>> blockShift)) }
  }

  /// Asks for what tells where the block of a list lies.
  @inline(__always)
  func prefetchEntry(of list: Int) { blocks.prefetchEntry(list &>> blockShift) }

  /// Asks for what tells how long a list is and where it stands in its block.
  @inline(__always)
  func prefetchEnd(of list: Int) {
    unsafe kith_prefetch(blocks.base(list &>> blockShift) + 8 + 4 * (list & listMask))
  }

  /// Asks for a list's last element. It reads the head of the block.
  @inline(__always)
  func prefetchLast(of list: Int) {
    let (base, count, isLong) = unsafe packed(list)
    if !isLong && count > 0 { unsafe kith_prefetch(UnsafeRawPointer(base + (count - 1))) }
  }

  /// Asks for a list's last element and its middle one, where a search begins. It reads the head of the block.
  @inline(__always)
  func prefetchSearch(of list: Int) {
    let (base, count, isLong) = unsafe packed(list)
    if isLong || count == 0 { return }
    unsafe kith_prefetch(UnsafeRawPointer(base + (count - 1)))
    unsafe kith_prefetch(UnsafeRawPointer(base + (count >> 1)))
  }

  /// Asks for a list's elements, the first half kilobyte at most. It reads the head of the block.
  @inline(__always)
  func prefetchElements(of list: Int) {
    if list >= count { return }
    let (base, count, isLong) = unsafe packed(list)
    let byteCount = isLong ? 1 : min(count * MemoryLayout<Element>.stride, 512)
    for offset in Swift.stride(from: 0, to: byteCount, by: 64) { unsafe kith_prefetch(UnsafeRawPointer(base) + offset) }
  }
}
