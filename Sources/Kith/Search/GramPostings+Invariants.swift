extension GramPostings {
  /// Whether a block is among those of a gram.
  func holds(_ gram: UInt32, in block: Int) -> Bool {
    var found = false
    var work = SearchWork()
    forEachBlock(holding: [gram], from: block, &work) { first in
      found = first == block
      return false
    }
    return found
  }

  /// How many pairs of gram and block are posted, counted one by one.
  /// - Complexity: O(postings).
  func postedPairCount() -> Int {
    var pairs = 0
    var work = SearchWork()
    for gram in postedGrams {
      forEachBlock(holding: [gram], from: 0, &work) { _ in
        pairs += 1
        return true
      }
    }
    return pairs
  }

  /// Problems of the lists themselves: numbers ascend and stay below the number of blocks.
  func checkInvariants() -> [String] {
    var problems: [String] = []
    var work = SearchWork()
    for gram in postedGrams {
      var last = -1
      forEachBlock(holding: [gram], from: 0, &work) { block in
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
