/// The youngest names of an index, in order, in blocks that split when they are full: room for writes until there are
/// enough for a segment.
///
/// A value: a copy shares the blocks until one side writes. Every entry lives; a removal takes it out.
/// - Complexity: insertion and removal O(log count + names of a block + number of blocks).
struct NameHead: Sendable {
  static let maximumNamesPerBlock = 32

  /// A run of names in order, with signatures of their grams.
  struct Block {
    /// Loose keys in order, each followed by a NUL.
    var keys: [UInt8] = []
    var rows: [UInt32] = []
    var trigrams = GramSignature()
    var shortGrams = GramSignature()
  }

  private(set) var blocks: [Block] = []
  private(set) var count = 0

  mutating func insert(_ row: UInt32, key: [UInt8], names: borrowing TextColumn) {
    if blocks.isEmpty { blocks.append(Block()) }
    var index = blockIndex(of: key.span, row, names: names)
    if blocks[index].rows.count == Self.maximumNamesPerBlock {
      let upper = blocks[index].splitInHalf()
      blocks.insert(upper, at: index + 1)
      if upper.compare(0, 0, key.span, row, names: names) < 0 { index += 1 }
    }
    blocks[index].insert(row, key: key, names: names)
    count += 1
  }

  /// Takes a name out. False when it is not there.
  @discardableResult
  mutating func remove(_ row: UInt32, key: [UInt8], names: borrowing TextColumn) -> Bool {
    if blocks.isEmpty { return false }
    let index = blockIndex(of: key.span, row, names: names)
    guard blocks[index].remove(row, key: key, names: names) else { return false }
    if blocks[index].rows.isEmpty { blocks.remove(at: index) }
    count -= 1
    return true
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

  var byteCount: Int { keyByteCount + count * 4 + blocks.count * MemoryLayout<Block>.stride }
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
    sign(key.span)
  }

  fileprivate mutating func remove(_ row: UInt32, key: [UInt8], names: borrowing TextColumn) -> Bool {
    let (index, start) = place(of: key.span, row, names: names)
    guard index < rows.count, rows[index] == row else { return false }
    keys.removeSubrange(start...keyEnd(from: start))
    rows.remove(at: index)
    signAll()
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
    signAll()
    upper.signAll()
    return upper
  }

  private mutating func sign(_ key: Span<UInt8>) {
    Grams.forEachTrigram(of: key, after: 0) { trigrams.insert($0) }
    Grams.forEachShortGram(of: key, after: 0) { shortGrams.insert($0) }
  }

  private mutating func signAll() {
    let keys = keys
    trigrams = GramSignature()
    shortGrams = GramSignature()
    var start = 0
    while start < keys.count {
      let end = keyEnd(from: start)
      sign(keys.span.extracting(start..<end))
      start = end + 1
    }
  }
}
