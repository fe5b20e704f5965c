/// One long ordered list in chunks of at most 8 KB: the followers of a celebrity, all posts.
///
/// A final class that `PackedLists` treats as a value: a list born in an earlier epoch may be shared with a pinned
/// view, so the writer copies it first (its directory, not its chunks), and a chunk likewise at its first write.
/// The page of a chunk is made a sixteenth larger than what it holds, and anew when it is full, or much of it is spare.
/// - Complexity: inserting and removing O(chunk + directory); finding O(log list) for the caller.
@safe final class ChunkedList<Element: BitwiseCopyable & FixedWidthInteger & UnsignedInteger & Sendable> {
  static var chunkCapacity: Int { 8_192 / MemoryLayout<Element>.stride }

  private struct Chunk {
    var page: MemoryPage
    var count: Int
    var birth: UInt64
  }

  let birth: UInt64
  @exclusivity(unchecked) private(set) var count: Int
  @exclusivity(unchecked) private var chunks: [Chunk]
  /// Bytes of all pages, with their owners.
  @exclusivity(unchecked) private var pagesByteCount = 0

  init(copying elements: UnsafeBufferPointer<Element>, epoch: UInt64) {
    birth = epoch
    unsafe count = elements.count
    unsafe chunks = []
    var start = 0
    while start < elements.count {
      let length = min(elements.count - start, Self.chunkCapacity * 7 / 8)
      if let source = elements.baseAddress {
        append(unsafe Self.page(of: source + start, count: length), count: length)
      }
      start += length
    }
  }

  init(copying other: ChunkedList, epoch: UInt64) {
    birth = epoch
    unsafe count = unsafe other.count
    unsafe chunks = unsafe other.chunks
    unsafe pagesByteCount = unsafe other.pagesByteCount
  }

  var chunkCount: Int { unsafe chunks.count }

  /// The elements of a chunk. The address is good until the next write.
  func chunk(_ index: Int) -> (UnsafeMutablePointer<Element>, Int) {
    unsafe (chunks[index].page.base.assumingMemoryBound(to: Element.self), chunks[index].count)
  }

  /// The chunk and offset of the n-th element.
  func position(of offset: Int) -> (chunk: Int, offset: Int) {
    var rest = offset
    for index in unsafe chunks.indices {
      if unsafe rest <= chunks[index].count { return (index, rest) }
      unsafe rest -= chunks[index].count
    }
    return unsafe (chunks.count - 1, rest)
  }

  func insert(_ element: Element, chunk index: Int, at offset: Int, epoch: UInt64) {
    var index = index
    var offset = offset
    if unsafe chunks[index].count == Self.chunkCapacity {
      // At the very end a fresh chunk leaves the full one full: lists that grow in order stay dense.
      let isEnd = unsafe index == chunks.count - 1 && offset == Self.chunkCapacity
      split(index, at: isEnd ? Self.chunkCapacity : Self.chunkCapacity / 2, epoch: epoch)
      if unsafe offset > chunks[index].count || isEnd {
        unsafe offset -= chunks[index].count
        index += 1
      }
    }
    if unsafe chunks[index].count == capacity(of: index) { fit(index, epoch: epoch) }
    let base = unsafe own(index, epoch: epoch)
    let tail = unsafe chunks[index].count - offset
    unsafe (base + offset + 1).update(from: base + offset, count: tail)
    unsafe base[offset] = element
    unsafe chunks[index].count += 1
    unsafe count += 1
  }

  func remove(chunk index: Int, at offset: Int, epoch: UInt64) {
    let base = unsafe own(index, epoch: epoch)
    unsafe chunks[index].count -= 1
    unsafe count -= 1
    unsafe (base + offset).update(from: base + offset + 1, count: chunks[index].count - offset)
    let left = unsafe chunks[index].count
    if unsafe left == 0 && chunks.count > 1 {
      unsafe pagesByteCount -= chunks[index].page.byteCount + MemoryPage.overheadByteCount
      unsafe chunks.remove(at: index)
    } else if unsafe index + 1 < chunks.count && left + chunks[index + 1].count <= Self.chunkCapacity / 2 {
      joinNext(index, epoch: epoch)
    } else if capacity(of: index) - left > Self.roomy(left) - left + Self.chunkCapacity / 8 {
      fit(index, epoch: epoch)
    }
  }

  /// - Complexity: O(1).
  var byteCount: Int { unsafe 64 + chunks.capacity * MemoryLayout<Chunk>.stride + pagesByteCount }

  // MARK: - Chunks

  private static var stride: Int { MemoryLayout<Element>.stride }

  /// Elements that a page for so many has room for.
  private static func roomy(_ count: Int) -> Int { min(chunkCapacity, max(chunkCapacity / 8, count + count / 16 + 1)) }

  private func capacity(of index: Int) -> Int { unsafe chunks[index].page.byteCount / Self.stride }

  /// A page of its own for some elements.
  private static func page(of elements: UnsafePointer<Element>, count: Int) -> MemoryPage {
    let page = MemoryPage.allocate(byteCount: roomy(count) * stride)
    unsafe page.base.copyMemory(from: elements, byteCount: count * stride)
    return page
  }

  private func append(_ page: MemoryPage, count: Int) {
    unsafe pagesByteCount += page.byteCount + MemoryPage.overheadByteCount
    unsafe chunks.append(Chunk(page: page, count: count, birth: birth))
  }

  /// Gives a chunk a page that fits what it holds.
  private func fit(_ index: Int, epoch: UInt64) {
    let old = unsafe chunks[index].page
    let page = unsafe Self.page(of: UnsafePointer(chunk(index).0), count: chunks[index].count)
    unsafe pagesByteCount += page.byteCount - old.byteCount
    unsafe chunks[index].page = page
    unsafe chunks[index].birth = epoch
  }

  private func own(_ index: Int, epoch: UInt64) -> UnsafeMutablePointer<Element> {
    if unsafe chunks[index].birth != epoch {
      let copy = unsafe MemoryPage.allocate(byteCount: chunks[index].page.byteCount)
      unsafe copy.base.copyMemory(
        from: chunks[index].page.base, byteCount: chunks[index].count * MemoryLayout<Element>.stride)
      unsafe chunks[index].page = copy
      unsafe chunks[index].birth = epoch
    }
    return unsafe chunks[index].page.base.assumingMemoryBound(to: Element.self)
  }

  private func split(_ index: Int, at offset: Int, epoch: UInt64) {
    let moved = unsafe chunks[index].count - offset
    let page = unsafe Self.page(of: UnsafePointer(chunk(index).0 + offset), count: moved)
    unsafe pagesByteCount += page.byteCount + MemoryPage.overheadByteCount
    unsafe chunks[index].count = offset
    if moved > 0 { fit(index, epoch: epoch) }
    unsafe chunks.insert(Chunk(page: page, count: moved, birth: epoch), at: index + 1)
  }

  private func joinNext(_ index: Int, epoch: UInt64) {
    let next = unsafe chunks.remove(at: index + 1)
    unsafe pagesByteCount -= next.page.byteCount + MemoryPage.overheadByteCount
    let total = unsafe chunks[index].count + next.count
    let page = MemoryPage.allocate(byteCount: Self.roomy(total) * Self.stride)
    let base = unsafe page.base.assumingMemoryBound(to: Element.self)
    unsafe base.update(from: chunk(index).0, count: chunks[index].count)
    unsafe (base + chunks[index].count).update(
      from: next.page.base.assumingMemoryBound(to: Element.self), count: next.count)
    unsafe pagesByteCount += page.byteCount - chunks[index].page.byteCount
    unsafe chunks[index] = Chunk(page: page, count: total, birth: epoch)
  }
}
