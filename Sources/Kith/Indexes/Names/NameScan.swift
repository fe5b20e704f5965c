/// A scan of given names without the index: the first that match, by rank, descending, then by name. Faster than the
/// index where few users out of many are candidates.
///
/// A name is read only if its signature lets it pass, and if it may come before the last result. The cards of those
/// that pass, then their names, are fetched in groups, so that their cache misses overlap. If all users have one rank,
/// those with the lowest abbreviated keys are read first: few others are then read at all.
struct NameScan: ~Copyable {
  /// The rows whose signatures are tested between two looks at how many passed.
  private static let stepCount = 32
  /// The rows between the one whose signature is tested and the one whose signature is prefetched.
  private static let countAhead = 64
  /// The names that are fetched together.
  private static let groupCount = 32
  /// The most users who pass before names are read, if all have one rank.
  private static let maximumCandidateCount = 4_096
  /// The names that are read of them first.
  private static let firstCount = 64

  private let query: NameQuery
  /// Those of the index.
  private let displayNames: Box<TextColumn>?
  private let limit: Int
  private let after: NameKey?
  private let afterRank: Int?
  /// Whether all users have one rank.
  private let hasOneRank: Bool
  /// The lowest abbreviated key that a result can have, if all users have one rank.
  private let lowestKey: UInt32
  /// The candidates that are collected before names are read.
  private let candidateLimit: Int
  /// What the names of matches have at least.
  private let signature: NameSignature
  /// Whether the text is looked for in names in ASCII as they are.
  private let isPlain: Bool
  /// The loose keys of matches.
  private var keys: KeyBuffer
  private var best: [Match] = []
  /// Rows that passed, in the low words. In the high words, if all users have one rank: their abbreviated keys,
  /// inverted, so that the first are the largest.
  private var candidates: [UInt64]
  private var candidateCount = 0

  /// - Parameters:
  ///   - limit: the most results.
  ///   - after: the position after which the results begin.
  ///   - only: the rank of all users, and how many there are; nil if they have several ranks.
  init(
    _ query: NameQuery, _ displayNames: Box<TextColumn>?, limit: Int, after: NameKey?, afterRank: Int?,
    only: (rank: Int, userCount: Int)? = nil
  ) {
    self.query = query
    self.displayNames = displayNames
    self.limit = limit
    self.after = after
    self.afterRank = afterRank
    hasOneRank = only != nil
    let isOfRank = afterRank == nil || afterRank == only?.rank
    lowestKey = isOfRank ? after.map { NameDigests.abbreviated($0.loose.span) } ?? 0 : 0
    candidateLimit = only.map { min($0.userCount, Self.maximumCandidateCount) } ?? Self.groupCount
    candidates = [UInt64](repeating: 0, count: candidateLimit + Self.stepCount)
    signature = NameSignature(key: query.loose.span)
    isPlain = query.match == .substring && !query.isEmpty && Folding.isASCII(query.loose.span)
    keys = KeyBuffer(capacity: 1_024)
  }

  /// A match with the key of its username, by which it is sorted.
  private struct Match {
    let row: UInt32
    let rank: Int
    let word: UInt64
    let key: Range<Int>
  }

  /// Whether there are as many results as are wanted. They may still be replaced by better ones.
  var isFull: Bool { best.count == limit }

  /// The results so far, after `finish`.
  var found: [FoundName] { best.map { FoundName(row: $0.row, rank: $0.rank) } }

  /// Adds the rows in a list. Call `finish` after the last list.
  /// - Parameter rank: returns the rank of a user, or nil to skip the user.
  /// - Complexity: O(rows + bytes of the names that are read + matches · log limit).
  @inline(__always)
  mutating func add<Element>(
    _ list: Span<Element>, digests: borrowing NameDigests, names: borrowing TextColumn, _ budget: inout QueryBudget,
    row: (Element) -> UInt32, rank: (UInt32) -> Int?
  ) {
    if query.matchesNothing { return }
    let (wanted, limit) = (signature.bits, candidateLimit)
    for index in 0..<min(Self.countAhead, list.count) { digests.prefetchSignature(row(list[index])) }
    var start = 0
    while start < list.count {
      let bounds = bounds
      var count = candidateCount
      do {
        var candidates = candidates.mutableSpan
        while start < list.count && count < limit {
          let end = min(start + Self.stepCount, list.count)
          if !budget.takeSteps(end - start) { return }
          let first = count
          // Without branches on what is read, so that the cache misses overlap.
          for index in start..<end {
            let ahead = index + Self.countAhead
            if ahead < list.count { digests.prefetchSignature(row(list[ahead])) }
            let row = row(list[index])
            candidates[count] = UInt64(row)
            count &+= Self.isZero(~digests.signatures[row] & wanted)
          }
          start = end
          guard let bounds else { continue }
          let passedCount = count
          count = first
          for index in first..<passedCount {
            let row = candidates[index]
            let key = digests.abbreviatedKeys[UInt32(truncatingIfNeeded: row)]
            candidates[count] = UInt64(~key) << 32 | row
            // Negative if the key lies outside the bounds.
            let distance = (Int(key) &- Int(bounds.lowest)) | (Int(bounds.highest) &- Int(key))
            count &+= 1 &+ (distance &>> 63)
          }
        }
      }
      candidateCount = count
      if count >= limit { finish(names: names, &budget, rank: rank) }
    }
  }

  /// Reads the names of the rows that were added.
  @inline(__always)
  mutating func finish(names: borrowing TextColumn, _ budget: inout QueryBudget, rank: (UInt32) -> Int?) {
    let count = candidateCount
    candidateCount = 0
    if !hasOneRank { return take(0..<count, names: names, &budget, rank: rank) }
    var (start, size) = (0, max(Self.firstCount, 2 * limit))
    while start < count {
      let end = min(start + size, count)
      if end < count {
        var candidates = candidates.mutableSpan
        Selection.moveLargest(end - start, of: &candidates, in: start..<count)
      }
      take(start..<end, names: names, &budget, rank: rank)
      if let bounds, ~UInt32(candidates[end - 1] >> 32) > bounds.highest { return }
      (start, size) = (end, size * 4)
    }
  }

  /// Takes some candidates.
  @inline(__always)
  private mutating func take(
    _ range: Range<Int>, names: borrowing TextColumn, _ budget: inout QueryBudget, rank: (UInt32) -> Int?
  ) {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.groupCount) {
      let group = start..<min(start + Self.groupCount, range.upperBound)
      if !budget.takeSteps(group.count) { return }
      for index in group { names.prefetchReference(Int(UInt32(truncatingIfNeeded: candidates[index]))) }
      for index in group { names.prefetchText(Int(UInt32(truncatingIfNeeded: candidates[index]))) }
      for index in group {
        let row = UInt32(truncatingIfNeeded: candidates[index])
        if let rank = rank(row) { take(row, rank, names: names, &budget) }
      }
    }
  }

  /// The abbreviated keys that further results can have, if all users have one rank.
  @inline(__always)
  private var bounds: (lowest: UInt32, highest: UInt32)? {
    guard hasOneRank else { return nil }
    return (lowestKey, best.count == limit ? UInt32(best[limit - 1].word >> 32) : .max)
  }

  /// 1 for zero, else 0.
  @inline(__always)
  private static func isZero(_ word: UInt64) -> Int { Int(bitPattern: UInt(((word | (0 &- word)) &>> 63) ^ 1)) }

  /// Takes a user who is among the best so far, if the name matches.
  private mutating func take(_ row: UInt32, _ rank: Int, names: borrowing TextColumn, _ budget: inout QueryBudget) {
    if let afterRank, rank > afterRank { return }
    let name = names.bytes(Int(row))
    if best.count == limit {
      let last = best[limit - 1]
      if rank < last.rank { return }
      if rank == last.rank, let word = Self.leadingWord(ofKeyOf: name), word > last.word { return }
    }
    let isAlone = displayNames.map { $0.value.byteCount(ofRow: row) == 0 } ?? true
    let isHeld = isPlain && isAlone ? ByteSearch.containsLowercase(query.loose.span, in: name) : nil
    if isHeld == false { return }
    let start = keys.count
    Folding.appendLoose(name, to: &keys)
    let nameEnd = keys.count - 1
    if !isAlone { displayNames?.value.withBytes(Int(row)) { keys.append(displayName: $0) } }
    let key = start..<keys.count - 1
    if let match = match(row, rank, key, nameEnd, isHeld: isHeld ?? false, names: names, &budget) {
      insert(match, names: names)
    } else {
      keys.removeLast(downTo: start)
    }
  }

  /// The match of a name, if it is one and among the best so far.
  /// - Parameters:
  ///   - range: where the key of its entry is.
  ///   - nameEnd: where that of the username ends.
  ///   - isHeld: whether the text is known to be in it.
  private func match(
    _ row: UInt32, _ rank: Int, _ range: Range<Int>, _ nameEnd: Int, isHeld: Bool, names: borrowing TextColumn,
    _ budget: inout QueryBudget
  ) -> Match? {
    let entry = keys.bytes.extracting(range)
    if !isHeld && !query.isEmpty && !query.holds(query.loose.span, in: entry) { return nil }
    if !query.holdsStrictly(row, key: entry, names: names, displayNames, &budget) { return nil }
    let range = range.lowerBound..<nameEnd
    let key = keys.bytes.extracting(range)
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
