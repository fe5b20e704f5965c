/// The youngest names of an index, in order, in blocks that split when they are full: room for writes until there are
/// enough for a segment.
///
/// A value: a copy shares the blocks until one side writes. Every entry lives; a removal takes it out.
/// - Complexity: insertion and removal O(log count + names of a block + number of blocks).
struct NameHead: Sendable {
  static let maximumNamesPerBlock = 32

  /// A run of names in order.
  struct Block {
    /// Loose keys in order, each followed by a NUL.
    var keys: [UInt8] = []
    var rows: [UInt32] = []
  }

  private(set) var blocks: [Block] = []
  /// The signatures of the blocks' grams, block after block, apart from them: a search reads these alone of most.
  private var signatures: [UInt64] = []
  private(set) var count = 0

  mutating func insert(_ row: UInt32, key: [UInt8], names: borrowing TextColumn) {
    if blocks.isEmpty { insert(Block(), at: 0) }
    var index = blockIndex(of: key.span, row, names: names)
    if blocks[index].rows.count == Self.maximumNamesPerBlock {
      let upper = blocks[index].splitInHalf()
      signAll(index)
      insert(upper, at: index + 1)
      if upper.compare(0, 0, key.span, row, names: names) < 0 { index += 1 }
    }
    blocks[index].insert(row, key: key, names: names)
    sign(index, key.span)
    count += 1
  }

  private mutating func insert(_ block: Block, at index: Int) {
    blocks.insert(block, at: index)
    let start = index * GramSignature.wordCount
    signatures.insert(contentsOf: repeatElement(0, count: GramSignature.wordCount), at: start)
    signAll(index)
  }

  /// Takes a name out. False when it is not there.
  @discardableResult
  mutating func remove(_ row: UInt32, key: [UInt8], names: borrowing TextColumn) -> Bool {
    if blocks.isEmpty { return false }
    let index = blockIndex(of: key.span, row, names: names)
    guard blocks[index].remove(row, key: key, names: names) else { return false }
    if blocks[index].rows.isEmpty {
      blocks.remove(at: index)
      let start = index * GramSignature.wordCount
      signatures.removeSubrange(start..<start + GramSignature.wordCount)
    } else {
      signAll(index)
    }
    count -= 1
    return true
  }

  // MARK: - Signatures

  /// The first block from `index` on that may hold all grams whose bits are given, which are one at least; the number
  /// of blocks if there is none.
  func nextBlock(from index: Int, holding bits: Span<Int>) -> Int {
    let signatures = signatures.span
    // Three of the bits at once: the guess whether a single one is set would be wrong for every third block.
    let (first, second, third) = (bits[0], bits[bits.count / 2], bits[bits.count - 1])
    var block = index
    while block < blocks.count {
      let start = block * GramSignature.wordCount
      let words = (signatures[start + first / 64], signatures[start + second / 64], signatures[start + third / 64])
      if words.0 &>> UInt64(first & 63) & words.1 &>> UInt64(second & 63) & words.2 &>> UInt64(third & 63) & 1 == 1 {
        var place = 0
        while place < bits.count && mayHold(bits[place], in: block) { place += 1 }
        if place == bits.count { return block }
      }
      block += 1
    }
    return block
  }

  /// Whether a block may hold a gram whose bit is given.
  @inline(__always)
  func mayHold(_ bit: Int, in block: Int) -> Bool {
    signatures[block * GramSignature.wordCount + bit / 64] >> UInt64(bit & 63) & 1 == 1
  }

  private mutating func sign(_ block: Int, _ key: Span<UInt8>) {
    let start = block * GramSignature.wordCount
    func set(_ gram: UInt32) {
      let bit = GramSignature.bit(of: gram)
      signatures[start + bit / 64] |= 1 << UInt64(bit & 63)
    }
    Grams.forEachTrigram(of: key, after: 0) { set($0) }
    Grams.forEachShortGram(of: key, after: 0) { set($0) }
  }

  private mutating func signAll(_ index: Int) {
    let start = index * GramSignature.wordCount
    for word in start..<start + GramSignature.wordCount { signatures[word] = 0 }
    let block = blocks[index]
    var keyStart = 0
    while keyStart < block.keys.count {
      let end = block.keyEnd(from: keyStart)
      sign(index, block.keys.span.extracting(keyStart..<end))
      keyStart = end + 1
    }
  }

  /// The last block that begins at or before a name; the first one if all begin behind it.
  private func blockIndex(of key: Span<UInt8>, _ row: UInt32, names: borrowing TextColumn) -> Int {
    var (low, high) = (1, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].compare(0, 0, key, row, names: names) <= 0 { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// The last block that begins before a key, whatever the name: where entries with the key may begin.
  func firstBlock(for key: Span<UInt8>) -> Int {
    var (low, high) = (1, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      let block = blocks[middle]
      let first = block.keys.span.extracting(0..<block.keyEnd(from: 0))
      if ByteSearch.compare(first, key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// Bytes of keys, with their NULs.
  var keyByteCount: Int { blocks.reduce(0) { $0 + $1.keys.count } }

  var byteCount: Int { keyByteCount + count * 4 + blocks.count * MemoryLayout<Block>.stride + signatures.count * 8 }
}

extension NameHead.Block {
  /// Where the key that begins at `start` ends.
  @inline(__always)
  func keyEnd(from start: Int) -> Int {
    ByteSearch.terminator(in: keys.span, from: start)
  }

  /// How the entry at an index, its key at `start`, stands to a name: by key, then by the exact name.
  func compare(
    _ index: Int, _ start: Int, _ key: Span<UInt8>, _ row: UInt32, names: borrowing TextColumn
  ) -> Int {
    let difference = ByteSearch.compare(keys.span.extracting(start..<keyEnd(from: start)), key)
    if difference != 0 { return difference }
    return ByteSearch.compare(names.bytes(Int(rows[index])), names.bytes(Int(row)))
  }

  /// The first entry that is not before a name: its index, and where its key begins.
  private func place(
    of key: Span<UInt8>, _ row: UInt32, names: borrowing TextColumn
  ) -> (index: Int, start: Int) {
    var (index, start) = (0, 0)
    while index < rows.count && compare(index, start, key, row, names: names) < 0 {
      start = keyEnd(from: start) + 1
      index += 1
    }
    return (index, start)
  }

  fileprivate mutating func insert(_ row: UInt32, key: [UInt8], names: borrowing TextColumn) {
    let (index, start) = place(of: key.span, row, names: names)
    keys.insert(0, at: start)
    keys.insert(contentsOf: key, at: start)
    rows.insert(row, at: index)
  }

  fileprivate mutating func remove(_ row: UInt32, key: [UInt8], names: borrowing TextColumn) -> Bool {
    let (index, start) = place(of: key.span, row, names: names)
    guard index < rows.count, rows[index] == row else { return false }
    keys.removeSubrange(start...keyEnd(from: start))
    rows.remove(at: index)
    return true
  }

  /// Moves the upper half of the entries to a block of their own.
  fileprivate mutating func splitInHalf() -> Self {
    let half = rows.count / 2
    var start = 0
    for _ in 0..<half { start = keyEnd(from: start) + 1 }
    var upper = NameHead.Block()
    upper.keys = Array(keys[start...])
    upper.rows = Array(rows[half...])
    keys.removeLast(keys.count - start)
    rows.removeLast(rows.count - half)
    return upper
  }
}
