import CHints

/// An allocator: blocks of any size out of arenas of whole huge pages.
///
/// Free blocks are listed by size, 32 classes to each power of two, and two levels of bitmaps tell which lists hold
/// any; a block that is given back is joined with its free neighbours at once, and an arena that is free is unmapped.
/// After M. Masmano et al., "TLSF: a new dynamic memory allocator for real-time systems", 2004; but the lists of a
/// size's own class are looked at first, because pages come in few sizes, and one that was given back should be taken.
///
/// Before each block stand sixteen bytes of notes: the block before it in memory, and its size. A free block begins
/// with its neighbours in the list.
/// - Complexity: O(1); but an arena is mapped or unmapped now and then, and its pages are made by the system when they
///   are first touched.
@safe struct SegregatedHeap: ~Copyable, @unchecked Sendable {
  // Safety: all addresses are of blocks inside arenas that this heap mapped, and whoever holds the heap alone reads and
  // writes their notes. `checkInvariants` walks them all.

  static let noteByteCount = 16
  /// Blocks of a page or more begin on a line of the cache.
  static let lineByteCount = 64
  static let pageByteCount = 4_096
  private static let arenaUnit = 1 << 21
  private static let arenaLimit = 1 << 25
  /// Before the first block: so that it begins on a line.
  private static let arenaMargin = 48
  /// Of a free block: its two neighbours in the list, and room for a block that is cut off.
  private static let minimumByteCount = 32
  /// Blocks of a size's own class that are looked at.
  private static let looks = 4

  private var levels: UInt64 = 0
  private var classes = [UInt32](repeating: 0, count: SizeClass.levelCount)
  private var heads = [Block?](repeating: nil, count: SizeClass.levelCount * SizeClass.perLevel)
  private var arenas: [Arena] = []
  private var emptyArenaCount = 0
  private(set) var mappedByteCount = 0
  /// Of all blocks that are taken, with their notes.
  private(set) var takenByteCount = 0

  @safe private struct Arena {
    let base: UnsafeMutableRawPointer
    let byteCount: Int
  }

  // MARK: - Blocks

  /// A block by the address of its notes.
  @safe fileprivate struct Block: Equatable {
    let notes: UnsafeMutableRawPointer

    init(_ notes: UnsafeMutableRawPointer) { unsafe self.notes = unsafe notes }

    static func == (left: Block, right: Block) -> Bool { unsafe left.notes == right.notes }

    var base: UnsafeMutableRawPointer { unsafe notes + noteByteCount }

    /// The block before it in memory; nil for the first of an arena.
    var previous: Block? {
      get { unsafe notes.load(as: UnsafeMutableRawPointer?.self).map { unsafe Block($0) } }
      nonmutating set { unsafe notes.storeBytes(of: newValue?.notes, as: UnsafeMutableRawPointer?.self) }
    }

    /// Without the notes. None at the end of an arena.
    var byteCount: Int { Int(size & ~1) }

    var isFree: Bool { size & 1 != 0 }

    func note(byteCount: Int, isFree: Bool) {
      unsafe notes.storeBytes(of: UInt64(byteCount) | (isFree ? 1 : 0), toByteOffset: 8, as: UInt64.self)
    }

    private var size: UInt64 { unsafe notes.load(fromByteOffset: 8, as: UInt64.self) }

    /// The block behind it in memory.
    var next: Block { unsafe Block(base + byteCount) }

    /// The neighbours of a free block in its list.
    var listed: (before: Block?, behind: Block?) {
      get {
        let before = unsafe base.load(as: UnsafeMutableRawPointer?.self)
        let behind = unsafe base.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self)
        return unsafe (before.map { unsafe Block($0) }, behind.map { unsafe Block($0) })
      }
      nonmutating set {
        unsafe base.storeBytes(of: newValue.before?.notes, as: UnsafeMutableRawPointer?.self)
        unsafe base.storeBytes(of: newValue.behind?.notes, toByteOffset: 8, as: UnsafeMutableRawPointer?.self)
      }
    }

    /// What must be cut off in front so that the block begins on a line of the cache: nothing, or enough for a block.
    var misalignment: Int {
      let beyond = unsafe Int(bitPattern: base) & (lineByteCount - 1)
      if beyond == 0 { return 0 }
      let gap = lineByteCount - beyond
      return gap < noteByteCount + minimumByteCount ? gap + lineByteCount : gap
    }
  }

  // MARK: - Taking and giving back

  /// Bytes of any content, at a multiple of sixteen; of 64 for four kilobytes or more.
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
    if isPage, block.misalignment > 0 { block = cutFront(of: block, block.misalignment) }
    cutEnd(of: block, behind: wanted)
    block.note(byteCount: block.byteCount, isFree: false)
    takenByteCount += block.byteCount + Self.noteByteCount
    return unsafe block.base
  }

  /// To a multiple of sixteen; behind a page, the notes of the next block end on a line of the cache, too.
  private static func roundedUp(_ byteCount: Int, isPage: Bool) -> Int {
    if !isPage { return max(minimumByteCount, (byteCount + 15) & ~15) }
    return (byteCount + noteByteCount + lineByteCount - 1) & ~(lineByteCount - 1) - noteByteCount
  }

  /// Takes back what `allocate` gave.
  mutating func free(_ base: UnsafeMutableRawPointer) {
    var block = unsafe Block(base - Self.noteByteCount)
    precondition(!block.isFree && block.byteCount > 0, "a block is given back once")
    takenByteCount -= block.byteCount + Self.noteByteCount
    let next = block.next
    if next.isFree {
      unlist(next)
      join(block, next)
    }
    if let previous = block.previous, previous.isFree {
      unlist(previous)
      join(previous, block)
      block = previous
    }
    if block.previous == nil && block.next.byteCount == 0 {
      // One is kept: somebody who takes and gives back a page in turn would map it each time.
      if emptyArenaCount > 0 { return unmapArena(of: block) }
      emptyArenaCount += 1
    }
    list(block)
  }

  /// A free block for so many bytes: of their own class if one of the first fits, or the first of a class above.
  private func find(_ byteCount: Int, isPage: Bool) -> Block? {
    var next = heads[SizeClass(of: byteCount).index]
    for _ in 0..<Self.looks {
      guard let block = next else { break }
      if block.byteCount >= byteCount + (isPage ? block.misalignment : 0) { return block }
      next = block.listed.behind
    }
    let most = byteCount + (isPage ? Self.lineByteCount + Self.noteByteCount + Self.minimumByteCount : 0)
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

  /// Makes a free block of the first bytes of one that is not listed, and answers the rest.
  private mutating func cutFront(of block: Block, _ byteCount: Int) -> Block {
    let rest = unsafe Block(block.notes + byteCount)
    rest.previous = block
    rest.note(byteCount: block.byteCount - byteCount, isFree: false)
    rest.next.previous = rest
    block.note(byteCount: byteCount - Self.noteByteCount, isFree: true)
    list(block)
    return rest
  }

  /// Makes a free block of the last bytes of one, if they are enough for one.
  private mutating func cutEnd(of block: Block, behind byteCount: Int) {
    let left = block.byteCount - byteCount - Self.noteByteCount
    if left < Self.minimumByteCount { return }
    let rest = unsafe Block(block.base + byteCount)
    rest.previous = block
    rest.note(byteCount: left, isFree: true)
    rest.next.previous = rest
    block.note(byteCount: byteCount, isFree: false)
    list(rest)
  }

  /// Joins two neighbours; neither is listed.
  private func join(_ block: Block, _ next: Block) {
    block.note(byteCount: block.byteCount + Self.noteByteCount + next.byteCount, isFree: true)
    block.next.previous = block
  }

  private mutating func list(_ block: Block) {
    block.note(byteCount: block.byteCount, isFree: true)
    let size = SizeClass(of: block.byteCount)
    let behind = heads[size.index]
    block.listed = (nil, behind)
    if let behind { behind.listed = (block, behind.listed.behind) }
    heads[size.index] = block
    classes[size.level] |= 1 << UInt32(size.subclass)
    levels |= 1 << UInt64(size.level)
  }

  private mutating func unlist(_ block: Block) {
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

  // MARK: - Arenas

  /// An eighth of what there is, so that a small graph takes little and a large one has few arenas.
  private mutating func mapArena() {
    let byteCount = min(max(Self.arenaUnit, mappedByteCount / 8 & ~(Self.arenaUnit - 1)), Self.arenaLimit)
    guard let base = unsafe kith_map(byteCount) else { preconditionFailure("the system has no more memory") }
    arenas.append(unsafe Arena(base: base, byteCount: byteCount))
    mappedByteCount += byteCount
    emptyArenaCount += 1
    let block = unsafe Block(base + Self.arenaMargin)
    block.previous = nil
    block.note(byteCount: byteCount - Self.arenaMargin - 2 * Self.noteByteCount, isFree: true)
    block.next.previous = block
    block.next.note(byteCount: 0, isFree: false)
    list(block)
  }

  private mutating func unmapArena(of block: Block) {
    let base = unsafe block.notes - Self.arenaMargin
    guard let index = arenas.firstIndex(where: { unsafe $0.base == base }) else {
      preconditionFailure("a block belongs to an arena")
    }
    mappedByteCount -= arenas[index].byteCount
    unsafe kith_unmap(base, arenas[index].byteCount)
    arenas.swapAt(index, arenas.count - 1)
    arenas.removeLast()
  }

  deinit {
    for arena in arenas { unsafe kith_unmap(arena.base, arena.byteCount) }
  }
}

/// A list of free blocks by their size: linear below 512 bytes, then 32 to each power of two.
private struct SizeClass {
  static let levelCount = 18
  static let perLevel = 32
  private static let smallByteCount = 512

  let level: Int
  let subclass: Int

  var index: Int { level * Self.perLevel + subclass }

  /// The class that a size belongs to.
  init(of byteCount: Int) {
    if byteCount < Self.smallByteCount {
      (level, subclass) = (0, byteCount >> 4)
    } else {
      let log = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
      (level, subclass) = (log - 8, byteCount >> (log - 5) & 31)
    }
  }

  /// The first class all of whose blocks have so many bytes.
  init(above byteCount: Int) {
    if byteCount < Self.smallByteCount {
      self.init(of: byteCount)
    } else {
      let log = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
      self.init(of: byteCount + (1 << (log - 5)) - 1)
    }
  }
}

extension SegregatedHeap {
  /// Every block knows the one before it, no two free ones are neighbours, and exactly the free ones are listed, each
  /// in its class.
  func checkInvariants() -> [String] {
    var problems: [String] = []
    var (taken, freeCount, emptyCount) = (0, 0, 0)
    for arena in arenas {
      var previous: Block?
      var block = unsafe Block(arena.base + Self.arenaMargin)
      while block.byteCount > 0 {
        if block.previous != previous { problems.append("a block does not know the one before it") }
        if block.isFree {
          freeCount += 1
          if previous?.isFree == true { problems.append("two free blocks are neighbours") }
        } else {
          taken += block.byteCount + Self.noteByteCount
        }
        previous = block
        block = block.next
      }
      if block.previous != previous { problems.append("the end of an arena does not know the block before it") }
      if unsafe block.base != arena.base + arena.byteCount { problems.append("an arena ends elsewhere") }
      if previous?.isFree == true && previous?.previous == nil { emptyCount += 1 }
    }
    if taken != takenByteCount { problems.append("\(taken) bytes are taken, not \(takenByteCount)") }
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
