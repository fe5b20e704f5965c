/// One long ordered list in chunks of at most 8 KB: the followers of a celebrity, all posts.
///
/// A final class that `PackedLists` treats as a value: a list born in an earlier epoch may be shared with a pinned
/// view, so the writer copies it first (its directory, not its chunks), and a chunk likewise at its first write.
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

  init(copying elements: UnsafeBufferPointer<Element>, epoch: UInt64) {
    birth = epoch
    count = elements.count
    chunks = []
    var start = 0
    while start < elements.count {
      let length = min(elements.count - start, Self.chunkCapacity / 2)
      let page = MemoryPage.allocate(byteCount: Self.chunkCapacity * MemoryLayout<Element>.stride)
      if let source = elements.baseAddress {
        unsafe page.base.copyMemory(from: source + start, byteCount: length * MemoryLayout<Element>.stride)
      }
      chunks.append(Chunk(page: page, count: length, birth: epoch))
      start += length
    }
  }

  init(copying other: ChunkedList, epoch: UInt64) {
    birth = epoch
    count = other.count
    chunks = other.chunks
  }

  var chunkCount: Int { chunks.count }

  /// The elements of a chunk. The address is good until the next write.
  func chunk(_ index: Int) -> (UnsafeMutablePointer<Element>, Int) {
    unsafe (chunks[index].page.base.assumingMemoryBound(to: Element.self), chunks[index].count)
  }

  /// The chunk and offset of the n-th element.
  func position(of offset: Int) -> (chunk: Int, offset: Int) {
    var rest = offset
    for index in chunks.indices {
      if rest <= chunks[index].count { return (index, rest) }
      rest -= chunks[index].count
    }
    return (chunks.count - 1, rest)
  }

  func insert(_ element: Element, chunk index: Int, at offset: Int, epoch: UInt64) {
    var index = index
    var offset = offset
    if chunks[index].count == Self.chunkCapacity {
      // At the very end a fresh chunk leaves the full one full: lists that grow in order stay dense.
      let isEnd = index == chunks.count - 1 && offset == Self.chunkCapacity
      split(index, at: isEnd ? Self.chunkCapacity : Self.chunkCapacity / 2, epoch: epoch)
      if offset > chunks[index].count || isEnd {
        offset -= chunks[index].count
        index += 1
      }
    }
    let base = unsafe own(index, epoch: epoch)
    let tail = chunks[index].count - offset
    unsafe (base + offset + 1).update(from: base + offset, count: tail)
    unsafe base[offset] = element
    chunks[index].count += 1
    count += 1
  }

  func remove(chunk index: Int, at offset: Int, epoch: UInt64) {
    let base = unsafe own(index, epoch: epoch)
    chunks[index].count -= 1
    count -= 1
    unsafe (base + offset).update(from: base + offset + 1, count: chunks[index].count - offset)
    let left = chunks[index].count
    if left == 0 && chunks.count > 1 {
      chunks.remove(at: index)
    } else if index + 1 < chunks.count && left + chunks[index + 1].count <= Self.chunkCapacity / 2 {
      joinNext(index, epoch: epoch)
    }
  }

  /// - Complexity: O(1).
  var byteCount: Int {
    64 + chunks.capacity * MemoryLayout<Chunk>.stride
      + chunks.count * (Self.chunkCapacity * MemoryLayout<Element>.stride + MemoryPage.overheadByteCount)
  }

  // MARK: - Chunks

  private func own(_ index: Int, epoch: UInt64) -> UnsafeMutablePointer<Element> {
    if chunks[index].birth != epoch {
      let copy = MemoryPage.allocate(byteCount: Self.chunkCapacity * MemoryLayout<Element>.stride)
      unsafe copy.base.copyMemory(
        from: chunks[index].page.base, byteCount: chunks[index].count * MemoryLayout<Element>.stride)
      chunks[index].page = copy
      chunks[index].birth = epoch
    }
    return unsafe chunks[index].page.base.assumingMemoryBound(to: Element.self)
  }

  private func split(_ index: Int, at offset: Int, epoch: UInt64) {
    let page = MemoryPage.allocate(byteCount: Self.chunkCapacity * MemoryLayout<Element>.stride)
    let moved = chunks[index].count - offset
    let base = unsafe chunks[index].page.base.assumingMemoryBound(to: Element.self)
    unsafe page.base.copyMemory(from: base + offset, byteCount: moved * MemoryLayout<Element>.stride)
    chunks[index].count = offset
    chunks.insert(Chunk(page: page, count: moved, birth: epoch), at: index + 1)
  }

  private func joinNext(_ index: Int, epoch: UInt64) {
    let base = unsafe own(index, epoch: epoch)
    let next = chunks[index + 1]
    let source = unsafe next.page.base.assumingMemoryBound(to: Element.self)
    unsafe (base + chunks[index].count).update(from: source, count: next.count)
    chunks[index].count += next.count
    chunks.remove(at: index + 1)
  }
}
