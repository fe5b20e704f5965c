extension GramPostings {
  /// The most lists, and the most bitmaps, that are intersected.
  private static let maximumSparseCount = 4
  private static let maximumDenseCount = 6

  /// The posting list of a sparse gram: the current position of the walk, and the end.
  fileprivate struct List {
    var place: Int
    let end: Int
  }

  /// Calls `body` with each block from `first` on that contains all `grams`, ascending, until `body` returns false.
  ///
  /// Only the few rarest grams are intersected, as many as pay. Verification of the names covers the other grams.
  /// - Complexity: O(blocks of the rarest gram), times the logarithm of the gaps for each other gram.
  func forEachBlock(
    holding grams: Span<UInt32>, from first: Int, _ budget: inout QueryBudget,
    _ body: (Int, inout QueryBudget) -> Bool
  ) {
    withTemporaryList(of: Entry.self, capacity: Grams.maximumQueryCount) { entries in
      guard choose(grams, &entries) else { return }
      if entries[0].isDense {
        walkBitmaps(entries.span, &budget, from: first, body)
      } else {
        walkLists(entries.span, &budget, from: first, body)
      }
    }
  }

  /// Looks up the grams and sorts them by weight.
  /// - Returns: false if a gram occurs nowhere.
  private func choose(_ grams: Span<UInt32>, _ entries: inout OutputSpan<Entry>) -> Bool {
    let lists = lists
    for place in grams.indices {
      guard let entry = entry(of: grams[place]) else { return false }
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
    let bitmaps = bitmaps
    let words = Self.wordsPerBitmap(blockCount)
    let count = min(entries.count, Self.maximumDenseCount)
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
    _ entries: Span<Entry>, _ budget: inout QueryBudget, from first: Int, _ body: (Int, inout QueryBudget) -> Bool
  ) {
    withTemporaryList(of: List.self, capacity: Self.maximumSparseCount) { lists in
      let dense = take(entries, &lists)
      walk(entries, lists.mutableSpan, dense, &budget, from: first, body)
    }
  }

  @inline(__always)
  private func walk(
    _ entries: Span<Entry>, _ lists: consuming MutableSpan<List>, _ dense: Range<Int>, _ budget: inout QueryBudget,
    from first: Int, _ body: (Int, inout QueryBudget) -> Bool
  ) {
    let (allNumbers, allBitmaps) = (self.lists, self.bitmaps)
    let (numbers, bitmaps) = (allNumbers.span, allBitmaps.span)
    let (place, end) = (lists[0].place, lists[0].end)
    var next = first == 0 ? place : numbers.lowerBound(of: UInt16(first), from: place, to: end)
    walk: while next < end {
      let block = numbers[next]
      for index in dense where bitmaps[entries[index].place + Int(block >> 6)] >> UInt64(block & 63) & 1 == 0 {
        next += 1
        continue walk
      }
      var index = 1
      while index < lists.count {
        let found = numbers.lowerBound(of: block, from: lists[index].place, to: lists[index].end)
        if found == lists[index].end { return }
        lists[index].place = found
        if numbers[found] != block {
          next = numbers.lowerBound(of: numbers[found], from: next + 1, to: end)
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
  private func take(_ entries: Span<Entry>, _ found: inout OutputSpan<List>) -> Range<Int> {
    let lists = lists
    var sparse = 0
    while sparse < entries.count && !entries[sparse].isDense {
      if !found.isFull {
        let place = entries[sparse].place
        found.append(List(place: place + 1, end: place + 1 + Int(lists[place])))
      }
      sparse += 1
    }
    return sparse..<min(entries.count, sparse + Self.maximumDenseCount)
  }
}
