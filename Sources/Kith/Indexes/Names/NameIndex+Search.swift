extension NameIndex {
  /// The first names, in order, that match a query.
  /// - Parameter rank: called for every live name that matches, in name order within one sorted run; nil skips the
  ///   name. The budget's plan limits the number of matches.
  /// - Returns: the results found until `budget` ended the search.
  /// - Complexity: if all ranks are equal: O(limit) groups of 64 names for queries of one or two letters; for others
  ///   O(blocks with the query's rarest trigram) in the worst case, and usually no more than the blocks of the results.
  ///   Otherwise O(matches), until `limit` results have the rank `ceiling`.
  @inline(__always)
  func search(
    _ search: NameSearch, names: borrowing TextColumn, _ budget: inout QueryBudget,
    rank: (UInt32, inout QueryBudget) -> Int?
  ) -> [FoundName] {
    if search.query.matchesNothing || search.limit <= 0 { return [] }
    var found: [FoundName] = []
    var firstRank = 0
    // The usual first pages are read here, inlined with `rank`: of a frequent gram, and of a prefix.
    if search.isOfFirstPage, let segment = onlySegment {
      let first = segment.firstRanks(of: search.query)
      let isAdjacent = search.query.match == .prefix && search.query.names != .either
      if first != nil || isAdjacent && !search.query.isEmpty {
        // Written through a span, because appending to an array checks uniqueness each time.
        found.append(FoundName(row: 0, rank: 0), count: min(search.limit, first?.count ?? .max))
        var count = 0
        do {
          var places = found.mutableSpan
          let start = search.prefixStart
          firstRank = forEachMatch(
            of: search.query, at: first, start, in: segment, names: names, &budget
          ) { row, budget in
            if !budget.take() { return false }
            if let rank = rank(row, &budget) {
              places[count] = FoundName(row: row, rank: rank)
              count += 1
            }
            return count < search.limit
          }
        }
        found.removeLast(found.count - count)
        if first == nil || found.count == search.limit || !budget.canContinue { return found }
      }
      self.search(search, in: segment, from: firstRank, names: names, &found, &budget, rank: rank)
      return found
    }
    return searchSources(search, names: names, &budget, rank: rank)
  }

  /// About how many blocks have the rarest gram of a text, which is what a walk over its matches reads at most. If the
  /// text is one gram, each has a match, or of one or two letters one in four. The blocks of memtables all count. Nil
  /// unless the text is looked for anywhere.
  /// - Complexity: O(bytes of the text · parts of all segments).
  func blockEstimate(of query: NameQuery) -> Int? {
    guard query.match == .substring, !query.loose.isEmpty else { return nil }
    var count = memtable.count / NameSegment.namesPerBlock
    for sortedRun in sortedRuns {
      switch sortedRun.body {
      case .segment(let segment):
        for part in segment.parts { count += part.blockEstimate(ofText: query.loose.span) }
      case .memtable(let memtable): count += memtable.count / NameSegment.namesPerBlock
      }
    }
    return count
  }

  /// Whether an ASCII text has a trigram that no name has. False, too, where that takes more than a look at one
  /// segment.
  /// - Complexity: O(bytes of the text).
  func lacksTrigram(of ascii: Span<UInt8>) -> Bool {
    guard ascii.count >= 3, let segment = onlySegment else { return false }
    return segment.parts.allSatisfy { $0.trigrams.lacksTrigram(of: ascii) }
  }

  /// Whether no name begins with an ASCII text, in any case. False, too, where that takes more than a look at one
  /// segment.
  /// - Parameter start: is set to the position of the first name that does, for `NameSearch.prefixStart`.
  /// - Complexity: O(log names).
  func lacksPrefix(_ ascii: Span<UInt8>, _ start: inout NameSegment.Place?) -> Bool {
    guard !hasDisplayNames, let segment = onlySegment else { return false }
    start = withTemporaryList(of: UInt8.self, capacity: ascii.count) { key in
      for index in ascii.indices { key.append(Folding.lowercased(ascii[index])) }
      let place = segment.lowerBound(key.span)
      return segment.begins(place, with: ByteSearch.Prefix(key.span)) ? place : nil
    }
    return start == nil
  }

  /// The segment, if it is all there is in the index.
  private var onlySegment: NameSegment? {
    guard sortedRuns.count == 1, memtable.count == 0, case .segment(let segment) = sortedRuns[0].body else {
      return nil
    }
    return segment
  }

  /// Searches the only segment for a first page.
  /// - Parameters:
  ///   - firstRank: if not 0, the rank at which the search continues.
  ///   - found: what was found before that rank.
  @inline(never)
  private func search(
    _ search: NameSearch, in segment: NameSegment, from firstRank: Int, names: borrowing TextColumn,
    _ found: inout [FoundName], _ budget: inout QueryBudget, rank: (UInt32, inout QueryBudget) -> Int?
  ) {
    forEachMatch(of: search.query, in: sortedRuns[0], segment, from: nil, rank: firstRank, names: names, &budget) {
      row, _, budget in
      if !budget.take() { return false }
      if let rank = rank(row, &budget) { Self.append(row, rank, to: &found, search.limit) }
      return found.count < search.limit
    }
  }

  /// Whether one sorted run, or the memtable, is all there is in the index: matches then come in name order.
  var hasOneSource: Bool { sortedRuns.count + (memtable.count > 0 ? 1 : 0) == 1 }

  /// Searches the runs and the memtable one by one.
  @inline(never)
  private func searchSources(
    _ search: NameSearch, names: borrowing TextColumn, _ budget: inout QueryBudget,
    rank: (UInt32, inout QueryBudget) -> Int?
  ) -> [FoundName] {
    var found: [FoundName] = []
    // A single source, as after a restart, already yields names in the requested order: no selection is needed.
    let isInOrder = search.afterRank == nil && hasOneSource
    var selection = NameSelection(limit: search.limit)
    // Without bounds either, no key is read again.
    let needsKeys = !isInOrder || search.after != nil || search.below != nil
    let start = search.afterRank == nil ? search.after?.loose : nil
    // The oldest sorted runs are the largest. Once they have yielded enough, the others stop at the last result kept.
    for source in 0...sortedRuns.count {
      forEachMatch(of: search.query, in: source, from: start, names: names, &budget) {
        row, place, budget in
        if !needsKeys {
          if !budget.take() { return false }
          if let rank = rank(row, &budget) { Self.append(row, rank, to: &found, search.limit) }
          return found.count < search.limit
        }
        // In an order by rank, most matches of a long walk are not among the best so far. Their keys are not needed.
        var known: Int?
        if search.afterRank != nil, let last = selection.last, last.rank < search.ceiling {
          if !budget.take() { return false }
          known = rank(row, &budget)
          guard let known, known > last.rank || known == last.rank && last.source != source else { return true }
        }
        let (keys, range) = bytes(at: place, of: source)
        let key = ordered(keys.span.extracting(range))
        if let below = search.below, ByteSearch.compare(key, below.span) >= 0 { return false }
        if search.afterRank == nil && !isBehind(search.after, row, key: key, names: names) { return true }
        if known == nil && !budget.take() { return false }
        guard let rank = known ?? rank(row, &budget) else { return true }
        if isInOrder {
          Self.append(row, rank, to: &found, search.limit)
          return found.count < search.limit
        }
        if let bound = search.afterRank {
          if rank > bound { return true }
          if rank == bound && !isBehindAnywhere(search.after, row, key: key, names: names) { return true }
        }
        let hit = NameHit(row: row, rank: rank, source: source, block: place.block, start: range.lowerBound, key: key)
        selection.take(hit, isBefore: { isOrdered($0, before: $1, names: names) })
        // The source is exhausted if not even the highest rank would place a name after this one among the results.
        guard let last = selection.last, last.rank >= search.ceiling else { return true }
        return last.row != row && isOrdered(hit.withRank(last.rank), before: last, names: names)
      }
      if !budget.canContinue { break }
    }
    return isInOrder ? found : selection.found()
  }

  /// What the order of entries compares of a key.
  @inline(__always)
  @_lifetime(copy key)
  private func ordered(_ key: Span<UInt8>) -> Span<UInt8> { hasDisplayNames ? NamesKey.name(key) : key }

  @inline(__always)
  private static func append(_ row: UInt32, _ rank: Int, to found: inout [FoundName], _ limit: Int) {
    if found.isEmpty { found.reserveCapacity(min(limit, 32)) }
    found.append(FoundName(row: row, rank: rank))
  }

  /// The number of names that match a query, until `budget` ends the search.
  /// - Complexity: as a search without a limit.
  func count(
    _ query: NameQuery, names: borrowing TextColumn, _ budget: inout QueryBudget, accept: (UInt32) -> Bool
  ) -> Int {
    if query.matchesNothing { return 0 }
    var count = 0
    for source in 0...sortedRuns.count where budget.canContinue {
      forEachMatch(of: query, in: source, from: nil, names: names, &budget) { row, _, _ in
        if accept(row) { count += 1 }
        return true
      }
    }
    return count
  }

  /// The position of a match in its source.
  private struct Place {
    /// The block of a memtable.
    var block = 0
    /// The rank in a segment.
    var rank = 0
    /// The key in its buffer; nil if it was not read.
    var key: Range<Int>?
  }

  /// Calls `body` with row and position of every live match of a sorted run, or of the memtable, in order, until it
  /// returns false.
  @inline(__always)
  private func forEachMatch(
    of query: NameQuery, in source: Int, from start: [UInt8]?, names: borrowing TextColumn,
    _ budget: inout QueryBudget,
    _ body: (_ row: UInt32, _ place: Place, _ budget: inout QueryBudget) -> Bool
  ) {
    if source == sortedRuns.count {
      memtable.forEachMatch(of: query, from: start, &budget) { place, row, key, budget in
        guard query.holdsStrictly(row, key: key, names: names, displayNames, &budget) else { return budget.canContinue }
        return body(row, Place(block: place.block, key: place.start..<place.end), &budget)
      }
      return
    }
    let sortedRun = sortedRuns[source]
    switch sortedRun.body {
    case .segment(let segment):
      forEachMatch(of: query, in: sortedRun, segment, from: start, names: names, &budget, body)
    case .memtable(let memtable):
      let isWhole = sortedRun.deletedCount == 0  // avoids reading the generation of each match, a cache miss
      memtable.forEachMatch(of: query, from: start, &budget) { place, row, key, budget in
        guard isWhole || isLive(sortedRun, row), query.holdsStrictly(row, key: key, names: names, displayNames, &budget)
        else {
          return budget.canContinue
        }
        return body(row, Place(block: place.block, key: place.start..<place.end), &budget)
      }
    }
  }

  /// The same for a segment.
  /// - Parameter firstRank: if not 0, the rank at which a search without `start` continues.
  @inline(__always)
  private func forEachMatch(
    of query: NameQuery, in sortedRun: SortedRun, _ segment: NameSegment, from start: [UInt8]?,
    rank firstRank: Int = 0, names: borrowing TextColumn, _ budget: inout QueryBudget,
    _ body: (_ row: UInt32, _ place: Place, _ budget: inout QueryBudget) -> Bool
  ) {
    var firstRank = firstRank
    if start == nil, firstRank == 0, let first = segment.firstRanks(of: query) {
      firstRank = forEachMatch(of: query, first, in: sortedRun, segment, names: names, &budget, body)
      if firstRank == 0 { return }
    }
    let isWhole = sortedRun.deletedCount == 0
    segment.forEachMatch(of: query, from: start, firstRank: firstRank, &budget) { place, key, budget in
      let row = segment.rows[place.rank]
      let holds = isWhole || isLive(sortedRun, row)
      let areEqual = segment.hasEqualKeys(place.rank)
      guard holds, query.holdsStrictly(row, key: key, hasEqualKeys: areEqual, names: names, displayNames, &budget)
      else {
        return budget.canContinue
      }
      return body(row, Place(rank: place.rank, key: place.start..<place.start + key.count), &budget)
    }
  }

  /// The same for the first ranks of a query's gram.
  /// - Returns: the rank after them; 0 if `body` returned false.
  @inline(__always)
  private func forEachMatch(
    of query: NameQuery, _ first: Range<Int>, in sortedRun: SortedRun, _ segment: NameSegment,
    names: borrowing TextColumn, _ budget: inout QueryBudget,
    _ body: (_ row: UInt32, _ place: Place, _ budget: inout QueryBudget) -> Bool
  ) -> Int {
    let (ranks, rows) = (segment.firstRanks.ranks, segment.rows)
    let isWhole = sortedRun.deletedCount == 0
    for index in first { rows.span.prefetch(Int(ranks[index]), count: 1) }
    for index in first {
      let rank = Int(ranks[index])
      let row = rows[rank]
      if !isWhole && !isLive(sortedRun, row) { continue }
      if !holdsStrictly(query, rank, row, in: segment, names: names, &budget) { continue }
      if !body(row, Place(rank: rank), &budget) { return 0 }
    }
    return Int(ranks[first.upperBound - 1]) + 1
  }

  /// The same for the only segment: at the first ranks of the query's gram; if there are none, of a prefix.
  /// - Parameter start: the position of the first name with the prefix, if it is known.
  @inline(__always)
  private func forEachMatch(
    of query: NameQuery, at first: Range<Int>?, _ start: NameSegment.Place?, in segment: NameSegment,
    names: borrowing TextColumn, _ budget: inout QueryBudget,
    _ body: (_ row: UInt32, _ budget: inout QueryBudget) -> Bool
  ) -> Int {
    let sortedRun = sortedRuns[0]
    if let first {
      return forEachMatch(of: query, first, in: sortedRun, segment, names: names, &budget) { row, _, budget in
        body(row, &budget)
      }
    }
    let (text, rows) = (query.loose, segment.rows)
    let isWhole = sortedRun.deletedCount == 0
    let prefix = ByteSearch.Prefix(text.span)
    var place = start ?? segment.lowerBound(text.span)
    // Up to a block whose first key begins with the text, all keys do, and are not read.
    while let next = segment.nextBlock(after: place), segment.begins(next, with: prefix) {
      for rank in place.rank..<next.rank {
        let row = rows[rank]
        if !isWhole && !isLive(sortedRun, row) { continue }
        if !holdsStrictly(query, rank, row, in: segment, names: names, &budget) { continue }
        if !body(row, &budget) { return 0 }
      }
      if !budget.takeSteps(next.rank - place.rank) { return 0 }
      place = next
    }
    segment.walk(from: place, while: { prefix.begins($0) }, &budget) { place, key, budget in
      let row = rows[place.rank]
      let areEqual = segment.hasEqualKeys(place.rank)
      guard isWhole || isLive(sortedRun, row),
        query.holdsStrictly(row, key: key, hasEqualKeys: areEqual, names: names, displayNames, &budget)
      else { return budget.canContinue }
      return body(row, &budget)
    }
    return 0
  }

  /// Whether the name of a rank whose loose key matches also matches at the requested strictness. Most keys need not be
  /// read for that.
  @inline(__always)
  private func holdsStrictly(
    _ query: NameQuery, _ rank: Int, _ row: UInt32, in segment: NameSegment, names: borrowing TextColumn,
    _ budget: inout QueryBudget
  ) -> Bool {
    let areEqual = segment.hasEqualKeys(rank)
    if query.isDecidedByKey && query.names != .username || query.isDecidedByEqualKeys && areEqual { return true }
    let (key, keys) = (segment.keyRange(at: rank), segment.keys)
    return query.holdsStrictly(
      row, key: keys.span.extracting(key), hasEqualKeys: areEqual, names: names, displayNames, &budget)
  }

  /// Whether an entry sorts after `place`. Its key must not be below that of `place`, and it must be live: the name of
  /// a deleted entry may have changed.
  @inline(__always)
  private func isBehind(_ place: NameKey?, _ row: UInt32, key: Span<UInt8>, names: borrowing TextColumn) -> Bool {
    guard let place else { return true }
    if ByteSearch.compare(key, place.loose.span) != 0 { return true }
    let order = ByteSearch.compare(names.bytes(Int(row)), place.name.span)
    return order > 0 || (order == 0 && place.precedesItsName)
  }

  /// The same for an entry whose key may also be below that of `place`.
  private func isBehindAnywhere(
    _ place: NameKey?, _ row: UInt32, key: Span<UInt8>, names: borrowing TextColumn
  ) -> Bool {
    if let place, ByteSearch.compare(key, place.loose.span) < 0 { return false }
    return isBehind(place, row, key: key, names: names)
  }

  /// The order of results: by rank, descending, then by key, then by exact name.
  private func isOrdered(_ hit: NameHit, before other: NameHit, names: borrowing TextColumn) -> Bool {
    if hit.rank != other.rank { return hit.rank > other.rank }
    if hit.word != other.word { return hit.word < other.word }
    let (keys, otherKeys) = (keys(of: hit), keys(of: other))
    let difference = ByteSearch.compare(
      keys.span.extracting(hit.start..<hit.start + hit.keyByteCount),
      otherKeys.span.extracting(other.start..<other.start + other.keyByteCount))
    if difference != 0 { return difference < 0 }
    return ByteSearch.compare(names.bytes(Int(hit.row)), names.bytes(Int(other.row))) < 0
  }

  /// The buffer that contains a hit's key.
  private func keys(of hit: NameHit) -> [UInt8] {
    bytes(at: Place(block: hit.block, key: hit.start..<hit.start + hit.keyByteCount), of: hit.source).keys
  }

  /// The key of a match: the buffer that contains it, and where.
  private func bytes(at place: Place, of source: Int) -> (keys: [UInt8], range: Range<Int>) {
    if source < sortedRuns.count {
      switch sortedRuns[source].body {
      case .segment(let segment): return (segment.keys, place.key ?? segment.keyRange(at: place.rank))
      case .memtable(let memtable): return (memtable.blocks[place.block].keys, place.key ?? 0..<0)
      }
    }
    return (memtable.blocks[place.block].keys, place.key ?? 0..<0)
  }
}
