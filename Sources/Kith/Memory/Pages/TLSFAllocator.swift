import CSupport

/// A TLSF allocator: blocks of any size from arenas of whole huge pages.
///
/// Free blocks are listed by size, in 32 classes per power of two. Two levels of bitmaps show which lists are not
/// empty. A freed block is merged with its free neighbours at once, and a free arena is unmapped. After M. Masmano et
/// al., "TLSF: a new dynamic memory allocator for real-time systems", 2004. One difference: the list of a size's own
/// class is probed first, because pages come in few sizes, and a freed block of the same size should be reused.
///
/// Each block is preceded by a header of sixteen bytes: the address of the previous block in memory, the size (four
/// bytes, whose lowest bits are flags and what was not asked for), and a word of the owner, for a count of references.
/// A free block begins with its list neighbours.
/// - Complexity: O(1). Occasionally an arena is mapped or unmapped; the system creates its pages at first access.
@safe struct TLSFAllocator: ~Copyable, @unchecked Sendable {
  // Safety: all addresses are of blocks inside arenas that this allocator mapped, and only the holder of the allocator
  // accesses their headers. `checkInvariants` walks them all.

  static let headerByteCount = 16
  /// Blocks of a page or more are aligned to cache lines.
  static let lineByteCount = 64
  static let pageByteCount = 4_096
  private static let arenaUnit = 1 << 21
  private static let arenaLimit = 1 << 25
  /// Space before the first block, so that it begins on a cache line.
  private static let arenaMargin = 48
  /// The content of the smallest block: the two list neighbours of a free block, and space for splitting off a block.
  private static let minimumByteCount = 32
  /// A free block of this size is long enough to be given back: shorter ones would split many huge pages.
  private static let longByteCount = 1 << 18
  /// The most blocks of a size's own class that are probed.
  private static let probeLimit = 4

  private var levels: UInt64 = 0
  private var classes = [UInt32](repeating: 0, count: SizeClass.levelCount)
  private var heads = [Block?](repeating: nil, count: SizeClass.levelCount * SizeClass.perLevel)
  private var arenas: [Arena] = []
  /// The next arena, mapped ahead; its first bytes are ready.
  private var spare: Arena?
  private(set) var frontier = ArenaFrontier()
  private var emptyArenaCount = 0
  private(set) var mappedByteCount = 0
  /// The bytes of all allocated blocks, including their headers.
  private(set) var takenByteCount = 0
  /// The bytes of free blocks that the system has not given pages yet, or has them back.
  private(set) var vacantByteCount = 0

  @safe private struct Arena {
    let base: UnsafeMutableRawPointer
    let byteCount: Int
  }

  // MARK: - Blocks

  /// A block, by the address of its header.
  @safe fileprivate struct Block: Equatable {
    let header: UnsafeMutableRawPointer

    init(_ header: UnsafeMutableRawPointer) { unsafe self.header = unsafe header }

    static func == (left: Block, right: Block) -> Bool { unsafe left.header == right.header }

    var base: UnsafeMutableRawPointer { unsafe header + headerByteCount }

    /// The previous block in memory; nil for the first of an arena.
    var previous: Block? {
      get { unsafe header.load(as: UnsafeMutableRawPointer?.self).map { unsafe Block($0) } }
      nonmutating set { unsafe header.storeBytes(of: newValue?.header, as: UnsafeMutableRawPointer?.self) }
    }

    /// Without the header, a multiple of sixteen. 0 at the end of an arena.
    var byteCount: Int { Int(size & ~15) }

    /// The bytes of an allocated block that were asked for, rounded up. A rest that is no block stays with it: without
    /// this, a copy would ask for the rest too, might get another one, and pages would grow from copy to copy.
    var askedByteCount: Int { isOutside ? Int(size & ~3) : byteCount - Int(size & 12) * 4 }

    var isFree: Bool { size & 1 != 0 }

    /// Whether the system has not given a free block pages since it was mapped or given back.
    var isVacant: Bool { size & 5 == 5 }

    /// Whether it is of another allocator.
    var isOutside: Bool { size & 2 != 0 }

    /// - Parameter rest: the bytes of an allocated block that were not asked for: 0, 16 or 32.
    func note(byteCount: Int, isFree: Bool, isOutside: Bool = false, isVacant: Bool = false, rest: Int = 0) {
      let size = UInt32(byteCount) | UInt32(rest / 4) | (isFree ? 1 : 0) | (isOutside ? 2 : 0) | (isVacant ? 4 : 0)
      unsafe header.storeBytes(of: size, toByteOffset: 8, as: UInt32.self)
    }

    private var size: UInt32 { unsafe header.load(fromByteOffset: 8, as: UInt32.self) }

    /// The next block in memory.
    var next: Block { unsafe Block(base + byteCount) }

    /// The list neighbours of a free block.
    var listed: (before: Block?, behind: Block?) {
      get {
        let before = unsafe base.load(as: UnsafeMutableRawPointer?.self)
        let behind = unsafe base.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self)
        return unsafe (before.map { unsafe Block($0) }, behind.map { unsafe Block($0) })
      }
      nonmutating set {
        unsafe base.storeBytes(of: newValue.before?.header, as: UnsafeMutableRawPointer?.self)
        unsafe base.storeBytes(of: newValue.behind?.header, toByteOffset: 8, as: UnsafeMutableRawPointer?.self)
      }
    }

    /// The bytes to split off in front so that the block begins on a cache line: none, or enough for a block.
    var misalignment: Int {
      let beyond = unsafe Int(bitPattern: base) & (lineByteCount - 1)
      if beyond == 0 { return 0 }
      let gap = lineByteCount - beyond
      return gap < headerByteCount + minimumByteCount ? gap + lineByteCount : gap
    }
  }

  /// The bytes of an allocated block that were asked for, rounded up: as many as a copy asks for.
  @unsafe static func byteCount(of base: UnsafeMutableRawPointer) -> Int {
    unsafe Block(base - headerByteCount).askedByteCount
  }

  /// All bytes that an allocated block takes, with its header.
  @unsafe static func footprint(of base: UnsafeMutableRawPointer) -> Int {
    let block = unsafe Block(base - headerByteCount)
    return (block.isOutside ? block.askedByteCount : block.byteCount) + headerByteCount
  }

  /// Writes the header of memory of another allocator.
  @unsafe static func noteOutside(_ base: UnsafeMutableRawPointer, byteCount: Int) {
    unsafe Block(base - headerByteCount).note(byteCount: byteCount, isFree: false, isOutside: true)
  }
  @unsafe static func isOutside(_ base: UnsafeMutableRawPointer) -> Bool {
    unsafe Block(base - headerByteCount).isOutside
  }

  // MARK: - Allocating and freeing

  /// Allocates uninitialised bytes, aligned to sixteen, or to 64 for four kilobytes or more.
  /// - Parameter byteCount: at most a megabyte.
  mutating func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    let isPage = byteCount >= Self.pageByteCount
    let wanted = Self.roundedUp(byteCount, isPage: isPage)
    var block: Block
    if let found = find(wanted, isPage: isPage) {
      block = found
    } else {
      mapArena()
      guard let found = find(wanted, isPage: isPage) else { preconditionFailure("\(byteCount) bytes are no page") }
      block = found
    }
    unlist(block)
    if block.previous == nil && block.next.byteCount == 0 { emptyArenaCount -= 1 }
    let isVacant = block.isVacant
    if isPage, block.misalignment > 0 { block = cutFront(of: block, block.misalignment) }
    cutEnd(of: block, behind: wanted, isVacant: isVacant)
    block.note(byteCount: block.byteCount, isFree: false, rest: block.byteCount - wanted)
    takenByteCount += block.byteCount + Self.headerByteCount
    return unsafe block.base
  }

  /// Rounds up to a multiple of sixteen; for a page, so that the header of the next block also ends on a cache line.
  private static func roundedUp(_ byteCount: Int, isPage: Bool) -> Int {
    if !isPage { return max(minimumByteCount, (byteCount + 15) & ~15) }
    return (byteCount + headerByteCount + lineByteCount - 1) & ~(lineByteCount - 1) - headerByteCount
  }

  /// Frees a block that `allocate` returned.
  mutating func free(_ base: UnsafeMutableRawPointer) {
    var block = unsafe Block(base - Self.headerByteCount)
    precondition(!block.isFree && block.byteCount > 0, "a block is given back once")
    takenByteCount -= block.byteCount + Self.headerByteCount
    // Of merged blocks, the longest decides whether the whole is vacant.
    var (isVacant, longest) = (false, block.byteCount)
    let next = block.next
    if next.isFree {
      if next.byteCount > longest { (isVacant, longest) = (next.isVacant, next.byteCount) }
      unlist(next)
      join(block, next)
    }
    if let previous = block.previous, previous.isFree {
      if previous.byteCount > longest { isVacant = previous.isVacant }
      unlist(previous)
      join(previous, block)
      block = previous
    }
    if block.previous == nil && block.next.byteCount == 0 {
      // Keeps one free arena. Otherwise, allocating and freeing a page in turn would map one each time.
      if emptyArenaCount > 0 { return unmapArena(of: block) }
      emptyArenaCount += 1
    }
    list(block, isVacant: isVacant)
  }

  /// A free block of at least this size: the first that fits among those probed of its own class, or any of a class
  /// above.
  private func find(_ byteCount: Int, isPage: Bool) -> Block? {
    var next = heads[SizeClass(of: byteCount).index]
    for _ in 0..<Self.probeLimit {
      guard let block = next else { break }
      if block.byteCount >= byteCount + (isPage ? block.misalignment : 0) { return block }
      next = block.listed.behind
    }
    let most = byteCount + (isPage ? Self.lineByteCount + Self.headerByteCount + Self.minimumByteCount : 0)
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
    let rest = unsafe Block(block.header + byteCount)
    rest.previous = block
    rest.note(byteCount: block.byteCount - byteCount, isFree: false)
    rest.next.previous = rest
    block.note(byteCount: byteCount - Self.headerByteCount, isFree: true)
    list(block)
    return rest
  }

  /// Splits off the last bytes of a block as a free block, if they are enough for one.
  private mutating func cutEnd(of block: Block, behind byteCount: Int, isVacant: Bool) {
    let left = block.byteCount - byteCount - Self.headerByteCount
    if left < Self.minimumByteCount { return }
    let rest = unsafe Block(block.base + byteCount)
    rest.previous = block
    rest.note(byteCount: left, isFree: true)
    rest.next.previous = rest
    block.note(byteCount: byteCount, isFree: false)
    list(rest, isVacant: isVacant)
    if left >= Self.longByteCount { unsafe frontier.reach(rest.header, arenaByteCount: nextArenaByteCount) }
  }

  /// Merges two adjacent blocks, both unlisted.
  private func join(_ block: Block, _ next: Block) {
    block.note(byteCount: block.byteCount + Self.headerByteCount + next.byteCount, isFree: true)
    block.next.previous = block
  }

  private mutating func list(_ block: Block, isVacant: Bool = false) {
    block.note(byteCount: block.byteCount, isFree: true, isVacant: isVacant)
    if isVacant { vacantByteCount += block.byteCount }
    let size = SizeClass(of: block.byteCount)
    let behind = heads[size.index]
    block.listed = (nil, behind)
    if let behind { behind.listed = (block, behind.listed.behind) }
    heads[size.index] = block
    classes[size.level] |= 1 << UInt32(size.subclass)
    levels |= 1 << UInt64(size.level)
  }

  private mutating func unlist(_ block: Block) {
    if block.isVacant { vacantByteCount -= block.byteCount }
    let (before, behind) = block.listed
    if let behind { behind.listed = (before, behind.listed.behind) }
    if let before {
      before.listed = (before.listed.before, behind)
      return
    }
    let size = SizeClass(of: block.byteCount)
    heads[size.index] = behind
    if behind != nil { return }
    classes[size.level] &= ~(1 << UInt32(size.subclass))
    if classes[size.level] == 0 { levels &= ~(1 << UInt64(size.level)) }
  }

  /// Gives the memory of long free blocks back to the system, which maps zeroed pages when they are used again.
  /// - Complexity: O(free blocks), and a system call for each long one.
  mutating func giveBack() {
    if let spare { unsafe kith_unmap(spare.base, spare.byteCount) }
    spare = nil
    frontier.forget()
    let first = SizeClass(of: Self.longByteCount)
    for index in first.index..<heads.count {
      var next = heads[index]
      while let block = next {
        // Neighbours in the list are at its beginning. The header of the next block is behind it.
        unsafe kith_discard(block.base + Self.headerByteCount, block.byteCount - Self.headerByteCount)
        if !block.isVacant {
          block.note(byteCount: block.byteCount, isFree: true, isVacant: true)
          vacantByteCount += block.byteCount
        }
        next = block.listed.behind
      }
    }
  }

  // MARK: - Arenas

  /// The size is an eighth of the mapped bytes, so that a small graph takes little and a large one has few arenas.
  private var nextArenaByteCount: Int {
    min(max(Self.arenaUnit, mappedByteCount / 8 & ~(Self.arenaUnit - 1)), Self.arenaLimit)
  }

  /// What to make ready, for another thread; it calls `offer` with an arena that it mapped.
  mutating func takeWork() -> ArenaFrontier.Work? { frontier.takeWork() }

  /// Takes an arena that was mapped ahead.
  /// - Returns: false if there is one already.
  mutating func offer(_ base: UnsafeMutableRawPointer, byteCount: Int) -> Bool {
    if spare != nil { return false }
    spare = unsafe Arena(base: base, byteCount: byteCount)
    return true
  }

  private mutating func mapArena() {
    let byteCount = spare?.byteCount ?? nextArenaByteCount
    guard let base = unsafe spare?.base ?? kith_map(byteCount) else {
      preconditionFailure("the system has no more memory")
    }
    if mappedByteCount >= ArenaFrontier.leastMappedByteCount {
      let readyByteCount = spare == nil ? 0 : min(byteCount, ArenaFrontier.aheadByteCount)
      unsafe frontier.begin(base, byteCount: byteCount, readyByteCount: readyByteCount)
    }
    spare = nil
    arenas.append(unsafe Arena(base: base, byteCount: byteCount))
    mappedByteCount += byteCount
    emptyArenaCount += 1
    let block = unsafe Block(base + Self.arenaMargin)
    block.previous = nil
    block.note(byteCount: byteCount - Self.arenaMargin - 2 * Self.headerByteCount, isFree: true)
    block.next.previous = block
    block.next.note(byteCount: 0, isFree: false)
    list(block, isVacant: true)
  }

  private mutating func unmapArena(of block: Block) {
    let base = unsafe block.header - Self.arenaMargin
    guard let index = arenas.firstIndex(where: { unsafe $0.base == base }) else {
      preconditionFailure("a block belongs to an arena")
    }
    unsafe frontier.end(base)
    mappedByteCount -= arenas[index].byteCount
    unsafe kith_unmap(base, arenas[index].byteCount)
    arenas.swapAt(index, arenas.count - 1)
    arenas.removeLast()
  }

  deinit {
    if let spare { unsafe kith_unmap(spare.base, spare.byteCount) }
    for arena in arenas { unsafe kith_unmap(arena.base, arena.byteCount) }
  }
}

extension TLSFAllocator {
  /// Checks that every block knows the previous one, that no two free blocks are adjacent, and that exactly the free
  /// blocks are listed, each in its class.
  func checkInvariants() -> [String] {
    var problems: [String] = []
    var (taken, vacant, freeCount, emptyCount) = (0, 0, 0, 0)
    for arena in arenas {
      var previous: Block?
      var block = unsafe Block(arena.base + Self.arenaMargin)
      while block.byteCount > 0 {
        if block.previous != previous { problems.append("a block does not know the one before it") }
        if block.isFree {
          freeCount += 1
          if block.isVacant { vacant += block.byteCount }
          if previous?.isFree == true { problems.append("two free blocks are neighbours") }
        } else {
          taken += block.byteCount + Self.headerByteCount
        }
        previous = block
        block = block.next
      }
      if block.previous != previous { problems.append("the end of an arena does not know the block before it") }
      if unsafe block.base != arena.base + arena.byteCount { problems.append("an arena ends elsewhere") }
      if previous?.isFree == true && previous?.previous == nil { emptyCount += 1 }
    }
    if taken != takenByteCount { problems.append("\(taken) bytes are taken, not \(takenByteCount)") }
    if vacant != vacantByteCount { problems.append("\(vacant) bytes are vacant, not \(vacantByteCount)") }
    if emptyCount != emptyArenaCount { problems.append("\(emptyCount) arenas are free, not \(emptyArenaCount)") }
    var listedCount = 0
    for (index, head) in heads.enumerated() {
      let (level, subclass) = (index / SizeClass.perLevel, index % SizeClass.perLevel)
      if (head != nil) != (classes[level] >> UInt32(subclass) & 1 != 0) { problems.append("a bitmap is wrong") }
      var next = head
      while let block = next {
        listedCount += 1
        if !block.isFree || SizeClass(of: block.byteCount).index != index { problems.append("a list is of others") }
        next = block.listed.behind
      }
    }
    for level in classes.indices where (classes[level] != 0) != (levels >> UInt64(level) & 1 != 0) {
      problems.append("the bitmap of levels is wrong")
    }
    if listedCount != freeCount { problems.append("\(listedCount) blocks are listed, \(freeCount) are free") }
    return problems
  }
}
