// MARK: - Bulk construction

extension PackedLists {
  /// What lists that are built will take at most: those of `rows` rows with `count` elements of `bits` bits in total.
  /// Blocks of empty lists are shared, and so are their directories.
  static func byteCount(_ count: Int, of rows: Int, perBlock: Int, bits: Int) -> Int {
    let spare = 24
    let blockByteCount = 16 + 2 * perBlock + spare + TLSFAllocator.lineByteCount
    let chunkByteCount = PageTable.pagesPerChunk * 16
    return count * bits / 8 * 17 / 16 + min(count, rows / perBlock + 1) * blockByteCount
      + min(count, rows / (perBlock * PageTable.pagesPerChunk) + 1) * chunkByteCount
  }

  /// Adjacent lists that are built together by one thread: whole blocks.
  private struct Unit {
    var lists: Range<Int>
    var elements: Range<Int>
    /// The number of long lists before it.
    var longCount: Int
  }

  /// The result of a unit.
  @safe private final class Part: @unchecked Sendable {
    // Safety: one thread builds it, and another one takes it over. It owns the pages that are left.

    /// The blocks; nil where all lists are empty.
    private var pages: [UnsafeMutableRawPointer?] = unsafe []
    var longLists: [ChunkedList<Element>] = []

    init(blockCount: Int) { unsafe pages.reserveCapacity(blockCount) }

    deinit {
      for index in unsafe pages.indices {
        if let page = unsafe pages[index] { unsafe MemoryPage.release(page) }
      }
    }

    func append(_ page: consuming MemoryPage) { unsafe pages.append(page.take()) }
    func appendEmpty() { unsafe pages.append(nil) }

    /// Moves the blocks to a table.
    /// - Parameter empty: the page of all blocks without elements.
    func move(to table: inout PageTable, empty: borrowing MemoryPage) {
      let moved = unsafe pages
      unsafe pages = []
      var emptyCount = 0
      for index in unsafe moved.indices {
        guard let page = unsafe moved[index] else {
          emptyCount += 1
          continue
        }
        table.append(empty, times: emptyCount)
        emptyCount = 0
        table.append(unsafe MemoryPage(owning: page))
      }
      table.append(empty, times: emptyCount)
    }
  }

  /// Builds consecutive lists of `degrees[list]` elements each, on all cores. Every block is allocated in its final
  /// size.
  ///
  /// - Parameters:
  ///   - unitElementCount: the approximate number of elements per call of `fill`.
  ///   - fill: writes the elements of some adjacent lists; `elements` is their range among all elements. The buffer has
  ///     as many places, with elements of earlier lists.
  /// - Complexity: O(lists + elements), and the cost of `fill`.
  init<Failure: Error>(
    listsPerBlock: Int, form: ListForm = .plain, degrees: [UInt32], workers: Int, unitElementCount: Int = 1 << 18,
    filling fill:
      @Sendable (
        _ lists: Range<Int>, _ elements: Range<Int>, _ buffer: inout MutableSpan<Element>
      ) throws(Failure) -> Void
  ) throws(Failure) {
    self.init(listsPerBlock: listsPerBlock, form: form)
    let shape = PackedLists(listsPerBlock: listsPerBlock, form: form)
    let units = shape.units(of: degrees, elementCount: unitElementCount)
    var pages = PageTable()
    // Blocks of only empty lists share one page until they are written, as in `appendList`.
    let empty = shape.makeBlock(capacity: 0)
    var long = OverflowLists<Element>()
    let buffers = Pool<WorkBuffer<Element>>()
    try Parallel.inOrder(units.count, workers: workers) { (index) throws(Failure) -> Part in
      let unit = units[index]
      let buffer = buffers.take() ?? WorkBuffer()
      defer { buffers.put(buffer) }
      return try buffer.lend(unit.elements.count) { (elements) throws(Failure) in
        if !unit.elements.isEmpty { try fill(unit.lists, unit.elements, &elements) }
        return shape.part(of: unit, degrees: degrees, elements.span)
      }
    } take: { (_, part) throws(Failure) in
      part.move(to: &pages, empty: empty)
      for list in part.longLists { _ = long.insert(list) }
    }
    blocks = pages
    longLists = long
    count = degrees.count
  }

  /// Builds the lists from an array of all elements.
  init(listsPerBlock: Int, form: ListForm = .plain, degrees: [UInt32], elements: [Element], workers: Int = 1) {
    self.init(listsPerBlock: listsPerBlock, form: form, degrees: degrees, workers: workers) {
      (_, range, buffer) throws(Never) in
      for index in range { buffer[index - range.lowerBound] = elements[index] }
    }
  }

  private func units(of degrees: [UInt32], elementCount: Int) -> [Unit] {
    var units: [Unit] = []
    var unit = Unit(lists: 0..<0, elements: 0..<0, longCount: 0)
    var longCount = 0
    for start in Swift.stride(from: 0, to: degrees.count, by: listsPerBlock) {
      let end = min(start + listsPerBlock, degrees.count)
      var total = 0
      for list in start..<end {
        total += Int(degrees[list])
        if degrees[list] > packedLimit { longCount += 1 }
      }
      unit.lists = unit.lists.lowerBound..<end
      unit.elements = unit.elements.lowerBound..<unit.elements.upperBound + total
      if unit.elements.count >= elementCount || end == degrees.count {
        units.append(unit)
        unit = Unit(
          lists: end..<end, elements: unit.elements.upperBound..<unit.elements.upperBound, longCount: longCount)
      }
    }
    return units
  }

  private func part(of unit: Unit, degrees: [UInt32], _ elements: Span<Element>) -> Part {
    let part = Part(blockCount: unit.lists.count / listsPerBlock + 1)
    unsafe elements.withUnsafeBufferPointer { source in
      var start = 0
      for list in Swift.stride(from: unit.lists.lowerBound, to: unit.lists.upperBound, by: listsPerBlock) {
        let block = degrees[list..<min(list + listsPerBlock, degrees.count)]
        unsafe appendBlock(block, source, start: &start, longCount: unit.longCount, to: part)
      }
    }
    return part
  }

  private func appendBlock(
    _ degrees: ArraySlice<UInt32>, _ source: UnsafeBufferPointer<Element>, start: inout Int, longCount: Int,
    to part: Part
  ) {
    let total = degrees.reduce(0) { $0 + ($1 > packedLimit ? 1 : Int($1)) }
    if total == 0 { return part.appendEmpty() }
    if isCompact {
      return unsafe appendCompactBlock(degrees, source, total, start: &start, longCount: longCount, to: part)
    }
    let page = makeBlock(capacity: Self.paddedCapacity(total))
    let ends = unsafe page.base.assumingMemoryBound(to: UInt16.self)
    var end = 0
    for index in 0..<listsPerBlock {
      let place = degrees.startIndex + index
      let degree = place < degrees.endIndex ? Int(degrees[place]) : 0
      let target = unsafe (page.base + headerByteCount).assumingMemoryBound(to: Element.self) + end
      if degree > packedLimit {
        unsafe target.pointee = Element(longCount + part.longLists.count)
        let rest = unsafe UnsafeBufferPointer(rebasing: source[start..<start + degree])
        part.longLists.append(unsafe ChunkedList(copying: rest, epoch: epoch))
        end += 1
        unsafe ends[index] = UInt16(end) | Self.longFlag
      } else {
        if degree > 0, let first = source.baseAddress {
          unsafe target.update(from: first + start, count: degree)
        }
        end += degree
        unsafe ends[index] = UInt16(end)
      }
      start += degree
    }
    part.append(page)
  }

  private func appendCompactBlock(
    _ degrees: ArraySlice<UInt32>, _ source: UnsafeBufferPointer<Element>, _ total: Int, start: inout Int,
    longCount: Int, to part: Part
  ) {
    var ends: [UInt16] = []
    var elements: [Element] = []
    elements.reserveCapacity(total)
    for degree in degrees {
      let list = unsafe UnsafeBufferPointer(rebasing: source[start..<start + Int(degree)])
      start += list.count
      if list.count > packedLimit {
        elements.append(Self.slotElement(longCount + part.longLists.count))
        part.longLists.append(unsafe ChunkedList(copying: list, epoch: epoch, isCompact: true))
        ends.append(UInt16(elements.count) | CompactPage<Element>.longFlag)
      } else {
        unsafe elements.append(contentsOf: list)
        ends.append(UInt16(elements.count))
      }
    }
    while ends.count < listsPerBlock { ends.append(UInt16(elements.count)) }
    let page = unsafe elements.span.withUnsafeBufferPointer {
      unsafe CompactPage<Element>.page(of: $0, listCount: listsPerBlock, isGrowing: false)
    }
    for index in ends.indices {
      unsafe page.base.storeBytes(of: ends[index], toByteOffset: 16 + 2 * index, as: UInt16.self)
    }
    part.append(page)
  }
}
