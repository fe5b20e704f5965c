import CSupport

/// A TLSF allocator: blocks of any size from arenas of whole huge pages.
///
/// Free blocks are listed by size, in 32 classes per power of two. Two levels of bitmaps show which lists are not
/// empty. A freed block is merged with its free neighbours at once, and a free arena is unmapped. After M. Masmano et
/// al., "TLSF: a new dynamic memory allocator for real-time systems", 2004. One difference: the list of a size's own
/// class is probed first, because pages come in few sizes, and a freed block of the same size should be reused.
///
/// - Complexity: O(1). Occasionally an arena is mapped or unmapped; the system creates its pages at first access.
@safe struct TLSFAllocator: ~Copyable, @unchecked Sendable {
  // Safety: all addresses are of blocks inside arenas that this allocator mapped, and their headers are written under
  // the allocator's lock (see `TLSFBlock`). `checkInvariants` walks them all.

  typealias Block = TLSFBlock

  static let headerByteCount = TLSFBlock.headerByteCount
  /// Blocks of a page or more are aligned to cache lines.
  static let lineByteCount = TLSFBlock.lineByteCount
  static let pageByteCount = 4_096
  private static let arenaLimit = 1 << 26
  private static let leastSpan = TLSFBlock.leastSpan
  /// A free block of this size is long enough to be given back: shorter ones would split many huge pages.
  private static let longByteCount = 1 << 18
  /// The most blocks of a size's own class that are probed.
  private static let probeLimit = 4

  private(set) var levels: UInt64 = 0
  private(set) var classes = [UInt32](repeating: 0, count: SizeClass.levelCount)
  private(set) var heads = [Block?](repeating: nil, count: SizeClass.levelCount * SizeClass.perLevel)
  private(set) var arenas: [Arena] = []
  /// The next arena, mapped ahead, and how many of its first bytes are ready. Its last huge page is, too.
  private var spare: (arena: Arena, readyByteCount: Int)?
  private(set) var frontier = ArenaFrontier()
  /// A free block in which a huge page is being made ready, and that would be used up to that page: nothing is
  /// allocated from it until then. Also whether it is vacant.
  private var setAside: (block: Block, isVacant: Bool)?
  private(set) var emptyArenaCount = 0
  /// How many threads fill memory fast: see `PagePool.filling`.
  private var fillingCount = 0
  private(set) var mappedByteCount = 0
  /// The bytes of all allocated blocks, including their headers; and those of the block that is set aside.
  private(set) var takenByteCount = 0
  /// The bytes of free blocks that were never used, or were given back. What was made ready ahead is among them.
  private(set) var vacantByteCount = 0

  /// The bytes that no block takes and the system has not got back, within a huge page for each long free block.
  var idleByteCount: Int {
    let spareByteCount = spare.map { min($0.arena.byteCount, $0.readyByteCount + HugePage.byteCount) } ?? 0
    return mappedByteCount - takenByteCount - vacantByteCount + frontier.unused.count + spareByteCount
  }

  @safe struct Arena {
    let base: UnsafeMutableRawPointer
    let byteCount: Int
  }

  // MARK: - Sizes

  /// The bytes of an allocated block that were asked for, rounded up: as many as a copy asks for.
  @unsafe static func byteCount(of base: UnsafeMutableRawPointer) -> Int { unsafe Block(base).askedByteCount }

  /// All bytes that an allocated block takes, with its header.
  @unsafe static func footprint(of base: UnsafeMutableRawPointer) -> Int { unsafe Block(base).footprint }

  /// Writes the header of memory of another allocator.
  @unsafe static func noteOutside(_ base: UnsafeMutableRawPointer, byteCount: Int) {
    unsafe Block(base).beginOutside(byteCount: byteCount)
  }
  @unsafe static func isOutside(_ base: UnsafeMutableRawPointer) -> Bool { unsafe Block(base).isOutside }

  // MARK: - Allocating and freeing

  /// Allocates uninitialised bytes, aligned to sixteen, or to 64 for four kilobytes or more.
  /// - Parameter byteCount: at most a megabyte.
  mutating func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    let isPage = byteCount >= Self.pageByteCount
    let wanted = Self.span(of: byteCount, isPage: isPage)
    var block = freeBlock(for: wanted, isPage: isPage)
    let isVacant = block.isVacant
    take(block)
    if isPage, block.misalignment > 0 { block = cutFront(of: block, block.misalignment) }
    cutEnd(of: block, behind: wanted, isVacant: isVacant)
    takenByteCount += block.span
    return unsafe block.base
  }

  /// A free block to cut a span from.
  private mutating func freeBlock(for wanted: Int, isPage: Bool) -> Block {
    precondition(wanted <= HugePage.byteCount / 2 + Self.lineByteCount, "a page has at most a megabyte")
    while true {
      guard let block = find(wanted, isPage: isPage) else {
        mapArena()
        continue
      }
      // What is behind the span gets a header and list neighbours.
      let start = unsafe Int(bitPattern: block.base)
      let end = start + min(block.span, wanted + block.misalignment + Self.leastSpan)
      if setAside != nil || !frontier.isMakingReady(start..<end) { return block }
      setAside = (block, block.isVacant)
      take(block)
      block.noteTaken(span: block.span)
      takenByteCount += block.span
    }
  }

  /// Takes a free block from its list.
  private mutating func take(_ block: Block) {
    unlist(block)
    if block.isFirst && block.next.span == 0 { emptyArenaCount -= 1 }
  }

  /// The span of a block; for a page, so that the next block also begins on a cache line.
  private static func span(of byteCount: Int, isPage: Bool) -> Int {
    let unit = isPage ? lineByteCount : 16
    return max(leastSpan, (byteCount + headerByteCount + unit - 1) & ~(unit - 1))
  }

  /// Frees a block that `allocate` returned.
  mutating func free(_ base: UnsafeMutableRawPointer) { free(unsafe Block(base), isVacant: false) }

  private mutating func free(_ block: Block, isVacant: Bool) {
    var block = block
    precondition(!block.isFree && block.span > 0, "a block is given back once")
    var span = block.span
    takenByteCount -= span
    // Of merged blocks, the longest decides whether the whole is vacant.
    var (isVacant, longest) = (isVacant, span)
    let next = block.next
    if next.isFree {
      if next.span > longest { (isVacant, longest) = (next.isVacant, next.span) }
      unlist(next)
      span += next.span
    }
    if let previous = block.freePrevious {
      if previous.span > longest { isVacant = previous.isVacant }
      unlist(previous)
      span += previous.span
      block = previous
    }
    if unsafe block.isFirst && Block(block.base + span).span == 0 {
      // Keeps one free arena. Otherwise, allocating and freeing a page in turn would map one each time.
      if emptyArenaCount > 0 { return unmapArena(of: block) }
      emptyArenaCount += 1
    }
    list(block, span: span, isVacant: isVacant)
  }

  /// A free block of at least this span: the first that fits among those probed of its own class, or any of a class
  /// above.
  private func find(_ span: Int, isPage: Bool) -> Block? {
    var next = heads[SizeClass(of: span).index]
    for _ in 0..<Self.probeLimit {
      guard let block = next else { break }
      if block.span >= span + (isPage ? block.misalignment : 0) { return block }
      next = block.listed.behind
    }
    let most = span + (isPage ? Self.lineByteCount + Self.leastSpan : 0)
    let least = SizeClass(above: most)
    var level = least.level
    var subclasses = classes[level] & (UInt32.max << UInt32(least.subclass))
    if subclasses == 0 {
      let rest = levels & (UInt64.max << UInt64(level + 1))
      if rest == 0 { return nil }
      level = rest.trailingZeroBitCount
      subclasses = classes[level]
    }
    return heads[level * SizeClass.perLevel + subclasses.trailingZeroBitCount]
  }

  /// Splits off the first bytes of an unlisted block as a free block. Returns the rest.
  private mutating func cutFront(of block: Block, _ byteCount: Int) -> Block {
    let rest = unsafe Block(block.base + byteCount)
    rest.begin(span: block.span - byteCount)
    list(block, span: byteCount)
    return rest
  }

  /// Notes an unlisted block as allocated. Its last bytes become a free block, if they are enough for one.
  private mutating func cutEnd(of block: Block, behind span: Int, isVacant: Bool) {
    let left = block.span - span
    if left < Self.leastSpan { return block.noteTaken(span: block.span, hasRest: left > 0) }
    let rest = unsafe Block(block.base + span)
    rest.begin(span: left)
    block.noteTaken(span: span)
    list(rest, span: left, isVacant: isVacant)
    if isVacant || left >= Self.longByteCount { follow(rest, span: left, isVacant: isVacant) }
  }

  /// Has the next pages of a long free block made ready.
  private mutating func follow(_ block: Block, span: Int, isVacant: Bool) {
    if unsafe !frontier.contains(block.base) {
      guard isVacant, ArenaFrontier.isLong(span), isFollowed else { return }
      endAdvice()
      let isArena = arenas.last.map { unsafe block.base >= $0.base && block.base < $0.base + $0.byteCount } ?? false
      unsafe frontier.begin(block.base, byteCount: span, isArena: isArena, mappedByteCount: mappedByteCount)
      if fillingCount > 0 { Self.advise(frontier.rest, isHuge: true) }
    }
    unsafe frontier.reach(block.base, arenaByteCount: spare == nil ? nextArenaByteCount : 0)
  }

  /// Whether memory is made ready ahead.
  private var isFollowed: Bool { mappedByteCount >= ArenaFrontier.leastMappedByteCount && kith_can_populate() }

  /// Memory is filled fast from now on.
  mutating func beginFilling() {
    fillingCount += 1
    if fillingCount == 1 { Self.advise(frontier.rest, isHuge: true) }
  }

  mutating func endFilling() {
    if fillingCount == 1 { endAdvice() }
    fillingCount -= 1
  }

  /// Has what is not ready on small pages again, before another block is followed, or memory is filled no more.
  private func endAdvice() { if fillingCount > 0 { Self.advise(frontier.rest, isHuge: false) } }

  private static func advise(_ pages: Range<Int>, isHuge: Bool) {
    if !pages.isEmpty {
      unsafe kith_advise_huge(UnsafeMutableRawPointer(bitPattern: pages.lowerBound), pages.count, isHuge)
    }
  }

  private mutating func list(_ block: Block, span: Int, isVacant: Bool = false) {
    block.noteFree(span: span, isVacant: isVacant)
    if isVacant { vacantByteCount += span }
    let size = SizeClass(of: span)
    let behind = heads[size.index]
    block.listed = (nil, behind)
    if let behind { behind.listed = (block, behind.listed.behind) }
    heads[size.index] = block
    classes[size.level] |= 1 << UInt32(size.subclass)
    levels |= 1 << UInt64(size.level)
  }

  private mutating func unlist(_ block: Block) {
    let span = block.span
    if block.isVacant { vacantByteCount -= span }
    let (before, behind) = block.listed
    if let behind { behind.listed = (before, behind.listed.behind) }
    if let before {
      before.listed = (before.listed.before, behind)
      return
    }
    let size = SizeClass(of: span)
    heads[size.index] = behind
    if behind != nil { return }
    classes[size.level] &= ~(1 << UInt32(size.subclass))
    if classes[size.level] == 0 { levels &= ~(1 << UInt64(size.level)) }
  }

  /// Gives the memory of long free blocks back to the system, which maps zeroed pages when they are used again. Keeps
  /// what was made ready ahead.
  /// - Complexity: O(free blocks), and a system call for each long one.
  mutating func giveBack() {
    let first = SizeClass(of: Self.longByteCount)
    for index in first.index..<heads.count {
      var next = heads[index]
      while let block = next {
        // Neighbours in the list are at its beginning, its address at its end, and the next header behind that.
        let content = unsafe Int(bitPattern: block.base + 16)
        let pages = content..<content + block.span - Self.headerByteCount - 24
        let kept = frontier.unused.clamped(to: pages)
        Self.discard(pages.lowerBound..<(kept.isEmpty ? pages.upperBound : kept.lowerBound))
        if !kept.isEmpty { Self.discard(kept.upperBound..<pages.upperBound) }
        if !block.isVacant {
          block.noteFree(span: block.span, isVacant: true)
          vacantByteCount += block.span
        }
        next = block.listed.behind
      }
    }
  }

  private static func discard(_ pages: Range<Int>) {
    unsafe kith_discard(UnsafeMutableRawPointer(bitPattern: pages.lowerBound), pages.count)
  }

  // MARK: - Arenas

  /// The size is an eighth of the mapped bytes, so that a small graph takes little and a large one has few arenas.
  private var nextArenaByteCount: Int {
    min(max(HugePage.byteCount, HugePage.roundDown(mappedByteCount / 8)), Self.arenaLimit)
  }

  /// Whether a thread must be woken that takes the work.
  @inline(__always)
  mutating func needsWorker() -> Bool { frontier.needsWorker() }

  /// What to make ready, for another thread, which takes work until there is none.
  mutating func takeWork() -> ArenaFrontier.Work? {
    endSetAside()
    return frontier.takeWork()
  }

  /// The more urgent part of it.
  mutating func takePage() -> ArenaFrontier.Work? {
    endSetAside()
    return frontier.takePage()
  }

  /// Frees the block that was set aside: the page that the thread took last is ready.
  private mutating func endSetAside() {
    guard let (block, isVacant) = setAside else { return }
    setAside = nil
    free(block, isVacant: isVacant)
  }

  /// Takes an arena that was mapped ahead.
  /// - Parameter work: what was asked for, and is ready.
  /// - Returns: false if there is one already.
  mutating func offer(_ base: UnsafeMutableRawPointer, _ work: ArenaFrontier.Work) -> Bool {
    if spare != nil { return false }
    spare = (unsafe Arena(base: base, byteCount: work.arenaByteCount), work.arenaReadyByteCount)
    return true
  }

  private mutating func mapArena() {
    let byteCount = spare?.arena.byteCount ?? nextArenaByteCount
    let isHuge = fillingCount > 0 || !isFollowed
    guard let base = unsafe spare?.arena.base ?? kith_map(byteCount, isHuge) else {
      preconditionFailure("the system has no more memory")
    }
    if isFollowed {
      endAdvice()
      unsafe frontier.begin(
        base, byteCount: byteCount, readyByteCount: spare?.readyByteCount ?? 0, mappedByteCount: mappedByteCount)
      if isHuge && spare != nil { Self.advise(frontier.rest, isHuge: true) }
    }
    spare = nil
    arenas.append(unsafe Arena(base: base, byteCount: byteCount))
    mappedByteCount += byteCount
    emptyArenaCount += 1
    // The header of the end is in the last eight bytes.
    let block = unsafe Block(base + Self.lineByteCount)
    let span = byteCount - Self.lineByteCount
    block.begin(span: span, isFirst: true)
    block.next.begin(span: 0)
    list(block, span: span, isVacant: true)
  }

  private mutating func unmapArena(of block: Block) {
    let base = unsafe block.base - Self.lineByteCount
    guard let index = arenas.firstIndex(where: { unsafe $0.base == base }) else {
      preconditionFailure("a block belongs to an arena")
    }
    unsafe frontier.end(base, byteCount: arenas[index].byteCount)
    mappedByteCount -= arenas[index].byteCount
    unsafe kith_unmap(base, arenas[index].byteCount)
    arenas.swapAt(index, arenas.count - 1)
    arenas.removeLast()
  }

  deinit {
    if let spare { unsafe kith_unmap(spare.arena.base, spare.arena.byteCount) }
    for arena in arenas { unsafe kith_unmap(arena.base, arena.byteCount) }
  }
}
