import CSupport

/// One text per row (a username, a post), with its bytes in an append-only arena of pages of about a megabyte.
///
/// Written bytes never change, so a pinned column shares the pages that the writer continues to fill: the writer only
/// writes after the bytes that the pin knows. A pin may be written too (a batch that is rolled back continues with the
/// pin from before it). It continues at the shared end of the page, or begins its own page.
///
/// A page whose last text is removed is freed. If less than half of all bytes are texts, because texts were replaced or
/// removed, each write also moves a few texts off sparse pages. So the pages never take much more than twice the texts.
///
/// A reference is one word: token table (8 bits; 0 for a plain text), page (20), offset (20), byte count (16). A row
/// may have further words behind it, for what is read along with the text: then one cache line has both. A column
/// without `compress` has plain texts alone; `bytes` and `prefetchText` are for these.
/// - Complexity: O(bytes) for appending and for creating a `String`; otherwise O(1).
@safe struct TextColumn: ~Copyable, @unchecked Sendable {
  /// Two pages, with the allocator's block headers, fill a huge page: see `SizeClass`.
  static let pageByteCount = (1 << 20) - 128
  /// The longest text: the limit of sixteen bits.
  static let maximumByteCount = Int(UInt16.max)

  /// The words of each row: the reference, then those of the owner.
  private var words: Column<UInt64>
  /// The number of words of a row, as a power of two.
  private let wordShift: Int
  /// Of the pages. Copied with the owners, by the first page after a pin.
  private var addresses: [UInt]
  private var owners: [SharedPage]
  /// The bytes of all pages, including their owners.
  private var pagesByteCount: Int
  private var liveByteCounts: Column<Int>
  /// The bytes of all texts, as they are stored.
  private(set) var liveByteCount: Int
  /// The page that is filled; -1 before the first.
  private var last: Int
  private var used: Int  // of that page; initially full, so that the first text begins a page
  /// The pages whose texts are gone, for new ones to take their numbers. A pin has pages of its own by number.
  private var free: [Int]
  /// The next row whose text may be moved.
  private var movingRow: Int
  /// Nil if texts are stored as they are. Shared with the pins: it only adds tables.
  private var compressor: Optional<TextCompressor>
  /// Those of the compressor, read without counting a reference.
  private(set) var tables: Optional<TextCompressor.Tables>
  /// The bytes of the compressor; a pin keeps those of its version.
  private var compressorByteCount: Int

  /// The fewest and the most rows that a write checks for a text to move.
  private static let movingRowCounts = (fewest: 4, most: 1 << 14)

  /// - Parameter wordsPerRow: a power of two.
  init(wordsPerRow: Int = 1) {
    precondition(wordsPerRow.nonzeroBitCount == 1, "the words of a row must be a power of two")
    wordShift = wordsPerRow.trailingZeroBitCount
    words = Column()
    liveByteCounts = Column()
    (addresses, owners, free, last) = ([], [], [], -1)
    (pagesByteCount, liveByteCount, movingRow, compressorByteCount) = (0, 0, 0, 0)
    used = Self.pageByteCount
    compressor = nil
    unsafe tables = nil
  }

  private init(
    words: consuming Column<UInt64>, wordShift: Int, addresses: [UInt], owners: [SharedPage],
    pagesByteCount: Int, liveByteCounts: consuming Column<Int>, liveByteCount: Int, last: Int, used: Int, free: [Int],
    movingRow: Int, compressor: TextCompressor?, compressorByteCount: Int
  ) {
    self.words = words
    self.wordShift = wordShift
    self.addresses = addresses
    self.owners = owners
    self.pagesByteCount = pagesByteCount
    self.liveByteCounts = liveByteCounts
    self.liveByteCount = liveByteCount
    (self.last, self.used, self.free) = (last, used, free)
    self.movingRow = movingRow
    self.compressor = compressor
    unsafe tables = compressor?.tables
    self.compressorByteCount = compressorByteCount
  }

  mutating func pin() -> TextColumn {
    TextColumn(
      words: words.pin(), wordShift: wordShift, addresses: addresses, owners: owners,
      pagesByteCount: pagesByteCount, liveByteCounts: liveByteCounts.pin(), liveByteCount: liveByteCount, last: last,
      used: used, free: free, movingRow: movingRow, compressor: compressor, compressorByteCount: compressorByteCount)
  }

  var count: Int { words.count >> wordShift }

  /// The reference of a row's text.
  @inline(__always)
  func reference(_ row: Int) -> UInt64 { words[row &<< wordShift] }

  private mutating func setReference(_ row: Int, _ reference: UInt64) { words[row &<< wordShift] = reference }

  /// A word of the owner: from 1 on.
  @inline(__always)
  subscript(row: Int, word: Int) -> UInt64 {
    get { words[row &<< wordShift &+ word] }
    set { words[row &<< wordShift &+ word] = newValue }
  }

  /// Both words of a row, of a column with two.
  @inline(__always)
  func twoWords(_ row: Int) -> (reference: UInt64, UInt64) {
    assert(wordShift == 1)
    return words.two(from: row &<< 1)
  }

  /// All words of a row, read at once, of a column with four words per row.
  @inline(__always)
  func fourWords(_ row: Int) -> (reference: UInt64, UInt64, UInt64, UInt64) {
    assert(wordShift == 2)
    return words.four(from: row &<< 2)
  }

  /// The bytes of a row's plain text, in place.
  @inline(__always)
  @_lifetime(borrow self)
  func bytes(_ row: Int) -> Span<UInt8> {
    let reference = reference(row)
    assert(reference < Self.firstCompressed, "a compressed text has no bytes in place")
    let length = Int(reference & 0xFFFF)
    if length == 0 { return Span() }
    // Safety: the reference was created by `store`; its page lives as long as this column, and its bytes never change.
    let start = unsafe address(reference).assumingMemoryBound(to: UInt8.self)
    let span = unsafe Span(_unsafeStart: start, count: length)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// Where a text is stored.
  @inline(__always)
  func stored(_ reference: UInt64) -> StoredText {
    unsafe StoredText(reference: reference, start: reference & 0xFFFF == 0 ? nil : address(reference & ~Self.tableMask))
  }

  @inline(__always)
  func byteCount(_ row: Int) -> Int { Int(reference(row) & 0xFFFF) }

  /// The bytes of a row, which may lie behind the last.
  @inline(__always)
  func byteCount(ofRow row: UInt32) -> Int { row < count ? byteCount(Int(row)) : 0 }

  /// Prefetches the words of a row, for a caller that soon prefetches the text.
  @inline(__always)
  func prefetchReference(_ row: Int) { words.prefetch(row &<< wordShift) }

  /// Prefetches a text: its ends, and the first two hundred bytes.
  @inline(__always)
  func prefetch(referenced reference: UInt64) -> StoredText {
    let text = stored(reference)
    // A compressed text is shorter than that.
    if let start = unsafe text.start {
      unsafe kith_prefetch(start)
      unsafe kith_prefetch(start + 64)
      unsafe kith_prefetch(start + 128)
      unsafe kith_prefetch(start + (text.byteCount - 1))
    }
    return text
  }

  /// Prefetches the beginning of a row's plain text. Returns its byte count.
  @inline(__always)
  @discardableResult
  func prefetchText(_ row: Int) -> Int { prefetchBeginning(referenced: reference(row)).byteCount }

  /// Prefetches the beginning of a plain text, which is all of a name.
  @inline(__always)
  func prefetchBeginning(referenced reference: UInt64) -> StoredText {
    assert(reference < Self.firstCompressed, "a compressed text has no bytes in place")
    let text = stored(reference)
    if let start = unsafe text.start { unsafe kith_prefetch(start) }
    return text
  }

  /// A row's text as a `String`. Its bytes were validated as UTF-8 when added.
  @inline(__always)
  func string(_ row: Int) -> String {
    let reference = reference(row)
    let length = Int(reference & 0xFFFF)
    if length == 0 { return "" }
    if reference >= Self.firstCompressed { return decodedString(reference) }
    let bytes = unsafe UnsafeRawBufferPointer(start: address(reference), count: length)
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  /// The concatenated bytes of adjacent rows.
  func bytes(of rows: Range<Int>) -> [UInt8] {
    let total = rows.reduce(0) { $0 + byteCount($1) }
    // Safety: exactly `total` bytes are written, text by text.
    return unsafe [UInt8](unsafeUninitializedCapacity: total) { buffer, count in
      for row in rows {
        if let target = buffer.baseAddress { unsafe copy(row, to: UnsafeMutableRawPointer(target + count)) }
        count += byteCount(row)
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

  mutating func append(_ text: Span<UInt8>) {
    words.append(store(text))
    for _ in 1..<(1 << wordShift) { words.append(0) }
  }

  /// Grows to this many rows, with empty texts.
  mutating func grow(to newCount: Int) { words.grow(to: newCount << wordShift, filledWith: 0) }

  /// Sets the text of a row that has none.
  mutating func fill(_ row: Int, _ text: Span<UInt8>) {
    if text.count > 0 { setReference(row, store(text)) }
  }

  /// Replaces a row's text.
  mutating func set(_ row: Int, _ text: Span<UInt8>) {
    release(reference(row))
    setReference(row, store(text))
    moveSome(after: text.count)
  }

  /// Empties a row's text and releases its bytes.
  mutating func clear(_ row: Int) {
    release(reference(row))
    setReference(row, 0)
    moveSome(after: 0)
  }

  /// The bytes of pages, words and token tables.
  /// - Complexity: O(1).
  var memoryByteCount: Int {
    words.byteCount + liveByteCounts.byteCount + pagesByteCount
      + (addresses.capacity + owners.capacity + free.capacity) * 8 + compressorByteCount
  }

  func checkInvariants(_ name: String) -> [String] {
    var live = [Int](repeating: 0, count: owners.count)
    for row in 0..<count {
      let reference = reference(row)
      if reference & 0xFFFF == 0 { continue }
      let page = Self.page(of: reference)
      guard page < owners.count, owners[page].byteCount >= Self.pageByteCount else {
        return ["\(name): the text of row \(row) lies on no page"]
      }
      let length = storedByteCount(reference)
      if length == 0 || Int(reference >> 16 & 0xFFFFF) + length > Self.pageByteCount {
        return ["\(name): the text of row \(row) is broken, or lies outside its page"]
      }
      live[page] += length
    }
    if live.reduce(0, +) != liveByteCount {
      return ["\(name): counts \(liveByteCount) bytes of texts, of \(live.reduce(0, +))"]
    }
    let pageBytes = owners.reduce(0) { $0 + $1.footprint }
    if pageBytes != pagesByteCount { return ["\(name): pages take \(pageBytes) bytes, not \(pagesByteCount)"] }
    for page in live.indices where live[page] != liveByteCounts[page] {
      return ["\(name): page \(page) counts \(liveByteCounts[page]) live bytes of \(live[page])"]
    }
    return []
  }

  /// The numbers of pages that were given so far.
  var pageNumberCount: Int { owners.count }

  // MARK: - The arena

  @inline(__always)
  private static func page(of reference: UInt64) -> Int { Int(reference >> 36 & 0xFFFFF) }

  @inline(__always)
  func address(_ reference: UInt64) -> UnsafeRawPointer {
    // Safety: only called for a reference that is not empty; its page was allocated at a nonzero address.
    let page = addresses[Int(truncatingIfNeeded: reference &>> 36)] &+ UInt(reference &>> 16 & 0xFFFFF)
    return unsafe UnsafeRawPointer(bitPattern: page).unsafelyUnwrapped
  }

  /// From now on, stores texts compressed.
  mutating func adopt(_ compressor: TextCompressor) {
    self.compressor = compressor
    unsafe tables = unsafe compressor.tables
    compressorByteCount = compressor.byteCount
  }

  /// Stores a row's plain text once more, in the present form.
  mutating func storeAgain(_ row: Int) {
    let reference = reference(row)
    if reference == 0 { return }
    // Safety: the page is released only after the text was copied.
    let text = unsafe UnsafeRawBufferPointer(start: address(reference), count: Int(reference & 0xFFFF))
    setReference(row, unsafe store(text))
    release(reference)
  }

  private mutating func store(_ text: Span<UInt8>) -> UInt64 {
    unsafe text.withUnsafeBytes { source in unsafe store(source) }
  }

  /// Stores a text, compressed if that makes it shorter. Returns the reference.
  private mutating func store(_ text: UnsafeRawBufferPointer) -> UInt64 {
    let length = text.count
    precondition(length <= Self.maximumByteCount, "a text is at most 65,535 bytes")
    if length == 0 { return 0 }
    guard let compressor else { return unsafe place(text) | UInt64(length) }
    let (table, stored) = unsafe compressor.encode(text)
    compressorByteCount = compressor.byteCount
    return unsafe UInt64(table) << 56 | place(stored) | UInt64(length)
  }

  /// Copies the bytes of a text to the last page. Returns their page and offset.
  @inline(__always)
  private mutating func place(_ stored: UnsafeRawBufferPointer) -> UInt64 {
    let length = stored.count
    if used + length > Self.pageByteCount || !ownsTail() { beginPage() }
    let page = last
    // Safety: used + length fits the page, and no reader of any copy accesses bytes at or after `used`.
    if let start = stored.baseAddress {
      unsafe (owners[page].base + used).copyMemory(from: start, byteCount: length)
    }
    let place = UInt64(page) << 36 | UInt64(used) << 16
    used += length
    owners[page].filledByteCount = used
    liveByteCounts[page] += length
    liveByteCount += length
    return place
  }

  /// Whether this column may fill the last page after `used`: no other copy has filled it further, or it is not shared.
  private mutating func ownsTail() -> Bool {
    owners[last].filledByteCount == used || isKnownUniquelyReferenced(&owners[last])
  }

  /// While less than half of all bytes are texts, moves the texts of the next few rows off pages that are less than
  /// half full. Pinned columns keep the old pages.
  ///
  /// The rows are in proportion to the bytes written, so that a pass over all of them takes as many bytes as all texts
  /// have, however long the texts are that are replaced.
  private mutating func moveSome(after byteCount: Int) {
    guard pagesByteCount > 2 * (liveByteCount + Self.pageByteCount) else { return }
    let share = byteCount * count / (liveByteCount + Self.pageByteCount)
    for _ in 0..<min(count, max(Self.movingRowCounts.fewest, min(share, Self.movingRowCounts.most))) {
      if movingRow >= count { movingRow = 0 }
      let reference = reference(movingRow)
      let page = Self.page(of: reference)
      if reference != 0, page != last, liveByteCounts[page] < Self.pageByteCount / 2 {
        // Safety: the page is released only after the text was copied.
        let stored = unsafe UnsafeRawBufferPointer(
          start: address(reference & ~Self.tableMask), count: storedByteCount(reference))
        setReference(movingRow, unsafe reference & (Self.tableMask | 0xFFFF) | place(stored))
        release(reference)
      }
      movingRow += 1
    }
  }

  private mutating func beginPage() {
    if last >= 0 && liveByteCounts[last] == 0 { releasePage(last) }
    let page = SharedPage(.allocate(byteCount: Self.pageByteCount))
    pagesByteCount += page.footprint
    used = 0
    if let number = free.popLast() {
      pagesByteCount -= owners[number].footprint
      owners[number] = page
      unsafe addresses[number] = UInt(bitPattern: page.base)
      last = number
      return
    }
    precondition(owners.count < 1 << 20, "a column has a million pages at most")
    last = owners.count
    owners.append(page)
    unsafe addresses.append(UInt(bitPattern: page.base))
    liveByteCounts.append(0)
  }

  private mutating func release(_ reference: UInt64) {
    if reference & 0xFFFF == 0 { return }
    let length = storedByteCount(reference)
    let page = Self.page(of: reference)
    liveByteCounts[page] -= length
    liveByteCount -= length
    if liveByteCounts[page] == 0 && page != last { releasePage(page) }
  }

  /// Releases the bytes of a page without texts.
  private mutating func releasePage(_ page: Int) {
    pagesByteCount -= owners[page].footprint
    owners[page] = SharedPage(.allocate(byteCount: 0))
    pagesByteCount += owners[page].footprint
    free.append(page)
  }
}
