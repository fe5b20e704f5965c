import CSupport
import Synchronization

/// A growing copy-on-write array of pages: the mechanism behind all columns, lists and hash tables. MVCC snapshots are
/// built on it.
///
/// It has two levels: a root of chunks, and chunks of 128 entries. An entry is the raw address of a page and the epoch
/// of its creation (its birth). A read follows two addresses and touches no reference count. A write compares the birth
/// with the table's epoch. Only if they differ does it check whether root, chunk and page are shared, and copies those
/// that are.
///
/// Pinning copies the root and advances the epoch of both sides, so that each copies before it writes. Measured against
/// plain arrays (1 M / 40 M elements): a read takes 1.05 / 10.5 ns, a write 1.0 / 3.7 ns. Safe arrays of class objects
/// take 7 / 51 ns per read, which is why this file uses unsafe code.
@safe struct PageTable: ~Copyable, @unchecked Sendable {
  @unsafe struct Entry {
    var base: UnsafeMutableRawPointer
    var birth: UInt64
  }

  static let chunkShift = 7
  static let pagesPerChunk = 1 << chunkShift
  /// The birth of a page in many places, whose bytes are not counted. No epoch is that early.
  private static let commonBirth: UInt64 = 0

  private var root: Root
  private var directory: UnsafeMutablePointer<UnsafeMutablePointer<Entry>>
  private var epoch: UInt64
  private(set) var count: Int
  /// The bytes of all pages, including their owners.
  private var pagesByteCount = 0
  /// How many places the root's common chunk fills.
  private var commonChunkCount = 0
  /// Never used. An atomic must stay at its address while it is borrowed, so any value that contains a table is passed
  /// by address. Without it the compiler copies all roots of a graph to the stack at every call (15 ns for a table of
  /// posts, once per followee of a timeline).
  private let anchor = Atomic<UInt8>(0)

  init() {
    root = Root()
    unsafe directory = unsafe root.directory
    epoch = 1
    count = 0
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

  /// The address of a page, for reading.
  @inline(__always)
  func base(_ index: Int) -> UnsafeMutableRawPointer {
    assert(index < count)
    return unsafe directory[index >> Self.chunkShift][index & (Self.pagesPerChunk - 1)].base
  }

  /// The current pages of one chunk, for a loop that reads many; valid until the next write.
  @inline(__always)
  func pages(ofChunk chunk: Int) -> Pages { unsafe Pages(entries: directory[chunk]) }

  @unsafe struct Pages {
    fileprivate let entries: UnsafeMutablePointer<Entry>

    /// The address of a page by its index in the chunk.
    @inline(__always)
    func base(_ index: Int) -> UnsafeMutableRawPointer { unsafe entries[index & (pagesPerChunk - 1)].base }
  }

  /// Prefetches the entry of a page, with its address.
  @inline(__always)
  func prefetchEntry(_ index: Int) {
    unsafe kith_prefetch(directory[index >> Self.chunkShift] + (index & (Self.pagesPerChunk - 1)))
  }

  /// The address of the table's own copy of a page, for writing.
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
    pagesByteCount += page.footprint
    unsafe root.chunk(chunk).append(page.take(), birth: epoch)
    count += 1
  }

  /// Appends one page in many places, for example where thousands of adjacent lists are empty. Each place gets its own
  /// copy when it is first written. Whole chunks of such places share one chunk, too.
  mutating func append(_ page: borrowing MemoryPage, times: Int) { unsafe append(page.base, times: times) }

  private mutating func append(_ page: UnsafeMutableRawPointer, times: Int) {
    ownRoot()
    let end = count + times
    while count < end {
      let place = count & (Self.pagesPerChunk - 1)
      let filled = min(Self.pagesPerChunk - place, end - count)
      if filled == Self.pagesPerChunk, let chunk = unsafe commonChunk(of: page) {
        root.append(chunk)
        commonChunkCount += 1
      } else {
        if place == 0 { root.append(Chunk()) } else { ownChunk(count >> Self.chunkShift) }
        for _ in 0..<filled {
          unsafe MemoryPage.retain(page)
          unsafe root.chunk(count >> Self.chunkShift).append(page, birth: Self.commonBirth)
        }
      }
      count += filled
    }
    unsafe directory = unsafe root.directory
  }

  /// Appends the page of the common chunk in all places up to the end of a chunk.
  /// - Returns: false if there is no common chunk yet.
  mutating func appendCommonChunk() -> Bool {
    guard let common = unsafe root.common else { return false }
    unsafe append(common.entries[0].base, times: placesToEndOfChunk)
    return true
  }

  /// How many pages fill the last chunk, or a new one.
  var placesToEndOfChunk: Int { Self.pagesPerChunk - count & (Self.pagesPerChunk - 1) }

  /// The chunk filled with a page; nil if it is already that of another page.
  private func commonChunk(of page: UnsafeMutableRawPointer) -> Chunk? {
    let chunk = unsafe root.common ?? Chunk(repeating: page)
    unsafe root.common = chunk
    return unsafe chunk.entries[0].base == page ? chunk : nil
  }

  /// Replaces a page by one of another size.
  mutating func replace(_ index: Int, with page: consuming MemoryPage) {
    let chunk = index >> Self.chunkShift
    ownRoot()
    ownChunk(chunk)
    countOwn(index)
    pagesByteCount += unsafe page.footprint - MemoryPage.footprint(of: base(index))
    unsafe root.chunk(chunk).replace(index & (Self.pagesPerChunk - 1), with: page.take(), birth: epoch)
  }

  func pageByteCount(_ index: Int) -> Int { unsafe PagePool.byteCount(of: base(index)) }

  /// The bytes of pages, owners and directory.
  /// - Complexity: O(1).
  var byteCount: Int {
    unsafe pagesByteCount + root.capacity * 8 + root.chunks.byteCount
      + (root.chunks.count - commonChunkCount) * Self.pagesPerChunk * Chunk.byteCountPerPage
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
    let base = unsafe root.chunk(chunk).own(index & (Self.pagesPerChunk - 1), birth: epoch)
    pagesByteCount += unsafe MemoryPage.footprint(of: base)
    return unsafe base
  }

  private mutating func ownRoot() {
    if !isKnownUniquelyReferenced(&root) {
      root = Root(copying: root)
      unsafe directory = unsafe root.directory
    }
  }

  private mutating func ownChunk(_ index: Int) {
    if unsafe root.chunks.isUnique(index) { return }
    let chunk = root.chunk(index)
    if unsafe chunk === root.common { commonChunkCount -= 1 }
    root.replace(index, with: Chunk(copying: chunk))
  }

  /// Counts the page of a place that had a common page before.
  private mutating func countOwn(_ index: Int) {
    let entry = unsafe directory[index >> Self.chunkShift][index & (Self.pagesPerChunk - 1)]
    if unsafe entry.birth == Self.commonBirth {
      pagesByteCount += unsafe MemoryPage.footprint(of: entry.base)
    }
  }
}

// Accesses to these variables are not checked for exclusivity at run time. Safe because only a table accesses them, and
// a table is lent to one writer at a time. The check would be a third of a follow (1,100 of 3,600 instructions).
extension PageTable {
  /// Owns the chunks; `directory` has the addresses of their entries.
  @safe fileprivate final class Root {
    /// In groups, so that the first write after a pin does not touch all chunks (4,900 for the likers of ten million
    /// posts).
    @exclusivity(unchecked) fileprivate(set) var chunks = ObjectSlots<Chunk>()
    @exclusivity(unchecked) private(set) var directory: UnsafeMutablePointer<UnsafeMutablePointer<Entry>>
    @exclusivity(unchecked) private(set) var capacity: Int
    /// The chunk that fills many places with one page (see `append(_:times:)`). Held here and not by the table, so that
    /// a pin counts one reference for each table.
    @exclusivity(unchecked) fileprivate(set) var common: Chunk?

    init() {
      unsafe capacity = 8
      unsafe directory = .allocate(capacity: capacity)
    }

    init(copying other: Root) {
      unsafe chunks = unsafe other.chunks
      unsafe common = unsafe other.common
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

  /// Up to 128 pages; `entries` has their addresses and births.
  @safe fileprivate final class Chunk {
    private static let groupShift = 4
    static let pagesPerGroup = 1 << groupShift
    /// The bytes of a place: its entry, its reference, and its share of its group.
    static let byteCountPerPage = unsafe MemoryLayout<Entry>.stride + 8 + 64 / pagesPerGroup

    /// The owners of the pages: so that the first write after a pin retains the pages of one group. To retain all of a
    /// chunk, each a cache miss, takes some microseconds.
    @exclusivity(unchecked) private var groups: [PageGroup] = []
    @exclusivity(unchecked) private var count = 0
    let entries: UnsafeMutablePointer<Entry> = .allocate(capacity: pagesPerChunk)

    init() { unsafe groups.reserveCapacity(pagesPerChunk / Self.pagesPerGroup) }

    /// Creates a chunk filled with one page.
    init(repeating page: UnsafeMutableRawPointer) {
      for _ in 0..<pagesPerChunk {
        unsafe MemoryPage.retain(page)
        unsafe append(page, birth: commonBirth)
      }
    }

    init(copying other: Chunk) {
      unsafe groups = unsafe other.groups
      unsafe count = unsafe other.count
      unsafe entries.update(from: other.entries, count: other.count)
    }

    deinit { unsafe entries.deallocate() }

    /// Takes over a reference to a page.
    func append(_ page: UnsafeMutableRawPointer, birth: UInt64) {
      if unsafe count & (Self.pagesPerGroup - 1) == 0 { unsafe groups.append(PageGroup()) }
      unsafe ownGroup(count).append(page)
      unsafe entries[count] = unsafe Entry(base: page, birth: birth)
      unsafe count += 1
    }

    /// Takes over a reference to a page.
    func replace(_ index: Int, with page: UnsafeMutableRawPointer, birth: UInt64) {
      unsafe ownGroup(index).replace(index & (Self.pagesPerGroup - 1), with: page)
      unsafe entries[index] = unsafe Entry(base: page, birth: birth)
    }

    func own(_ index: Int, birth: UInt64) -> UnsafeMutableRawPointer {
      let (group, base) = unsafe (ownGroup(index), entries[index].base)
      if unsafe !MemoryPage.isUnique(base) {
        let byteCount = unsafe PagePool.byteCount(of: base)
        let copy = MemoryPage.allocate(byteCount: byteCount)
        unsafe copy.base.copyMemory(from: base, byteCount: byteCount)
        unsafe entries[index].base = unsafe copy.base
        unsafe group.replace(index & (Self.pagesPerGroup - 1), with: copy.take())
      }
      unsafe entries[index].birth = birth
      return unsafe entries[index].base
    }

    /// The group of a page, which no other chunk shares.
    private func ownGroup(_ index: Int) -> PageGroup {
      let place = index >> Self.groupShift
      if unsafe !isKnownUniquelyReferenced(&groups[place]) {
        unsafe groups[place] = unsafe PageGroup(copying: groups[place])
      }
      return unsafe groups[place]
    }
  }

  /// Owns up to sixteen pages.
  @safe fileprivate final class PageGroup {
    @exclusivity(unchecked) private var count = 0
    private let pages: UnsafeMutablePointer<UnsafeMutableRawPointer> = .allocate(capacity: Chunk.pagesPerGroup)

    init() {}

    init(copying other: PageGroup) {
      unsafe count = unsafe other.count
      unsafe pages.update(from: other.pages, count: other.count)
      for place in unsafe 0..<other.count { unsafe MemoryPage.retain(pages[place]) }
    }

    deinit {
      for place in unsafe 0..<count { unsafe MemoryPage.release(pages[place]) }
      unsafe pages.deallocate()
    }

    func append(_ page: UnsafeMutableRawPointer) {
      unsafe pages[count] = unsafe page
      unsafe count += 1
    }

    func replace(_ place: Int, with page: UnsafeMutableRawPointer) {
      unsafe MemoryPage.release(pages[place])
      unsafe pages[place] = unsafe page
    }
  }
}
