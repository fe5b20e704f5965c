import CSupport
import Synchronization

/// A growing copy-on-write array of pages: the mechanism behind all columns, lists and hash tables. MVCC snapshots are
/// built on it.
///
/// It has two levels: a root of chunks, and chunks of 32 addresses of pages. A read follows two addresses and touches
/// no reference count. A chunk also has the epoch in which it was last written (its birth), and a bit for each page
/// that was written in that epoch. A write tests both. Only if the epoch is another one, or the bit is clear, does it
/// check whether root, chunk and page are shared, and copies those that are.
///
/// Pinning copies the root and advances the epoch of both sides, so that each copies before it writes. The first write
/// to a chunk afterwards copies it, which retains its pages: 32 cache misses that overlap. So chunks are short.
///
/// Measured against plain arrays (1 M / 40 M elements), with chunks of 128 entries of twice the size: a read took
/// 1.05 / 10.5 ns, a write 1.0 / 3.7 ns. Safe arrays of class objects took 7 / 51 ns per read, which is why this file
/// uses unsafe code.
@safe struct PageTable: ~Copyable, @unchecked Sendable {
  /// The beginning of a chunk in memory. The addresses of its pages follow.
  @unsafe struct ChunkHead {
    /// The epoch of the last write.
    var birth: UInt64
    /// By page, a bit: whether it was written in that epoch, and so is not shared.
    var owned: UInt32 = 0
    /// By page, a bit: whether it is in many places, and its bytes are not counted.
    var common: UInt32 = 0
  }

  static let chunkShift = 5
  static let pagesPerChunk = 1 << chunkShift

  private var root: Root
  private var directory: UnsafeMutablePointer<UnsafeMutablePointer<ChunkHead>>
  private var epoch: UInt64
  private(set) var count: Int
  /// The bytes of all pages, including their headers.
  private var pagesByteCount: Int
  /// How many places the root's common chunk fills.
  private var commonChunkCount: Int
  /// Never used. An atomic must stay at its address while it is borrowed, so any value that contains a table is passed
  /// by address. Without it the compiler copies all roots of a graph to the stack at every call (15 ns for a table of
  /// posts, once per followee of a timeline).
  private let anchor = Atomic<UInt8>(0)

  init() {
    root = Root()
    unsafe directory = unsafe root.directory
    epoch = 1
    count = 0
    pagesByteCount = 0
    commonChunkCount = 0
  }

  private init(sharing root: Root, epoch: UInt64, count: Int, pagesByteCount: Int, commonChunkCount: Int) {
    self.root = root
    self.pagesByteCount = pagesByteCount
    self.commonChunkCount = commonChunkCount
    unsafe directory = unsafe root.directory
    self.epoch = epoch
    self.count = count
  }

  /// An MVCC snapshot of the table. Neither side sees later writes of the other.
  /// - Complexity: O(1).
  mutating func pin() -> PageTable {
    epoch += 1
    return PageTable(
      sharing: root, epoch: epoch, count: count, pagesByteCount: pagesByteCount, commonChunkCount: commonChunkCount)
  }

  /// The addresses of the pages of a chunk.
  @inline(__always)
  private static func pages(_ head: UnsafeMutablePointer<ChunkHead>) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
    unsafe UnsafeMutableRawPointer(head + 1).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
  }

  @inline(__always)
  private static func place(_ index: Int) -> Int { index & (pagesPerChunk - 1) }

  @inline(__always)
  private static func bit(_ index: Int) -> UInt32 { 1 &<< UInt32(truncatingIfNeeded: index) }

  /// The address of a page, for reading.
  @inline(__always)
  func base(_ index: Int) -> UnsafeMutableRawPointer {
    assert(index < count)
    return unsafe Self.pages(directory[index >> Self.chunkShift])[Self.place(index)]
  }

  /// The current pages of one chunk, for a loop that reads many; valid until the next write.
  @inline(__always)
  func pages(ofChunk chunk: Int) -> Pages { unsafe Pages(pages: Self.pages(directory[chunk])) }

  @unsafe struct Pages {
    fileprivate let pages: UnsafeMutablePointer<UnsafeMutableRawPointer>

    /// The address of a page by its index.
    @inline(__always)
    func base(_ index: Int) -> UnsafeMutableRawPointer { unsafe pages[place(index)] }
  }

  /// Prefetches the address of a page.
  @inline(__always)
  func prefetchEntry(_ index: Int) {
    unsafe kith_prefetch(Self.pages(directory[index >> Self.chunkShift]) + Self.place(index))
  }

  /// The address of the table's own copy of a page, for writing.
  @inline(__always)
  mutating func mutableBase(_ index: Int) -> UnsafeMutableRawPointer {
    assert(index < count)
    let head = unsafe directory[index >> Self.chunkShift]
    if unsafe head.pointee.birth == epoch && head.pointee.owned & Self.bit(index) != 0 {
      return unsafe Self.pages(head)[Self.place(index)]
    }
    return unsafe own(index)
  }

  mutating func append(_ page: consuming MemoryPage) {
    let chunk = count >> Self.chunkShift
    ownRoot()
    if unsafe chunk == root.chunks.count { appendChunk(Chunk(birth: epoch)) } else { ownChunk(chunk) }
    pagesByteCount += page.footprint
    unsafe root.chunk(chunk).append(page.take(), isCommon: false)
    count += 1
  }

  private mutating func appendChunk(_ chunk: Chunk) {
    root.append(chunk)
    unsafe directory = unsafe root.directory
  }

  /// Appends one page in many places, for example where thousands of adjacent lists are empty. Each place gets its own
  /// copy when it is first written. Whole chunks of such places share one chunk, too.
  mutating func append(_ page: borrowing MemoryPage, times: Int) { unsafe append(page.base, times: times) }

  private mutating func append(_ page: UnsafeMutableRawPointer, times: Int) {
    ownRoot()
    let end = count + times
    while count < end {
      let place = Self.place(count)
      let filled = min(Self.pagesPerChunk - place, end - count)
      if filled == Self.pagesPerChunk, let chunk = unsafe commonChunk(of: page) {
        appendChunk(chunk)
        commonChunkCount += 1
      } else {
        if place == 0 { appendChunk(Chunk(birth: epoch)) } else { ownChunk(count >> Self.chunkShift) }
        for _ in 0..<filled {
          unsafe MemoryPage.retain(page)
          unsafe root.chunk(count >> Self.chunkShift).append(page, isCommon: true)
        }
      }
      count += filled
    }
  }

  /// Appends the page of the common chunk in all places up to the end of a chunk.
  /// - Returns: false if there is no common chunk yet.
  mutating func appendCommonChunk() -> Bool {
    guard let common = unsafe root.common else { return false }
    unsafe append(common.pages[0], times: placesToEndOfChunk)
    return true
  }

  /// How many pages fill the last chunk, or a new one.
  var placesToEndOfChunk: Int { Self.pagesPerChunk - Self.place(count) }

  /// The chunk filled with a page; nil if it is already that of another page.
  private func commonChunk(of page: UnsafeMutableRawPointer) -> Chunk? {
    let chunk = unsafe root.common ?? Chunk(repeating: page)
    unsafe root.common = chunk
    return unsafe chunk.pages[0] == page ? chunk : nil
  }

  /// Replaces a page by one of another size.
  mutating func replace(_ index: Int, with page: consuming MemoryPage) {
    let chunk = index >> Self.chunkShift
    ownRoot()
    ownChunk(chunk)
    countOwn(index)
    pagesByteCount += unsafe page.footprint - MemoryPage.footprint(of: base(index))
    unsafe root.chunk(chunk).replace(Self.place(index), with: page.take())
  }

  func pageByteCount(_ index: Int) -> Int { unsafe PagePool.byteCount(of: base(index)) }

  /// The bytes of pages, chunks and directory.
  /// - Complexity: O(1).
  var byteCount: Int {
    unsafe pagesByteCount + root.capacity * 8 + root.chunks.byteCount
      + (root.chunks.count - commonChunkCount) * Chunk.byteCount
  }

  // MARK: - The first write after a pin

  @inline(never)
  private mutating func own(_ index: Int) -> UnsafeMutableRawPointer {
    let chunk = index >> Self.chunkShift
    ownRoot()
    ownChunk(chunk)
    countOwn(index)
    // A copy may be in a block that is some bytes longer or shorter.
    pagesByteCount -= unsafe MemoryPage.footprint(of: base(index))
    let base = unsafe root.chunk(chunk).own(Self.place(index))
    pagesByteCount += unsafe MemoryPage.footprint(of: base)
    return unsafe base
  }

  private mutating func ownRoot() {
    if !isKnownUniquelyReferenced(&root) {
      root = Root(copying: root)
      unsafe directory = unsafe root.directory
    }
  }

  /// Makes a chunk one of this epoch that nothing else shares.
  private mutating func ownChunk(_ index: Int) {
    if unsafe directory[index].pointee.birth == epoch { return }
    if unsafe root.chunks.isUnique(index) { return root.chunk(index).begin(epoch) }
    let chunk = root.chunk(index)
    if unsafe chunk === root.common { commonChunkCount -= 1 }
    root.replace(index, with: Chunk(copying: chunk, birth: epoch))
  }

  /// Counts the page of a place that had a common page before.
  private mutating func countOwn(_ index: Int) {
    let head = unsafe directory[index >> Self.chunkShift]
    if unsafe head.pointee.common & Self.bit(index) == 0 { return }
    unsafe head.pointee.common &= ~Self.bit(index)
    pagesByteCount += unsafe MemoryPage.footprint(of: base(index))
  }
}

// Accesses to these variables are not checked for exclusivity at run time. Safe because only a table accesses them, and
// a table is lent to one writer at a time. The check would be a third of a follow (1,100 of 3,600 instructions).
extension PageTable {
  /// Owns the chunks; `directory` has the addresses of their entries.
  @safe fileprivate final class Root {
    /// In groups, so that the first write after a pin does not touch all chunks (19,500 for the likers of ten million
    /// posts).
    @exclusivity(unchecked) fileprivate(set) var chunks = ObjectSlots<Chunk>()
    @exclusivity(unchecked) private(set) var directory: UnsafeMutablePointer<UnsafeMutablePointer<ChunkHead>>
    @exclusivity(unchecked) private(set) var capacity: Int
    /// The chunk that fills many places with one page (see `append(_:times:)`). Held here and not by the table, so that
    /// a pin counts one reference for each table.
    @exclusivity(unchecked) fileprivate(set) var common: Chunk?

    init() {
      unsafe capacity = 8
      unsafe directory = Self.allocate(8)
    }

    /// Memory for a directory: from the pool, whose pages are ready. The C library often maps new ones for that size.
    /// A directory of more than a megabyte, of a hundred thousand chunks, is outside the pool.
    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UnsafeMutablePointer<ChunkHead>> {
      unsafe PagePool.allocate(byteCount: capacity * 8).bindMemory(
        to: UnsafeMutablePointer<ChunkHead>.self, capacity: capacity)
    }

    init(copying other: Root) {
      unsafe chunks = unsafe other.chunks
      unsafe common = unsafe other.common
      unsafe capacity = unsafe other.capacity
      unsafe directory = Self.allocate(other.capacity)
      unsafe directory.update(from: other.directory, count: chunks.count)
    }

    deinit { unsafe PagePool.free(directory) }

    func chunk(_ index: Int) -> Chunk {
      guard let chunk = unsafe chunks[index] else { preconditionFailure("chunks are never removed") }
      return chunk
    }

    func append(_ chunk: Chunk) {
      if unsafe chunks.count == capacity {
        let wider = unsafe Self.allocate(capacity * 2)
        unsafe wider.update(from: directory, count: capacity)
        unsafe PagePool.free(directory)
        unsafe directory = wider
        unsafe capacity *= 2
      }
      unsafe directory[chunks.count] = unsafe chunk.head
      _ = unsafe chunks.insert(chunk)
    }

    func replace(_ index: Int, with chunk: Chunk) {
      unsafe chunks.replace(index, with: chunk)
      unsafe directory[index] = unsafe chunk.head
    }
  }

  /// Up to 32 pages, with a reference to each.
  @safe fileprivate final class Chunk {
    let head: UnsafeMutablePointer<ChunkHead>
    @exclusivity(unchecked) private var count = 0

    private static let headByteCount =
      unsafe MemoryLayout<ChunkHead>.size + pagesPerChunk * MemoryLayout<UnsafeMutableRawPointer>.size
    /// The bytes of a chunk: the object, and what it points to, as the C library allocates them.
    static let byteCount = 48 + headByteCount + 16

    var pages: UnsafeMutablePointer<UnsafeMutableRawPointer> { unsafe PageTable.pages(head) }

    init(birth: UInt64) {
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: Self.headByteCount, alignment: MemoryLayout<UInt64>.alignment)
      unsafe head = unsafe memory.bindMemory(to: ChunkHead.self, capacity: 1)
      unsafe head.initialize(to: ChunkHead(birth: birth))
    }

    /// Creates a chunk filled with one page. No epoch is that early.
    convenience init(repeating page: UnsafeMutableRawPointer) {
      self.init(birth: 0)
      for _ in 0..<pagesPerChunk {
        unsafe MemoryPage.retain(page)
        unsafe append(page, isCommon: true)
      }
    }

    convenience init(copying other: Chunk, birth: UInt64) {
      self.init(birth: birth)
      unsafe head.pointee.common = unsafe other.head.pointee.common
      unsafe count = unsafe other.count
      unsafe pages.update(from: other.pages, count: count)
      for place in unsafe 0..<count { unsafe MemoryPage.prefetch(pages[place]) }
      for place in unsafe 0..<count { unsafe MemoryPage.retain(pages[place]) }
    }

    deinit {
      for place in unsafe 0..<count { unsafe MemoryPage.prefetch(pages[place]) }
      for place in unsafe 0..<count { unsafe MemoryPage.release(pages[place]) }
      unsafe UnsafeMutableRawPointer(head).deallocate()
    }

    /// Begins an epoch, in which no page was written yet.
    func begin(_ epoch: UInt64) {
      unsafe head.pointee.birth = epoch
      unsafe head.pointee.owned = 0
    }

    /// Takes over a reference to a page. One that is not common must be new.
    func append(_ page: UnsafeMutableRawPointer, isCommon: Bool) {
      unsafe pages[count] = unsafe page
      if isCommon { unsafe head.pointee.common |= bit(count) } else { unsafe head.pointee.owned |= bit(count) }
      unsafe count += 1
    }

    /// Takes over a reference to a new page.
    func replace(_ place: Int, with page: UnsafeMutableRawPointer) {
      unsafe MemoryPage.release(pages[place])
      unsafe pages[place] = unsafe page
      unsafe head.pointee.owned |= bit(place)
    }

    /// The page of a place, which nothing else shares: a copy if necessary.
    func own(_ place: Int) -> UnsafeMutableRawPointer {
      let base = unsafe pages[place]
      if unsafe MemoryPage.isUnique(base) {
        unsafe head.pointee.owned |= bit(place)
        return unsafe base
      }
      let byteCount = unsafe PagePool.byteCount(of: base)
      let copy = MemoryPage.allocate(byteCount: byteCount)
      unsafe copy.base.copyMemory(from: base, byteCount: byteCount)
      unsafe replace(place, with: copy.take())
      return unsafe pages[place]
    }
  }
}
