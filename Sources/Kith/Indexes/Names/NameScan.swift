/// A scan of given names without the index: the first that match, by rank, descending, then by name. Faster than the
/// index where few users out of many are candidates.
///
/// A name is read only if its signature lets it pass, and if it may come before the last result. The cost per name is
/// mostly that of fetching its card; the names that pass are fetched in groups, so that their cache misses overlap.
struct NameScan: ~Copyable {
  private static let groupCount = 64
  private static let countAhead = 24

  private let query: NameQuery
  private let limit: Int
  private let after: NameKey?
  private let afterRank: Int?
  /// What the names of matches have at least.
  private let signature: NameSignature
  /// Whether the text is looked for in names in ASCII as they are.
  private let isPlain: Bool
  /// The loose keys of matches.
  private var keys: KeyBuffer
  private var best: [Match] = []
  /// The rows of a group that pass.
  private var passing = [UInt32](repeating: 0, count: groupCount)

  /// - Parameters:
  ///   - limit: the most results.
  ///   - after: the position after which the results begin.
  init(_ query: NameQuery, limit: Int, after: NameKey?, afterRank: Int?) {
    self.query = query
    self.limit = limit
    self.after = after
    self.afterRank = afterRank
    signature = NameSignature(key: query.loose.span)
    isPlain = query.match == .substring && !query.isEmpty && Folding.isASCII(query.loose.span)
    keys = KeyBuffer(capacity: 1_024)
  }

  /// A match with its key, by which it is sorted.
  private struct Match {
    let row: UInt32
    let rank: Int
    let word: UInt64
    let key: Range<Int>
  }

  /// Whether there are as many results as are wanted. They may still be replaced by better ones.
  var isFull: Bool { best.count == limit }

  /// The results so far.
  var found: [FoundName] { best.map { FoundName(row: $0.row, rank: $0.rank) } }

  /// Adds the rows in a list.
  /// - Parameter rank: returns the rank of a user, or nil to skip the user.
  /// - Complexity: O(rows + bytes of the names that pass + matches · log limit).
  @inline(__always)
  mutating func add<Element>(
    _ list: Span<Element>, names: borrowing TextColumn, _ budget: inout QueryBudget, row: (Element) -> UInt32,
    rank: (UInt32) -> Int?
  ) {
    if query.matchesNothing { return }
    for index in 0..<min(Self.countAhead, list.count) { names.prefetchReference(Int(row(list[index]))) }
    let signature = signature
    var start = 0
    while start < list.count {
      let end = min(start + Self.groupCount, list.count)
      if !budget.takeSteps(end - start) { return }
      var count = 0
      do {
        var passing = passing.mutableSpan
        for index in start..<end {
          if index + Self.countAhead < list.count {
            names.prefetchReference(Int(row(list[index + Self.countAhead])))
          }
          let row = row(list[index])
          if names.signature(row).mayHold(signature) {
            names.prefetchText(Int(row))
            passing[count] = row
            count += 1
          }
        }
      }
      for index in 0..<count {
        if let rank = rank(passing[index]) { take(passing[index], rank, names: names, &budget) }
      }
      start = end
    }
  }

  /// Takes a user who is among the best so far, if the name matches.
  private mutating func take(_ row: UInt32, _ rank: Int, names: borrowing TextColumn, _ budget: inout QueryBudget) {
    if let afterRank, rank > afterRank { return }
    let name = names.bytes(Int(row))
    if best.count == limit {
      let last = best[limit - 1]
      if rank < last.rank { return }
      if rank == last.rank, let word = Self.leadingWord(ofKeyOf: name), word > last.word { return }
    }
    let isHeld = isPlain ? ByteSearch.containsLowercase(query.loose.span, in: name) : nil
    if isHeld == false { return }
    let start = keys.count
    Folding.appendLoose(name, to: &keys)
    if let match = match(row, rank, start..<keys.count - 1, isHeld: isHeld ?? false, names: names, &budget) {
      insert(match, names: names)
    } else {
      keys.removeLast(downTo: start)
    }
  }

  /// The match of a name, if it is one and among the best so far.
  /// - Parameters:
  ///   - range: where its key is.
  ///   - isHeld: whether the text is known to be in it.
  private func match(
    _ row: UInt32, _ rank: Int, _ range: Range<Int>, isHeld: Bool, names: borrowing TextColumn,
    _ budget: inout QueryBudget
  ) -> Match? {
    let key = keys.bytes.extracting(range)
    if !isHeld && !query.isEmpty && !query.holds(query.loose.span, in: key) { return nil }
    if !query.holdsStrictly(row, key: key, names: names, &budget) { return nil }
    if let after, afterRank ?? rank == rank, !isBehind(after, row, key, names: names) { return nil }
    let match = Match(row: row, rank: rank, word: ByteSearch.leadingWord(key), key: range)
    return best.count < limit || isOrdered(match, best[limit - 1], names: names) ? match : nil
  }

  /// The first eight bytes of a name's loose key; nil if they take more than lower case.
  @inline(__always)
  private static func leadingWord(ofKeyOf name: Span<UInt8>) -> UInt64? {
    let word = ByteSearch.leadingWord(name)
    return word & 0x8080_8080_8080_8080 == 0 ? KeyBuffer.lowercased(word) : nil
  }

  private mutating func insert(_ match: Match, names: borrowing TextColumn) {
    if best.count == limit { best.removeLast() }
    var (low, high) = (0, best.count)
    while low < high {
      let middle = (low + high) / 2
      if isOrdered(best[middle], match, names: names) { low = middle + 1 } else { high = middle }
    }
    best.insert(match, at: low)
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
