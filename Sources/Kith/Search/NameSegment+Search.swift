extension NameSegment {
  /// Blocks that are asked for before the first of them is looked at, so that their cache misses overlap: among a
  /// million names searches of three letters take half the time, and the slowest of all two thirds.
  private static let blocksAhead = 8

  /// Calls `body` with place and loose key of every entry, in order, whose key matches the query's loose text and is
  /// not before `start`, until it answers false. Whether the entry lives, and strictness, is the caller's to judge.
  func forEachMatch(
    of query: NameQuery, from start: [UInt8]?, _ work: inout SearchWork, _ body: (Place, Span<UInt8>) -> Bool
  ) {
    let text = query.loose.span
    if query.isEmpty {
      walk(from: start.map { lowerBound($0.span) } ?? place(of: 0), while: { _ in true }, &work, body)
    } else if query.match == .substring {
      forEachSubstringMatch(of: query, from: start.map { lowerBound($0.span) } ?? place(of: 0), &work, body)
    } else if let pattern = query.pattern {
      forEachCandidate(of: pattern, from: start, &work, body)
    } else {
      // What begins with the text is not before it.
      var first = query.loose
      if let start, ByteSearch.compare(start.span, text) > 0 { first = start }
      walk(from: lowerBound(first.span), while: { query.holds(text, in: $0) }, &work, body)
    }
  }

  /// Calls `body` with place and key of every entry from `first` on, in order, until it or `matches` answers false.
  @inline(__always)
  func walk(
    from first: Place, while matches: (Span<UInt8>) -> Bool, _ work: inout SearchWork,
    _ body: (Place, Span<UInt8>) -> Bool
  ) {
    let keys = keys
    var place = first
    while place.rank < count {
      let key = Self.key(at: place.start, in: keys.span)
      if !matches(key) || !work.goesOn() || !body(place, key) { return }
      place = Place(rank: place.rank + 1, start: place.start + key.count + 1)
    }
  }

  private func forEachSubstringMatch(
    of query: NameQuery, from first: Place, _ work: inout SearchWork, _ body: (Place, Span<UInt8>) -> Bool
  ) {
    if first.rank >= count { return }
    let isShort = query.loose.count < 3
    let stretch = Stretch(names: isShort ? Self.namesPerGroup : Self.namesPerBlock, first: first)
    // Neighbours lie in the cache lines that come next anyway.
    let countAhead = isShort ? 1 : Self.blocksAhead
    var ahead: [Int] = []
    ahead.reserveCapacity(countAhead)
    var goesOn = true
    func postings(_ part: Int) -> GramPostings { isShort ? parts[part].shortGrams : parts[part].trigrams }
    let firstPart = first.rank / namesPerPart
    postings(firstPart).prefetchEntries(of: query.grams)
    for part in firstPart..<parts.count where goesOn {
      if part + 1 < parts.count { postings(part + 1).prefetchEntries(of: query.grams) }
      let base = part * namesPerPart
      let firstIndex = max(0, first.rank - base) / stretch.names
      postings(part).forEachBlock(holding: query.grams, from: firstIndex, &work) { index in
        ahead.append(base + index * stretch.names)
        if ahead.count == countAhead { goesOn = scan(for: query.loose.span, &ahead, stretch, body) }
        return goesOn
      }
      if work.isCancelled { return }
    }
    if goesOn { _ = scan(for: query.loose.span, &ahead, stretch, body) }
  }

  /// What is looked through at once: so many names, and none before a place.
  private struct Stretch {
    let names: Int
    let first: Place
  }

  /// Looks for a text in stretches that begin at some ranks, all of which are asked for before the first is looked at.
  /// False when `body` wants no more.
  private func scan(
    for text: Span<UInt8>, _ ranks: inout [Int], _ stretch: Stretch, _ body: (Place, Span<UInt8>) -> Bool
  ) -> Bool {
    let (keys, rows) = (keys, rows)
    if ranks.count > 1 {
      for rank in ranks {  // a key has a dozen bytes
        keys.span.prefetch(Int(blockStarts[rank / Self.namesPerBlock]), count: Self.namesPerBlock * 13)
        rows.span.prefetch(rank, count: Self.namesPerBlock)
      }
    }
    for rank in ranks {
      let block = rank / Self.namesPerBlock
      let start = Place(rank: rank, start: Int(blockStarts[block]))
      let end = min(block + stretch.names / Self.namesPerBlock, blockStarts.count - 1)
      let goesOn = scan(for: text, from: rank < stretch.first.rank ? stretch.first : start, to: end, body)
      if !goesOn { return false }
    }
    ranks.removeAll(keepingCapacity: true)
    return true
  }

  /// Looks for a text in the keys from a place to the end of a block. False when `body` wants no more.
  private func scan(
    for text: Span<UInt8>, from first: Place, to endBlock: Int, _ body: (Place, Span<UInt8>) -> Bool
  ) -> Bool {
    let keys = keys
    return ByteSearch.forEachKey(
      holding: text, in: keys.span, from: first.start, to: Int(blockStarts[endBlock])
    ) { number, key in
      body(Place(rank: first.rank + number, start: key.lowerBound), keys.span.extracting(key))
    }
  }
}
