extension NameIndex {
  /// Everything that must hold, checked against the names themselves; one sentence for each breach.
  /// - Complexity: O(bytes), many times that of building.
  func checkInvariants(names: borrowing TextColumn) -> [String] {
    var problems: [String] = []
    var holders = [Int](repeating: 0, count: names.count)
    var lastSerial = Self.noSerial
    for (index, tier) in tiers.enumerated() {
      if tier.serials.lowerBound <= lastSerial {
        problems.append("tier \(index): serials \(tier.serials) after \(lastSerial)")
      }
      lastSerial = tier.serials.upperBound
      let layout =
        switch tier.body {
        case .segment(let segment): segment.checkLayout()
        case .head(let head): head.checkLayout()
        }
      problems += layout.map { "tier \(index): \($0)" }
      problems += checkEntries(of: tier, names: names, &holders).map { "tier \(index): \($0)" }
    }
    if headSerial <= lastSerial { problems.append("the head's serial \(headSerial) is that of a tier") }
    if head.count >= headCapacity { problems.append("the head holds \(head.count) names of \(headCapacity)") }
    problems += head.checkLayout().map { "head: \($0)" }
    problems += checkEntries(of: Tier(head, serial: headSerial), names: names, &holders).map { "head: \($0)" }
    for row in 0..<names.count {
      let expected = names.byteCount(row) == 0 ? 0 : 1
      if holders[row] != expected { problems.append("row \(row) has \(holders[row]) living entries, not \(expected)") }
      let hasSerial = row < serials.count && serials[row] != Self.noSerial
      if hasSerial != (expected == 1) { problems.append("row \(row) and its serial disagree whether it has a name") }
    }
    return problems
  }

  /// The living entries of a tier: their keys are those of their names, and equal keys are in the order of the names.
  private func checkEntries(of tier: Tier, names: borrowing TextColumn, _ holders: inout [Int]) -> [String] {
    var problems: [String] = []
    var (count, dead) = (0, 0)
    var previous: (key: ArraySlice<UInt8>, row: UInt32)?
    tier.forEachEntry { row, key in
      count += 1
      if Int(row) >= serials.count || !isLive(tier, row) {
        dead += 1
        return
      }
      if !key.elementsEqual(Folding.loose(names.bytes(Int(row)))) { problems.append("row \(row) has another's key") }
      if let previous, previous.key.elementsEqual(key),
        ByteSearch.compare(names.bytes(Int(previous.row)), names.bytes(Int(row))) >= 0
      {
        problems.append("rows \(previous.row) and \(row) are not in the order of their names")
      }
      holders[Int(row)] += 1
      previous = (key, row)
    }
    if count != tier.count { problems.append("\(count) entries, \(tier.count) counted") }
    if dead != tier.deadCount { problems.append("\(dead) entries are dead, \(tier.deadCount) counted") }
    return problems
  }
}

extension NameHead {
  /// What holds whoever lives: full and empty blocks, order, and that each block is signed for all its grams.
  fileprivate func checkLayout() -> [String] {
    var problems: [String] = []
    var previous: ArraySlice<UInt8> = []
    for (index, block) in blocks.enumerated() {
      if block.rows.isEmpty || block.rows.count > NameHead.maximumNamesPerBlock {
        problems.append("block \(index) holds \(block.rows.count) names")
      }
      var start = 0
      for row in block.rows {
        let key = block.keys[start..<block.keyEnd(from: start)]
        start = key.endIndex + 1
        if key.lexicographicallyPrecedes(previous) { problems.append("row \(row) is out of order") }
        previous = key
        let isSigned = Self.bits(of: key.span).allSatisfy { mayHold($0, in: index) }
        if !isSigned { problems.append("block \(index) lacks grams of row \(row)") }
      }
      if start != block.keys.count { problems.append("block \(index) has keys without rows") }
    }
    return problems
  }

  /// The bits of all grams of a key.
  private static func bits(of key: Span<UInt8>) -> [Int] {
    var bits: [Int] = []
    Grams.forEachTrigram(of: key, after: 0) { bits.append(GramSignature.bit(of: $0)) }
    Grams.forEachShortGram(of: key, after: 0) { bits.append(GramSignature.bit(of: $0)) }
    return bits
  }
}

extension NameSegment {
  /// The keys, told apart by nothing but their NULs.
  fileprivate func keysByRank() -> [ArraySlice<UInt8>] {
    keys.dropLast(Self.paddingByteCount + 1).split(separator: 0, omittingEmptySubsequences: false)
  }

  /// What holds whoever lives: offsets, order, fences, and that exactly the grams of each block are posted.
  fileprivate func checkLayout() -> [String] {
    let keysByRank = keysByRank()
    guard count > 0, keysByRank.count == count else { return ["\(keysByRank.count) keys of \(count) rows"] }
    var problems: [String] = []
    for (rank, key) in keysByRank.enumerated() {
      if rank > 0 && key.lexicographicallyPrecedes(keysByRank[rank - 1]) {
        problems.append("rank \(rank) is out of order")
      }
      let (block, offset) = rank.quotientAndRemainder(dividingBy: Self.namesPerBlock)
      if offset == 0 && Int(blockStarts[block]) != key.startIndex {
        problems.append("block \(block) does not begin with its first key")
      }
      if rank % Self.namesPerGroup == 0 && fences[rank / Self.namesPerGroup] != ByteSearch.leadingWord(key.span) {
        problems.append("the fence at rank \(rank) is another key's")
      }
    }
    if blockStarts.last.map(Int.init) != keys.count - Self.paddingByteCount {
      problems.append("the last block does not end with the last key")
    }
    let partCount = (count + namesPerPart - 1) / namesPerPart
    if parts.count != partCount { return problems + ["\(parts.count) parts, not \(partCount)"] }
    for (index, part) in parts.enumerated() {
      let keys = Array(keysByRank.dropFirst(index * namesPerPart).prefix(namesPerPart))
      problems += part.trigrams.checkInvariants() + part.shortGrams.checkInvariants()
      problems += Self.check(part.trigrams, of: keys, namesPerBlock: Self.namesPerBlock, lengths: 3...3)
      problems += Self.check(part.shortGrams, of: keys, namesPerBlock: Self.namesPerGroup, lengths: 1...2)
    }
    return problems
  }

  private static func check(
    _ postings: GramPostings, of keys: [ArraySlice<UInt8>], namesPerBlock: Int, lengths: ClosedRange<Int>
  ) -> [String] {
    var problems: [String] = []
    var pairs = 0
    for block in 0..<(keys.count + namesPerBlock - 1) / namesPerBlock {
      var grams: Set<UInt32> = []
      for key in keys[block * namesPerBlock..<min((block + 1) * namesPerBlock, keys.count)] {
        for length in lengths where key.count >= length {
          for start in key.startIndex...key.endIndex - length {
            grams.insert(key[start..<start + length].reduce(0) { $0 << 8 | UInt32($1) })
          }
        }
      }
      pairs += grams.count
      if !grams.allSatisfy({ postings.holds($0, in: block) }) { problems.append("block \(block) is not fully posted") }
    }
    if pairs != postings.postedPairCount() { problems.append("\(postings.postedPairCount()) postings of \(pairs)") }
    return problems
  }
}
