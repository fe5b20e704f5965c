/// Which blocks of names hold a gram: for every gram that occurs, the ascending numbers of its blocks, or a bitmap over
/// all blocks where that is smaller.
///
/// A block is a run of names that are neighbours in the order. There are at most 65,536 of them, so that a number takes
/// two bytes: at a million names six bytes a name fewer than with four. Immutable, plain data.
struct GramPostings: Sendable {
  static let maximumBlockCount = 1 << 16

  /// Of the blocks that were given.
  let blockCount: Int
  /// An open-addressed table of entries; its size is a power of two; 0 is a free place.
  private let table: [UInt64]
  /// Of each sparse gram: how many blocks, then their numbers.
  let lists: [UInt16]
  /// Of each dense gram: one bit for each block.
  let bitmaps: [UInt64]

  init(blockCount: Int, table: [UInt64], lists: [UInt16], bitmaps: [UInt64]) {
    self.blockCount = blockCount
    self.table = table
    self.lists = lists
    self.bitmaps = bitmaps
  }

  var byteCount: Int { table.count * 8 + lists.count * 2 + bitmaps.count * 8 }

  static func wordsPerBitmap(_ blockCount: Int) -> Int { (blockCount + 63) / 64 }

  /// What the table knows of a gram, in one word, so that choosing the rarest gram touches no list:
  /// gram (24 bits), weight (8), place of its list or bitmap (32).
  struct Entry {
    let bits: UInt64

    /// - Parameter count: the number of blocks with the gram; at least 1.
    init(gram: UInt32, count: Int, isDense: Bool, place: Int) {
      // A logarithm in quarters: exact enough to put the rare before the frequent.
      let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
      let quarter = exponent >= 2 ? (count >> (exponent - 2)) & 3 : 0
      let weight = min(exponent * 4 + quarter, 127) | (isDense ? 128 : 0)
      bits = UInt64(gram) << 40 | UInt64(weight) << 32 | UInt64(place)
    }

    fileprivate init(bits: UInt64) { self.bits = bits }

    /// Ascends with the number of blocks; all sparse grams come before all dense ones.
    var weight: UInt64 { bits >> 32 & 0xFF }
    var isDense: Bool { bits >> 39 & 1 == 1 }
    var place: Int { Int(bits & 0xFFFF_FFFF) }
  }

  @inline(__always)
  static func home(of gram: UInt32, mask: Int) -> Int { Int((gram &* 0x9E37_79B1) >> 7) & mask }

  func entry(of gram: UInt32) -> Entry? {
    let mask = table.count - 1
    var index = Self.home(of: gram, mask: mask)
    while true {
      let bits = table[index]
      if bits == 0 { return nil }
      if bits >> 40 == UInt64(gram) { return Entry(bits: bits) }
      index = (index + 1) & mask
    }
  }

  /// Every gram that occurs, in no order that means anything.
  var postedGrams: [UInt32] { table.filter { $0 != 0 }.map { UInt32($0 >> 40) } }

  /// The blocks that may hold a name with all of some grams: the question of one query to these postings.
  struct Candidates {
    fileprivate static let maximumSparseCount = 4
    fileprivate static let maximumDenseCount = 6
    /// Sparse ones first, rarest first. As few as pay: the rest is left to verification.
    fileprivate var entries: [Entry] = []
    /// Of each sparse entry, where in `lists` the walk has come to, and where the list ends.
    fileprivate var places: [Int] = []
    fileprivate var ends: [Int] = []

    init() {
      entries.reserveCapacity(Grams.maximumQueryCount)
      places.reserveCapacity(Self.maximumSparseCount)
      ends.reserveCapacity(Self.maximumSparseCount)
    }
  }

  /// Calls `body` with each block from `first` on, ascending, that holds every one of `grams`, until it answers false.
  /// - Parameter work: room to work in, so that one query to many postings allocates once.
  /// - Complexity: O(blocks of the rarest gram), and the logarithm of the gaps for the other grams.
  func forEachBlock(
    holding grams: [UInt32], from first: Int, _ work: inout SearchWork, _ body: (Int) -> Bool
  ) {
    guard choose(grams, &work.candidates) else { return }
    if work.candidates.entries[0].isDense {
      walkBitmaps(&work, from: first, body)
    } else {
      walkLists(&work, from: first, body)
    }
  }

  /// Looks the grams up and orders them by weight. False when one occurs nowhere.
  private func choose(_ grams: [UInt32], _ candidates: inout Candidates) -> Bool {
    candidates.entries.removeAll(keepingCapacity: true)
    for gram in grams {
      guard let entry = entry(of: gram) else { return false }
      var index = candidates.entries.count
      candidates.entries.append(entry)
      while index > 0 && candidates.entries[index - 1].weight > entry.weight {
        candidates.entries[index] = candidates.entries[index - 1]
        index -= 1
      }
      candidates.entries[index] = entry
    }
    return !candidates.entries.isEmpty
  }

  private func walkBitmaps(_ work: inout SearchWork, from first: Int, _ body: (Int) -> Bool) {
    let bitmaps = bitmaps.span
    let entries = work.candidates.entries
    let words = Self.wordsPerBitmap(blockCount)
    let count = min(entries.count, Candidates.maximumDenseCount)
    var word = first / 64
    var keep = ~UInt64(0) << UInt64(first % 64)
    while word < words {
      var bits = bitmaps[entries[0].place + word] & keep
      keep = ~0
      var index = 1
      while index < count && bits != 0 {
        bits &= bitmaps[entries[index].place + word]
        index += 1
      }
      while bits != 0 {
        if !work.goesOn() || !body(word * 64 + bits.trailingZeroBitCount) { return }
        bits &= bits - 1
      }
      word += 1
    }
  }

  private func walkLists(_ work: inout SearchWork, from first: Int, _ body: (Int) -> Bool) {
    let (lists, bitmaps) = (lists.span, bitmaps.span)
    let entries = work.candidates.entries
    work.candidates.places.removeAll(keepingCapacity: true)
    work.candidates.ends.removeAll(keepingCapacity: true)
    var dense = 0
    while dense < entries.count && !entries[dense].isDense {
      if dense < Candidates.maximumSparseCount {
        let place = entries[dense].place
        work.candidates.places.append(place + 1)
        work.candidates.ends.append(place + 1 + Int(lists[place]))
      }
      dense += 1
    }
    let denseEnd = min(entries.count, dense + Candidates.maximumDenseCount)
    let sparseCount = work.candidates.places.count
    let end = work.candidates.ends[0]
    var place = work.candidates.places[0]
    if first > 0 { place = Self.gallop(lists, from: place, to: end, reaching: UInt16(first)) }
    next: while place < end {
      let block = lists[place]
      var index = dense
      while index < denseEnd {
        if bitmaps[entries[index].place + Int(block >> 6)] >> UInt64(block & 63) & 1 == 0 {
          place += 1
          continue next
        }
        index += 1
      }
      index = 1
      while index < sparseCount {
        let listEnd = work.candidates.ends[index]
        let found = Self.gallop(lists, from: work.candidates.places[index], to: listEnd, reaching: block)
        if found == listEnd { return }
        work.candidates.places[index] = found
        if lists[found] != block {
          place = Self.gallop(lists, from: place, to: end, reaching: lists[found])
          continue next
        }
        index += 1
      }
      if !work.goesOn() || !body(Int(block)) { return }
      place += 1
    }
  }

  /// The first place in lists[start..<end] whose block is at least `block`, found by doubling steps.
  @inline(__always)
  static func gallop(_ lists: Span<UInt16>, from start: Int, to end: Int, reaching block: UInt16) -> Int {
    var (low, step) = (start, 1)
    while low < end && lists[low] < block {
      let high = min(low + step, end)
      if high == end || lists[high] >= block {
        var (left, right) = (low + 1, high)
        while left < right {
          let middle = (left + right) / 2
          if lists[middle] < block { left = middle + 1 } else { right = middle }
        }
        return left
      }
      low = high
      step *= 2
    }
    return low
  }
}
