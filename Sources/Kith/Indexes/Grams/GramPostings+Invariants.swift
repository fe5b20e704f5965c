extension GramPostings {
  /// Whether the posting list of a gram contains a block.
  /// - Complexity: O(log blocks of the gram).
  func holds(_ gram: UInt32, in block: Int) -> Bool {
    guard let entry = entry(of: gram) else { return false }
    if entry.isDense { return bitmaps[entry.place + block / 64] >> UInt64(block % 64) & 1 == 1 }
    var (low, high) = (entry.place + 1, entry.place + 1 + Int(lists[entry.place]))
    let end = high
    while low < high {
      let middle = (low + high) / 2
      if Int(lists[middle]) < block { low = middle + 1 } else { high = middle }
    }
    return low < end && Int(lists[low]) == block
  }

  /// Walks the same blocks as a search, without limits.
  private func forEachBlock(holding grams: [UInt32], from first: Int, _ body: (Int) -> Bool) {
    var budget = QueryBudget()
    forEachBlock(holding: grams.span, from: first, &budget) { block, _ in body(block) }
  }

  /// The number of (gram, block) pairs, counted one by one.
  /// - Complexity: O(postings).
  func postedPairCount() -> Int {
    var pairs = 0
    for gram in postedGrams {
      forEachBlock(holding: [gram], from: 0) { _ in
        pairs += 1
        return true
      }
    }
    return pairs
  }

  /// Violated invariants of the lists: block numbers ascend and are below the number of blocks.
  func checkInvariants() -> [String] {
    var problems: [String] = []
    for gram in postedGrams {
      var last = -1
      forEachBlock(holding: [gram], from: 0) { block in
        if block <= last || block >= blockCount {
          problems.append("gram \(gram): block \(block) after \(last) of \(blockCount)")
        }
        last = block
        return true
      }
      if last < 0 { problems.append("gram \(gram) is posted nowhere") }
    }
    return problems
  }
}
