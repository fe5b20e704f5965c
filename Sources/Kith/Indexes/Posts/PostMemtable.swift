/// A memtable of the post index: up to 1,024 consecutive rows.
struct PostMemtable: Sendable {
  private static let authorSlotBitCount = 9

  private static let blank = ReadyValues { PostMemtable() }

  private(set) var firstRow: UInt32 = 0
  private(set) var count = 0
  private var texts = RecentTexts()
  /// By hash of an author: the blocks with posts by such authors, as bits.
  private var authors = [UInt64](repeating: 0, count: 1 << authorSlotBitCount)
  /// By block: the latest time of any post ever in it.
  private var newestTimes = [Int64](repeating: .min, count: RecentTexts.capacity / RecentTexts.textsPerBlock)

  /// By post: the signature of its author's present name.
  private var signatures = [UInt64](repeating: 0, count: RecentTexts.capacity)

  /// - Parameter isFirst: whether no others are expected soon.
  init(firstRow: UInt32, isFirst: Bool = true) {
    self = Self.blank.take(preparesNext: !isFirst)
    self.firstRow = firstRow
  }

  private init() {}

  var rows: Range<UInt32> { firstRow..<firstRow + UInt32(count) }
  var isFull: Bool { count == RecentTexts.capacity }

  @inline(__always)
  private static func slot(_ author: UInt32) -> Int {
    Int((author &* 0x9E37_79B1) >> (32 - UInt32(authorSlotBitCount)))
  }

  /// Adds the next row.
  /// - Parameter signature: of the author's name.
  mutating func append(author: UInt32, signature: NameSignature, time: Int64, text: Span<UInt8>) {
    let block = count / RecentTexts.textsPerBlock
    texts.add(Folding.loose(text).span, at: count)
    authors[Self.slot(author)] |= 1 << UInt64(block)
    newestTimes[block] = max(newestTimes[block], time)
    signatures[count] = signature.bits
    count += 1
  }

  /// Sets the signature of a user's new name.
  mutating func setSignature(_ signature: NameSignature, of author: UInt32, _ authors: borrowing Column<UInt32>) {
    var blocks = blocks(by: [author])
    while blocks != 0 {
      let start = blocks.trailingZeroBitCount * RecentTexts.textsPerBlock
      for index in start..<min(start + RecentTexts.textsPerBlock, count)
      where authors[firstRow + UInt32(index)] == author { signatures[index] = signature.bits }
      blocks &= blocks - 1
    }
  }

  /// The signature of the author's name of a post.
  func signature(of row: UInt32) -> NameSignature { NameSignature(bits: signatures[Int(row - firstRow)]) }

  /// The blocks that may contain a post with all the grams, as bits.
  func blocks(holding grams: [UInt32]) -> UInt64 { texts.blocks(holding: grams) }

  /// The blocks that may contain a post by one of the authors, as bits.
  func blocks(by authors: [UInt32]) -> UInt64 { authors.reduce(0) { $0 | self.authors[Self.slot($1)] } }

  /// The blocks that are not empty, as bits.
  var blocks: UInt64 {
    let blockCount = (count + RecentTexts.textsPerBlock - 1) / RecentTexts.textsPerBlock
    return blockCount == 64 ? ~0 : (1 << UInt64(blockCount)) - 1
  }

  /// No post of the block is later than this.
  func newestTime(in block: Int) -> Int64 { newestTimes[block] }

  /// The posts of a block that may contain all the grams, as bits.
  func posts(of block: Int, holding grams: [UInt32]) -> UInt64 { texts.texts(of: block, holding: grams) }

  /// The posts of a group of 64 rows that may contain all the grams, as bits.
  func posts(ofGroup group: Int, holding grams: [UInt32]) -> UInt64 { texts.texts(ofGroup: group, holding: grams) }

  /// The posts of a group of 64 rows whose author's name may contain a text of a signature, as bits.
  func posts(ofGroup group: Int, by signature: NameSignature) -> UInt64 {
    ByteSearch.supersets(of: signature.bits, in: signatures.span, from: group * RecentTexts.textsPerGroup)
  }

  /// The same for the posts of a block.
  func posts(of block: Int, by signature: NameSignature) -> UInt64 {
    let first = block * RecentTexts.textsPerBlock
    let posts = posts(ofGroup: first / RecentTexts.textsPerGroup, by: signature)
    return posts >> UInt64(first % RecentTexts.textsPerGroup) & ((1 << UInt64(RecentTexts.textsPerBlock)) - 1)
  }

  /// The row of a post of a block; nil after the last one.
  func row(_ post: Int, of block: Int) -> UInt32? {
    let index = block * RecentTexts.textsPerBlock + post
    return index < count ? firstRow + UInt32(index) : nil
  }

  var byteCount: Int { texts.byteCount + (authors.count + newestTimes.count + signatures.count) * 8 }
}
