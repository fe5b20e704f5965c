// MARK: - Whole lists at once

extension PackedLists {
  /// Some neighbouring lists that are made at once, by one thread: whole blocks.
  private struct Unit {
    var lists: Range<Int>
    var elements: Range<Int>
    /// How many lists before it are long.
    var longCount: Int
  }

  /// What a unit became.
  private struct Part: @unchecked Sendable {
    // Safety: one thread makes it, another takes it.
    var pages: [MemoryPage] = []
    var longLists: [ChunkedList<Element>] = []
  }

  /// Lists one after another, `degrees[list]` elements each, every block made in its final size, on all cores.
  ///
  /// - Parameters:
  ///   - unitElementCount: about how many elements are made by one call of `fill`, which has a buffer of that size.
  ///   - fill: writes the elements of some neighbouring lists, which are those of `elements` in the row of all.
  /// - Complexity: O(lists + elements), and what `fill` takes.
  init<Failure: Error>(
    listsPerBlock: Int, degrees: [UInt32], workers: Int, unitElementCount: Int = 1 << 18,
    filling fill:
      @Sendable (_ lists: Range<Int>, _ elements: Range<Int>, _ buffer: inout [Element]) throws(Failure) -> Void
  ) throws(Failure) {
    self.init(listsPerBlock: listsPerBlock)
    let units = Self.units(of: degrees, listsPerBlock: listsPerBlock, elementCount: unitElementCount)
    let shape = PackedLists(listsPerBlock: listsPerBlock)
    var pages = PageTable()
    var long = LongLists<Element>()
    try Parallel.inOrder(units.count, workers: workers) { (index) throws(Failure) -> Part in
      var buffer = [Element](repeating: 0, count: units[index].elements.count)
      try fill(units[index].lists, units[index].elements, &buffer)
      return shape.part(of: units[index], degrees: degrees, buffer)
    } take: { (_, part) throws(Failure) in
      for page in part.pages { pages.append(page) }
      for list in part.longLists { _ = long.insert(list) }
    }
    blocks = pages
    longLists = long
    count = degrees.count
  }

  /// The same of elements that are all there.
  init(listsPerBlock: Int, degrees: [UInt32], elements: [Element], workers: Int = 1) {
    self.init(listsPerBlock: listsPerBlock, degrees: degrees, workers: workers) { (_, range, buffer) throws(Never) in
      for index in range { buffer[index - range.lowerBound] = elements[index] }
    }
  }

  private static func units(of degrees: [UInt32], listsPerBlock: Int, elementCount: Int) -> [Unit] {
    var units: [Unit] = []
    var unit = Unit(lists: 0..<0, elements: 0..<0, longCount: 0)
    var longCount = 0
    for start in Swift.stride(from: 0, to: degrees.count, by: listsPerBlock) {
      let end = min(start + listsPerBlock, degrees.count)
      var total = 0
      for list in start..<end {
        total += Int(degrees[list])
        if degrees[list] > maximumPackedCount { longCount += 1 }
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

  private func part(of unit: Unit, degrees: [UInt32], _ buffer: [Element]) -> Part {
    var part = Part()
    part.pages.reserveCapacity(unit.lists.count / listsPerBlock + 1)
    unsafe buffer.withUnsafeBufferPointer { source in
      var start = 0
      for list in Swift.stride(from: unit.lists.lowerBound, to: unit.lists.upperBound, by: listsPerBlock) {
        let block = degrees[list..<min(list + listsPerBlock, degrees.count)]
        unsafe appendBlock(block, source, start: &start, longCount: unit.longCount, to: &part)
      }
    }
    return part
  }

  private func appendBlock(
    _ degrees: ArraySlice<UInt32>, _ source: UnsafeBufferPointer<Element>, start: inout Int, longCount: Int,
    to part: inout Part
  ) {
    let total = degrees.reduce(0) { $0 + ($1 > Self.maximumPackedCount ? 1 : Int($1)) }
    let page = makeBlock(capacity: Self.roomyCapacity(total))
    let ends = unsafe (page.base + 8).assumingMemoryBound(to: UInt32.self)
    var end = 0
    for index in 0..<listsPerBlock {
      let place = degrees.startIndex + index
      let degree = place < degrees.endIndex ? Int(degrees[place]) : 0
      let target = unsafe (page.base + headerByteCount).assumingMemoryBound(to: Element.self) + end
      if degree > Self.maximumPackedCount {
        unsafe target.pointee = Element(longCount + part.longLists.count)
        let rest = unsafe UnsafeBufferPointer(rebasing: source[start..<start + degree])
        part.longLists.append(unsafe ChunkedList(copying: rest, epoch: epoch))
        end += 1
        unsafe ends[index] = UInt32(end) | Self.longFlag
      } else {
        if degree > 0, let first = source.baseAddress {
          unsafe target.update(from: first + start, count: degree)
        }
        end += degree
        unsafe ends[index] = UInt32(end)
      }
      start += degree
    }
    unsafe page.base.storeBytes(of: UInt32(end), toByteOffset: 4, as: UInt32.self)
    part.pages.append(page)
  }
}
