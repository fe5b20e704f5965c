/// Adjacency blocks: many ordered lists of plain values, one per row and mostly short, such as the followees of each
/// user and the posts of each author.
///
/// The lists of adjacent rows share one packed block:
/// ```
/// end of list 0 … end of list n−1 (UInt16 each; the top bit: the list is long) · elements
/// ```
/// The capacity is what the allocator gave. A write shifts the block's tail. A block is the unit of copy-on-write,
/// stored in a `PageTable`. It grows by 1/32, and comes from an allocator that merges free blocks (`TLSFAllocator`).
/// Since lists have no extents of their own, churn causes no fragmentation: 13.0 bytes per follow before and after ten
/// million pairs of changes, where extents in size classes went from 13.7 to 15.2.
///
/// A list of more than 1,024 elements moves to a `ChunkedList`. Its block keeps one element, whose bits are the number
/// of that list.
///
/// In compact form (`CompactPage`), a block has the same lists in as few bits as they need, and a chunk of a long list
/// too. To the code for plain lists, every list is then a long one: those branches, which are rarely taken, ask for the
/// form.
///
/// The lists do not know their order: callers find positions with `partitionPoint`.
/// - Complexity: insertion and removal O(log list + bytes of the block); reading O(1).
@safe
struct PackedLists<Element: BitwiseCopyable & FixedWidthInteger & UnsignedInteger & Sendable>: ~Copyable,
  @unchecked Sendable
{
  /// A position in a list: the number of a run and an offset in it.
  struct Position: Equatable {
    var run: Int
    var offset: Int
  }

  /// The top bit of an end, in plain and in compact form.
  static var longFlag: UInt16 { 0x8000 }
  static var maximumPackedCount: Int { 1_024 }

  let blockShift: Int
  /// The bits of a list's number that select it in its block; none in compact form, where one flag is that of all.
  let listMask: Int
  let headerByteCount: Int
  let isCompact: Bool
  var blocks: PageTable
  var longLists: OverflowLists<Element>
  var epoch: UInt64
  /// The number of lists.
  var count: Int

  /// - Parameter listsPerBlock: a power of two.
  init(listsPerBlock: Int, form: ListForm = .plain) {
    precondition(listsPerBlock.nonzeroBitCount == 1, "lists per block must be a power of two")
    precondition(form == .compact || listsPerBlock * Self.maximumPackedCount <= Int(Int16.max), "ends have 15 bits")
    isCompact = form == .compact
    blockShift = listsPerBlock.trailingZeroBitCount
    listMask = form == .compact ? 0 : listsPerBlock - 1
    headerByteCount =
      form == .compact
      ? CompactPage<Element>.headerByteCount(listCount: listsPerBlock) : (listsPerBlock * 2 + 7) & ~7
    blocks = PageTable()
    longLists = OverflowLists()
    epoch = 1
    count = 0
  }

  /// A pin.
  private init(
    blockShift: Int, listMask: Int, headerByteCount: Int, isCompact: Bool, blocks: consuming PageTable,
    longLists: OverflowLists<Element>, epoch: UInt64, count: Int
  ) {
    self.blockShift = blockShift
    self.listMask = listMask
    self.headerByteCount = headerByteCount
    self.isCompact = isCompact
    self.blocks = blocks
    self.longLists = longLists
    self.epoch = epoch
    self.count = count
  }

  var listsPerBlock: Int { 1 << blockShift }

  /// A list of more elements is long. The ends of a compact block have fifteen bits.
  var packedLimit: Int { isCompact ? min(1_024, 32_767 >> blockShift) : Self.maximumPackedCount }

  var form: ListForm { isCompact ? .compact : .plain }

  mutating func pin() -> PackedLists {
    epoch += 1
    return PackedLists(
      blockShift: blockShift, listMask: listMask, headerByteCount: headerByteCount, isCompact: isCompact,
      blocks: blocks.pin(), longLists: longLists, epoch: epoch, count: count)
  }

  /// Appends an empty list for the next row. Blocks of only empty lists share one page until they are written, so that
  /// a relation without edges takes nearly no memory.
  mutating func appendList() {
    if count &>> blockShift == blocks.count {
      if !blocks.appendCommonChunk() { blocks.append(makeBlock(capacity: 0), times: blocks.placesToEndOfChunk) }
    }
    count += 1
  }

  // MARK: - Reading

  /// A list within its block: its start, its length there, and whether it is long.
  @inline(__always)
  func packed(_ list: Int) -> (base: UnsafeMutablePointer<Element>, count: Int, isLong: Bool) {
    assert(list < count)
    // Safety: a block's ends ascend to at most its capacity; `checkInvariants` checks that.
    let block = unsafe blocks.base(list &>> blockShift)
    let index = list & listMask
    let ends = unsafe block.assumingMemoryBound(to: UInt16.self)
    let start = index == 0 ? 0 : unsafe Int(ends[index - 1] & ~Self.longFlag)
    let end = unsafe ends[index]
    let elements = unsafe (block + headerByteCount).assumingMemoryBound(to: Element.self)
    return unsafe (elements + start, Int(end & ~Self.longFlag) - start, end & Self.longFlag != 0)
  }

  @inline(__always)
  func long(_ slot: Element) -> ChunkedList<Element> {
    // Safety: while the flag of a long list is set, its slot holds the list.
    unsafe longLists[Int(slot)].unsafelyUnwrapped
  }

  /// The length of a list.
  @inline(__always)
  func count(of list: Int) -> Int {
    let (base, count, isLong) = unsafe packed(list)
    return isLong ? unsafe longCount(base, list) : count
  }

  @inline(never)
  private func longCount(_ base: UnsafeMutablePointer<Element>, _ list: Int) -> Int {
    isCompact ? compactCount(of: list) : unsafe long(base[0]).count
  }

  /// The number of contiguous runs of a list; at least one.
  @inline(__always)
  func runCount(of list: Int) -> Int {
    let (base, _, isLong) = unsafe packed(list)
    return isLong ? unsafe longRunCount(base, list) : 1
  }

  @inline(never)
  private func longRunCount(_ base: UnsafeMutablePointer<Element>, _ list: Int) -> Int {
    isCompact ? compactRunCount(of: list) : unsafe long(base[0]).chunkCount
  }

  /// The length of a run.
  @inline(__always)
  func runLength(_ index: Int, of list: Int) -> Int {
    let (base, count, isLong) = unsafe packed(list)
    return isLong ? unsafe longRunLength(base, index, list) : count
  }

  @inline(never)
  private func longRunLength(_ base: UnsafeMutablePointer<Element>, _ index: Int, _ list: Int) -> Int {
    isCompact ? compactRun(index, of: list).count : unsafe long(base[0]).chunk(index).1
  }

  /// A contiguous run of a list, in order. Plain lists alone have one in memory.
  @inline(__always)
  @_lifetime(borrow self)
  func run(_ index: Int, of list: Int) -> Span<Element> {
    let (base, count, isLong) = unsafe packed(list)
    if isLong {
      precondition(!isCompact, "a compact list has no run in memory")
      let (start, length) = unsafe long(base[0]).chunk(index)
      let span = unsafe Span(_unsafeStart: start, count: length)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
    let span = unsafe Span(_unsafeStart: base, count: count)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// Calls `body` with each run of a list; of a compact one, with pieces of them. Reads the head of its block once.
  @inline(__always)
  func forEachRun(of list: Int, _ body: (Span<Element>) -> Void) {
    let (base, count, isLong) = unsafe packed(list)
    if !isLong { return body(unsafe Span(_unsafeStart: base, count: count)) }
    if isCompact {
      forEachPiece(of: list) { elements in
        body(elements)
        return true
      }
      return
    }
    let chunked = unsafe long(base[0])
    for index in 0..<chunked.chunkCount {
      let (start, length) = unsafe chunked.chunk(index)
      body(unsafe Span(_unsafeStart: start, count: length))
    }
  }

  /// Calls `body` with the elements of a list, until it answers false.
  @inline(__always)
  func forEach(of list: Int, _ body: (Element) -> Bool) {
    func goesOn(_ elements: Span<Element>) -> Bool {
      for index in elements.indices where !body(elements[index]) { return false }
      return true
    }
    if isCompact { return forEachPiece(of: list) { goesOn($0) } }
    for index in 0..<runCount(of: list) where !goesOn(run(index, of: list)) { return }
  }

  subscript(list: Int, position: Position) -> Element {
    isCompact ? compactRun(position.run, of: list)[position.offset] : run(position.run, of: list)[position.offset]
  }

  /// The first position whose element does not precede the target of the search.
  /// - Parameter precedes: true for the elements of a prefix of the list, false for the rest.
  @inline(__always)
  func partitionPoint(of list: Int, _ precedes: (Element) -> Bool) -> Position {
    var (base, count, isLong) = unsafe packed(list)
    var first = 0
    if isLong {
      if isCompact { return compactPartitionPoint(of: list, precedes) }
      let chunked = unsafe long(base[0])
      var length = chunked.chunkCount
      while length > 1 {  // the last chunk whose first element precedes
        let half = length >> 1
        if unsafe precedes(chunked.chunk(first + half).0[0]) {
          first += half
          length -= half
        } else {
          length = half
        }
      }
      unsafe (base, count) = unsafe chunked.chunk(first)
    }
    var low = 0
    var high = count
    while low < high {
      let middle = (low &+ high) &>> 1
      if unsafe precedes(base[middle]) { low = middle &+ 1 } else { high = middle }
    }
    return Position(run: first, offset: low)
  }

  /// The element before a position; nil at the start.
  @inline(__always)
  func element(before position: Position, of list: Int) -> (Element, Position)? {
    let (base, _, isLong) = unsafe packed(list)
    if isLong { return longElement(before: position, of: list) }
    if position.offset == 0 { return nil }
    return unsafe (base[position.offset - 1], Position(run: 0, offset: position.offset - 1))
  }

  private func longElement(before position: Position, of list: Int) -> (Element, Position)? {
    var place = position
    while place.offset == 0 {
      if place.run == 0 { return nil }
      place.run -= 1
      place.offset = runLength(place.run, of: list)
    }
    place.offset -= 1
    return (self[list, place], place)
  }

  /// The first element that is not below a key. The list must ascend.
  ///
  /// Uses branches: in lists that are not cached, speculative execution then fetches ahead, which is half again as
  /// fast.
  @inline(__always)
  func first(notBelow key: Element, in list: Int) -> Element? {
    let (base, count, isLong) = unsafe packed(list)
    if isLong { return longFirst(notBelow: key, in: list) }
    var low = 0
    var high = count
    while low < high {
      let middle = (low &+ high) &>> 1
      if unsafe base[middle] < key { low = middle &+ 1 } else { high = middle }
    }
    return low < count ? unsafe base[low] : nil
  }

  @inline(never)
  private func longFirst(notBelow key: Element, in list: Int) -> Element? {
    if isCompact { return compactFirst(notBelow: key, in: list) }
    return element(atOrAfter: partitionPoint(of: list) { $0 < key }, of: list)?.0
  }

  /// The element at a position, or at the start of the next run if the position is the end of a run; nil at the end.
  @inline(__always)
  func element(atOrAfter position: Position, of list: Int) -> (Element, Position)? {
    let (base, count, isLong) = unsafe packed(list)
    if isLong { return longElement(atOrAfter: position, of: list) }
    return position.offset < count ? unsafe (base[position.offset], position) : nil
  }

  private func longElement(atOrAfter position: Position, of list: Int) -> (Element, Position)? {
    var place = position
    while place.offset >= runLength(place.run, of: list) {
      if place.run + 1 >= runCount(of: list) { return nil }
      place = Position(run: place.run + 1, offset: 0)
    }
    return (self[list, place], place)
  }

  /// The offset of a value in a run, found by scanning.
  func firstOffset(of element: Element, run index: Int, of list: Int) -> Int? {
    if isCompact { return compactRun(index, of: list).firstOffset(of: element) }
    let elements = run(index, of: list)
    for offset in elements.indices where elements[offset] == element { return offset }
    return nil
  }

  func startPosition() -> Position { Position(run: 0, offset: 0) }

  @inline(__always)
  func endPosition(of list: Int) -> Position {
    let (_, count, isLong) = unsafe packed(list)
    return isLong ? longEndPosition(of: list) : Position(run: 0, offset: count)
  }

  private func longEndPosition(of list: Int) -> Position {
    if !isCompact {
      let chunked = unsafe long(packed(list).base[0])
      let last = chunked.chunkCount - 1
      return Position(run: last, offset: unsafe chunked.chunk(last).1)
    }
    let last = runCount(of: list) - 1
    return Position(run: last, offset: runLength(last, of: list))
  }

  /// The number of elements of a list from a position on.
  /// - Complexity: O(runs).
  func count(of list: Int, from position: Position) -> Int {
    var count = -position.offset
    for run in position.run..<runCount(of: list) { count += runLength(run, of: list) }
    return count
  }

  // MARK: - Writing

  mutating func insert(_ element: Element, in list: Int, at position: Position) {
    let (base, count, isLong) = unsafe packed(list)
    if isLong {
      if isCompact { return insertCompact(element, in: list, at: position) }
      insertLong(element, slot: unsafe Int(base[0]), at: position)
    } else if count < Self.maximumPackedCount {
      replaceInBlock(list, at: position.offset, removing: 0, inserting: element)
    } else {
      let elements = unsafe UnsafeBufferPointer(start: UnsafePointer(base), count: count)
      unsafe makeLong(list, elements, inserting: element, at: position.offset)
    }
  }

  mutating func remove(from list: Int, at position: Position) {
    let (base, _, isLong) = unsafe packed(list)
    guard isLong else {
      replaceInBlock(list, at: position.offset, removing: 1, inserting: nil)
      return
    }
    if isCompact { return removeCompact(from: list, at: position) }
    let slot = unsafe Int(base[0])
    let chunked = removeLong(slot: slot, at: position)
    if unsafe chunked.count <= Self.maximumPackedCount / 2 { makePacked(list, slot: slot, chunked) }
  }

  mutating func removeAll(from list: Int) {
    let (base, count, isLong) = unsafe packed(list)
    if isLong {
      if isCompact { return removeAllCompact(from: list) }
      unsafe longLists.remove(Int(base[0]))
      setLong(list, false)
    }
    if count > 0 { replaceInBlock(list, at: 0, removing: count, inserting: nil) }
  }
}
