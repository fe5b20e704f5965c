import CHints
import Synchronization

/// A growing array of pages with copy-on-write: the one mechanism behind columns, lists and hash tables.
///
/// Two levels: a root of chunks, a chunk of 128 entries. An entry is the raw address of a page and the epoch of its
/// birth. Reading follows two addresses and touches no reference count. A write compares the birth with the table's
/// epoch; only if they differ does it look whether root, chunk and page are still its own, and copies those that are
/// shared.
///
/// Pinning copies the root and advances the epoch of both sides, so that each copies what it writes first.
/// Measured against plain arrays (1 M / 40 M elements): a read 1.05 / 10.5 ns, a write 1.0 / 3.7 ns; safe arrays of
/// class objects cost 7 / 51 ns a read, which is why this file is not written that way.
@safe struct PageTable: ~Copyable, @unchecked Sendable {
  @unsafe struct Entry {
    var base: UnsafeMutableRawPointer
    var birth: UInt64
  }

  static let chunkShift = 7
  static let pagesPerChunk = 1 << chunkShift

  private var root: Root
  private var directory: UnsafeMutablePointer<UnsafeMutablePointer<Entry>>
  private var epoch: UInt64
  private(set) var count: Int
  /// Bytes of all pages, with their owners.
  private var pagesByteCount = 0
  /// Never used. An atomic must stay at its address while it is borrowed, so whatever holds a table is lent by address;
  /// without it the compiler lends a graph by copying all its roots to the stack, at every call (15 ns for a table of
  /// posts, once for each followee of a timeline).
  private let anchor = Atomic<UInt8>(0)

  init() {
    root = Root()
    unsafe directory = unsafe root.directory
    epoch = 1
    count = 0
  }

  private init(sharing root: Root, epoch: UInt64, count: Int, pagesByteCount: Int) {
    self.root = root
    self.pagesByteCount = pagesByteCount
    unsafe directory = unsafe root.directory
    self.epoch = epoch
    self.count = count
  }

  /// The table as of now, unmoved by later writes to this one, and the other way round.
  /// - Complexity: O(1).
  mutating func pin() -> PageTable {
    epoch += 1
    return PageTable(sharing: root, epoch: epoch, count: count, pagesByteCount: pagesByteCount)
  }

  /// The address of a page for reading.
  @inline(__always)
  func base(_ index: Int) -> UnsafeMutableRawPointer {
    assert(index < count)
    return unsafe directory[index >> Self.chunkShift][index & (Self.pagesPerChunk - 1)].base
  }

  /// The pages of one chunk as they are now, for a loop that reads many; good until the next write.
  @inline(__always)
  func pages(ofChunk chunk: Int) -> Pages { unsafe Pages(entries: directory[chunk]) }

  @unsafe struct Pages {
    fileprivate let entries: UnsafeMutablePointer<Entry>

    /// The address of a page by its number in the chunk.
    @inline(__always)
    func base(_ index: Int) -> UnsafeMutableRawPointer { unsafe entries[index & (pagesPerChunk - 1)].base }
  }

  /// Asks for what is known of a page, its address among it, which is soon read.
  @inline(__always)
  func prefetchEntry(_ index: Int) {
    unsafe kith_prefetch(directory[index >> Self.chunkShift] + (index & (Self.pagesPerChunk - 1)))
  }

  /// The address of a page for writing: the table's own copy of it.
  @inline(__always)
  mutating func mutableBase(_ index: Int) -> UnsafeMutableRawPointer {
    assert(index < count)
    let entry = unsafe directory[index >> Self.chunkShift][index & (Self.pagesPerChunk - 1)]
    if unsafe entry.birth == epoch { return unsafe entry.base }
    return unsafe own(index)
  }

  mutating func append(_ page: consuming MemoryPage) {
    let chunk = count >> Self.chunkShift
    ownRoot()
    if unsafe chunk == root.chunks.count {
      root.append(Chunk())
      unsafe directory = unsafe root.directory
    } else {
      ownChunk(chunk)
    }
    pagesByteCount += page.byteCount + MemoryPage.overheadByteCount
    root.chunk(chunk).append(page, birth: epoch)
    count += 1
  }

  /// Puts another page in the place of one: it grew, it shrank.
  mutating func replace(_ index: Int, with page: consuming MemoryPage) {
    let chunk = index >> Self.chunkShift
    ownRoot()
    ownChunk(chunk)
    pagesByteCount += page.byteCount - pageByteCount(index)
    root.chunk(chunk).replace(index & (Self.pagesPerChunk - 1), with: page, birth: epoch)
  }

  func pageByteCount(_ index: Int) -> Int {
    unsafe root.chunk(index >> Self.chunkShift).pages[index & (Self.pagesPerChunk - 1)].byteCount
  }

  /// Bytes of pages, owners and directory.
  /// - Complexity: O(1).
  var byteCount: Int {
    unsafe pagesByteCount + root.capacity * 8 + root.chunks.byteCount
      + root.chunks.count * Self.pagesPerChunk * (MemoryLayout<Entry>.stride + 8)
  }

  // MARK: - The first write after a pin

  @inline(never)
  private mutating func own(_ index: Int) -> UnsafeMutableRawPointer {
    let chunk = index >> Self.chunkShift
    ownRoot()
    ownChunk(chunk)
    return unsafe root.chunk(chunk).own(index & (Self.pagesPerChunk - 1), birth: epoch)
  }

  private mutating func ownRoot() {
    if !isKnownUniquelyReferenced(&root) {
      root = Root(copying: root)
      unsafe directory = unsafe root.directory
    }
  }

  private mutating func ownChunk(_ index: Int) {
    if unsafe !root.chunks.isUnique(index) { root.replace(index, with: Chunk(copying: root.chunk(index))) }
  }
}

// Their variables are not checked for overlapping access at run time: only a table touches them, which is lent to one
// writer at a time, and the check is a third of a follow (1,100 of 3,600 instructions).
extension PageTable {
  /// Owns the chunks; `directory` holds the addresses of their entries.
  @safe fileprivate final class Root {
    /// In groups: the first write after a pin does not touch all chunks (4,900 of the likers of ten million posts).
    @exclusivity(unchecked) fileprivate(set) var chunks = ObjectSlots<Chunk>()
    @exclusivity(unchecked) private(set) var directory: UnsafeMutablePointer<UnsafeMutablePointer<Entry>>
    @exclusivity(unchecked) private(set) var capacity: Int

    init() {
      unsafe capacity = 8
      unsafe directory = .allocate(capacity: capacity)
    }

    init(copying other: Root) {
      unsafe chunks = unsafe other.chunks
      unsafe capacity = unsafe other.capacity
      unsafe directory = .allocate(capacity: capacity)
      unsafe directory.update(from: other.directory, count: chunks.count)
    }

    deinit { unsafe directory.deallocate() }

    func chunk(_ index: Int) -> Chunk {
      guard let chunk = unsafe chunks[index] else { preconditionFailure("chunks are never removed") }
      return chunk
    }

    func append(_ chunk: Chunk) {
      if unsafe chunks.count == capacity {
        let wider = unsafe UnsafeMutablePointer<UnsafeMutablePointer<Entry>>.allocate(capacity: capacity * 2)
        unsafe wider.update(from: directory, count: capacity)
        unsafe directory.deallocate()
        unsafe directory = wider
        unsafe capacity *= 2
      }
      unsafe directory[chunks.count] = unsafe chunk.entries
      _ = unsafe chunks.insert(chunk)
    }

    func replace(_ index: Int, with chunk: Chunk) {
      unsafe chunks.replace(index, with: chunk)
      unsafe directory[index] = unsafe chunk.entries
    }
  }

  /// Owns up to 128 pages; `entries` holds their addresses and births.
  @safe fileprivate final class Chunk {
    @exclusivity(unchecked) private(set) var pages: [MemoryPage]
    let entries: UnsafeMutablePointer<Entry>

    init() {
      unsafe pages = []
      unsafe pages.reserveCapacity(pagesPerChunk)
      unsafe entries = .allocate(capacity: pagesPerChunk)
    }

    init(copying other: Chunk) {
      unsafe pages = unsafe other.pages
      unsafe entries = .allocate(capacity: pagesPerChunk)
      unsafe entries.update(from: other.entries, count: pages.count)
    }

    deinit { unsafe entries.deallocate() }

    func append(_ page: consuming MemoryPage, birth: UInt64) {
      unsafe entries[pages.count] = unsafe Entry(base: page.base, birth: birth)
      unsafe pages.append(page)
    }

    func replace(_ index: Int, with page: consuming MemoryPage, birth: UInt64) {
      unsafe entries[index] = unsafe Entry(base: page.base, birth: birth)
      unsafe pages[index] = page
    }

    func own(_ index: Int, birth: UInt64) -> UnsafeMutableRawPointer {
      if unsafe !isKnownUniquelyReferenced(&pages[index]) {
        let byteCount = unsafe pages[index].byteCount
        let copy = MemoryPage.allocate(byteCount: byteCount)
        unsafe copy.base.copyMemory(from: pages[index].base, byteCount: byteCount)
        unsafe entries[index].base = unsafe copy.base
        unsafe pages[index] = copy
      }
      unsafe entries[index].birth = birth
      return unsafe entries[index].base
    }
  }
}
