/// Reading compact lists.
extension PackedLists {
  /// A run of a compact list: a part of a block, or a chunk of a long list.
  struct CompactRun {
    let page: CompactPage<Element>
    let start: Int
    let count: Int

    @inline(__always)
    subscript(offset: Int) -> Element { page[start &+ offset] }

    /// The first offset from `offset` on whose element does not precede the target of a search.
    @inline(__always)
    func partitionPoint(from offset: Int = 0, _ precedes: (Element) -> Bool) -> Int {
      var low = offset
      var high = count
      while low < high {
        let middle = (low &+ high) &>> 1
        if precedes(self[middle]) { low = middle &+ 1 } else { high = middle }
      }
      return low
    }

    func firstOffset(of element: Element) -> Int? {
      guard let bits = page.bits(of: element) else { return nil }
      for offset in 0..<count where page.bits(start &+ offset) == bits { return offset }
      return nil
    }
  }

  /// How many elements of a compact list are decoded at a time: a kilobyte of stack at most.
  static var pieceCount: Int { 128 }

  @inline(__always)
  func compactPage(_ block: Int) -> CompactPage<Element> {
    unsafe CompactPage(blocks.base(block), listCount: listsPerBlock)
  }

  /// A list within its block: the block, its start there, its length there, and whether it is long.
  @inline(__always)
  func compact(_ list: Int) -> (page: CompactPage<Element>, start: Int, count: Int, isLong: Bool) {
    assert(list < count)
    let page = compactPage(list &>> blockShift)
    let (start, count, isLong) = page.list(list & (listsPerBlock &- 1))
    return (page, start, count, isLong)
  }

  /// What a block keeps of a long list: its number, as the high word of a forward element. The low word is zero, which
  /// no base touches.
  static func slotElement(_ slot: Int) -> Element { Element(slot) << (Element.bitWidth - 32) }

  static func slot(_ element: Element) -> Int { Int(element >> (Element.bitWidth - 32)) }

  @inline(__always)
  private func compactLong(_ page: CompactPage<Element>, _ start: Int) -> ChunkedList<Element> {
    // Safety: as in `long`.
    unsafe longLists[Self.slot(page[start])].unsafelyUnwrapped
  }

  private func compactLong(of list: Int) -> ChunkedList<Element> {
    let (page, start, _, _) = compact(list)
    return compactLong(page, start)
  }

  func compactCount(of list: Int) -> Int {
    let (page, start, count, isLong) = compact(list)
    return isLong ? unsafe compactLong(page, start).count : count
  }

  func compactRunCount(of list: Int) -> Int {
    let (page, start, _, isLong) = compact(list)
    return isLong ? compactLong(page, start).chunkCount : 1
  }

  @inline(__always)
  func compactRun(_ index: Int, of list: Int) -> CompactRun {
    let (page, start, count, isLong) = compact(list)
    if !isLong { return CompactRun(page: page, start: start, count: count) }
    let (chunk, length) = compactLong(page, start).compactChunk(index)
    return CompactRun(page: chunk, start: 0, count: length)
  }

  @inline(__always)
  func compactPartitionPoint(of list: Int, _ precedes: (Element) -> Bool) -> Position {
    let (page, start, count, isLong) = compact(list)
    if !isLong {
      let run = CompactRun(page: page, start: start, count: count)
      return Position(run: 0, offset: run.partitionPoint(precedes))
    }
    let chunked = compactLong(page, start)
    var first = 0  // the last run whose first element precedes
    var length = chunked.chunkCount
    while length > 1 {
      let half = length >> 1
      if precedes(chunked.compactChunk(first + half).page[0]) {
        first += half
        length -= half
      } else {
        length = half
      }
    }
    let last = chunked.compactChunk(first)
    let run = CompactRun(page: last.page, start: 0, count: last.count)
    return Position(run: first, offset: run.partitionPoint(precedes))
  }

  /// The first element that is not below a key. The list must ascend.
  @inline(__always)
  func compactFirst(notBelow key: Element, in list: Int) -> Element? {
    let (page, start, count, isLong) = compact(list)
    if !isLong {
      let run = CompactRun(page: page, start: start, count: count)
      let offset = run.partitionPoint { $0 < key }
      return offset < count ? run[offset] : nil
    }
    return element(atOrAfter: compactPartitionPoint(of: list) { $0 < key }, of: list)?.0
  }

  /// The runs of a long list, those with the greatest low words first, with bounds of these words.
  func runsByLowWord(of list: Int) -> [(index: Int, lowWords: ChunkedList<Element>.LowWords)] {
    let chunked = isCompact ? compactLong(of: list) : unsafe long(packed(list).base[0])
    return (0..<chunked.chunkCount).map { ($0, chunked.lowWords(of: $0)) }
      .sorted { $0.lowWords.greatest > $1.lowWords.greatest }
  }

  /// Whether a list is one run in memory.
  @inline(__always)
  func isOneRun(_ list: Int) -> Bool { unsafe !packed(list).isLong }

  // MARK: - Pieces

  /// Calls `body` with every `step`th element of a list, from an offset on. Of a compact list only these are decoded.
  @inline(__always)
  func forEachElement(of list: Int, from first: Int, every step: Int, _ body: (Element) -> Void) {
    var next = first
    for index in 0..<runCount(of: list) {
      let length = runLength(index, of: list)
      if isCompact {
        let run = compactRun(index, of: list)
        while next < length {
          body(run[next])
          next &+= step
        }
      } else {
        let run = run(index, of: list)
        while next < length {
          body(run[next])
          next &+= step
        }
      }
      next &-= length
    }
  }

  /// Calls `body` with the elements of a list in pieces, until it returns false. They are decoded on the stack.
  /// - Returns: false if `body` did.
  @inline(__always)
  func forEachPiece(of list: Int, _ body: (Span<Element>) -> Bool) {
    unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: Self.pieceCount) { buffer in
      guard let scratch = buffer.baseAddress else { return }
      for index in 0..<compactRunCount(of: list) {
        let run = compactRun(index, of: list)
        var offset = 0
        while offset < run.count {
          let end = min(run.count, offset &+ Self.pieceCount)
          unsafe run.page.copy(run.start &+ offset..<run.start &+ end, to: scratch)
          if !body(unsafe Span(_unsafeStart: scratch, count: end &- offset)) { return }
          offset = end
        }
      }
    }
  }

  /// Calls `body` with the runs of a list, or with pieces of them, until it returns false.
  @inline(__always)
  func visitRuns(of list: Int, while body: (Span<Element>) -> Bool) {
    if isCompact { return forEachPiece(of: list, body) }
    for index in 0..<runCount(of: list) where !body(run(index, of: list)) { return }
  }

  /// Calls `body` with some elements of a run, in pieces if the list is compact.
  @inline(__always)
  func withElements(_ range: Range<Int>, ofRun index: Int, of list: Int, _ body: (Span<Element>) -> Void) {
    if !isCompact { return body(run(index, of: list).extracting(range)) }
    let run = compactRun(index, of: list)
    unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: Self.pieceCount) { buffer in
      guard let scratch = buffer.baseAddress else { return }
      var offset = range.lowerBound
      while offset < range.upperBound {
        let end = min(range.upperBound, offset &+ Self.pieceCount)
        unsafe run.page.copy(run.start &+ offset..<run.start &+ end, to: scratch)
        body(unsafe Span(_unsafeStart: scratch, count: end &- offset))
        offset = end
      }
    }
  }
}
