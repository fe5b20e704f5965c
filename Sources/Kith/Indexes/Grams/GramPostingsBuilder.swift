/// Builds the posting lists of grams from blocks that are added one after the other.
///
/// The first pass records the slots of the distinct grams of each block. The second pass distributes them to lists,
/// whose lengths are then known. Each gram is hashed once, and no list grows.
struct GramPostingsBuilder {
  /// An open-addressed hash table: gram << 32 | slot. 0 marks a free slot, since no gram is 0. Slots are numbered in
  /// the order in which grams first occur.
  private var table = [UInt64](repeating: 0, count: 1 << 10)
  /// By slot: number of blocks with the gram << 32 | the last of these blocks.
  private var slots: [UInt64] = []
  /// The slots of all blocks, concatenated.
  private var stream: [UInt32] = []
  /// By block: its end in `stream`.
  private var blockEnds: [Int] = []

  private var block: UInt64 { UInt64(blockEnds.count) }

  /// Reserves space for the grams of a key, so that `add` needs no capacity check.
  mutating func reserve(_ gramCount: Int) {
    while (slots.count + gramCount) * 8 > table.count * 5 { growTable() }
  }

  /// Adds a gram to the current block. Duplicates are allowed.
  @inline(__always)
  mutating func add(_ gram: UInt32) {
    assert(gram != 0, "keys hold no NUL")
    let mask = table.count - 1
    var index = GramPostings.home(of: gram, mask: mask)
    while true {
      let entry = table[index]
      if entry >> 32 == UInt64(gram) {
        let slot = Int(entry & 0xFFFF_FFFF)
        let state = slots[slot]
        if state & 0xFFFF_FFFF != block {
          slots[slot] = (state >> 32 + 1) << 32 | block
          stream.append(UInt32(slot))
        }
        return
      }
      if entry == 0 {
        table[index] = UInt64(gram) << 32 | UInt64(slots.count)
        stream.append(UInt32(slots.count))
        slots.append(1 << 32 | block)
        return
      }
      index = (index + 1) & mask
    }
  }

  mutating func endBlock() { blockEnds.append(stream.count) }

  consuming func finish() -> GramPostings {
    let blockCount = blockEnds.count
    let words = GramPostings.wordsPerBitmap(blockCount)
    var places = [Int](repeating: 0, count: slots.count)  // by slot: dense ones as -1 - place
    var (listCount, wordCount) = (0, 0)
    for slot in slots.indices {
      let count = Int(slots[slot] >> 32)
      if count * 16 >= blockCount {  // the bitmap is no larger than a list of two-byte numbers
        places[slot] = -1 - wordCount
        wordCount += words
      } else {
        places[slot] = listCount
        listCount += count + 1
      }
    }
    let table = finalTable(places)
    var lists = [UInt16](repeating: 0, count: listCount)
    var bitmaps = [UInt64](repeating: 0, count: wordCount)
    for slot in slots.indices where places[slot] >= 0 {
      lists[places[slot]] = UInt16(slots[slot] >> 32)
      places[slot] += 1
    }
    var next = 0
    for block in 0..<blockCount {
      while next < blockEnds[block] {
        let slot = Int(stream[next])
        let place = places[slot]
        if place < 0 {
          bitmaps[-1 - place + block / 64] |= 1 << UInt64(block % 64)
        } else {
          lists[place] = UInt16(block)
          places[slot] = place + 1
        }
        next += 1
      }
    }
    return GramPostings(blockCount: blockCount, table: table, lists: lists, bitmaps: bitmaps)
  }

  /// The final table, which queries read: at most two thirds full.
  private func finalTable(_ places: [Int]) -> [UInt64] {
    var size = 2
    while slots.count * 3 > size * 2 { size *= 2 }
    var final = [UInt64](repeating: 0, count: size)
    for entry in table where entry != 0 {
      let (gram, slot) = (UInt32(entry >> 32), Int(entry & 0xFFFF_FFFF))
      let place = places[slot]
      var index = GramPostings.home(of: gram, mask: size - 1)
      while final[index] != 0 { index = (index + 1) & (size - 1) }
      final[index] =
        GramPostings.Entry(
          gram: gram, count: Int(slots[slot] >> 32), isDense: place < 0, place: place < 0 ? -1 - place : place
        ).bits
    }
    return final
  }

  private mutating func growTable() {
    let size = table.count * 2
    var wider = [UInt64](repeating: 0, count: size)
    for entry in table where entry != 0 {
      var index = GramPostings.home(of: UInt32(entry >> 32), mask: size - 1)
      while wider[index] != 0 { index = (index + 1) & (size - 1) }
      wider[index] = entry
    }
    table = wider
  }
}
