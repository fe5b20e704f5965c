extension NameIndex {
  /// The first rows, in order, whose names answer a query.
  /// - Parameters:
  ///   - after: the place behind which to begin; nil for the beginning.
  ///   - limit: how many at most.
  ///   - accept: asked of true matches only; those it refuses do not count towards the limit.
  /// - Complexity: O(limit) groups of 128 names for one and two letters; else O(blocks with the query's rarest trigram)
  ///   at worst, and usually no more than the blocks of the answers.
  func search(
    _ query: NameQuery, names: borrowing TextColumn, after: NameKey?, limit: Int, accept: (UInt32) -> Bool
  ) -> [UInt32] {
    if query.matchesNothing || limit <= 0 { return [] }
    var candidates = GramPostings.Candidates()
    var merge = HitMerge(limit: limit)
    // The largest segments are the oldest: once they have given enough, the others stop at their last answer.
    for index in tiers.indices {
      let segment = tiers[index].segment
      let isWhole = tiers[index].deadCount == 0  // spares each match a look at its row's serial, a cache miss
      segment.forEachMatch(of: query, from: after?.loose, using: &candidates) { place, key in
        let row = segment.rows[place.rank]
        guard isWhole || isLive(segment, row), isBehind(after, row, key: key, names: names) else { return true }
        let hit = Hit(row: row, source: index, block: 0, start: place.start, key: key)
        return take(hit, query, key, names: names, into: &merge, accept: accept)
      }
      merge.endSource()
    }
    head.forEachMatch(of: query, from: after?.loose) { place, row, key in
      guard isBehind(after, row, key: key, names: names) else { return true }
      let hit = Hit(row: row, source: tiers.count, block: place.block, start: place.start, key: key)
      return take(hit, query, key, names: names, into: &merge, accept: accept)
    }
    merge.endSource()
    return merge.rows
  }

  /// How many names answer a query.
  /// - Complexity: as a search without a limit.
  func count(_ query: NameQuery, names: borrowing TextColumn, accept: (UInt32) -> Bool) -> Int {
    if query.matchesNothing { return 0 }
    var candidates = GramPostings.Candidates()
    var count = 0
    for tier in tiers {
      let segment = tier.segment
      segment.forEachMatch(of: query, from: nil, using: &candidates) { place, key in
        let row = segment.rows[place.rank]
        if isLive(segment, row) && query.holdsStrictly(row, key: key, names: names) && accept(row) { count += 1 }
        return true
      }
    }
    head.forEachMatch(of: query, from: nil) { _, row, key in
      if query.holdsStrictly(row, key: key, names: names) && accept(row) { count += 1 }
      return true
    }
    return count
  }

  /// Whether an entry, whose key is not before that of `place`, comes behind it. Only of living entries: the name of a
  /// dead one may be another by now.
  @inline(__always)
  private func isBehind(_ place: NameKey?, _ row: UInt32, key: Span<UInt8>, names: borrowing TextColumn) -> Bool {
    guard let place else { return true }
    if ByteSearch.compare(key, place.loose.span) != 0 { return true }
    let order = ByteSearch.compare(names.bytes(Int(row)), place.name.span)
    return order > 0 || (order == 0 && place.precedesItsName)
  }

  /// Judges a match and puts it among the answers. False when its source can give no more.
  @inline(__always)
  private func take(
    _ hit: Hit, _ query: NameQuery, _ key: Span<UInt8>, names: borrowing TextColumn, into merge: inout HitMerge,
    accept: (UInt32) -> Bool
  ) -> Bool {
    guard query.holdsStrictly(hit.row, key: key, names: names), accept(hit.row) else { return true }
    if let last = merge.lastRival, isOrdered(last, before: hit, key: key, names: names) { return false }
    while let rival = merge.nextRival, isOrdered(rival, before: hit, key: key, names: names) {
      if !merge.takeRival() { return false }
    }
    return merge.take(hit)
  }

  private func isOrdered(_ rival: Hit, before hit: Hit, key: Span<UInt8>, names: borrowing TextColumn) -> Bool {
    if rival.word != hit.word { return rival.word < hit.word }
    let keys = rival.source < tiers.count ? tiers[rival.source].segment.keys : head.blocks[rival.block].keys
    let difference = ByteSearch.compare(keys.span.extracting(rival.start..<rival.start + rival.keyByteCount), key)
    if difference != 0 { return difference < 0 }
    return ByteSearch.compare(names.bytes(Int(rival.row)), names.bytes(Int(hit.row))) < 0
  }
}
