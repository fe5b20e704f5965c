extension GramPostings {
  /// Whether the posting list of a gram contains a block.
  func holds(_ gram: UInt32, in block: Int) -> Bool {
    var found = false
    forEachBlock(holding: [gram], from: block) { first in
      found = first == block
      return false
    }
    return found
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
