extension NameSegment {
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
    let text = query.loose.span
    let isShort = text.count < 3
    let names = isShort ? Self.namesPerGroup : Self.namesPerBlock
    let blocks = names / Self.namesPerBlock
    var goesOn = true
    for part in first.rank / namesPerPart..<parts.count where goesOn {
      let postings = isShort ? parts[part].shortGrams : parts[part].trigrams
      let base = part * namesPerPart
      postings.forEachBlock(holding: query.grams, from: max(0, first.rank - base) / names, &work) { index in
        let rank = base + index * names
        let block = rank / Self.namesPerBlock
        let start = Place(rank: rank, start: Int(blockStarts[block]))
        let end = min(block + blocks, blockStarts.count - 1)
        goesOn = scan(for: text, from: rank < first.rank ? first : start, to: end, body)
        return goesOn
      }
      if work.isCancelled { return }
    }
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
