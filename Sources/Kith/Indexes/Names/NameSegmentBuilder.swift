/// Builds a segment from names added in any order.
struct NameSegmentBuilder {
  /// Longer than any key: no character folds to more than twelve times its bytes, and the names of a user have at most
  /// 255 bytes each.
  static let maximumKeyByteCount = 8_192

  /// Loose keys in the order in which they were added, each terminated by a NUL.
  private var keys: [UInt8] = []
  private var keyStarts: [UInt32] = [0]
  private var rows: [UInt32] = []
  /// By name, see `hasEqualKeys`.
  private var haveEqualKeys: [Bool] = []
  /// Whether the texts are usernames, which are searched for a page at a time.
  private let isOfNames: Bool
  /// Whether some keys may have display names (`NamesKey`).
  var hasDisplayNames = false

  /// Names in each part of the segment (see `NameSegment`).
  private let namesPerPart: Int

  /// - Parameter namesPerPart: a multiple of the names of a group.
  init(namesPerPart: Int, isOfNames: Bool = false) {
    precondition(
      namesPerPart % NameSegment.namesPerGroup == 0
        && (1...NameSegment.maximumNamesPerPart).contains(namesPerPart), "a part holds whole groups, and not too many")
    self.namesPerPart = namesPerPart
    self.isOfNames = isOfNames
  }

  var count: Int { rows.count }
  var keyByteCount: Int { keys.count }

  mutating func reserve(count: Int, keyByteCount: Int) {
    rows.reserveCapacity(count)
    if isOfNames { haveEqualKeys.reserveCapacity(count) }
    keyStarts.reserveCapacity(count + 1)
    keys.reserveCapacity(keyByteCount)
  }

  /// Adds a text that is no name.
  mutating func add(_ row: UInt32, key: ArraySlice<UInt8>) {
    keys.append(contentsOf: key)
    endKey(row)
  }

  /// Adds a name whose key is known.
  mutating func add(_ row: UInt32, key: ArraySlice<UInt8>, name: Span<UInt8>) {
    haveEqualKeys.append(Self.hasEqualKeys(name, key))
    add(row, key: key)
  }

  /// Folds a name, and a display name unless that is empty, and adds them.
  mutating func add(_ row: UInt32, name: Span<UInt8>, displayName: Span<UInt8>) {
    let start = keys.count
    NamesKey.append(name, displayName, to: &keys)
    haveEqualKeys.append(Self.hasEqualKeys(name, keys[start...]))
    endKey(row)
  }

  /// Whether a name's loose key is marked as equal to its strict key. Not if the key is ASCII and the name is not: a
  /// marked key that is ASCII is the name in lower case. Not either if there is a display name.
  static func hasEqualKeys(_ name: Span<UInt8>, _ loose: ArraySlice<UInt8>) -> Bool {
    Folding.isASCII(name)
      ? loose.count == name.count : !Folding.isASCII(loose.span) && loose.elementsEqual(Folding.strict(name))
  }

  private mutating func endKey(_ row: UInt32) {
    keys.append(0)
    keyStarts.append(UInt32(keys.count))
    rows.append(row)
  }

  /// Sorts the names and lays out the segment.
  /// - Parameter check: called first, and before each part. An error it throws ends the work.
  /// - Complexity: O(bytes), and O(n log n) among names whose keys share the first eight bytes.
  consuming func build<Stop: Error>(
    generations: ClosedRange<UInt32>, names: borrowing TextColumn, check: () throws(Stop) -> Void
  ) throws(Stop) -> NameSegment {
    try check()
    let order = order(names: names)
    var sortedKeys: [UInt8] = []
    sortedKeys.reserveCapacity(keys.count + NameSegment.paddingByteCount)
    var sortedStarts: [UInt32] = [0]
    sortedStarts.reserveCapacity(rows.count + 1)
    var sortedRows: [UInt32] = []
    sortedRows.reserveCapacity(rows.count)
    var blockStarts: [UInt32] = []
    blockStarts.reserveCapacity(rows.count / NameSegment.namesPerBlock + 2)
    var equalKeys = [UInt64](repeating: 0, count: isOfNames ? (rows.count + 63) / 64 : 0)
    for (rank, place) in order.enumerated() {
      if rank % NameSegment.namesPerBlock == 0 { blockStarts.append(UInt32(sortedKeys.count)) }
      let index = Int(place.index)
      sortedKeys.append(contentsOf: keys[Int(keyStarts[index])..<Int(keyStarts[index + 1])])
      sortedStarts.append(UInt32(sortedKeys.count))
      sortedRows.append(rows[index])
      if isOfNames && haveEqualKeys[index] { equalKeys[rank >> 6] |= 1 << UInt64(rank & 63) }
    }
    blockStarts.append(UInt32(sortedKeys.count))
    for _ in 0..<NameSegment.paddingByteCount { sortedKeys.append(0) }
    var fences: [UInt64] = []
    fences.reserveCapacity(rows.count / NameSegment.namesPerGroup + 1)
    for rank in stride(from: 0, to: sortedRows.count, by: NameSegment.namesPerGroup) {
      fences.append(ByteSearch.leadingWord(ordered(NameSegment.key(at: Int(sortedStarts[rank]), in: sortedKeys.span))))
    }
    var parts: [NameSegment.Part] = []
    for first in stride(from: 0, to: sortedRows.count, by: namesPerPart) {
      try check()
      let ranks = first..<min(first + namesPerPart, sortedRows.count)
      parts.append(Self.post(ranks, sortedKeys.span, sortedStarts.span))
    }
    let segment = NameSegment(
      generations: generations, rows: sortedRows, blockStarts: blockStarts, keys: sortedKeys, fences: fences,
      parts: parts, namesPerPart: namesPerPart, equalKeys: equalKeys, hasDisplayNames: hasDisplayNames)
    return isOfNames ? NameSegment(segment, firstRanks: FirstRanks(of: segment)) : segment
  }

  /// Posts the grams of a part, block by block. The prefix that a key shares with the previous key of its block is
  /// already posted; in a million sorted names that is half of the bytes.
  private static func post(
    _ ranks: Range<Int>, _ keys: Span<UInt8>, _ starts: Span<UInt32>
  ) -> NameSegment.Part {
    var trigrams = GramPostingsBuilder()
    var shortGrams = GramPostingsBuilder()
    var previous = keys.extracting(0..<0)
    for rank in ranks {
      let key = keys.extracting(Int(starts[rank])..<Int(starts[rank + 1]) - 1)
      let shared = ByteSearch.commonPrefix(previous, key)
      let beginsBlock = rank % NameSegment.namesPerBlock == 0
      let beginsGroup = rank % NameSegment.namesPerGroup == 0
      if beginsBlock && rank > ranks.lowerBound { trigrams.endBlock() }
      if beginsGroup && rank > ranks.lowerBound { shortGrams.endBlock() }
      trigrams.reserve(key.count)
      Grams.forEachTrigram(of: key, after: beginsBlock ? 0 : shared) { trigrams.add($0) }
      shortGrams.reserve(key.count * 2)
      Grams.forEachShortGram(of: key, after: beginsGroup ? 0 : shared) { shortGrams.add($0) }
      previous = key
    }
    trigrams.endBlock()
    shortGrams.endBlock()
    return NameSegment.Part(trigrams: trigrams.finish(), shortGrams: shortGrams.finish())
  }

  // MARK: - Sorting

  /// A name's position: the first eight bytes of its key, and its index among the names added.
  private struct Place {
    var word: UInt64
    var index: UInt32
  }

  /// What the order of entries compares of a key.
  @inline(__always)
  @_lifetime(copy key)
  private func ordered(_ key: Span<UInt8>) -> Span<UInt8> { hasDisplayNames ? NamesKey.name(key) : key }

  /// Sorts the names. The first eight bytes decide most comparisons; they are radix sorted, which is four times faster
  /// than comparing a million keys.
  private func order(names: borrowing TextColumn) -> [Place] {
    let keys = keys.span
    var places: [Place] = []
    places.reserveCapacity(rows.count)
    for index in rows.indices {
      let key = keys.extracting(Int(keyStarts[index])..<Int(keyStarts[index + 1]) - 1)
      places.append(Place(word: ByteSearch.leadingWord(ordered(key)), index: UInt32(index)))
    }
    Self.sortByWord(&places)
    var start = 0
    var run: [Place] = []
    while start < places.count {
      var end = start + 1
      while end < places.count && places[end].word == places[start].word { end += 1 }
      if end - start > 1 {
        run.removeAll(keepingCapacity: true)
        run.append(contentsOf: places[start..<end])
        run.sort { isOrdered(Int($0.index), Int($1.index), names: names) }
        for offset in run.indices { places[start + offset] = run[offset] }
      }
      start = end
    }
    return places
  }

  /// Whether the name at `left` sorts before that at `right`: by key, then by exact name.
  private func isOrdered(_ left: Int, _ right: Int, names: borrowing TextColumn) -> Bool {
    let keys = keys.span
    let difference = ByteSearch.compare(
      ordered(keys.extracting(Int(keyStarts[left])..<Int(keyStarts[left + 1]) - 1)),
      ordered(keys.extracting(Int(keyStarts[right])..<Int(keyStarts[right + 1]) - 1)))
    if difference != 0 { return difference < 0 }
    return ByteSearch.compare(names.bytes(Int(rows[left])), names.bytes(Int(rows[right]))) < 0
  }

  private static func sortByWord(_ places: inout [Place]) {
    var counts = [Int](repeating: 0, count: 8 * 256)
    for place in places {
      for digit in 0..<8 { counts[digit * 256 + Int(place.word >> UInt64(8 * digit) & 0xFF)] += 1 }
    }
    var sorted = places
    for digit in 0..<8 {
      let base = digit * 256
      // A byte that is equal in all words needs no pass.
      if counts[base..<base + 256].contains(places.count) { continue }
      var next = 0
      for value in base..<base + 256 { (counts[value], next) = (next, next + counts[value]) }
      for place in places {
        let value = base + Int(place.word >> UInt64(8 * digit) & 0xFF)
        sorted[counts[value]] = place
        counts[value] += 1
      }
      swap(&places, &sorted)
    }
  }
}

extension FirstRanks {
  /// For the grams of a segment that are in so many blocks that a search in these would be slower.
  /// - Complexity: O(grams).
  fileprivate init(of segment: NameSegment) {
    let countPerGram = Self.countPerGram
    var blockCounts: [UInt32: Int] = [:]
    for part in segment.parts {
      for postings in [part.trigrams, part.shortGrams] {
        for gram in postings.postedGrams { blockCounts[gram, default: 0] += postings.count(of: gram) }
      }
    }
    let frequent = blockCounts.filter { $0.value >= countPerGram }.keys.sorted()
    var size = 2
    while frequent.count * 3 > size * 2 { size *= 2 }
    var table = [UInt64](repeating: 0, count: size)
    var ranks: [UInt32] = []
    ranks.reserveCapacity(frequent.count * countPerGram)
    for gram in frequent {
      let (start, end) = (ranks.count, ranks.count + countPerGram)
      var budget = QueryBudget()
      segment.forEachMatch(of: NameQuery(gram: gram), from: nil, &budget) { place, _, _ in
        ranks.append(UInt32(place.rank))
        return ranks.count < end
      }
      precondition(ranks.count == end, "every block of a gram has a match")
      var index = GramPostings.home(of: gram, mask: size - 1)
      while table[index] != 0 { index = (index + 1) & (size - 1) }
      table[index] = UInt64(gram) << 32 | UInt64(start)
    }
    self.init(table: table, ranks: ranks)
  }
}
