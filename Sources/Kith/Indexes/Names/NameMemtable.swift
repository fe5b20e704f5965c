/// The memtable of the name index: the youngest names in order, in blocks that split when full.
///
/// A value: a copy shares the blocks until one side writes. It has no tombstones; a removal deletes the entry.
/// - Complexity: insertion and removal O(log count + names of a block + number of blocks).
struct NameMemtable: Sendable {
  static let maximumNamesPerBlock = 32

  /// The bytes reserved for the keys of a block: of usual names. So most blocks never grow, and their memory, which
  /// other threads free, is of one size: the allocator's search for the next one ends at the first.
  private static let usualKeyByteCount = 480

  /// A sorted run of names.
  struct Block {
    /// Loose keys in order, each terminated by a NUL.
    var keys: [UInt8] = []
    var rows: [UInt32] = []

    init() {
      keys.reserveCapacity(NameMemtable.usualKeyByteCount)
      rows.reserveCapacity(NameMemtable.maximumNamesPerBlock)
    }
  }

  private(set) var blocks: [Block] = []
  /// The Bloom filters of the blocks' grams, concatenated. Stored apart from the blocks: a search reads only the
  /// filters of most blocks.
  private var bloomFilters: [UInt64] = []
  private(set) var count = 0
  /// Whether the key of an entry may have a display name.
  var hasDisplayNames = false

  mutating func insert(_ row: UInt32, key: [UInt8], names: borrowing TextColumn) {
    if blocks.isEmpty { insert(Block(), at: 0) }
    var index = blockIndex(of: key.span, row, names: names)
    if blocks[index].rows.count == Self.maximumNamesPerBlock {
      let upper = blocks[index].splitInHalf()
      signAll(index)
      insert(upper, at: index + 1)
      if upper.compare(0, 0, key.span, row, names: names, hasDisplayNames) < 0 { index += 1 }
    }
    blocks[index].insert(row, key: key, names: names, hasDisplayNames)
    sign(index, key.span)
    count += 1
  }

  private mutating func insert(_ block: Block, at index: Int) {
    blocks.insert(block, at: index)
    let start = index * GramBloomFilter.wordCount
    bloomFilters.insert(contentsOf: repeatElement(0, count: GramBloomFilter.wordCount), at: start)
    signAll(index)
  }

  /// Removes a name.
  /// - Returns: false if the memtable does not contain it.
  @discardableResult
  mutating func remove(_ row: UInt32, key: [UInt8], names: borrowing TextColumn) -> Bool {
    if blocks.isEmpty { return false }
    let index = blockIndex(of: key.span, row, names: names)
    guard blocks[index].remove(row, key: key, names: names, hasDisplayNames) else { return false }
    if blocks[index].rows.isEmpty {
      blocks.remove(at: index)
      let start = index * GramBloomFilter.wordCount
      bloomFilters.removeSubrange(start..<start + GramBloomFilter.wordCount)
    } else {
      signAll(index)
    }
    count -= 1
    return true
  }

  // MARK: - Bloom filters

  /// The first block from `index` on whose filter has all the given bits; the number of blocks if there is none.
  /// - Parameter bits: at least one.
  func nextBlock(from index: Int, holding bits: Span<Int>) -> Int {
    let bloomFilters = bloomFilters.span
    // Tests three bits in one branch: a branch on a single bit would be mispredicted for every third block.
    let (first, second, third) = (bits[0], bits[bits.count / 2], bits[bits.count - 1])
    var block = index
    while block < blocks.count {
      let start = block * GramBloomFilter.wordCount
      let words = (
        bloomFilters[start + first / 64], bloomFilters[start + second / 64], bloomFilters[start + third / 64]
      )
      if words.0 &>> UInt64(first & 63) & words.1 &>> UInt64(second & 63) & words.2 &>> UInt64(third & 63) & 1 == 1 {
        var place = 0
        while place < bits.count && mayHold(bits[place], in: block) { place += 1 }
        if place == bits.count { return block }
      }
      block += 1
    }
    return block
  }

  /// Whether a block may contain the gram with a given bit.
  @inline(__always)
  func mayHold(_ bit: Int, in block: Int) -> Bool {
    bloomFilters[block * GramBloomFilter.wordCount + bit / 64] >> UInt64(bit & 63) & 1 == 1
  }

  private mutating func sign(_ block: Int, _ key: Span<UInt8>) {
    let start = block * GramBloomFilter.wordCount
    func set(_ gram: UInt32) {
      let bit = GramBloomFilter.bit(of: gram)
      bloomFilters[start + bit / 64] |= 1 << UInt64(bit & 63)
    }
    Grams.forEachTrigram(of: key, after: 0) { set($0) }
    Grams.forEachShortGram(of: key, after: 0) { set($0) }
  }

  private mutating func signAll(_ index: Int) {
    let start = index * GramBloomFilter.wordCount
    for word in start..<start + GramBloomFilter.wordCount { bloomFilters[word] = 0 }
    let block = blocks[index]
    var keyStart = 0
    while keyStart < block.keys.count {
      let end = block.keyEnd(from: keyStart)
      sign(index, block.keys.span.extracting(keyStart..<end))
      keyStart = end + 1
    }
  }

  /// The last block that begins at or before a name; the first block if all begin after it.
  private func blockIndex(of key: Span<UInt8>, _ row: UInt32, names: borrowing TextColumn) -> Int {
    var (low, high) = (1, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      let order = blocks[middle].compare(0, 0, key, row, names: names, hasDisplayNames)
      if order <= 0 { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// What the order of entries compares of a key.
  @inline(__always)
  @_lifetime(copy key)
  func ordered(_ key: Span<UInt8>) -> Span<UInt8> { hasDisplayNames ? NamesKey.name(key) : key }

  /// The last block that begins before a key, whatever the name: entries with the key may begin there.
  func firstBlock(for key: Span<UInt8>) -> Int {
    var (low, high) = (1, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      let block = blocks[middle]
      let first = ordered(block.keys.span.extracting(0..<block.keyEnd(from: 0)))
      if ByteSearch.compare(first, key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// Bytes of keys, including their NULs.
  var keyByteCount: Int { blocks.reduce(0) { $0 + $1.keys.count } }

  var byteCount: Int { keyByteCount + count * 4 + blocks.count * MemoryLayout<Block>.stride + bloomFilters.count * 8 }
}

extension NameMemtable.Block {
  /// The end of the key that begins at `start`.
  @inline(__always)
  func keyEnd(from start: Int) -> Int {
    ByteSearch.terminator(in: keys.span, from: start)
  }

  /// Compares the entry at an index, whose key begins at `start`, with a name: by key, then by exact name.
  func compare(
    _ index: Int, _ start: Int, _ key: Span<UInt8>, _ row: UInt32, names: borrowing TextColumn,
    _ hasDisplayNames: Bool
  ) -> Int {
    let own = keys.span.extracting(start..<keyEnd(from: start))
    let difference =
      hasDisplayNames
      ? ByteSearch.compare(NamesKey.name(own), NamesKey.name(key)) : ByteSearch.compare(own, key)
    if difference != 0 { return difference }
    return ByteSearch.compare(names.bytes(Int(rows[index])), names.bytes(Int(row)))
  }

  /// The index of the first entry that is not before a name, and the start of its key.
  private func place(
    of key: Span<UInt8>, _ row: UInt32, names: borrowing TextColumn, _ hasDisplayNames: Bool
  ) -> (index: Int, start: Int) {
    var (index, start) = (0, 0)
    while index < rows.count && compare(index, start, key, row, names: names, hasDisplayNames) < 0 {
      start = keyEnd(from: start) + 1
      index += 1
    }
    return (index, start)
  }

  fileprivate mutating func insert(
    _ row: UInt32, key: [UInt8], names: borrowing TextColumn, _ hasDisplayNames: Bool
  ) {
    let (index, start) = place(of: key.span, row, names: names, hasDisplayNames)
    keys.insert(0, at: start)
    keys.insert(contentsOf: key, at: start)
    rows.insert(row, at: index)
  }

  fileprivate mutating func remove(
    _ row: UInt32, key: [UInt8], names: borrowing TextColumn, _ hasDisplayNames: Bool
  ) -> Bool {
    let (index, start) = place(of: key.span, row, names: names, hasDisplayNames)
    guard index < rows.count, rows[index] == row else { return false }
    keys.removeSubrange(start...keyEnd(from: start))
    rows.remove(at: index)
    return true
  }

  /// Moves the upper half of the entries to a new block.
  fileprivate mutating func splitInHalf() -> Self {
    let half = rows.count / 2
    var start = 0
    for _ in 0..<half { start = keyEnd(from: start) + 1 }
    var upper = NameMemtable.Block()
    upper.keys.append(contentsOf: keys[start...])
    upper.rows.append(contentsOf: rows[half...])
    keys.removeLast(keys.count - start)
    rows.removeLast(rows.count - half)
    return upper
  }
}
