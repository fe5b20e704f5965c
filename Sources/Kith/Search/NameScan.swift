/// Names looked through one by one, without the index: the way to answer for a few people among many.
///
/// Their keys are written one behind the other and searched in one go. So what each name costs is mostly fetching it.
struct NameScan {
  private let query: NameQuery
  private var rows: [UInt32] = []
  /// Loose keys as they came, each followed by a NUL; zeros behind the last (see `ByteSearch.find`).
  private var keys: [UInt8] = []

  init(_ query: NameQuery, capacity: Int) {
    self.query = query
    rows.reserveCapacity(capacity)
    keys.reserveCapacity(capacity * 16 + 16)
  }

  mutating func add(_ row: UInt32, names: borrowing TextColumn) {
    Folding.appendLoose(names.bytes(Int(row)), to: &keys)
    keys.append(0)
    rows.append(row)
  }

  /// An answer with its key, which orders it.
  struct Match {
    let row: UInt32
    let front: Int
    fileprivate let word: UInt64
    fileprivate let key: Range<Int>
  }

  /// The first of those who answer the query: by front, descending, then by name.
  /// - Parameters:
  ///   - after: the place behind which to begin.
  ///   - judge: the front of a match, nil to leave it out.
  /// - Complexity: O(bytes + matches · log matches).
  mutating func first(
    _ limit: Int, after: NameKey?, afterFront: Int?, names: borrowing TextColumn, judge: (UInt32) -> Int?
  ) -> [FoundName] {
    if query.matchesNothing { return [] }
    let end = keys.count
    for _ in 0..<NameSegment.paddingByteCount { keys.append(0) }
    defer { keys.removeLast(NameSegment.paddingByteCount) }
    var matches: [Match] = []
    forEachMatch(upTo: end) { index, key in
      let row = rows[index]
      guard query.holdsStrictly(row, key: keys.span.extracting(key), names: names), let front = judge(row) else {
        return
      }
      if let afterFront, front > afterFront { return }
      if let after, afterFront ?? front == front, !isBehind(after, row, key, names: names) { return }
      let word = ByteSearch.leadingWord(keys.span.extracting(key))
      matches.append(Match(row: row, front: front, word: word, key: key))
    }
    matches.sort { isOrdered($0, $1, names: names) }
    return matches.prefix(limit).map { FoundName(row: $0.row, front: $0.front) }
  }

  private func forEachMatch(upTo end: Int, _ body: (_ index: Int, _ key: Range<Int>) -> Void) {
    let text = query.loose.span
    let isSubstring = !query.isEmpty && query.match == .substring
    var (index, start) = (0, 0)
    while start < end {
      var next = start
      if isSubstring {
        guard let hit = ByteSearch.find(text, in: keys.span, from: start, to: end) else { return }
        next = hit
      }
      var keyEnd = ByteSearch.terminator(in: keys.span, from: start)
      while keyEnd < next {
        start = keyEnd + 1
        index += 1
        keyEnd = ByteSearch.terminator(in: keys.span, from: start)
      }
      if query.isEmpty || isSubstring || query.holds(text, in: keys.span.extracting(start..<keyEnd)) {
        body(index, start..<keyEnd)
      }
      start = keyEnd + 1
      index += 1
    }
  }

  private func isBehind(_ place: NameKey, _ row: UInt32, _ key: Range<Int>, names: borrowing TextColumn) -> Bool {
    let byKey = ByteSearch.compare(keys.span.extracting(key), place.loose.span)
    if byKey != 0 { return byKey > 0 }
    let byName = ByteSearch.compare(names.bytes(Int(row)), place.name.span)
    return byName > 0 || (byName == 0 && place.precedesItsName)
  }

  private func isOrdered(_ left: Match, _ right: Match, names: borrowing TextColumn) -> Bool {
    if left.front != right.front { return left.front > right.front }
    if left.word != right.word { return left.word < right.word }
    let byKey = ByteSearch.compare(keys.span.extracting(left.key), keys.span.extracting(right.key))
    if byKey != 0 { return byKey < 0 }
    return ByteSearch.compare(names.bytes(Int(left.row)), names.bytes(Int(right.row))) < 0
  }
}
