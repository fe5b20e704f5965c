extension NameHead {
  /// Calls `body` with block, start and end of the key there, row and key of every entry, in order, whose key matches
  /// the query's loose text and is not before `start`, until it answers false. Strictness is the caller's to judge.
  func forEachMatch(
    of query: NameQuery, from start: [UInt8]?, _ work: inout SearchWork, _ body: (Place, UInt32, Span<UInt8>) -> Bool
  ) {
    if blocks.isEmpty { return }
    let text = query.loose.span
    var from = start ?? []
    if !query.isEmpty && query.match != .substring && ByteSearch.compare(from.span, text) < 0 { from = query.loose }
    let first = from.isEmpty ? 0 : firstBlock(for: from.span)
    if !query.isEmpty && query.match == .substring {
      forEachSubstringMatch(of: query, from: from, firstBlock: first, &work, body)
      return
    }
    let clues = Clues(query.pattern)
    for index in first..<blocks.count where clues.mayStand(in: index, of: self) {
      if !work.goesOn() { return }
      let block = blocks[index]
      let keys = block.keys.span
      var keyStart = 0
      for row in block.rows {
        let end = block.keyEnd(from: keyStart)
        let key = keys.extracting(keyStart..<end)
        if index > first || ByteSearch.compare(key, from.span) >= 0 {
          if !query.isEmpty && !query.holds(text, in: key) { return }
          if clues.mayLead(to: key) && !body(Place(block: index, start: keyStart, end: end), row, key) { return }
        }
        keyStart = end + 1
      }
    }
  }

  /// Where the key of a match lies.
  struct Place {
    var block: Int
    var start: Int
    var end: Int
  }

  private func forEachSubstringMatch(
    of query: NameQuery, from: [UInt8], firstBlock: Int, _ work: inout SearchWork,
    _ body: (Place, UInt32, Span<UInt8>) -> Bool
  ) {
    let text = query.loose.span
    let bits = query.grams.map { GramSignature.bit(of: $0) }
    var index = nextBlock(from: firstBlock, holding: bits.span)
    while index < blocks.count && work.goesOn() {
      let block = blocks[index]
      let keys = block.keys.span
      let goesOn = ByteSearch.forEachKey(holding: text, in: keys, from: 0, to: keys.count) { number, range in
        let key = keys.extracting(range)
        if index == firstBlock && ByteSearch.compare(key, from.span) < 0 { return true }
        let place = Place(block: index, start: range.lowerBound, end: range.upperBound)
        return body(place, block.rows[number], key)
      }
      if !goesOn { return }
      index = nextBlock(from: index + 1, holding: bits.span)
    }
  }
}
