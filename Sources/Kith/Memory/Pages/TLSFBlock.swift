import CSupport

/// A block of a `TLSFAllocator`, by the address of its content.
///
/// It is preceded by a header of eight bytes: the bytes of header and content together (a multiple of sixteen; other
/// bits are flags), and a word of the owner, for a count of references. A free block begins with its list neighbours,
/// and ends with its own address: a flag of the block behind it says that these bytes are no content.
@safe struct TLSFBlock: Equatable {
  // Safety: the address is of a block inside an arena, or of memory that `beginOutside` was called for.

  static let headerByteCount = 8
  /// The smallest block: header, list neighbours and own address of a free one.
  static let leastSpan = 32
  /// Blocks of a page or more are aligned to cache lines.
  static let lineByteCount = 64

  // The word of size and flags. Two threads may access that of an allocated block at a time: the owner, who reads the
  // size, and one that frees the block before it under the allocator's lock, and changes a flag. So writes and the
  // owner's reads are relaxed atomic accesses. Reads under the lock are plain: all writes are under it.
  private static var freeFlag: UInt32 { 1 }
  private static var outsideFlag: UInt32 { 2 }
  /// Of a free block: vacant. Of an allocated one: sixteen bytes were not asked for.
  private static var vacantFlag: UInt32 { 4 }
  private static var restFlag: UInt32 { 4 }
  private static var firstFlag: UInt32 { 8 }
  private static var previousFreeFlag: UInt32 { 1 << 31 }
  private static var spanBits: UInt32 { (1 << 31) - 16 }

  let base: UnsafeMutableRawPointer

  init(_ base: UnsafeMutableRawPointer) { unsafe self.base = unsafe base }

  static func == (left: TLSFBlock, right: TLSFBlock) -> Bool { unsafe left.base == right.base }

  private var word: UInt32 {
    get { unsafe (base - Self.headerByteCount).load(as: UInt32.self) }
    nonmutating set { unsafe kith_set_block_word(base, newValue) }
  }

  /// The bytes of header and content, a multiple of sixteen. 0 at the end of an arena.
  var span: Int { Int(word & Self.spanBits) }

  /// The bytes of an allocated block that were asked for, rounded up. A rest that is no block stays with it: without
  /// this, a copy would ask for the rest too, might get another one, and pages would grow from copy to copy.
  var askedByteCount: Int {
    let word = unsafe kith_block_word(base)
    if word & Self.outsideFlag != 0 { return Int(word & ~3) }
    return Int(word & Self.spanBits) - Self.headerByteCount - (word & Self.restFlag != 0 ? 16 : 0)
  }

  /// All bytes that an allocated block takes.
  var footprint: Int {
    let word = unsafe kith_block_word(base)
    return word & Self.outsideFlag != 0 ? Int(word & ~3) + Self.headerByteCount : Int(word & Self.spanBits)
  }

  var isFree: Bool { word & Self.freeFlag != 0 }

  /// Whether a free block was never used, or was given back to the system.
  var isVacant: Bool { isFree && word & Self.vacantFlag != 0 }

  /// Whether it is of another allocator.
  var isOutside: Bool { unsafe kith_block_word(base) & Self.outsideFlag != 0 }

  /// Whether it is the first of an arena.
  var isFirst: Bool { word & Self.firstFlag != 0 }

  /// The next block in memory.
  var next: TLSFBlock { unsafe TLSFBlock(base + span) }

  /// The previous block in memory, if it is free.
  var freePrevious: TLSFBlock? {
    guard word & Self.previousFreeFlag != 0 else { return nil }
    return unsafe TLSFBlock((base - Self.headerByteCount - 8).load(as: UnsafeMutableRawPointer.self))
  }

  /// Begins a block, allocated, behind an allocated one or as the first of an arena.
  func begin(span: Int, isFirst: Bool = false) { word = UInt32(span) | (isFirst ? Self.firstFlag : 0) }

  /// Begins memory of another allocator.
  func beginOutside(byteCount: Int) { word = UInt32(byteCount) | Self.outsideFlag }

  /// Changes the span; the block stays or becomes an allocated one.
  /// - Parameter hasRest: whether sixteen bytes were not asked for.
  func noteTaken(span: Int, hasRest: Bool = false) {
    word = word & (Self.firstFlag | Self.previousFreeFlag) | UInt32(span) | (hasRest ? Self.restFlag : 0)
    let next = next
    next.word &= ~Self.previousFreeFlag
  }

  /// Changes the span; the block stays or becomes a free one.
  func noteFree(span: Int, isVacant: Bool) {
    word = word & Self.firstFlag | UInt32(span) | Self.freeFlag | (isVacant ? Self.vacantFlag : 0)
    let next = next
    unsafe (next.base - Self.headerByteCount - 8).storeBytes(of: base, as: UnsafeMutableRawPointer.self)
    next.word |= Self.previousFreeFlag
  }

  /// The list neighbours of a free block.
  var listed: (before: TLSFBlock?, behind: TLSFBlock?) {
    get {
      let before = unsafe base.load(as: UnsafeMutableRawPointer?.self)
      let behind = unsafe base.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self)
      return unsafe (before.map { unsafe TLSFBlock($0) }, behind.map { unsafe TLSFBlock($0) })
    }
    nonmutating set {
      unsafe base.storeBytes(of: newValue.before?.base, as: UnsafeMutableRawPointer?.self)
      unsafe base.storeBytes(of: newValue.behind?.base, toByteOffset: 8, as: UnsafeMutableRawPointer?.self)
    }
  }

  /// The bytes to split off in front so that the content begins on a cache line: none, or enough for a block.
  var misalignment: Int {
    let beyond = unsafe Int(bitPattern: base) & (Self.lineByteCount - 1)
    if beyond == 0 { return 0 }
    let gap = Self.lineByteCount - beyond
    return gap < Self.leastSpan ? gap + Self.lineByteCount : gap
  }
}
