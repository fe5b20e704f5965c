/// Changing compact lists.
///
/// One element is inserted or removed by moving the bits behind it, where its words fit the widths of the block and the
/// block its page. Otherwise the block is decoded, and encoded again in the widths that it now needs, with a
/// sixty-fourth to spare.
extension PackedLists {
  mutating func insertCompact(_ element: Element, in list: Int, at position: Position) {
    let (page, start, count, isLong) = compact(list)
    if isLong {
      insertLong(element, slot: Self.slot(page[start]), at: position)
    } else if count < packedLimit {
      insertInCompactBlock(element, list, at: position.offset)
    } else {
      unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: count) { buffer in
        if let scratch = buffer.baseAddress { unsafe page.copy(start..<start + count, to: scratch) }
        unsafe makeLong(list, UnsafeBufferPointer(buffer), inserting: element, at: position.offset)
      }
    }
  }

  mutating func removeCompact(from list: Int, at position: Position) {
    let (page, start, _, isLong) = compact(list)
    if !isLong { return removeFromCompactBlock(list, at: position.offset) }
    let slot = Self.slot(page[start])
    let chunked = removeLong(slot: slot, at: position)
    if unsafe chunked.count > packedLimit / 2 { return }
    var elements: [Element] = []
    for index in 0..<chunked.chunkCount {
      let (chunk, count) = chunked.compactChunk(index)
      for place in 0..<count { elements.append(chunk[place]) }
    }
    longLists.remove(slot)
    setLong(list, false)
    replaceInCompactBlock(list, at: 0, removing: 1, inserting: elements)
  }

  mutating func removeAllCompact(from list: Int) {
    let (page, start, count, isLong) = compact(list)
    if isLong {
      longLists.remove(Self.slot(page[start]))
      setLong(list, false)
    }
    if count > 0 { replaceInCompactBlock(list, at: 0, removing: count, inserting: []) }
  }

  // MARK: - Blocks

  private mutating func insertInCompactBlock(_ element: Element, _ list: Int, at offset: Int) {
    let block = list &>> blockShift
    guard let bits = compactPage(block).bits(of: element), compactPage(block).hasRoom else {
      return replaceInCompactBlock(list, at: offset, removing: 0, inserting: [element])
    }
    let page = unsafe CompactPage<Element>(blocks.mutableBase(block), listCount: listsPerBlock)
    let index = list & (listsPerBlock - 1)
    page.insert(bits, at: page.list(index).start + offset)
    unsafe Self.moveEnds(page.base, from: index, listsPerBlock, by: 1)
  }

  private mutating func removeFromCompactBlock(_ list: Int, at offset: Int) {
    let block = list &>> blockShift
    let total = compactPage(block).total
    if total == 1 || compactPage(block).isTooLarge(for: total - 1) {
      return replaceInCompactBlock(list, at: offset, removing: 1, inserting: [])
    }
    let page = unsafe CompactPage<Element>(blocks.mutableBase(block), listCount: listsPerBlock)
    let index = list & (listsPerBlock - 1)
    page.remove(at: page.list(index).start + offset)
    unsafe Self.moveEnds(page.base, from: index, listsPerBlock, by: -1)
  }

  private static func moveEnds(
    _ base: UnsafeMutableRawPointer, from index: Int, _ listCount: Int, by difference: Int
  ) {
    let ends = unsafe (base + 16).assumingMemoryBound(to: UInt16.self)
    let change = UInt16(truncatingIfNeeded: difference)
    for place in index..<listCount { unsafe ends[place] &+= change }
  }

  /// Removes `removing` elements of a list, inserts others in their place, and encodes the block again.
  mutating func replaceInCompactBlock(_ list: Int, at offset: Int, removing: Int, inserting elements: [Element]) {
    let block = list &>> blockShift
    let index = list & (listsPerBlock - 1)
    let old = compactPage(block)
    let (start, total) = (old.list(index).start + offset, old.total)
    let newTotal = total - removing + elements.count
    let page = unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: newTotal + 1) { buffer in
      guard let scratch = buffer.baseAddress else { preconditionFailure("an allocation has an address") }
      unsafe old.copy(0..<start, to: scratch)
      for place in elements.indices { unsafe (scratch + start + place).initialize(to: elements[place]) }
      unsafe old.copy(start + removing..<total, to: scratch + start + elements.count)
      let all = unsafe UnsafeBufferPointer(start: UnsafePointer(scratch), count: newTotal)
      return unsafe CompactPage<Element>.page(of: all, listCount: listsPerBlock, isGrowing: true)
    }
    unsafe (page.base + 16).copyMemory(from: old.base + 16, byteCount: listsPerBlock * 2)
    unsafe Self.moveEnds(page.base, from: index, listsPerBlock, by: elements.count - removing)
    blocks.replace(block, with: page)
  }

  mutating func setCompactLong(_ list: Int, _ isLong: Bool) {
    let base = unsafe blocks.mutableBase(list &>> blockShift)
    let ends = unsafe (base + 16).assumingMemoryBound(to: UInt16.self)
    let index = list & (listsPerBlock - 1)
    let flag = CompactPage<Element>.longFlag
    unsafe ends[index] = isLong ? ends[index] | flag : ends[index] & ~flag
  }
}
