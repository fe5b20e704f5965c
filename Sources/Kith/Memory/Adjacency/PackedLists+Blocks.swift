// MARK: - Blocks

extension PackedLists {
  static var stride: Int { MemoryLayout<Element>.stride }

  /// An empty block.
  func makeBlock(capacity: Int) -> MemoryPage {
    if isCompact {
      return unsafe CompactPage<Element>.page(
        of: UnsafeBufferPointer(start: nil, count: 0), listCount: listsPerBlock, isGrowing: false)
    }
    let page = MemoryPage.allocate(byteCount: headerByteCount + capacity * Self.stride)
    unsafe page.base.initializeMemory(as: UInt8.self, repeating: 0, count: headerByteCount)
    return page
  }

  /// The number of elements of a plain block.
  @inline(__always)
  func total(of block: UnsafeRawPointer) -> Int {
    unsafe Int(block.load(fromByteOffset: 2 * (listsPerBlock - 1), as: UInt16.self) & ~Self.longFlag)
  }

  /// The elements that a plain block can hold.
  @inline(__always)
  private func capacity(of block: UnsafeMutableRawPointer) -> Int {
    unsafe (PagePool.byteCount(of: block) - headerByteCount) / Self.stride
  }

  /// The capacity with a thirty-second to spare, or one element. The allocator rounds up, and the block uses it all.
  static func paddedCapacity(_ count: Int) -> Int { count + max(1, count / 32) }

  /// Removes `removing` elements of a list, inserts at most one, and shifts the tail of the block.
  mutating func replaceInBlock(_ list: Int, at offset: Int, removing: Int, inserting element: Element?) {
    let block = list &>> blockShift
    let index = list & listMask
    let old = unsafe blocks.base(block)
    let capacity = unsafe capacity(of: old)
    let total = unsafe total(of: old)
    let coming = element == nil ? 0 : 1
    let newTotal = total + coming - removing
    let ends = unsafe old.assumingMemoryBound(to: UInt16.self)
    let start = (index == 0 ? 0 : unsafe Int(ends[index - 1] & ~Self.longFlag)) + offset
    let isTooSmall = newTotal > capacity
    let isTooLarge = capacity - newTotal > 8 + newTotal / 20
    if isTooSmall || isTooLarge {
      let page = makeBlock(capacity: Self.paddedCapacity(newTotal))
      let new = unsafe page.base
      unsafe new.copyMemory(from: old, byteCount: headerByteCount + start * Self.stride)
      unsafe Self.move(from: old, to: new, header: headerByteCount, start: start, removing, coming, total)
      unsafe finish(new, index: index, start: start, element, coming - removing)
      blocks.replace(block, with: page)
    } else {
      let base = unsafe blocks.mutableBase(block)
      unsafe Self.move(from: base, to: base, header: headerByteCount, start: start, removing, coming, total)
      unsafe finish(base, index: index, start: start, element, coming - removing)
    }
  }

  /// Moves the elements after a change to their new positions.
  @inline(__always)
  private static func move(
    from old: UnsafeMutableRawPointer, to new: UnsafeMutableRawPointer, header: Int, start: Int, _ removing: Int,
    _ coming: Int, _ total: Int
  ) {
    let tail = total - start - removing
    if tail > 0 {
      unsafe (new + header + (start + coming) * stride).copyMemory(
        from: old + header + (start + removing) * stride, byteCount: tail * stride)
    }
  }

  /// Writes the inserted element, and the ends.
  @inline(__always)
  private func finish(
    _ base: UnsafeMutableRawPointer, index: Int, start: Int, _ element: Element?, _ difference: Int
  ) {
    if let element {
      unsafe base.storeBytes(of: element, toByteOffset: headerByteCount + start * Self.stride, as: Element.self)
    }
    let ends = unsafe base.assumingMemoryBound(to: UInt16.self)
    let change = UInt16(truncatingIfNeeded: difference)
    for position in index..<listsPerBlock { unsafe ends[position] &+= change }
  }
}

// MARK: - Long lists

extension PackedLists {
  mutating func setLong(_ list: Int, _ isLong: Bool) {
    if isCompact { return setCompactLong(list, isLong) }
    let base = unsafe blocks.mutableBase(list &>> blockShift)
    let ends = unsafe base.assumingMemoryBound(to: UInt16.self)
    let index = list & listMask
    unsafe ends[index] = isLong ? ends[index] | Self.longFlag : ends[index] & ~Self.longFlag
  }

  /// A long list for writing: a copy owned by these lists.
  mutating func ownLong(_ slot: Int) -> ChunkedList<Element> {
    // Safety: as in `long`.
    let list = unsafe longLists[slot].unsafelyUnwrapped
    if list.birth == epoch { return list }
    let copy = ChunkedList(copying: list, epoch: epoch)
    longLists.replace(slot, with: copy)
    return copy
  }

  mutating func insertLong(_ element: Element, slot: Int, at position: Position) {
    let chunked = ownLong(slot)
    let byteCount = chunked.byteCount
    chunked.insert(element, chunk: position.run, at: position.offset, epoch: epoch)
    longLists.listsByteCount += chunked.byteCount - byteCount
  }

  /// Removes an element of a long list. Returns the list, which may now be a short one.
  mutating func removeLong(slot: Int, at position: Position) -> ChunkedList<Element> {
    let chunked = ownLong(slot)
    let byteCount = chunked.byteCount
    chunked.remove(chunk: position.run, at: position.offset, epoch: epoch)
    longLists.listsByteCount += chunked.byteCount - byteCount
    return chunked
  }

  /// Moves the elements of a list, and one more, out of its block.
  mutating func makeLong(
    _ list: Int, _ elements: UnsafeBufferPointer<Element>, inserting element: Element, at offset: Int
  ) {
    let chunked = unsafe ChunkedList(copying: elements, epoch: epoch, isCompact: isCompact)
    let place = chunked.position(of: offset)
    chunked.insert(element, chunk: place.chunk, at: place.offset, epoch: epoch)
    let slot = longLists.insert(chunked)
    if isCompact {
      replaceInCompactBlock(list, at: 0, removing: elements.count, inserting: [Self.slotElement(slot)])
    } else {
      replaceInBlock(list, at: 0, removing: elements.count, inserting: Element(slot))
    }
    setLong(list, true)
  }

  mutating func makePacked(_ list: Int, slot: Int, _ chunked: ChunkedList<Element>) {
    longLists.remove(slot)
    setLong(list, false)
    replaceInBlock(list, at: 0, removing: 1, inserting: nil)
    var offset = 0
    for index in 0..<chunked.chunkCount {
      let (base, length) = unsafe chunked.chunk(index)
      for place in 0..<length {
        replaceInBlock(list, at: offset, removing: 0, inserting: unsafe base[place])
        offset += 1
      }
    }
  }

  /// The bytes of blocks, chunks and directories.
  /// - Complexity: O(1).
  var byteCount: Int { blocks.byteCount + longLists.byteCount }

  func checkInvariants(_ name: String) -> [String] {
    var problems = longLists.checkInvariants(name)
    // Up to a chunk of pages is ready for lists to come.
    let spareCount = blocks.count - (count + listsPerBlock - 1) >> blockShift
    if !(0..<PageTable.pagesPerChunk).contains(spareCount) {
      problems.append("\(name): \(count) lists in \(blocks.count) blocks")
    }
    for block in 0..<blocks.count {
      if isCompact {
        let page = compactPage(block)
        problems += page.checkInvariants(
          name, byteCount: blocks.pageByteCount(block), listCount: listsPerBlock)
        continue
      }
      let base = unsafe blocks.base(block)
      let ends = unsafe base.assumingMemoryBound(to: UInt16.self)
      var previous: UInt16 = 0
      for index in 0..<listsPerBlock {
        let end = unsafe ends[index] & ~Self.longFlag
        if end < previous { problems.append("\(name): block \(block) has ends that descend") }
        previous = end
      }
      let capacity = unsafe capacity(of: base)
      if previous > capacity { problems.append("\(name): block \(block) of \(capacity) elements has \(previous)") }
    }
    return problems
  }
}
