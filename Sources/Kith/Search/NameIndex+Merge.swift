extension NameIndex {
  /// Makes a segment of the head and begins an empty one.
  mutating func freezeHead(names: borrowing TextColumn) {
    var builder = NameSegmentBuilder()
    builder.reserve(count: head.count, keyByteCount: head.byteCount)
    for block in head.blocks {
      var start = 0
      for row in block.rows {
        let end = block.keyEnd(from: start)
        builder.add(row, key: block.keys[start..<end])
        start = end + 1
      }
    }
    head.removeAll()
    append(builder, names: names)
    merge(names: names)
  }

  /// Restores the shape: segments that are mostly dead are rewritten, and runs of small ones are made into one.
  ///
  /// It runs within the change that made it due. It needs nothing but the tiers and the serials of one instant, so it
  /// could as well run from a pinned index: names removed meanwhile have lost their serials, wherever their entries
  /// are.
  mutating func merge(names: borrowing TextColumn) {
    var index = tiers.count
    while index > 0 {
      index -= 1
      if isMostlyDead(tiers[index]) { merge(index..<index + 1, names: names) }
    }
    while let range = dueRange() { merge(range, names: names) }
  }

  func isMostlyDead(_ tier: Tier) -> Bool { tier.deadCount * 2 > tier.segment.count }

  /// The youngest tiers that are together worth a merge: at least `fanout`, none of a level above the youngest one's.
  private func dueRange() -> Range<Int>? {
    guard let last = tiers.last else { return nil }
    let level = level(of: last)
    var start = tiers.count
    var keyByteCount = 0
    while start > 0 && self.level(of: tiers[start - 1]) <= level {
      keyByteCount += tiers[start - 1].segment.keys.count
      if keyByteCount > NameSegment.maximumKeyByteCount { break }
      start -= 1
    }
    return tiers.count - start >= fanout ? start..<tiers.count : nil
  }

  /// How many times `fanout` heads went into a segment of that many living names.
  private func level(of tier: Tier) -> Int {
    var level = 0
    var size = headCapacity * fanout
    while tier.segment.count - tier.deadCount >= size {
      level += 1
      size *= fanout
    }
    return level
  }

  /// Puts one segment of the living entries in the place of some neighbours.
  private mutating func merge(_ range: Range<Int>, names: borrowing TextColumn) {
    var builder = NameSegmentBuilder()
    let merged = tiers[range]
    builder.reserve(
      count: merged.reduce(0) { $0 + $1.segment.count - $1.deadCount },
      keyByteCount: merged.reduce(0) { $0 + $1.segment.keys.count })
    for tier in merged {
      let segment = tier.segment
      segment.walk(from: segment.place(of: 0), while: { _ in true }) { place, key in
        let row = segment.rows[place.rank]
        if isLive(segment, row) { builder.add(row, key: segment.keys[place.start..<place.start + key.count]) }
        return true
      }
    }
    let first = tiers[range.lowerBound].segment.serials.lowerBound
    let last = tiers[range.upperBound - 1].segment.serials.upperBound
    tiers.replaceSubrange(
      range,
      with: builder.count == 0 ? [] : [Tier(segment: builder.build(serials: first...last, names: names))])
  }

  /// Whether a segment's entry for a row is the one that counts.
  @inline(__always)
  func isLive(_ segment: NameSegment, _ row: UInt32) -> Bool { segment.serials.contains(serials[row]) }
}
