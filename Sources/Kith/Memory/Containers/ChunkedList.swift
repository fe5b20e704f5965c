/// One long ordered list in chunks of at most 8 KB: the followers of a celebrity, or all posts.
///
/// A final class that `PackedLists` treats as a value. A list created in an earlier epoch may be shared with an MVCC
/// snapshot, so the writer first copies it: its directory, but not its chunks, which are copied at their first write.
/// The directory is plain memory, 32 bytes per chunk. The owners of the pages are stored apart from it, so that copying
/// it touches no page (ten million elements: 179 KB, instead of retaining 5,600 pages).
///
/// The page of a chunk is allocated a sixteenth larger than its content. It is reallocated when full, or when much of
/// it is spare. In compact form a chunk is a `CompactPage`.
/// - Complexity: insertion and removal O(chunk + directory); lookup O(log list) by the caller.
@safe final class ChunkedList<Element: BitwiseCopyable & FixedWidthInteger & UnsignedInteger & Sendable> {
  static var chunkCapacity: Int { 8_192 / MemoryLayout<Element>.stride }

  @unsafe private struct Chunk {
    /// The base address of the page; never nil.
    var base: UnsafeMutablePointer<Element>
    var birth: UInt64
    /// The number of the page among the owners.
    var page: UInt32
    var count: UInt16
    /// The elements that fit the page; 0 in compact form, where their widths decide.
    var capacity: UInt16
    var lowWords: LowWords
  }

  /// Bounds of the low words of some elements: in a list of edges, of their times.
  struct LowWords: BitwiseCopyable {
    private(set) var least = UInt32.max
    private(set) var greatest: UInt32 = 0

    init() {}

    init(of elements: UnsafeBufferPointer<Element>) { unsafe elements.forEach { add($0) } }

    @inline(__always)
    mutating func add(_ element: Element) {
      let word = UInt32(truncatingIfNeeded: element)
      least = min(least, word)
      greatest = max(greatest, word)
    }
  }

  let birth: UInt64
  let isCompact: Bool
  @exclusivity(unchecked) private(set) var count: Int
  @exclusivity(unchecked) private var chunks: [Chunk]
  /// The owners of the pages.
  @exclusivity(unchecked) private var pages: ObjectSlots<SharedPage>
  /// The bytes of all pages, including their owners.
  @exclusivity(unchecked) private var pagesByteCount = 0

  init(copying elements: UnsafeBufferPointer<Element>, epoch: UInt64, isCompact: Bool = false) {
    birth = epoch
    self.isCompact = isCompact
    unsafe count = elements.count
    unsafe chunks = []
    unsafe pages = ObjectSlots()
    unsafe chunks.reserveCapacity(elements.count / (Self.chunkCapacity * 7 / 8) + 1)
    var start = 0
    while start < elements.count {
      let length = min(elements.count - start, Self.chunkCapacity * 7 / 8)
      if let source = elements.baseAddress {
        let part = unsafe UnsafeBufferPointer(start: source + start, count: length)
        unsafe insert(part, at: chunks.count, epoch: epoch, isGrowing: false)
      }
      start += length
    }
  }

  init(copying other: ChunkedList, epoch: UInt64) {
    birth = epoch
    isCompact = other.isCompact
    unsafe count = unsafe other.count
    unsafe chunks = unsafe other.chunks
    unsafe pages = unsafe other.pages
    unsafe pagesByteCount = unsafe other.pagesByteCount
  }

  var chunkCount: Int { unsafe chunks.count }

  /// The elements of a chunk. The address is valid until the next write.
  @inline(__always)
  func chunk(_ index: Int) -> (UnsafeMutablePointer<Element>, Int) {
    unsafe (chunks[index].base, count(of: index))
  }

  /// The elements of a chunk in compact form.
  @inline(__always)
  func compactChunk(_ index: Int) -> (page: CompactPage<Element>, count: Int) {
    unsafe (CompactPage(UnsafeMutableRawPointer(chunks[index].base), listCount: 0), count(of: index))
  }

  /// Bounds of the low words of a chunk. Those of elements that were removed may be within.
  func lowWords(of index: Int) -> LowWords { unsafe chunks[index].lowWords }

  @inline(__always)
  private func count(of index: Int) -> Int { unsafe Int(chunks[index].count) }

  /// The chunk and offset of the element at an offset in the list.
  func position(of offset: Int) -> (chunk: Int, offset: Int) {
    var rest = offset
    for index in 0..<chunkCount {
      if rest <= count(of: index) { return (index, rest) }
      rest -= count(of: index)
    }
    return (chunkCount - 1, rest)
  }

  func insert(_ element: Element, chunk index: Int, at offset: Int, epoch: UInt64) {
    var index = index
    var offset = offset
    if count(of: index) == Self.chunkCapacity {
      // At the very end, a new chunk leaves the full one full: lists that grow in order stay dense.
      let isEnd = index == chunkCount - 1 && offset == Self.chunkCapacity
      split(index, at: isEnd ? Self.chunkCapacity : Self.chunkCapacity / 2, epoch: epoch)
      if offset > count(of: index) || isEnd {
        offset -= count(of: index)
        index += 1
      }
    }
    unsafe chunks[index].lowWords.add(element)
    if isCompact { return insertCompact(element, chunk: index, at: offset, epoch: epoch) }
    if count(of: index) == capacity(of: index) { fit(index, epoch: epoch) }
    let base = unsafe own(index, epoch: epoch)
    let tail = count(of: index) - offset
    unsafe (base + offset + 1).update(from: base + offset, count: tail)
    unsafe base[offset] = element
    unsafe chunks[index].count += 1
    unsafe count += 1
  }

  func remove(chunk index: Int, at offset: Int, epoch: UInt64) {
    let base = unsafe own(index, epoch: epoch)
    unsafe chunks[index].count -= 1
    unsafe count -= 1
    let left = count(of: index)
    if isCompact {
      compactChunk(index).page.remove(at: offset)
    } else {
      unsafe (base + offset).update(from: base + offset + 1, count: left - offset)
    }
    if left == 0 && chunkCount > 1 {
      removeChunk(index)
    } else if index + 1 < chunkCount && left + count(of: index + 1) <= Self.chunkCapacity / 2 {
      joinNext(index, epoch: epoch)
    } else if isCompact {
      if compactChunk(index).page.isTooLarge(for: left) { rewrite(index, decoded(index), epoch: epoch) }
    } else if capacity(of: index) - left > Self.padded(left) - left + Self.chunkCapacity / 8 {
      fit(index, epoch: epoch)
    }
  }

  /// - Complexity: O(1).
  var byteCount: Int {
    unsafe 64 + chunks.capacity * MemoryLayout<Chunk>.stride + pages.byteCount + pagesByteCount
  }

  /// Checks that every chunk lies on its page, and that counts agree.
  func checkInvariants(_ name: String) -> [String] {
    var problems: [String] = []
    let counted = unsafe count
    var (total, bytes) = (0, 0)
    for index in 0..<chunkCount {
      let page = page(of: index)
      if isCompact {
        let compact = compactChunk(index).page
        problems += compact.checkInvariants(name, byteCount: page.byteCount, listCount: 0)
        if compact.total != count(of: index) { problems.append("\(name): chunk \(index) counts \(compact.total)") }
      } else if count(of: index) > capacity(of: index) || capacity(of: index) * Self.stride > page.byteCount {
        problems.append("\(name): chunk \(index) of a long list does not fit its page")
      }
      let bounds = lowWords(of: index)
      let isWithin = decoded(index).allSatisfy {
        (bounds.least...max(bounds.least, bounds.greatest)).contains(UInt32(truncatingIfNeeded: $0))
      }
      if !isWithin { problems.append("\(name): chunk \(index) of a long list has elements beyond its bounds") }
      if unsafe page.base != UnsafeMutableRawPointer(chunks[index].base) {
        problems.append("\(name): chunk \(index) of a long list is not on its page")
      }
      total += count(of: index)
      bytes += page.footprint
    }
    if unsafe total != counted || bytes != pagesByteCount {
      problems.append("\(name): a long list counts \(counted) elements, not \(total), or misses bytes")
    }
    return problems
  }

  // MARK: - Chunks

  private static var stride: Int { MemoryLayout<Element>.stride }

  /// The capacity of a page for this many elements.
  private static func padded(_ count: Int) -> Int { min(chunkCapacity, max(chunkCapacity / 8, count + count / 16 + 1)) }

  private func page(of index: Int) -> SharedPage {
    // Safety: the page of a chunk is owned while the chunk exists.
    unsafe pages[Int(chunks[index].page)].unsafelyUnwrapped
  }

  @inline(__always)
  private func capacity(of index: Int) -> Int { unsafe Int(chunks[index].capacity) }

  /// A page of some elements, with a sixteenth to spare; in compact form, if it is to grow, with a sixty-fourth.
  private func newPage(of elements: UnsafeBufferPointer<Element>, isGrowing: Bool) -> (SharedPage, capacity: Int) {
    if isCompact {
      return unsafe (SharedPage(CompactPage.page(of: elements, listCount: 0, isGrowing: isGrowing)), 0)
    }
    let capacity = Self.padded(elements.count)
    let page = SharedPage(.allocate(byteCount: capacity * Self.stride))
    if let source = elements.baseAddress {
      unsafe page.base.copyMemory(from: source, byteCount: elements.count * Self.stride)
    }
    return (page, capacity)
  }

  /// Inserts a chunk of some elements, on a new page.
  private func insert(
    _ elements: UnsafeBufferPointer<Element>, at index: Int, epoch: UInt64, isGrowing: Bool = true
  ) {
    let (page, capacity) = unsafe newPage(of: elements, isGrowing: isGrowing)
    unsafe pagesByteCount += page.footprint
    let base = unsafe page.base.assumingMemoryBound(to: Element.self)
    let number = unsafe UInt32(pages.insert(page))
    let chunk = unsafe Chunk(
      base: base, birth: epoch, page: number, count: UInt16(elements.count), capacity: UInt16(capacity),
      lowWords: LowWords(of: elements))
    unsafe chunks.insert(chunk, at: index)
  }

  private func removeChunk(_ index: Int) {
    unsafe pagesByteCount -= page(of: index).footprint
    unsafe pages.remove(Int(chunks[index].page))
    unsafe chunks.remove(at: index)
  }

  /// Moves a chunk to a new page.
  private func move(_ index: Int, to page: SharedPage, capacity: Int, epoch: UInt64) {
    unsafe pagesByteCount += page.footprint - self.page(of: index).footprint
    unsafe chunks[index].base = unsafe page.base.assumingMemoryBound(to: Element.self)
    unsafe chunks[index].birth = epoch
    unsafe chunks[index].capacity = UInt16(capacity)
    unsafe pages.replace(Int(chunks[index].page), with: page)
  }

  /// Moves a chunk to a page that fits its content.
  private func fit(_ index: Int, epoch: UInt64) {
    let elements = unsafe UnsafeBufferPointer(start: UnsafePointer(chunks[index].base), count: count(of: index))
    let (page, capacity) = unsafe newPage(of: elements, isGrowing: true)
    move(index, to: page, capacity: capacity, epoch: epoch)
  }

  private func own(_ index: Int, epoch: UInt64) -> UnsafeMutablePointer<Element> {
    if unsafe chunks[index].birth != epoch {
      let byteCount = page(of: index).byteCount
      let copy = SharedPage(.allocate(byteCount: byteCount))
      unsafe copy.base.copyMemory(from: chunks[index].base, byteCount: byteCount)
      move(index, to: copy, capacity: capacity(of: index), epoch: epoch)
    }
    return unsafe chunks[index].base
  }

  private func split(_ index: Int, at offset: Int, epoch: UInt64) {
    if isCompact { return splitCompact(index, at: offset, epoch: epoch) }
    let moved = count(of: index) - offset
    let rest = unsafe UnsafeBufferPointer(start: UnsafePointer(chunks[index].base + offset), count: moved)
    unsafe insert(rest, at: index + 1, epoch: epoch)
    unsafe chunks[index].count = UInt16(offset)
    if moved > 0 { fit(index, epoch: epoch) }
  }

  private func joinNext(_ index: Int, epoch: UInt64) {
    let joined = decoded(index) + decoded(index + 1)
    rewrite(index, joined, epoch: epoch)
    removeChunk(index + 1)
  }

  // MARK: - Compact chunks

  /// The elements of a chunk.
  private func decoded(_ index: Int) -> [Element] {
    let (base, count) = unsafe chunk(index)
    return unsafe [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = count
      guard let target = buffer.baseAddress else { return }
      if isCompact {
        unsafe compactChunk(index).page.copy(0..<count, to: target)
      } else {
        unsafe target.initialize(from: base, count: count)
      }
    }
  }

  /// Gives a chunk other elements, on a new page.
  private func rewrite(_ index: Int, _ elements: [Element], epoch: UInt64) {
    unsafe elements.withUnsafeBufferPointer { source in
      let (page, capacity) = unsafe newPage(of: source, isGrowing: true)
      move(index, to: page, capacity: capacity, epoch: epoch)
      unsafe chunks[index].lowWords = LowWords(of: source)
    }
    unsafe chunks[index].count = UInt16(elements.count)
  }

  private func insertCompact(_ element: Element, chunk index: Int, at offset: Int, epoch: UInt64) {
    unsafe count += 1
    let page = compactChunk(index).page
    if let bits = page.bits(of: element), page.hasRoom {
      _ = unsafe own(index, epoch: epoch)
      compactChunk(index).page.insert(bits, at: offset)
      unsafe chunks[index].count += 1
    } else {
      var elements = decoded(index)
      elements.insert(element, at: offset)
      rewrite(index, elements, epoch: epoch)
    }
  }

  private func splitCompact(_ index: Int, at offset: Int, epoch: UInt64) {
    let elements = decoded(index)
    let rest = Array(elements[offset...])
    unsafe rest.withUnsafeBufferPointer { unsafe insert($0, at: index + 1, epoch: epoch) }
    if !rest.isEmpty { rewrite(index, Array(elements[..<offset]), epoch: epoch) }
  }
}
