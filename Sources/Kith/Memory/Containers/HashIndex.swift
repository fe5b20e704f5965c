/// An extendible hash table from a hash to a row, in pages of four to eight kilobytes. It grows page by page, without
/// pauses, and takes 9 to 10 bytes an entry.
///
/// A page has lines of 64 bytes. A line holds eight entries of eight bytes, filled from the front: 32 bits of the hash,
/// and the row plus one. The highest bits of the hash give the first line of an entry; a full line continues in the
/// next one (linear probing by lines). No line on the way to an entry has a free slot: removal shifts entries backward.
/// A lookup usually reads one line.
///
/// All pages fill up at the same time, because hashes are uniform. So a full page first grows in steps of 512 bytes; if
/// pages of one size were split in two instead, they would be half empty at some counts. At 8 KB it is split by the
/// next of the lowest bits. The directory, a column, doubles by appending its own copy. It has the number of lines
/// beside the page, so that a lookup does not read the page's header. After R. Fagin et al., "Extendible hashing",
/// 1979; the steps are those of P.-A. Larson, "Linear hashing with partial expansions", 1980.
///
/// Hashes must be well mixed in their upper half, as those of `Hashing` are. They need not be unique: `find` asks the
/// caller which row matches. A page holds at most 920 hashes whose upper halves are equal.
/// - Complexity: O(1); `insert` sometimes rebuilds one page.
struct HashIndex: ~Copyable, Sendable {
  private static let lineByteCount = 64
  private static let entriesPerLine = 8
  /// The bits of a directory entry for the number of lines. The others are the page.
  private static let lineCountBits: UInt32 = 7
  /// The first line of a page is its header: local depth, count.
  private static let maximumLineCount = (1 << Int(lineCountBits)) - 1
  private static let firstLineCount = 3
  /// Pages from this many lines on grow in steps; smaller ones, of a small table, double.
  private static let steadyLineCount = 63
  private static let lineStep = 8
  /// The most entries of a page whose capacity `reserve` plans.
  private static let usualCount = 850
  /// Four billion well-mixed hashes need a directory of 2²³. A much larger one means that they are not well mixed.
  private static let maximumDepth: UInt32 = 25

  private var directory: Column<UInt32>
  private var pages: PageTable
  private var depth: UInt32
  private(set) var count: Int

  init() {
    directory = Column()
    pages = PageTable()
    depth = 0
    count = 0
    pages.append(Self.page(lineCount: Self.firstLineCount, depth: 0))
    directory.append(UInt32(Self.firstLineCount))
  }

  private init(directory: consuming Column<UInt32>, pages: consuming PageTable, depth: UInt32, count: Int) {
    self.directory = directory
    self.pages = pages
    self.depth = depth
    self.count = count
  }

  mutating func pin() -> HashIndex {
    HashIndex(directory: directory.pin(), pages: pages.pin(), depth: depth, count: count)
  }

  /// The row with a hash that the caller accepts.
  @inline(__always)
  func find(_ hash: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
    let mixed = UInt32(truncatingIfNeeded: hash >> 32)
    let (page, lineCount) = place(of: mixed)
    let lines = unsafe pages.base(page) + Self.lineByteCount
    var line = Self.firstLine(mixed, of: lineCount)
    while true {
      var word: UInt64 = 0
      for entry in 0..<Self.entriesPerLine {
        // Safety: `line` is one of the page's.
        word = unsafe lines.load(fromByteOffset: line &* Self.lineByteCount &+ entry &* 8, as: UInt64.self)
        if word >> 32 != mixed || word == 0 { continue }
        let row = UInt32(truncatingIfNeeded: word) &- 1
        if matches(row) { return row }
      }
      // A free slot ends the probe sequence.
      if word == 0 { return nil }
      line = Self.nextLine(line, of: lineCount)
    }
  }

  /// Reserves capacity in an empty index, so that no page is rebuilt often.
  /// - Complexity: O(count).
  mutating func reserve(_ total: Int) {
    precondition(count == 0, "capacity is reserved before entries are added")
    while total >> Int(depth) > Self.usualCount { depth += 1 }
    directory = Column()
    pages = PageTable()
    // Most pages have a few more or fewer entries than the average, by its root.
    let average = Double(total >> Int(depth))
    let lineCount = Self.lineCount(for: Int(average + average.squareRoot()))
    for page in 0..<(1 << Int(depth)) {
      pages.append(Self.page(lineCount: lineCount, depth: depth))
      directory.append(UInt32(page) << Self.lineCountBits | UInt32(lineCount))
    }
  }

  mutating func insert(_ hash: UInt64, row: UInt32) {
    let mixed = UInt32(truncatingIfNeeded: hash >> 32)
    var (page, lineCount) = place(of: mixed)
    while unsafe pages.base(page).load(fromByteOffset: 4, as: UInt32.self) >= Self.capacity(of: lineCount) {
      if lineCount < Self.maximumLineCount { grow(page, mixed, lineCount) } else { split(page, mixed) }
      (page, lineCount) = place(of: mixed)
    }
    unsafe Self.put(UInt64(mixed) << 32 | UInt64(row + 1), on: pages.mutableBase(page), lineCount: lineCount)
    count += 1
  }

  /// Removes an entry, which must exist.
  mutating func remove(_ hash: UInt64, row: UInt32) {
    let mixed = UInt32(truncatingIfNeeded: hash >> 32)
    let (page, lineCount) = place(of: mixed)
    let base = unsafe pages.mutableBase(page)
    let lines = unsafe base + Self.lineByteCount
    let removed = UInt64(mixed) << 32 | UInt64(row + 1)
    var line = Self.firstLine(mixed, of: lineCount)
    while true {
      let words = unsafe (lines + line * Self.lineByteCount).assumingMemoryBound(to: UInt64.self)
      let filled = unsafe Self.filledCount(words)
      if let entry = (0..<filled).first(where: { unsafe words[$0] == removed }) {
        unsafe Self.take(entry, from: words, filled)
        if filled == Self.entriesPerLine { unsafe Self.moveBack(to: line, in: lines, lineCount) }
        unsafe base.storeBytes(of: base.load(fromByteOffset: 4, as: UInt32.self) - 1, toByteOffset: 4, as: UInt32.self)
        count -= 1
        return
      }
      precondition(filled == Self.entriesPerLine, "an entry that is removed must be there")
      line = Self.nextLine(line, of: lineCount)
    }
  }

  var byteCount: Int { directory.byteCount + pages.byteCount }

  /// Checks that every entry lies on the page of its hash, with no free slot on the way there, and that counts agree.
  func checkInvariants(_ name: String) -> [String] {
    var problems: [String] = []
    var total = 0
    for index in 0..<directory.count {
      let (page, lineCount) = (Int(directory[index] >> Self.lineCountBits), Self.lineCount(directory[index]))
      let base = unsafe pages.base(page)
      let localDepth = unsafe base.load(as: UInt32.self)
      // The allocator rounds up by less than a line, also when a page is copied after a pin.
      let spareByteCount = pages.pageByteCount(page) - (lineCount + 1) * Self.lineByteCount
      if !(0..<Self.lineByteCount).contains(spareByteCount) || localDepth > depth {
        return ["\(name): the directory misjudges page \(page)"]
      }
      if index >> Int(localDepth) > 0 {
        if directory[index] != directory[index & ((1 << Int(localDepth)) - 1)] {
          problems.append("\(name): page \(page) stands where it does not belong")
        }
        continue
      }
      var filled: [Int] = []
      for line in 0..<lineCount { filled.append(unsafe Self.filledCount(Self.words(line, of: base))) }
      for line in 0..<lineCount {
        for entry in 0..<filled[line] {
          let mixed = UInt32(truncatingIfNeeded: unsafe Self.words(line, of: base)[entry] >> 32)
          if place(of: mixed).page != page { problems.append("\(name): a stray entry on page \(page)") }
          var first = Self.firstLine(mixed, of: lineCount)
          while first != line, filled[first] == Self.entriesPerLine { first = Self.nextLine(first, of: lineCount) }
          if first != line { problems.append("\(name): an entry of page \(page) lies behind a free slot") }
        }
      }
      let entries = filled.reduce(0, +)
      if unsafe entries != Int(base.load(fromByteOffset: 4, as: UInt32.self)) {
        problems.append("\(name): page \(page) miscounts its entries")
      }
      total += entries
    }
    if total != count { problems.append("\(name): \(count) entries counted, \(total) found") }
    return problems
  }

  // MARK: - Lines

  /// The page of a hash, and its number of lines.
  @inline(__always)
  private func place(of mixed: UInt32) -> (page: Int, lineCount: Int) {
    let entry = directory[Int(mixed & ((1 &<< depth) &- 1))]
    return (Int(entry >> Self.lineCountBits), Self.lineCount(entry))
  }

  @inline(__always)
  private static func lineCount(_ entry: UInt32) -> Int { Int(entry & ((1 << lineCountBits) - 1)) }

  @inline(__always)
  private static func firstLine(_ mixed: UInt32, of lineCount: Int) -> Int { (Int(mixed) &* lineCount) >> 32 }

  @inline(__always)
  private static func nextLine(_ line: Int, of lineCount: Int) -> Int { line &+ 1 == lineCount ? 0 : line &+ 1 }

  /// Lines are filled to 29/32: then one lookup in seven reads a second line.
  private static func capacity(of lineCount: Int) -> UInt32 { UInt32(lineCount * entriesPerLine * 29 / 32) }

  @unsafe private static func words(_ line: Int, of page: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt64> {
    unsafe (page + (line + 1) * lineByteCount).assumingMemoryBound(to: UInt64.self)
  }

  @unsafe private static func filledCount(_ words: UnsafeMutablePointer<UInt64>) -> Int {
    var filled = 0
    while unsafe filled < entriesPerLine && words[filled] != 0 { filled += 1 }
    return filled
  }

  /// Removes an entry from a line; the last one takes its place.
  @unsafe private static func take(_ entry: Int, from words: UnsafeMutablePointer<UInt64>, _ filled: Int) {
    unsafe words[entry] = unsafe words[filled - 1]
    unsafe words[filled - 1] = 0
  }

  /// Backward-shift deletion: fills the free slot of a line that was full with an entry that probed past it, and so on
  /// until no entry lies behind a free slot.
  @unsafe private static func moveBack(to line: Int, in lines: UnsafeMutableRawPointer, _ lineCount: Int) {
    var free = line
    var next = nextLine(line, of: lineCount)
    while next != free {
      let words = unsafe (lines + next * lineByteCount).assumingMemoryBound(to: UInt64.self)
      let filled = unsafe filledCount(words)
      let passed = (0..<filled).first { entry in
        let first = firstLine(UInt32(truncatingIfNeeded: unsafe words[entry] >> 32), of: lineCount)
        return (free + lineCount - first) % lineCount < (next + lineCount - first) % lineCount
      }
      if let passed = passed {
        let last = (entriesPerLine - 1) * 8
        unsafe lines.storeBytes(of: words[passed], toByteOffset: free * lineByteCount + last, as: UInt64.self)
        unsafe take(passed, from: words, filled)
        free = next
      }
      if filled < entriesPerLine { return }
      next = nextLine(next, of: lineCount)
    }
  }

  /// Adds an entry to a page that has a free slot.
  private static func put(_ word: UInt64, on page: UnsafeMutableRawPointer, lineCount: Int) {
    var line = firstLine(UInt32(truncatingIfNeeded: word >> 32), of: lineCount)
    while true {
      let words = unsafe Self.words(line, of: page)
      let entry = unsafe filledCount(words)
      if entry < entriesPerLine {
        unsafe words[entry] = word
        break
      }
      line = nextLine(line, of: lineCount)
    }
    unsafe page.storeBytes(of: page.load(fromByteOffset: 4, as: UInt32.self) + 1, toByteOffset: 4, as: UInt32.self)
  }

  // MARK: - Pages

  private static func page(lineCount: Int, depth: UInt32) -> MemoryPage {
    let page = MemoryPage.zeroed(byteCount: (lineCount + 1) * lineByteCount)
    unsafe page.base.storeBytes(of: depth, as: UInt32.self)
    return page
  }

  /// The lines of a page that is created for some entries, with a free slot for one more; the most, where hashes agree.
  private static func lineCount(for count: Int) -> Int {
    var lineCount = firstLineCount
    while lineCount < maximumLineCount && capacity(of: lineCount) <= count { lineCount = larger(lineCount) }
    return lineCount
  }

  /// Sizes are such that a page of this many lines and its header fills whole kilobytes or halves of them.
  private static func larger(_ lineCount: Int) -> Int {
    lineCount < steadyLineCount ? 2 * lineCount + 1 : lineCount + lineStep
  }

  @unsafe private static func forEachEntry(
    of page: UnsafeMutableRawPointer, _ lineCount: Int, _ body: (UInt64) -> Void
  ) {
    for line in 0..<lineCount {
      let words = unsafe words(line, of: page)
      for entry in 0..<entriesPerLine {
        let word = unsafe words[entry]
        if word == 0 { break }
        body(word)
      }
    }
  }

  /// Lets all directory entries of a page know its place and its lines.
  private mutating func note(_ page: Int, _ lineCount: Int, first: Int, depth localDepth: UInt32) {
    for index in stride(from: first, to: 1 << Int(depth), by: 1 << Int(localDepth)) {
      directory[index] = UInt32(page) << Self.lineCountBits | UInt32(lineCount)
    }
  }

  /// Replaces a page by the next larger one.
  private mutating func grow(_ page: Int, _ mixed: UInt32, _ lineCount: Int) {
    let base = unsafe pages.base(page)
    let localDepth = unsafe base.load(as: UInt32.self)
    let larger = Self.larger(lineCount)
    let copy = Self.page(lineCount: larger, depth: localDepth)
    unsafe Self.forEachEntry(of: base, lineCount) { unsafe Self.put($0, on: copy.base, lineCount: larger) }
    pages.replace(page, with: copy)
    note(page, larger, first: Int(mixed & ((1 << localDepth) - 1)), depth: localDepth)
  }

  /// Splits a page by the next bit of its hashes: the old page keeps the zeros, a new one gets the ones.
  private mutating func split(_ page: Int, _ mixed: UInt32) {
    let base = unsafe pages.base(page)
    let localDepth = unsafe base.load(as: UInt32.self)
    precondition(localDepth < Self.maximumDepth, "more hashes agree in their low bits than a page holds")
    if localDepth == depth {
      for index in 0..<(1 << Int(depth)) { directory.append(directory[index]) }
      depth += 1
    }
    let bit: UInt32 = 1 << localDepth
    func isOne(_ entry: UInt64) -> Bool { UInt32(truncatingIfNeeded: entry >> 32) & bit != 0 }
    var (zeroCount, oneCount) = (0, 0)
    unsafe Self.forEachEntry(of: base, Self.maximumLineCount) { if isOne($0) { oneCount += 1 } else { zeroCount += 1 } }
    let (zeroLines, oneLines) = (Self.lineCount(for: zeroCount), Self.lineCount(for: oneCount))
    let zeros = Self.page(lineCount: zeroLines, depth: localDepth + 1)
    let ones = Self.page(lineCount: oneLines, depth: localDepth + 1)
    unsafe Self.forEachEntry(of: base, Self.maximumLineCount) {
      unsafe isOne($0)
        ? Self.put($0, on: ones.base, lineCount: oneLines) : Self.put($0, on: zeros.base, lineCount: zeroLines)
    }
    let first = Int(mixed & (bit - 1))
    pages.replace(page, with: zeros)
    note(page, zeroLines, first: first, depth: localDepth + 1)
    pages.append(ones)
    note(pages.count - 1, oneLines, first: first | Int(bit), depth: localDepth + 1)
  }
}

/// Hashes for `HashIndex`, with a seed per process, so that colliding ids or names cannot be chosen. They are never
/// stored or returned.
enum Hashing {
  private static let seed = UInt64.random(in: 1 ... .max)

  /// A bijection, so that different ids never have the same hash: the finaliser of SplitMix64 (Steele, Lea, Flood,
  /// 2014).
  @inline(__always)
  static func hash(_ id: Int64) -> UInt64 {
    var mixed = UInt64(bitPattern: id) ^ seed
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The hash of two rows.
  @inline(__always)
  static func hash(_ first: UInt32, _ second: UInt32) -> UInt64 {
    hash(Int64(bitPattern: UInt64(first) << 32 | UInt64(second)))
  }

  /// The standard library's keyed hash (SipHash) of some bytes.
  static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hasher = Hasher()
    // Safety: the bytes are only read, within the call.
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
