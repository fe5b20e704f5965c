extension NameSegment {
  /// Blocks that are prefetched before the first of them is read, so that their cache misses overlap. Among a million
  /// names this halves the time of searches of three letters, and cuts the slowest searches to two thirds.
  private static let blocksAhead = 8

  /// The first ranks that contain a query's text, ascending, as a range of `firstRanks.ranks`. Nil unless the text is
  /// one gram, and a frequent one.
  func firstRanks(of query: NameQuery) -> Range<Int>? {
    guard query.isOneGram else { return nil }
    return firstRanks.range(of: query.loose.reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// Calls `body` with position and loose key of every entry, in order, whose key matches the query's loose text and is
  /// not below `start`, until it returns false. The caller checks strictness and whether the entry is live.
  ///
  /// Inlined with all that it calls for a text, because a match would pass five closures on its way to `body`: 280
  /// instructions, a sixth of a search of four letters.
  /// - Parameter firstRank: the first rank, of a substring query without `start`.
  @inline(__always)
  func forEachMatch(
    of query: NameQuery, from start: [UInt8]?, firstRank: Int = 0, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    if query.isEmpty {
      walk(from: start.map { lowerBound($0.span) } ?? place(of: 0), while: { _ in true }, &budget, body)
    } else if let pattern = query.pattern {
      forEachCandidate(of: pattern, from: start, &budget, body)
    } else if query.isFoundAnywhere && query.match != .substring {
      forEachMatchInEither(of: query, from: start.map { lowerBound($0.span) } ?? place(of: 0), &budget, body)
    } else {
      forEachMatch(of: query.loose, query.match, from: start, firstRank: firstRank, &budget, body)
    }
  }

  /// The same for a loose text that is not empty.
  @inline(__always)
  func forEachMatch(
    of text: [UInt8], _ match: NameQuery.Match, from start: [UInt8]? = nil, firstRank: Int = 0,
    _ budget: inout QueryBudget, _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    if match == .substring {
      let first = start.map { lowerBound($0.span) } ?? place(of: firstRank)
      return forEachSubstringMatch(of: text, from: first, &budget, body)
    }
    // No key that begins with the text is below the text.
    var first = text
    if let start, ByteSearch.compare(start.span, text.span) > 0 { first = start }
    let isWhole = match == .exact
    walk(
      from: lowerBound(first.span),
      while: { Self.isUsername(of: $0, matching: text.span, isWhole: isWhole) }, &budget, body)
  }

  /// Whether the username of an entry begins with the text, or is the text.
  @inline(__always)
  private static func isUsername(of key: Span<UInt8>, matching text: Span<UInt8>, isWhole: Bool) -> Bool {
    ByteSearch.hasPrefix(key, text)
      && (!isWhole || key.count == text.count || key[text.count] == NamesKey.separator)
  }

  /// The same for a prefix or a whole name, of the username or of the display name: usernames that match are adjacent,
  /// and display names that match are found by the line feed before them.
  @inline(never)
  private func forEachMatchInEither(
    of query: NameQuery, from first: Place, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    let (text, isWhole) = (query.loose, query.match == .exact)
    let adjacent = lowerBound(text.span)
    var (wantsMore, isPassed) = (true, false)
    /// Visits the usernames that match: their keys are adjacent.
    func passAdjacent(_ budget: inout QueryBudget) {
      isPassed = true
      walk(
        from: first.rank > adjacent.rank ? first : adjacent,
        while: { Self.isUsername(of: $0, matching: text.span, isWhole: isWhole) }, &budget
      ) { place, key, budget in
        wantsMore = body(place, key, &budget)
        return wantsMore
      }
    }
    forEachSubstringMatch(of: [NamesKey.separator] + text, from: first, &budget) { place, key, budget in
      if place.rank >= adjacent.rank && !isPassed { passAdjacent(&budget) }
      if !wantsMore || !budget.canContinue { return false }
      let name = NamesKey.name(key)
      let isVisited = ByteSearch.hasPrefix(name, text.span) && (!isWhole || name.count == text.count)
      if isVisited || isWhole && key.count != name.count + 1 + text.count { return true }
      wantsMore = body(place, key, &budget)
      return wantsMore
    }
    if wantsMore && !isPassed && budget.canContinue { passAdjacent(&budget) }
  }

  /// Calls `body` with position and key of every entry from `first` on, in order, until it or `matches` returns false.
  @inline(__always)
  func walk(
    from first: Place, while matches: (Span<UInt8>) -> Bool, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    let keys = keys
    var place = first
    while place.rank < count {
      let key = Self.key(at: place.start, in: keys.span)
      if !matches(key) || !budget.takeStep() || !body(place, key, &budget) { return }
      place = Place(rank: place.rank + 1, start: place.start + key.count + 1)
    }
  }

  @inline(__always)
  private func forEachSubstringMatch(
    of text: [UInt8], from first: Place, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    if first.rank >= count { return }
    let isShort = text.count < 3
    let stretch = Stretch(names: isShort ? Self.namesPerGroup : Self.namesPerBlock, first: first)
    // Adjacent groups are in the next cache lines, which the hardware prefetches.
    let countAhead = isShort ? 1 : Self.blocksAhead
    var wantsMore = true
    func postings(_ part: Int) -> GramPostings { isShort ? parts[part].shortGrams : parts[part].trigrams }
    let firstPart = first.rank / namesPerPart
    withTemporaryList(of: UInt32.self, capacity: Grams.maximumQueryCount) { grams in
      Grams.add(ofQuery: text.span, to: &grams)
      withTemporaryList(of: Int.self, capacity: Self.blocksAhead) { ahead in
        for part in firstPart..<parts.count where wantsMore {
          let own = postings(part)
          if part == firstPart { own.prefetchEntries(of: grams.span) }
          if part + 1 < parts.count { postings(part + 1).prefetchEntries(of: grams.span) }
          let base = part * namesPerPart
          let firstIndex = max(0, first.rank - base) / stretch.names
          own.forEachBlock(holding: grams.span, from: firstIndex, &budget) { index, budget in
            ahead.append(base + index * stretch.names)
            if ahead.count == countAhead { wantsMore = scan(for: text.span, &ahead, stretch, &budget, body) }
            return wantsMore
          }
          if !budget.canContinue { return }
        }
        if wantsMore { _ = scan(for: text.span, &ahead, stretch, &budget, body) }
      }
    }
  }

  /// What one scan covers: so many names, and none before a position.
  private struct Stretch {
    let names: Int
    let first: Place
  }

  /// Searches for a text in stretches that begin at some ranks. All are prefetched before the first is read.
  /// - Returns: false if `body` returned false.
  @inline(__always)
  private func scan(
    for text: Span<UInt8>, _ ranks: inout OutputSpan<Int>, _ stretch: Stretch, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) -> Bool {
    let (keys, rows) = (keys, rows)
    if ranks.count > 1 {
      for index in ranks.indices {  // a key has a dozen bytes
        let rank = ranks[index]
        keys.span.prefetch(Int(blockStarts[rank / Self.namesPerBlock]), count: Self.namesPerBlock * 13)
        rows.span.prefetch(rank, count: Self.namesPerBlock)
      }
    }
    for index in ranks.indices {
      let rank = ranks[index]
      let block = rank / Self.namesPerBlock
      let start = Place(rank: rank, start: Int(blockStarts[block]))
      let end = min(block + stretch.names / Self.namesPerBlock, blockStarts.count - 1)
      let first = rank < stretch.first.rank ? stretch.first : start
      if !scan(for: text, from: first, to: end, &budget, body) { return false }
    }
    ranks.removeAll()
    return true
  }

  /// Searches for a text in the keys from a position to the end of a block.
  /// - Returns: false if `body` returned false.
  @inline(__always)
  private func scan(
    for text: Span<UInt8>, from first: Place, to endBlock: Int, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) -> Bool {
    let keys = keys
    return ByteSearch.forEachKey(
      holding: text, in: keys.span, from: first.start, to: Int(blockStarts[endBlock])
    ) { number, key in
      body(Place(rank: first.rank + number, start: key.lowerBound), keys.span.extracting(key), &budget)
    }
  }
}
