import CHints

/// One text per row (a username, a post), its bytes in an append-only arena of pages of about a megabyte.
///
/// Bytes once written stay as they are, so a pinned column shares the very pages that the writer goes on filling: the
/// writer only writes behind what the pin knows of. A pin may be written to as well (a batch that is rolled back goes
/// on with the pin from before it): it goes on where the page ends for all, or begins a page of its own.
///
/// A page whose last text is removed is given back. Where less than half of all bytes are texts, because others were
/// replaced or removed, each write also moves a few texts off the pages that hold little: so that the pages never take
/// much more than twice the texts.
///
/// A reference is one word: page (28 bits), offset (20), byte count (16).
/// - Complexity: O(bytes) for appending and making a `String`, O(1) for the rest.
struct TextColumn: ~Copyable, @unchecked Sendable {
  /// Two of them, and what the pool notes of them, are a huge page.
  static let pageByteCount = (1 << 20) - 128
  /// The longest text: what sixteen bits hold.
  static let maximumByteCount = Int(UInt16.max)

  private var references: Column<UInt64>
  private var addresses: Column<UInt>
  private var owners: [MemoryPage] = []
  /// Bytes of all pages, with their owners.
  private var pagesByteCount = 0
  private var liveByteCounts: Column<Int>
  /// Bytes of all texts.
  private var liveByteCount = 0
  private var used = pageByteCount  // of the last page; full, so that the first text begins one
  /// The next row whose text may be moved.
  private var movingRow = 0

  /// How many rows a write looks at for one to be moved: a round of all rows takes a quarter as many writes.
  private static let movingRowCount = 4

  init() {
    references = Column()
    addresses = Column()
    liveByteCounts = Column()
  }

  private init(
    references: consuming Column<UInt64>, addresses: consuming Column<UInt>, owners: [MemoryPage],
    pagesByteCount: Int, liveByteCounts: consuming Column<Int>, liveByteCount: Int, used: Int, movingRow: Int
  ) {
    self.references = references
    self.addresses = addresses
    self.owners = owners
    self.pagesByteCount = pagesByteCount
    self.liveByteCounts = liveByteCounts
    self.liveByteCount = liveByteCount
    self.used = used
    self.movingRow = movingRow
  }

  mutating func pin() -> TextColumn {
    TextColumn(
      references: references.pin(), addresses: addresses.pin(), owners: owners, pagesByteCount: pagesByteCount,
      liveByteCounts: liveByteCounts.pin(), liveByteCount: liveByteCount, used: used, movingRow: movingRow)
  }

  var count: Int { references.count }

  /// The bytes of a row's text, where they lie.
  @inline(__always)
  @_lifetime(borrow self)
  func bytes(_ row: Int) -> Span<UInt8> {
    let reference = references[row]
    let length = Int(reference & 0xFFFF)
    if length == 0 { return Span() }
    // Safety: the reference was made by `store`, whose page lives as long as this column, and bytes never change.
    let start = unsafe address(reference).assumingMemoryBound(to: UInt8.self)
    let span = unsafe Span(_unsafeStart: start, count: length)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// Where a row's text lies, and how long it is; good until the next write.
  @inline(__always)
  func place(_ row: Int) -> (start: UnsafeRawPointer?, byteCount: Int) {
    let reference = references[row]
    let length = Int(reference & 0xFFFF)
    return unsafe (length == 0 ? nil : address(reference), length)
  }

  @inline(__always)
  func byteCount(_ row: Int) -> Int { Int(references[row] & 0xFFFF) }

  /// Asks for what tells where a row's text lies; for somebody who soon asks for the text itself.
  @inline(__always)
  func prefetchReference(_ row: Int) { references.prefetch(row) }

  /// Asks for a row's text: its ends, and the first two hundred bytes. Returns how many bytes it has.
  @inline(__always)
  func prefetch(_ row: Int) -> Int {
    let reference = references[row]
    let length = Int(reference & 0xFFFF)
    if length > 0 {
      let start = unsafe address(reference)
      unsafe kith_prefetch(start)
      unsafe kith_prefetch(start + 64)
      unsafe kith_prefetch(start + 128)
      unsafe kith_prefetch(start + (length - 1))
    }
    return length
  }

  /// Asks for the beginning of a row's text, which is all of a name. Returns how many bytes it has.
  @inline(__always)
  @discardableResult
  func prefetchText(_ row: Int) -> Int {
    let (start, length) = unsafe place(row)
    if length > 0 { unsafe kith_prefetch(start) }
    return length
  }

  /// A `String` of a row's text. The bytes were valid UTF-8 when they came in.
  @inline(__always)
  func string(_ row: Int) -> String {
    let reference = references[row]
    let length = Int(reference & 0xFFFF)
    if length == 0 { return "" }
    let bytes = unsafe UnsafeRawBufferPointer(start: address(reference), count: length)
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of some neighbouring rows, one text after the other.
  func bytes(of rows: Range<Int>) -> [UInt8] {
    let total = rows.reduce(0) { $0 + byteCount($1) }
    // Safety: exactly `total` bytes are written, text by text.
    return unsafe [UInt8](unsafeUninitializedCapacity: total) { buffer, count in
      for row in rows {
        let (start, length) = unsafe place(row)
        if let start = unsafe start, let target = buffer.baseAddress {
          unsafe UnsafeMutableRawPointer(target + count).copyMemory(from: start, byteCount: length)
        }
        count += length
      }
    }
  }

  /// Whether a row's text is ASCII.
  func isASCII(_ row: Int) -> Bool {
    let text = bytes(row)
    var seen: UInt8 = 0
    for index in text.indices { seen |= text[index] }
    return seen < 0x80
  }

  mutating func append(_ text: Span<UInt8>) { references.append(store(text)) }

  /// Replaces a row's text.
  mutating func set(_ row: Int, _ text: Span<UInt8>) {
    release(references[row])
    references[row] = store(text)
    moveSome()
  }

  /// Makes a row's text empty and lets go of its bytes.
  mutating func clear(_ row: Int) {
    release(references[row])
    references[row] = 0
    moveSome()
  }

  /// Bytes of pages and references.
  /// - Complexity: O(1).
  var memoryByteCount: Int {
    references.byteCount + addresses.byteCount + liveByteCounts.byteCount + pagesByteCount + owners.capacity * 8
  }

  func checkInvariants(_ name: String) -> [String] {
    var live = [Int](repeating: 0, count: owners.count)
    for row in 0..<count {
      let reference = references[row]
      let length = Int(reference & 0xFFFF)
      if length == 0 { continue }
      let page = Int(reference >> 36)
      guard page < owners.count, Int(reference >> 16 & 0xFFFFF) + length <= owners[page].byteCount else {
        return ["\(name): the text of row \(row) lies outside its page"]
      }
      live[page] += length
    }
    if live.reduce(0, +) != liveByteCount {
      return ["\(name): counts \(liveByteCount) bytes of texts, of \(live.reduce(0, +))"]
    }
    let pageBytes = owners.reduce(0) { $0 + $1.byteCount + MemoryPage.overheadByteCount }
    if pageBytes != pagesByteCount { return ["\(name): pages take \(pageBytes) bytes, not \(pagesByteCount)"] }
    for page in live.indices where live[page] != liveByteCounts[page] {
      return ["\(name): page \(page) counts \(liveByteCounts[page]) live bytes of \(live[page])"]
    }
    return []
  }

  // MARK: - The arena

  @inline(__always)
  private func address(_ reference: UInt64) -> UnsafeRawPointer {
    // Safety: only of a reference that is not empty; its page was allocated at an address that is not zero.
    let page = addresses[Int(reference >> 36)] + UInt(reference >> 16 & 0xFFFFF)
    return unsafe UnsafeRawPointer(bitPattern: page).unsafelyUnwrapped
  }

  private mutating func store(_ text: Span<UInt8>) -> UInt64 {
    unsafe text.withUnsafeBytes { source in unsafe store(source) }
  }

  private mutating func store(_ text: UnsafeRawBufferPointer) -> UInt64 {
    let length = text.count
    precondition(length <= Self.maximumByteCount, "a text is at most 65,535 bytes")
    if length == 0 { return 0 }
    if used + length > Self.pageByteCount || !ownsTail() { beginPage() }
    let page = owners.count - 1
    // Safety: used + length fits the page; no reader, of whichever copy, knows of bytes at or behind `used`.
    if let start = text.baseAddress {
      unsafe (owners[page].base + used).copyMemory(from: start, byteCount: length)
    }
    let reference = UInt64(page) << 36 | UInt64(used) << 16 | UInt64(length)
    used += length
    owners[page].filledByteCount = used
    liveByteCounts[page] += length
    liveByteCount += length
    return reference
  }

  /// Whether the last page is this column's to fill behind `used`: nobody has filled it further, or nobody else has it.
  private mutating func ownsTail() -> Bool {
    let last = owners.count - 1
    return owners[last].filledByteCount == used || isKnownUniquelyReferenced(&owners[last])
  }

  /// Moves what lies on pages of which less than half are texts, of the next few rows, while that is so of all pages
  /// together. Pinned columns keep the old pages.
  private mutating func moveSome() {
    guard pagesByteCount > 2 * (liveByteCount + Self.pageByteCount) else { return }
    for _ in 0..<min(Self.movingRowCount, count) {
      if movingRow >= count { movingRow = 0 }
      let reference = references[movingRow]
      let page = Int(reference >> 36)
      if reference != 0, page < owners.count - 1, liveByteCounts[page] < Self.pageByteCount / 2 {
        // Safety: the page is let go of only after the text was copied.
        let text = unsafe UnsafeRawBufferPointer(start: address(reference), count: Int(reference & 0xFFFF))
        references[movingRow] = unsafe store(text)
        release(reference)
      }
      movingRow += 1
    }
  }

  private mutating func beginPage() {
    if let last = owners.indices.last, liveByteCounts[last] == 0 { giveUp(last) }
    let page = MemoryPage.allocate(byteCount: Self.pageByteCount)
    pagesByteCount += Self.pageByteCount + MemoryPage.overheadByteCount
    owners.append(page)
    unsafe addresses.append(UInt(bitPattern: page.base))
    liveByteCounts.append(0)
    used = 0
  }

  private mutating func release(_ reference: UInt64) {
    let length = Int(reference & 0xFFFF)
    if length == 0 { return }
    let page = Int(reference >> 36)
    liveByteCounts[page] -= length
    liveByteCount -= length
    if liveByteCounts[page] == 0 && page < owners.count - 1 { giveUp(page) }
  }

  /// Lets go of the bytes of a page without texts.
  private mutating func giveUp(_ page: Int) {
    pagesByteCount -= owners[page].byteCount
    owners[page] = MemoryPage.allocate(byteCount: 0)
  }
}
