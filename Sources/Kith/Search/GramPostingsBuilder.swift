/// Collects the grams of one block after the other and lays out their postings.
///
/// The first pass writes down, for every block, the slots of its distinct grams; the second pass deals them out to
/// lists whose lengths are known by then. So every gram is hashed once and no list ever grows.
struct GramPostingsBuilder {
  /// Open-addressed: gram << 32 | slot; 0 is free, since no gram is 0. Slots count grams in the order they are first
  /// met.
  private var table = [UInt64](repeating: 0, count: 1 << 10)
  /// By slot: blocks with the gram << 32 | the last of them.
  private var slots: [UInt64] = []
  /// The slots of all blocks, block after block.
  private var stream: [UInt32] = []
  /// By block: where in the stream it ends.
  private var blockEnds: [Int] = []

  private var block: UInt64 { UInt64(blockEnds.count) }

  /// Makes room for a key's grams, so that `add` need not look.
  mutating func reserve(_ gramCount: Int) {
    while (slots.count + gramCount) * 8 > table.count * 5 { growTable() }
  }

  /// Adds a gram to the present block. It may come again.
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
    let blocks = blocksBySlot()
    let words = GramPostings.wordsPerBitmap(blockCount)
    var places: [Int] = []  // by slot: dense ones as -1 - place
    places.reserveCapacity(slots.count)
    var lists: [UInt16] = []
    var lowBytes: [UInt8] = []
    var bitmaps: [UInt64] = []
    var start = 0
    for slot in slots.indices {
      let count = Int(slots[slot] >> 32)
      let own = start..<start + count
      start += count
      switch GramPostings.Form(count, of: blockCount) {
      case .bitmap:
        places.append(-1 - bitmaps.count)
        let base = bitmaps.count
        bitmaps.append(contentsOf: repeatElement(0, count: words))
        for index in own { bitmaps[base + Int(blocks[index] >> 6)] |= 1 << UInt64(blocks[index] & 63) }
      case .chunks:
        places.append(lists.count)
        lists.append(UInt16(count))
        lists.append(UInt16(truncatingIfNeeded: lowBytes.count))
        lists.append(UInt16(lowBytes.count >> 16))
        var index = own.lowerBound
        for chunk in 0...GramPostings.chunkCount(blockCount) {
          while index < own.upperBound && blocks[index] >> 8 < chunk { index += 1 }
          lists.append(UInt16(index - own.lowerBound))
        }
        for index in own { lowBytes.append(UInt8(truncatingIfNeeded: blocks[index])) }
      case .list:
        places.append(lists.count)
        lists.append(UInt16(count))
        for index in own { lists.append(blocks[index]) }
      }
    }
    lowBytes.append(contentsOf: repeatElement(0, count: ByteSearch.vectorByteCount))
    return GramPostings(
      blockCount: blockCount, table: finalTable(places), lists: lists, lowBytes: lowBytes, bitmaps: bitmaps)
  }

  /// The blocks of one slot after the other, ascending.
  private func blocksBySlot() -> [UInt16] {
    var next: [Int] = []
    next.reserveCapacity(slots.count)
    var total = 0
    for state in slots {
      next.append(total)
      total += Int(state >> 32)
    }
    var blocks = [UInt16](repeating: 0, count: total)
    var start = 0
    for (block, end) in blockEnds.enumerated() {
      for slot in stream[start..<end] {
        blocks[next[Int(slot)]] = UInt16(block)
        next[Int(slot)] += 1
      }
      start = end
    }
    return blocks
  }

  /// The table that stays: no fuller than two thirds, of the entries that queries read.
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
