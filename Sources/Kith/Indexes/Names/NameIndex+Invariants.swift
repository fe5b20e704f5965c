extension NameIndex {
  /// How often a check visits each name.
  static let checksPerName = 4

  /// Checks every invariant against the names. Returns one sentence per violation; ends early when cancelled.
  /// - Complexity: O(bytes), many times the cost of building the index.
  /// - Parameter kind: that of the users whose names are indexed; nil if all users have one.
  func checkInvariants(
    names: borrowing TextColumn, ofKind kind: UInt8? = nil, _ control: PassControl = PassControl()
  ) -> [String] {
    var problems: [String] = []
    var holders = [Int](repeating: 0, count: names.count)
    var lastGeneration = Self.noGeneration
    for (index, sortedRun) in sortedRuns.enumerated() {
      if sortedRun.generations.lowerBound <= lastGeneration {
        problems.append("sorted run \(index): generations \(sortedRun.generations) after \(lastGeneration)")
      }
      lastGeneration = sortedRun.generations.upperBound
      let layout =
        switch sortedRun.body {
        case .segment(let segment): segment.checkLayout(control)
        case .memtable(let memtable): memtable.checkLayout()
        }
      problems += layout.map { "sorted run \(index): \($0)" }
      problems += checkEntries(of: sortedRun, names: names, &holders, control).map { "sorted run \(index): \($0)" }
    }
    if memtableGeneration <= lastGeneration {
      problems.append("the memtable's generation \(memtableGeneration) is that of a sorted run")
    }
    if memtable.count >= memtableCapacity {
      problems.append("the memtable holds \(memtable.count) names of \(memtableCapacity)")
    }
    problems += memtable.checkLayout().map { "memtable: \($0)" }
    let newest = SortedRun(memtable, generation: memtableGeneration)
    problems += checkEntries(of: newest, names: names, &holders, control).map { "memtable: \($0)" }
    if control.isCancelled { return problems }
    for row in 0..<names.count {
      let isOwn = kind.map { $0 == names.kind(UInt32(row)) } ?? true
      let expected = names.byteCount(row) == 0 || !isOwn ? 0 : 1
      if holders[row] != expected { problems.append("row \(row) has \(holders[row]) live entries, not \(expected)") }
      let hasGeneration = row < generations.count && generations[row] != Self.noGeneration
      if hasGeneration != (expected == 1) {
        problems.append("row \(row) and its generation disagree whether it has a name")
      }
    }
    return problems
  }

  /// Checks the live entries of a sorted run: the keys are those of the names, and entries with equal keys are sorted
  /// by name.
  private func checkEntries(
    of sortedRun: SortedRun, names: borrowing TextColumn, _ holders: inout [Int], _ control: PassControl
  ) -> [String] {
    var problems: [String] = []
    var (count, deletedCount) = (0, 0)
    var previous: (key: ArraySlice<UInt8>, row: UInt32)?
    sortedRun.forEachEntry { row, key in
      let rank = count
      count += 1
      if !control.visit() { return }
      if Int(row) >= generations.count || !isLive(sortedRun, row) {
        deletedCount += 1
        return
      }
      if !key.elementsEqual(self.key(row, names: names)) { problems.append("row \(row) has another's key") }
      let hasDisplayName = key.contains(NamesKey.separator)
      if hasDisplayName && !sortedRun.hasDisplayNames { problems.append("row \(row) has a display name among none") }
      let name = names.bytes(Int(row))
      let areEqual = key.elementsEqual(Folding.strict(name)) && Folding.isASCII(name) == Folding.isASCII(key.span)
      let key = key.prefix { $0 != NamesKey.separator }
      if case .segment(let segment) = sortedRun.body, segment.hasEqualKeys(rank) != areEqual {
        problems.append("the segment is wrong about the strict key of row \(row)")
      }
      if let previous, previous.key.elementsEqual(key),
        ByteSearch.compare(names.bytes(Int(previous.row)), names.bytes(Int(row))) >= 0
      {
        problems.append("rows \(previous.row) and \(row) are not in the order of their names")
      }
      holders[Int(row)] += 1
      previous = (key, row)
    }
    if count != sortedRun.count { problems.append("\(count) entries, \(sortedRun.count) counted") }
    if deletedCount != sortedRun.deletedCount {
      problems.append("\(deletedCount) entries are deleted, \(sortedRun.deletedCount) counted")
    }
    return problems
  }
}

extension NameMemtable {
  /// Checks what holds for live and deleted entries alike: block sizes, order, and that the Bloom filter of each block
  /// contains all its grams.
  fileprivate func checkLayout() -> [String] {
    var problems: [String] = []
    var previous: ArraySlice<UInt8> = []
    for (index, block) in blocks.enumerated() {
      if block.rows.isEmpty || block.rows.count > NameMemtable.maximumNamesPerBlock {
        problems.append("block \(index) holds \(block.rows.count) names")
      }
      var start = 0
      for row in block.rows {
        let key = block.keys[start..<block.keyEnd(from: start)]
        start = key.endIndex + 1
        let name = key.prefix { !hasDisplayNames || $0 != NamesKey.separator }
        if name.lexicographicallyPrecedes(previous) { problems.append("row \(row) is out of order") }
        previous = name
        let isInFilter = Self.bits(of: key.span).allSatisfy { mayHold($0, in: index) }
        if !isInFilter { problems.append("block \(index) lacks grams of row \(row)") }
      }
      if start != block.keys.count { problems.append("block \(index) has keys without rows") }
    }
    return problems
  }

  /// The bits of all grams of a key in a Bloom filter.
  private static func bits(of key: Span<UInt8>) -> [Int] {
    var bits: [Int] = []
    Grams.forEachTrigram(of: key, after: 0) { bits.append(GramBloomFilter.bit(of: $0)) }
    Grams.forEachShortGram(of: key, after: 0) { bits.append(GramBloomFilter.bit(of: $0)) }
    return bits
  }
}

extension NameSegment {
  /// The keys by rank, split at the NULs that end them.
  fileprivate func keysByRank() -> [ArraySlice<UInt8>] {
    keys.dropLast(Self.paddingByteCount + 1).split(separator: 0, omittingEmptySubsequences: false)
  }

  /// Checks what holds for live and deleted entries alike: offsets, order, fences, and that exactly the grams of each
  /// block are posted.
  fileprivate func checkLayout(_ control: PassControl) -> [String] {
    let keysByRank = keysByRank()
    guard count > 0, keysByRank.count == count else { return ["\(keysByRank.count) keys of \(count) rows"] }
    var problems: [String] = []
    var previous: ArraySlice<UInt8> = []
    for (rank, key) in keysByRank.enumerated() {
      let name = key.prefix { !hasDisplayNames || $0 != NamesKey.separator }
      if name.lexicographicallyPrecedes(previous) { problems.append("rank \(rank) is out of order") }
      previous = name
      let (block, offset) = rank.quotientAndRemainder(dividingBy: Self.namesPerBlock)
      if offset == 0 && Int(blockStarts[block]) != key.startIndex {
        problems.append("block \(block) does not begin with its first key")
      }
      if rank % Self.namesPerGroup == 0 && fences[rank / Self.namesPerGroup] != ByteSearch.leadingWord(name.span) {
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
      problems += Self.check(part.trigrams, of: keys, namesPerBlock: Self.namesPerBlock, control) { key, body in
        Grams.forEachTrigram(of: key, after: 0, body)
      }
      problems += Self.check(part.shortGrams, of: keys, namesPerBlock: Self.namesPerGroup, control) { key, body in
        Grams.forEachShortGram(of: key, after: 0, body)
      }
    }
    return problems + checkFirstRanks(keysByRank, control)
  }

  /// Checks the first ranks of all frequent grams in one walk over the keys.
  private func checkFirstRanks(_ keysByRank: [ArraySlice<UInt8>], _ control: PassControl) -> [String] {
    let firstRanks = firstRanks
    // By the start of a gram's ranks: how many names with the gram were found, and the last of them.
    var counts = [Int](repeating: 0, count: firstRanks.ranks.count)
    var lastRanks = [Int](repeating: -1, count: firstRanks.ranks.count)
    var wrong: Set<UInt32> = []
    for (rank, key) in keysByRank.enumerated() {
      if !control.visit() { return [] }
      let check = { (gram: UInt32) in
        guard let range = firstRanks.range(of: gram) else { return }
        let found = counts[range.lowerBound]
        if found == range.count || lastRanks[range.lowerBound] == rank { return }
        if Int(firstRanks.ranks[range.lowerBound + found]) != rank { wrong.insert(gram) }
        counts[range.lowerBound] = found + 1
        lastRanks[range.lowerBound] = rank
      }
      Grams.forEachTrigram(of: key.span, after: 0, check)
      Grams.forEachShortGram(of: key.span, after: 0, check)
    }
    for gram in firstRanks.grams {
      guard let range = firstRanks.range(of: gram), counts[range.lowerBound] == range.count else {
        wrong.insert(gram)
        continue
      }
    }
    return wrong.sorted().map { "the first ranks of gram \($0) are others" }
  }
  /// Checks that exactly the grams of each block are posted.
  private static func check(
    _ postings: GramPostings, of keys: [ArraySlice<UInt8>], namesPerBlock: Int, _ control: PassControl,
    forEachGram: (Span<UInt8>, (UInt32) -> Void) -> Void
  ) -> [String] {
    var problems: [String] = []
    var pairs = 0
    var grams: [UInt32] = []
    for block in 0..<(keys.count + namesPerBlock - 1) / namesPerBlock {
      let names = keys[block * namesPerBlock..<min((block + 1) * namesPerBlock, keys.count)]
      if !control.visit(rows: names.count) { return problems }
      grams.removeAll(keepingCapacity: true)
      for key in names { forEachGram(key.span) { grams.append($0) } }
      grams.sort()
      var (last, isPosted): (UInt32?, Bool) = (nil, true)
      for gram in grams where gram != last {
        last = gram
        pairs += 1
        if !postings.holds(gram, in: block) { isPosted = false }
      }
      if !isPosted { problems.append("block \(block) is not fully posted") }
    }
    if pairs != postings.postedPairCount() { problems.append("\(postings.postedPairCount()) postings of \(pairs)") }
    return problems
  }
}
