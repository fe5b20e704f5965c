/// A scan of given names without the index. Faster than the index where few users out of many are candidates.
///
/// The keys are copied into one contiguous buffer and searched in one pass. The cost per name is mostly that of
/// fetching it.
struct NameScan: ~Copyable {
  private let query: NameQuery
  private var rows: [UInt32] = []
  /// Loose keys in the order in which they were added.
  private var keys: KeyBuffer

  init(_ query: NameQuery, capacity: Int) {
    self.query = query
    rows.reserveCapacity(capacity)
    keys = KeyBuffer(capacity: capacity * 16)
  }

  /// Adds the names of the rows in a list. Names are scattered in memory, so they are prefetched.
  @inline(__always)
  mutating func add<Element>(
    _ list: Span<Element>, names: borrowing TextColumn, row: (Element) -> UInt32
  ) {
    for index in list.indices {
      if index + 24 < list.count { names.prefetchReference(Int(row(list[index + 24]))) }
      if index + 12 < list.count { names.prefetchText(Int(row(list[index + 12]))) }
      add(row(list[index]), names: names)
    }
  }

  @inline(__always)
  private mutating func add(_ row: UInt32, names: borrowing TextColumn) {
    let name = names.bytes(Int(row))
    if !keys.appendLowercased(name) { keys.append(Folding.loose(name).span) }
    rows.append(row)
  }

  /// A match with its key, by which it is sorted.
  private struct Match {
    let row: UInt32
    let rank: Int
    let word: UInt64
    let key: Range<Int>
  }

  /// The first matches: by rank, descending, then by name.
  /// - Parameters:
  ///   - after: the position after which the results begin.
  ///   - rank: returns the rank of a match, or nil to skip it.
  /// - Complexity: O(bytes + matches · log limit).
  func first(
    _ limit: Int, after: NameKey?, afterRank: Int?, names: borrowing TextColumn, _ budget: inout QueryBudget,
    rank: (UInt32) -> Int?
  ) -> [FoundName] {
    if query.matchesNothing { return [] }
    var best: [Match] = []
    forEachMatch { index, key in
      let row = rows[index]
      let keyBytes = keys.bytes.extracting(key)
      guard query.holdsStrictly(row, key: keyBytes, names: names, &budget), let rank = rank(row) else { return }
      if let afterRank, rank > afterRank { return }
      if let after, afterRank ?? rank == rank, !isBehind(after, row, keyBytes, names: names) { return }
      let match = Match(row: row, rank: rank, word: ByteSearch.leadingWord(keyBytes), key: key)
      var (low, high) = (0, best.count)
      if high == limit {
        if !isOrdered(match, best[limit - 1], names: names) { return }
        best.removeLast()
        high -= 1
      }
      while low < high {
        let middle = (low + high) / 2
        if isOrdered(best[middle], match, names: names) { low = middle + 1 } else { high = middle }
      }
      best.insert(match, at: low)
    }
    return best.map { FoundName(row: $0.row, rank: $0.rank) }
  }

  private func forEachMatch(_ body: (_ index: Int, _ key: Range<Int>) -> Void) {
    let (bytes, end) = (keys.bytes, keys.count)
    let text = query.loose.span
    if !query.isEmpty && query.match == .substring {
      _ = ByteSearch.forEachKey(holding: text, in: bytes, from: 0, to: end) { index, key in
        body(index, key)
        return true
      }
      return
    }
    var (index, start) = (0, 0)
    while start < end {
      let keyEnd = ByteSearch.terminator(in: bytes, from: start)
      if query.isEmpty || query.holds(text, in: bytes.extracting(start..<keyEnd)) { body(index, start..<keyEnd) }
      start = keyEnd + 1
      index += 1
    }
  }

  private func isBehind(_ place: NameKey, _ row: UInt32, _ key: Span<UInt8>, names: borrowing TextColumn) -> Bool {
    let byKey = ByteSearch.compare(key, place.loose.span)
    if byKey != 0 { return byKey > 0 }
    let byName = ByteSearch.compare(names.bytes(Int(row)), place.name.span)
    return byName > 0 || (byName == 0 && place.precedesItsName)
  }

  private func isOrdered(_ left: Match, _ right: Match, names: borrowing TextColumn) -> Bool {
    if left.rank != right.rank { return left.rank > right.rank }
    if left.word != right.word { return left.word < right.word }
    let bytes = keys.bytes
    let byKey = ByteSearch.compare(bytes.extracting(left.key), bytes.extracting(right.key))
    if byKey != 0 { return byKey < 0 }
    return ByteSearch.compare(names.bytes(Int(left.row)), names.bytes(Int(right.row))) < 0
  }
}
