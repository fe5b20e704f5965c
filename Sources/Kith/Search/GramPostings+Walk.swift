/// The blocks that may hold a name with all of some grams.
///
/// A batch at a time: some blocks of the rarest gram are taken, and gram by gram those are dropped that do not hold it,
/// without a branch that depends on what the postings hold: so the processor waits for the memory of all at once, not
/// of one after the other. What is left is announced, so that its names are on their way while others are looked at.
extension GramPostings {
  /// One query's way through the postings of its grams, and room for it that further postings use again.
  struct Walk {
    fileprivate static let maximumSparseCount = 4
    fileprivate static let maximumDenseCount = 6
    /// Blocks that are announced before the first of them is looked at: about as many as a page of names stands in.
    fileprivate static let readyCount = 16
    fileprivate static let batchCount = 64
    fileprivate static let maximumBatchCount = 128
    /// A gram of fewer blocks needs no other: that costs more than looking at these.
    fileprivate static let minimumComparedCount = 16

    /// Rarest first. As few as pay: the rest is left to verification.
    fileprivate var entries: [Entry] = []
    /// The blocks of the rarest gram that are still to come: of a list, places in it; of chunks, places among the low
    /// bytes of the present chunk; of bitmaps, words.
    fileprivate var left = 0..<0
    fileprivate var chunk = 0
    /// The bits of the next word that count.
    fileprivate var mask = ~UInt64(0)
    /// The batch.
    fileprivate var blocks = [UInt16](repeating: 0, count: readyCount + maximumBatchCount)
    fileprivate var count = 0

    init() { entries.reserveCapacity(Grams.maximumQueryCount) }

    @inline(__always)
    fileprivate mutating func append(_ block: UInt16) {
      blocks[count] = block
      count &+= 1
    }
  }

  /// Calls `body` with each block from `first` on, ascending, that holds every one of `grams`, until it answers false;
  /// for several grams also with some that hold the rarest and not all others.
  /// - Parameters:
  ///   - work: room to work in, so that one query to many postings allocates once.
  ///   - ahead: told each block before `body` is, by so many blocks.
  /// - Complexity: O(blocks of the rarest gram).
  @inline(__always)
  func forEachBlock(
    holding grams: [UInt32], from first: Int, _ work: inout SearchWork, by distance: Int = 0,
    ahead: (Int) -> Void = { _ in }, _ body: (Int) -> Bool
  ) {
    guard begin(grams, from: first, &work.walk) else { return }
    var goesOn = true
    while goesOn && work.goesOn(Walk.readyCount) {
      work.walk.count = 0
      goesOn = work.walk.entries[0].isDense ? fillFromBitmaps(&work.walk) : fillFromLists(&work.walk)
      let count = work.walk.count
      for index in 0..<min(count, distance) { ahead(Int(work.walk.blocks[index])) }
      for index in 0..<count {
        if index + distance < count { ahead(Int(work.walk.blocks[index + distance])) }
        if !body(Int(work.walk.blocks[index])) { return }
      }
    }
  }

  /// Looks the grams up and chooses those that pay. False when one occurs nowhere.
  private func begin(_ grams: [UInt32], from first: Int, _ walk: inout Walk) -> Bool {
    walk.entries.removeAll(keepingCapacity: true)
    for gram in grams {
      guard let entry = entry(of: gram) else { return false }
      var index = walk.entries.count
      walk.entries.append(entry)
      while index > 0 && walk.entries[index - 1].weight > entry.weight {
        walk.entries[index] = walk.entries[index - 1]
        index -= 1
      }
      walk.entries[index] = entry
    }
    guard let rarest = walk.entries.first else { return false }
    if !rarest.isDense && rarest.roundedCount <= Walk.minimumComparedCount {
      walk.entries.removeLast(walk.entries.count - 1)
    }
    let sparseCount = walk.entries.firstIndex { $0.isDense } ?? walk.entries.count
    let denseEnd = min(walk.entries.count, sparseCount + Walk.maximumDenseCount)
    walk.entries.removeLast(walk.entries.count - denseEnd)
    if sparseCount > Walk.maximumSparseCount { walk.entries.removeSubrange(Walk.maximumSparseCount..<sparseCount) }
    for entry in walk.entries where !entry.isDense {
      lists.span.prefetch(entry.place, count: min(entry.roundedCount + 1, Self.chunkCount(blockCount) + 4))
    }
    begin(rarest, from: first, &walk)
    return true
  }

  /// Goes to the first block of the rarest gram that is not before `first`.
  private func begin(_ rarest: Entry, from first: Int, _ walk: inout Walk) {
    if rarest.isDense {
      walk.left = first / 64..<Self.wordsPerBitmap(blockCount)
      walk.mask = ~0 << UInt64(first % 64)
      return
    }
    let count = Int(lists[rarest.place])
    if Form(count, of: blockCount) == .chunks {
      walk.chunk = first / 256
      walk.left = lowBytes(of: walk.chunk, at: rarest.place)
      while let place = walk.left.first, lowBytes[place] < first % 256 { walk.left.removeFirst() }
    } else {
      walk.left = rarest.place + 1..<rarest.place + 1 + count
      if first > 0 {
        let lists = lists.span
        let next = Self.lowerBound(of: UInt16(first), in: lists, walk.left)
        walk.left = next + (lists[next] < first ? 1 : 0)..<walk.left.upperBound
      }
    }
  }

  /// Where the low bytes stand of a gram's blocks in one chunk.
  @inline(__always)
  private func lowBytes(of chunk: Int, at place: Int) -> Range<Int> {
    let base = Int(lists[place + 1]) | Int(lists[place + 2]) << 16
    return base + Int(lists[place + 3 + chunk])..<base + Int(lists[place + 4 + chunk])
  }

  // MARK: - Batches

  /// Blocks that all bitmaps have, until enough are ready. False behind the last.
  private func fillFromBitmaps(_ walk: inout Walk) -> Bool {
    let bitmaps = bitmaps.span
    while let word = walk.left.first {
      var bits = walk.mask
      for index in walk.entries.indices { bits &= bitmaps[walk.entries[index].place + word] }
      walk.mask = ~0
      walk.left.removeFirst()
      while bits != 0 {
        walk.append(UInt16(word * 64 + bits.trailingZeroBitCount))
        bits &= bits - 1
      }
      if walk.count >= Walk.readyCount { return true }
    }
    return false
  }

  /// Blocks of the rarest gram that all others have, until enough are ready. False behind the last.
  private func fillFromLists(_ walk: inout Walk) -> Bool {
    let rarest = walk.entries[0]
    let isList = Form(Int(lists[rarest.place]), of: blockCount) == .list
    var batchCount = walk.entries.count == 1 ? Walk.readyCount : Walk.batchCount
    while walk.count < Walk.readyCount {
      let known = walk.count
      if isList { takeFromList(batchCount, &walk) } else { takeFromChunks(batchCount, rarest.place, &walk) }
      if walk.count == known { return false }
      for entry in walk.entries.dropFirst() { keep(entry, &walk.blocks, known, &walk.count) }
      batchCount = Walk.maximumBatchCount
    }
    return true
  }

  private func takeFromList(_ count: Int, _ walk: inout Walk) {
    let lists = lists.span
    let batch = walk.left.prefix(count)
    for place in batch { walk.append(lists[place]) }
    walk.left.removeFirst(batch.count)
  }

  private func takeFromChunks(_ count: Int, _ place: Int, _ walk: inout Walk) {
    let lowBytes = lowBytes.span
    let end = walk.count + count
    while true {
      let base = UInt16(walk.chunk) << 8
      let batch = walk.left.prefix(end - walk.count)
      for place in batch { walk.append(base | UInt16(lowBytes[place])) }
      walk.left.removeFirst(batch.count)
      if walk.count == end || walk.chunk + 1 == Self.chunkCount(blockCount) { return }
      walk.chunk += 1
      walk.left = self.lowBytes(of: walk.chunk, at: place)
    }
  }

  // MARK: - Comparing

  /// Keeps those of blocks[start..<end] that a gram has, and moves `end`.
  @inline(__always)
  private func keep(_ entry: Entry, _ all: inout [UInt16], _ start: Int, _ end: inout Int) {
    var blocks = all.mutableSpan
    var kept = start
    if entry.isDense {
      let bitmaps = bitmaps.span
      for index in start..<end {
        let block = blocks[index]
        blocks[kept] = block
        kept &+= Int(truncatingIfNeeded: bitmaps[entry.place + Int(block >> 6)] >> UInt64(block & 63) & 1)
      }
    } else if Form(Int(lists[entry.place]), of: blockCount) == .chunks {
      let (lists, lowBytes) = (lists.span, lowBytes.span)
      let base = Int(lists[entry.place + 1]) | Int(lists[entry.place + 2]) << 16
      for index in start..<end {
        let block = blocks[index]
        let chunk = entry.place + 3 + Int(block >> 8)
        let (low, high) = (base + Int(lists[chunk]), base + Int(lists[chunk + 1]))
        blocks[kept] = block
        kept &+= ByteSearch.presence(of: UInt8(truncatingIfNeeded: block), in: lowBytes, low, high)
      }
    } else {
      let lists = lists.span
      let list = entry.place + 1..<entry.place + 1 + Int(lists[entry.place])
      for index in start..<end {
        let block = blocks[index]
        let found = lists[Self.lowerBound(of: block, in: lists, list)]
        blocks[kept] = block
        kept &+= 1 &- (Self.isLess(found, block) | Self.isLess(block, found))
      }
    }
    end = kept
  }

  /// The first place of a list whose block is at least `block`; the last one if there is none.
  @inline(__always)
  private static func lowerBound(of block: UInt16, in lists: Span<UInt16>, _ list: Range<Int>) -> Int {
    var (low, count) = (list.lowerBound, list.count)
    while count > 1 {
      let half = count / 2
      low &+= half & (0 &- isLess(lists[low &+ half &- 1], block))
      count &-= half
    }
    return low
  }

  /// 1 or 0, by arithmetic: the compiler makes branches of comparisons, and these would be as good as random.
  @inline(__always)
  private static func isLess(_ left: UInt16, _ right: UInt16) -> Int {
    Int(truncatingIfNeeded: (UInt(left) &- UInt(right)) >> UInt(UInt.bitWidth - 1))
  }
}
