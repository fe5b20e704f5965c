extension NameMemtable {
  /// Calls `body` with position, row and key of every entry, in order, whose key matches the query's loose text and is
  /// not below `start`, until it returns false. The caller checks strictness.
  func forEachMatch(
    of query: NameQuery, from start: [UInt8]?, _ budget: inout QueryBudget,
    _ body: (Place, UInt32, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    if blocks.isEmpty { return }
    let text = query.loose.span
    var from = start ?? []
    let isAdjacent = !query.isEmpty && !query.isFoundAnywhere
    if isAdjacent && ByteSearch.compare(from.span, text) < 0 { from = query.loose }
    let first = from.isEmpty ? 0 : firstBlock(for: from.span)
    if !query.isEmpty && query.isFoundAnywhere {
      forEachSubstringMatch(of: query, from: from, firstBlock: first, &budget, body)
      return
    }
    let prefilters = Prefilters(query.pattern)
    for index in first..<blocks.count where prefilters.mayOccur(in: index, of: self) {
      if !budget.takeStep() { return }
      let block = blocks[index]
      let keys = block.keys.span
      var keyStart = 0
      for row in block.rows {
        let end = block.keyEnd(from: keyStart)
        let key = keys.extracting(keyStart..<end)
        if index > first || ByteSearch.compare(ordered(key), from.span) >= 0 {
          if !query.isEmpty && !query.holds(text, in: key) { return }
          let place = Place(block: index, start: keyStart, end: end)
          if prefilters.mayMatch(key, &budget) && !body(place, row, key, &budget) { return }
        }
        keyStart = end + 1
      }
    }
  }

  /// The position of a match's key: its block, start and end.
  struct Place {
    var block: Int
    var start: Int
    var end: Int
  }

  private func forEachSubstringMatch(
    of query: NameQuery, from: [UInt8], firstBlock: Int, _ budget: inout QueryBudget,
    _ body: (Place, UInt32, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    let text = query.loose.span
    let bits = query.grams.map { GramBloomFilter.bit(of: $0) }
    var index = nextBlock(from: firstBlock, holding: bits.span)
    while index < blocks.count && budget.takeStep() {
      let block = blocks[index]
      let keys = block.keys.span
      let wantsMore = ByteSearch.forEachKey(holding: text, in: keys, from: 0, to: keys.count) { number, range in
        let key = keys.extracting(range)
        if index == firstBlock && ByteSearch.compare(ordered(key), from.span) < 0 { return true }
        if query.match != .substring && !query.holds(text, in: key) { return true }
        let place = Place(block: index, start: range.lowerBound, end: range.upperBound)
        return body(place, block.rows[number], key, &budget)
      }
      if !wantsMore { return }
      index = nextBlock(from: index + 1, holding: bits.span)
    }
  }
}
