extension NameSegment {
  /// Calls `body` with position and loose key of every entry, in order, whose key may match a pattern and is not below
  /// `start`, until it returns false.
  /// - Complexity: O(blocks that contain the grams of a prefilter, and of the rarest gram of each prefilter). Without
  ///   prefilters, O(names with the pattern's beginning).
  func forEachCandidate(
    of pattern: NamePattern, from start: [UInt8]?, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    func first(_ beginning: [UInt8]) -> Place {
      guard let start, ByteSearch.compare(start.span, beginning.span) > 0 else { return lowerBound(beginning.span) }
      return lowerBound(start.span)
    }
    if pattern.hasPrefilters {
      return searchByPrefilters(of: pattern, from: first(pattern.beginning), &budget, body)
    }
    for beginning in pattern.beginnings {
      let end = beginning.isEmpty ? count : lowerBound(NameKey.behindAll(beginningWith: beginning).loose.span).rank
      if !walk(from: first(beginning), to: end, of: pattern, &budget, body) { return }
    }
  }

  /// Calls `body` with the entries from a position to a rank, but for some that do not match.
  /// - Returns: false if `body` returned false, or the budget is exhausted.
  private func walk(
    from first: Place, to end: Int, of pattern: NamePattern, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) -> Bool {
    let keys = keys
    var place = first
    while place.rank < end {
      let equal = min(equalKeysCount(from: place.rank), end - place.rank)
      let passed = pattern.pass(keys.span, from: place.start, count: equal)
      place = Place(rank: place.rank + passed.count, start: place.start + passed.byteCount)
      if !budget.takeSteps(passed.count + 1) { return false }
      if passed.count == equal && equal > 0 { continue }
      let key = Self.key(at: place.start, in: keys.span)
      if !body(place, key, &budget) { return false }
      place = Place(rank: place.rank + 1, start: place.start + key.count + 1)
    }
    return budget.canContinue
  }

  private func searchByPrefilters(
    of pattern: NamePattern, from first: Place, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    if first.rank >= count { return }
    for number in first.rank / namesPerPart..<parts.count {
      let part = parts[number]
      let firstBlock = number * namesPerPart / Self.namesPerBlock
      let prefilters = pattern.prefilters(for: part)
      var walk = PrefilterWalk(prefilters, in: part, from: max(0, first.rank / Self.namesPerBlock - firstBlock))
      var found: [Int] = []
      // Taken once: a class in a class is retained each time it is taken.
      let edits = pattern.edits
      while let hits = walk.next(in: GramStream.Source(part)) {
        var index = 0
        while index < hits.count {
          if index + 8 < hits.count { prefetch(firstBlock + PrefilterWalk.block(of: hits[index + 8])) }
          let start = index
          let block = PrefilterWalk.block(of: hits[start])
          while index < hits.count && PrefilterWalk.block(of: hits[index]) == block { index += 1 }
          if !budget.takeStep() { return }
          find(hits[start..<index], of: prefilters, in: firstBlock + block, &found)
          if !visit(firstBlock + block, found, pattern, edits, from: first, &budget, body) { return }
        }
        if !budget.takeStep() { return }
      }
    }
  }

  private func prefetch(_ block: Int) {
    let keys = keys
    keys.span.prefetch(Int(blockStarts[block]), count: Self.namesPerBlock * 12)
  }

  /// Searches a block for the texts of some prefilters, and sorts where they are.
  private func find(
    _ hits: ArraySlice<PrefilterWalk.Hit>, of prefilters: NamePrefilters, in block: Int, _ found: inout [Int]
  ) {
    let (keys, end) = (keys, Int(blockStarts[block + 1]))
    found.removeAll(keepingCapacity: true)
    for hit in hits {
      let text = prefilters.texts.span.extracting(prefilters.text(of: PrefilterWalk.prefilter(of: hit)))
      var start = Int(blockStarts[block])
      while let hit = ByteSearch.find(text, in: keys.span, from: start, to: end) {
        found.append(hit)
        start = ByteSearch.terminator(in: keys.span, from: hit) + 1
      }
    }
    if found.count > 1 { found.sort() }
  }

  /// Calls `body` with the names of a block around some places, ascending, that may match.
  /// - Returns: false if `body` returned false, or the budget is exhausted.
  private func visit(
    _ block: Int, _ places: [Int], _ pattern: NamePattern, _ edits: EditTest?, from first: Place,
    _ budget: inout QueryBudget, _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) -> Bool {
    let keys = keys
    // The last name that matched, or the first of the block; and where the last name that was tested ends.
    var known = Place(rank: block * Self.namesPerBlock, start: Int(blockStarts[block]))
    var tested = known.start
    // Several of them may occur in one key.
    for place in places where place >= tested {
      let start = ByteSearch.runStart(before: place, in: keys.span, from: tested)
      let keyEnd = ByteSearch.terminator(in: keys.span, from: place)
      let key = keys.span.extracting(start..<keyEnd)
      tested = keyEnd + 1
      let mayHold = if let edits { edits.mayHold(key, &budget) } else { pattern.mayHold(key, &budget) }
      if mayHold {
        let rank = known.rank + ByteSearch.run(around: start, in: keys.span, from: known.start).terminatorCount
        if rank >= first.rank && !body(Place(rank: rank, start: start), key, &budget) { return false }
        known = Place(rank: rank, start: start)
      }
      if !budget.canContinue { return false }
    }
    return true
  }
}

extension NameSegment.Part {
  /// About how many blocks contain one of some prefilters, at most: by the rarest gram of each.
  func blockEstimate(of prefilters: NamePrefilters) -> Int {
    (0..<prefilters.count).reduce(0) {
      $0 + (prefilters.grams(of: $1).map { blockEstimate(of: prefilters.grams[$0]) }.min() ?? 0)
    }
  }

  /// About how many blocks have the rarest gram of a text that is not empty.
  func blockEstimate(ofText text: Span<UInt8>) -> Int {
    var least = Int.max
    Grams.forEach(ofQuery: text) { least = min(least, blockEstimate(of: $0)) }
    return least
  }

  private func blockEstimate(of gram: UInt32) -> Int {
    if gram >= 1 << 16 { return trigrams.entry(of: gram)?.countEstimate ?? 0 }
    return (shortGrams.entry(of: gram)?.countEstimate ?? 0) * NameSegment.blocksPerGroup
  }
}
