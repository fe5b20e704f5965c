import CSupport

/// Prefetching. Blocks are scattered in memory, so a loop over many lists mostly waits for memory (suggestions for a
/// user with 300 followees: 60 against 45 µs). A caller that knows the next lists prefetches their blocks first, then
/// their elements, and reads them later.
extension PackedLists {
  /// Prefetches the head of a list's block. Does nothing after the last list.
  @inline(__always)
  func prefetchBlock(of list: Int) {
    if list < count { unsafe kith_prefetch(blocks.base(list &>> blockShift)) }
  }

  /// Prefetches the directory entry of a list's block.
  @inline(__always)
  func prefetchEntry(of list: Int) { blocks.prefetchEntry(list &>> blockShift) }

  /// The head of a list's block: found once, to be prefetched and then read. Valid until the next write.
  @safe struct Head: BitwiseCopyable {
    // Safety: `head(of:)` makes it, of a block of the lists.
    fileprivate let ends: UnsafePointer<UInt16>
  }

  /// Prefetches the length of a list and its position in the block.
  @inline(__always)
  @discardableResult
  func prefetchHead(of list: Int) -> Head {
    let ends = unsafe UnsafePointer(blocks.base(list &>> blockShift).assumingMemoryBound(to: UInt16.self))
    unsafe kith_prefetch(ends + (list & listMask))
    return unsafe Head(ends: ends)
  }

  /// The length of a list.
  /// - Parameter head: of this list.
  @inline(__always)
  func count(of list: Int, _ head: Head) -> Int {
    let index = list & listMask
    let end = unsafe head.ends[index]
    if end & Self.longFlag != 0 { return count(of: list) }
    return Int(end) - (index == 0 ? 0 : unsafe Int(head.ends[index - 1] & ~Self.longFlag))
  }

  /// Prefetches the last element of a list. Reads the head of the block.
  @inline(__always)
  func prefetchLast(of list: Int) {
    let (base, count, isLong) = unsafe packed(list)
    if !isLong && count > 0 { unsafe kith_prefetch(UnsafeRawPointer(base + (count - 1))) }
  }

  /// Prefetches the last and the middle element of a list, where a binary search begins. Reads the head of the block.
  @inline(__always)
  func prefetchSearch(of list: Int) {
    let (base, count, isLong) = unsafe packed(list)
    if isLong || count == 0 { return }
    unsafe kith_prefetch(UnsafeRawPointer(base + (count - 1)))
    unsafe kith_prefetch(UnsafeRawPointer(base + (count >> 1)))
  }

  /// Prefetches what a change at a position of a list shifts: the rest of its block. Reads the head of the block.
  @inline(__always)
  func prefetchTail(of list: Int, at position: Position) {
    let (base, _, isLong) = unsafe packed(list)
    if isLong { return }
    let block = unsafe UnsafeRawPointer(blocks.base(list &>> blockShift))
    // The allocator's header, for the capacity.
    unsafe kith_prefetch(block - 8)
    let end = unsafe block + headerByteCount + total(of: block) &* MemoryLayout<Element>.stride
    var address = unsafe UnsafeRawPointer(base + position.offset)
    // Adjacent cache lines are fetched in pairs.
    while unsafe address < end {
      unsafe kith_prefetch(address)
      unsafe address += 128
    }
  }

  /// Prefetches the element at an offset of a list, if it is in the block. Reads the head of the block.
  @inline(__always)
  func prefetchElement(_ offset: Int, of list: Int) {
    if isCompact {
      let (page, start, _, _) = compact(list)
      unsafe kith_prefetch(page.address(start &+ offset))
    } else {
      unsafe kith_prefetch(UnsafeRawPointer(packed(list).base + offset))
    }
  }

  /// Prefetches the elements of a list, at most half a kilobyte. Reads the head of the block.
  @inline(__always)
  func prefetchElements(of list: Int) {
    if list >= count { return }
    let (base, count, isLong) = unsafe packed(list)
    if isLong && isCompact { return prefetchCompactElements(of: list) }
    let byteCount = isLong ? 1 : min(count * MemoryLayout<Element>.stride, 512)
    for offset in Swift.stride(from: 0, to: byteCount, by: 64) { unsafe kith_prefetch(UnsafeRawPointer(base) + offset) }
  }

  @inline(never)
  private func prefetchCompactElements(of list: Int) {
    let (page, start, count, _) = compact(list)
    var address = unsafe page.address(start)
    let end = unsafe min(page.address(start + count), address + 512)
    while unsafe address < end {
      unsafe kith_prefetch(address)
      unsafe address += 64
    }
  }

  /// Prefetches the element at a share of a compact list, in units of 2⁻³². Reads the head of the block.
  func prefetchCompactElement(of list: Int, at share: UInt64) {
    let (page, start, count, _) = compact(list)
    let offset = Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: count) &* share) &>> 32)
    unsafe kith_prefetch(page.address(start + offset))
  }
}
