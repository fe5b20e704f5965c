extension GramPostings {
  /// Scratch space for the grams of one query, reused from one part of the index to the next.
  struct Scratch {
    fileprivate static let maximumSparseCount = 4
    fileprivate static let maximumDenseCount = 6
    /// Sparse ones first, rarest first.
    fileprivate var entries: [Entry] = []
    fileprivate var lists: [List] = []
  }

  /// The posting list of a sparse gram: the current position of the walk, and the end.
  fileprivate struct List {
    var place: Int
    let end: Int
  }

  /// Calls `body` with each block from `first` on that contains all `grams`, ascending, until `body` returns false.
  ///
  /// Only the few rarest grams are intersected, as many as pay. Verification of the names covers the other grams.
  /// - Parameter scratch: reused: one query over many postings allocates once.
  /// - Complexity: O(blocks of the rarest gram), times the logarithm of the gaps for each other gram.
  func forEachBlock(
    holding grams: [UInt32], from first: Int, _ scratch: inout Scratch, _ budget: inout QueryBudget,
    _ body: (Int, inout QueryBudget) -> Bool
  ) {
    guard choose(grams, &scratch.entries) else { return }
    let entries = scratch.entries
    if entries[0].isDense {
      walkBitmaps(entries.span, &budget, from: first, body)
    } else {
      walkLists(entries.span, &scratch.lists, &budget, from: first, body)
    }
  }

  /// Looks up the grams and sorts them by weight.
  /// - Returns: false if a gram occurs nowhere.
  private func choose(_ grams: [UInt32], _ entries: inout [Entry]) -> Bool {
    entries.removeAll(keepingCapacity: true)
    entries.reserveCapacity(grams.count)
    for gram in grams {
      guard let entry = entry(of: gram) else { return false }
      if !entry.isDense { lists.span.prefetch(entry.place, count: 1) }
      var index = entries.count
      entries.append(entry)
      while index > 0 && entries[index - 1].weight > entry.weight {
        entries[index] = entries[index - 1]
        index -= 1
      }
      entries[index] = entry
    }
    return !entries.isEmpty
  }

  private func walkBitmaps(
    _ entries: Span<Entry>, _ budget: inout QueryBudget, from first: Int, _ body: (Int, inout QueryBudget) -> Bool
  ) {
    let bitmaps = bitmaps.span
    let words = Self.wordsPerBitmap(blockCount)
    let count = min(entries.count, Scratch.maximumDenseCount)
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
        if !budget.takeStep() || !body(word * 64 + bits.trailingZeroBitCount, &budget) { return }
        bits &= bits - 1
      }
      word += 1
    }
  }

  private func walkLists(
    _ entries: Span<Entry>, _ scratch: inout [List], _ budget: inout QueryBudget, from first: Int,
    _ body: (Int, inout QueryBudget) -> Bool
  ) {
    let (numbers, bitmaps) = (lists.span, bitmaps.span)
    let dense = take(entries, &scratch)
    var lists = scratch.mutableSpan
    let (place, end) = (lists[0].place, lists[0].end)
    var next = first == 0 ? place : Self.gallop(numbers, from: place, to: end, reaching: UInt16(first))
    walk: while next < end {
      let block = numbers[next]
      for index in dense where bitmaps[entries[index].place + Int(block >> 6)] >> UInt64(block & 63) & 1 == 0 {
        next += 1
        continue walk
      }
      var index = 1
      while index < lists.count {
        let found = Self.gallop(numbers, from: lists[index].place, to: lists[index].end, reaching: block)
        if found == lists[index].end { return }
        lists[index].place = found
        if numbers[found] != block {
          next = Self.gallop(numbers, from: next, to: end, reaching: numbers[found])
          continue walk
        }
        index += 1
      }
      if !budget.takeStep() || !body(Int(block), &budget) { return }
      next += 1
    }
  }

  /// Collects the lists to intersect.
  /// - Returns: the entries of the bitmaps to test.
  private func take(_ entries: Span<Entry>, _ scratch: inout [List]) -> Range<Int> {
    scratch.removeAll(keepingCapacity: true)
    scratch.reserveCapacity(Scratch.maximumSparseCount)
    var sparse = 0
    while sparse < entries.count && !entries[sparse].isDense {
      if sparse < Scratch.maximumSparseCount {
        let place = entries[sparse].place
        scratch.append(List(place: place + 1, end: place + 1 + Int(lists[place])))
      }
      sparse += 1
    }
    return sparse..<min(entries.count, sparse + Scratch.maximumDenseCount)
  }
}
