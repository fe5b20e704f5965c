extension NameIndex {
  /// The first names, in order, that answer a query.
  /// - Parameter judge: asked of every living name that matches; within one tier in order of name.
  /// - Complexity: where all fronts are one: O(limit) groups of 64 names for one and two letters, else O(blocks with
  ///   the query's rarest trigram) at worst, and usually no more than the blocks of the answers. Else O(matches), until
  ///   `limit` answers have the front `ceiling`.
  func search(
    _ search: NameSearch, names: borrowing TextColumn, judge: (UInt32) -> NameSearch.Judgement
  ) -> (found: [FoundName], end: NameSearch.End) {
    if search.query.matchesNothing || search.limit <= 0 { return ([], .complete) }
    var work = SearchWork()
    var selection = NameSelection(limit: search.limit)
    var found: [FoundName] = []
    // One source gives names in the order that is asked for, as after a restore: there is nothing to select.
    let isInOrder = search.afterFront == nil && tiers.count + (head.count > 0 ? 1 : 0) == 1
    if isInOrder { found.reserveCapacity(min(search.limit, 32)) }
    var isStopped = false
    let start = search.afterFront == nil ? search.after?.loose : nil
    // The largest tiers are the oldest: once they have given enough, the others stop at their last answer.
    for source in 0...tiers.count {
      forEachMatch(of: search.query, in: source, from: start, names: names, &work) { row, block, start, key in
        if let below = search.below, ByteSearch.compare(key, below.span) >= 0 { return false }
        if search.afterFront == nil && !isBehind(search.after, row, key: key, names: names) { return true }
        switch judge(row) {
        case .leaveOut: return true
        case .stop:
          isStopped = true
          return false
        case .take(let front):
          if isInOrder {
            found.append(FoundName(row: row, front: front))
            return found.count < search.limit
          }
          if let bound = search.afterFront {
            if front > bound { return true }
            if front == bound && !isBehindAnywhere(search.after, row, key: key, names: names) { return true }
          }
          let hit = NameHit(row: row, front: front, source: source, block: block, start: start, key: key)
          selection.take(hit, isBefore: { isOrdered($0, before: $1, names: names) })
          // The tier has nothing more to give if not even the largest front would bring in what comes behind this name.
          guard let last = selection.last, last.front >= search.ceiling else { return true }
          return last.row != row && isOrdered(hit.withFront(last.front), before: last, names: names)
        }
      }
      if isStopped || work.isCancelled { break }
    }
    if !isInOrder { found = selection.found() }
    return (found, work.isCancelled ? .cancelled : isStopped ? .stopped : .complete)
  }

  /// How many names answer a query; nil when the task was cancelled.
  /// - Complexity: as a search without a limit.
  func count(_ query: NameQuery, names: borrowing TextColumn, accept: (UInt32) -> Bool) -> Int? {
    if query.matchesNothing { return 0 }
    var work = SearchWork()
    var count = 0
    for source in 0...tiers.count {
      forEachMatch(of: query, in: source, from: nil, names: names, &work) { row, _, _, _ in
        if accept(row) { count += 1 }
        return true
      }
      if work.isCancelled { return nil }
    }
    return count
  }

  /// Calls `body` with row, place and key of every living name of a tier, or of the head, that matches, in order, until
  /// it answers false.
  @inline(__always)
  private func forEachMatch(
    of query: NameQuery, in source: Int, from start: [UInt8]?, names: borrowing TextColumn, _ work: inout SearchWork,
    _ body: (_ row: UInt32, _ block: Int, _ start: Int, _ key: Span<UInt8>) -> Bool
  ) {
    if source == tiers.count {
      head.forEachMatch(of: query, from: start, &work) { place, row, key in
        guard query.holdsStrictly(row, key: key, names: names) else { return query.goesOn }
        return body(row, place.block, place.start, key)
      }
      return
    }
    let tier = tiers[source]
    let isWhole = tier.deadCount == 0  // spares each match a look at its row's serial, a cache miss
    switch tier.body {
    case .segment(let segment):
      segment.forEachMatch(of: query, from: start, &work) { place, key in
        let row = segment.rows[place.rank]
        guard isWhole || isLive(tier, row), query.holdsStrictly(row, key: key, names: names) else {
          return query.goesOn
        }
        return body(row, 0, place.start, key)
      }
    case .head(let head):
      head.forEachMatch(of: query, from: start, &work) { place, row, key in
        guard isWhole || isLive(tier, row), query.holdsStrictly(row, key: key, names: names) else {
          return query.goesOn
        }
        return body(row, place.block, place.start, key)
      }
    }
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

  /// The same of an entry wherever its key stands.
  private func isBehindAnywhere(
    _ place: NameKey?, _ row: UInt32, key: Span<UInt8>, names: borrowing TextColumn
  ) -> Bool {
    if let place, ByteSearch.compare(key, place.loose.span) < 0 { return false }
    return isBehind(place, row, key: key, names: names)
  }

  /// How two answers stand: by front, descending, then by key, then by the exact name.
  private func isOrdered(_ hit: NameHit, before other: NameHit, names: borrowing TextColumn) -> Bool {
    if hit.front != other.front { return hit.front > other.front }
    if hit.word != other.word { return hit.word < other.word }
    let (keys, otherKeys) = (keys(of: hit), keys(of: other))
    let difference = ByteSearch.compare(
      keys.span.extracting(hit.start..<hit.start + hit.keyByteCount),
      otherKeys.span.extracting(other.start..<other.start + other.keyByteCount))
    if difference != 0 { return difference < 0 }
    return ByteSearch.compare(names.bytes(Int(hit.row)), names.bytes(Int(other.row))) < 0
  }

  /// The bytes that an answer's key lies in.
  private func keys(of hit: NameHit) -> [UInt8] {
    if hit.source == tiers.count { return head.blocks[hit.block].keys }
    return switch tiers[hit.source].body {
    case .segment(let segment): segment.keys
    case .head(let head): head.blocks[hit.block].keys
    }
  }
}
