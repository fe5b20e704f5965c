/// The orders that rank users before the name. Each is exact. Each has one plan for few matches and one for many.
extension UserQueryPlan {
  /// Users whose username begins with the query (rank 1), then the others (rank 0): two walks in name order.
  func prefixFirst(_ state: borrowing GraphState, _ budget: inout QueryBudget) throws(KithError) -> [FoundName] {
    if query.matchesNothing { return [] }
    if query.names == .either && query.match == .exact { return try prefixFirstOfExact(state, &budget) }
    var found: [FoundName] = []
    if (afterRank ?? 1) >= 1 {
      // A prefix, exact or empty query for usernames matches only names that begin with it.
      var beginnings = query.matchesAnywhere ? query.beginning : query
      if query.names == .either { beginnings.names = .username }
      let search = NameSearch(query: beginnings, after: after, limit: limit)
      found = try state.users.execute(search, ofKind: kind, &budget) { row, _ in accepts(row, state) ? 1 : nil }
    }
    let isDone = !query.matchesAnywhere && query.names != .either
    if isDone || query.isEmpty || found.count == limit { return found }
    let place = afterRank == 0 ? after : nil
    if query.fold == .strict || query.match == .pattern {
      // Names that begin with the loose text are tested one by one: their accents may differ.
      let beginnings = query.beginning
      let others = NameSearch(query: query, after: place, limit: limit - found.count)
      return try found
        + state.users.execute(others, ofKind: kind, &budget) { row, budget in
          let isOther = accepts(row, state) && !beginnings.holds(name: state.users.names.bytes(Int(row)), &budget)
          return isOther ? 0 : nil
        }
    }
    // Names that begin with the text are adjacent. One walk covers the names before them, another the names after them.
    let text = query.loose
    var search = NameSearch(query: query, after: place, below: text, limit: limit - found.count)
    if place.map({ ByteSearch.compare($0.loose.span, text.span) < 0 }) ?? true {
      found += try state.users.execute(search, ofKind: kind, &budget) { row, _ in accepts(row, state) ? 0 : nil }
    }
    let behind = NameKey.behindAll(beginningWith: text)
    search.below = nil
    search.after = place.map { max($0, behind) } ?? behind
    search.limit = limit - found.count
    return try found + state.users.execute(search, ofKind: kind, &budget) { row, _ in accepts(row, state) ? 0 : nil }
  }

  /// The same for whole names, of which there are few.
  private func prefixFirstOfExact(
    _ state: borrowing GraphState, _ budget: inout QueryBudget
  ) throws(KithError) -> [FoundName] {
    var search = NameSearch(query: query, limit: limit, ceiling: 1)
    (search.after, search.afterRank) = (after, afterRank ?? 1)
    let beginning = query.beginning
    return try state.users.execute(search, ofKind: kind, &budget) { row, budget in
      guard accepts(row, state) else { return nil }
      return beginning.holds(name: state.users.names.bytes(Int(row)), &budget) ? 1 : 0
    }
  }

  /// Followees of the viewer (rank 1), then the others (rank 0).
  ///
  /// The first plan walks the matches in name order and finds both groups in one pass. It suits few matches, and many
  /// followees where matches are adjacent. Otherwise it is cheaper to scan the followees; the others then follow in
  /// name order.
  func followedFirst(_ state: borrowing GraphState, _ budget: inout QueryBudget) throws(KithError) -> [FoundName] {
    guard let viewer = visibility.viewer else { return [] }
    var found: [FoundName] = []
    if (afterRank ?? 1) >= 1 {
      let matches = matchesBeforeScan(ofFollowees: state.follows.targetCount(viewer), state)
      if matches > 0 {
        let both = everybody(followedBy: viewer, matches: matches, state, &budget)
        try budget.check()
        if budget.canContinue { return both }
        budget.beginPlan()
      }
      found = followees(of: viewer, state, &budget)
    }
    try budget.check()
    if found.count == limit { return found }
    let place = afterRank == 0 ? after : nil
    let others = NameSearch(query: query, after: place, limit: limit - found.count)
    return try found
      + state.users.execute(others, ofKind: kind, &budget) { row, _ in
        accepts(row, state) && !state.follows.contains(viewer, row) ? 0 : nil
      }
  }

  /// How many matches a walk may pass before a scan of all followees: as many as there are, if that costs less than the
  /// scan; about as many as hold a page of followees, if that does; else those of a part of the scan's time, unless it
  /// is known that there are more.
  private func matchesBeforeScan(ofFollowees count: Int, _ state: borrowing GraphState) -> Int {
    let needed = limit * state.users.count / max(1, count)
    let few = count / (8 * Self.namesPerBlock)
    if query.match == .prefix && query.names != .either { return needed * 4 < count ? 2 * needed : few }
    guard let blocks = state.users.blockEstimate(of: query, ofKind: kind) else { return few }
    if blocks * Self.namesPerBlock <= count { return .max }
    if !query.isOneGram { return few }
    return needed * NameSegment.blocksPerGroup * Self.namesPerBlock < count ? 2 * needed : 0
  }

  /// A walk over all matches, until there are too many.
  private func everybody(
    followedBy viewer: UInt32, matches: Int, _ state: borrowing GraphState, _ budget: inout QueryBudget
  ) -> [FoundName] {
    var search = NameSearch(query: query, limit: limit, ceiling: 1)
    (search.after, search.afterRank) = (after, afterRank ?? 1)
    budget.beginPlan(limit: matches)
    return TargetSet.lend(targetsOf: viewer, in: state.follows) { followees in
      state.users.find(search, ofKind: kind, &budget) { row, _ in
        accepts(row, state) ? followees.contains(row) ? 1 : 0 : nil
      }
    }
  }

  /// The first followees who match, found by a scan of all followees.
  private func followees(
    of viewer: UInt32, _ state: borrowing GraphState, _ budget: inout QueryBudget
  ) -> [FoundName] {
    var scan = NameScan(
      query, state.users.displayNames(ofKind: kind), limit: limit, after: after, afterRank: afterRank,
      only: (rank: 1, userCount: state.follows.targetCount(viewer)))
    state.follows.forward.forEachRun(of: Int(viewer)) { run in
      scan.add(run, digests: state.users.digests, names: state.users.names, &budget) {
        Adjacency.target($0)
      } rank: { row in
        accepts(row, state) ? 1 : nil
      }
    }
    scan.finish(names: state.users.names, &budget) { accepts($0, state) ? 1 : nil }
    return scan.found
  }

  /// How many users are scanned in the time in which a walk searches a block of names.
  private static let namesPerBlock = 64

  /// By number of followers (the rank), descending.
  ///
  /// For few matches, a walk over all of them: if the blocks with the text's rarest gram take less time than a scan of
  /// users until so many match as there are blocks. Otherwise a scan of the names of the most popular users, level by
  /// level. If it does not fill the page soon, the plan is chosen by the share of matches among them.
  /// - Complexity: O(min(matches, users of the levels from the top, or the cursor's, down to that of the page's last
  ///   user)) if that user has 32 followers or more, and matches are as frequent among all users as among the popular
  ///   ones; else O(matches).
  func popular(_ state: borrowing GraphState, _ budget: inout QueryBudget) throws(KithError) -> [FoundName] {
    let blocks = state.users.blockEstimate(of: query, ofKind: kind)
    let areFew = blocks.map { $0 * $0 <= limit * state.users.count / Self.namesPerBlock } ?? false
    if areFew || !query.isOneGram {
      if let all = try everybodyByPopularity(matches: areFew ? .max : 16, state, &budget) { return all }
    }
    var popular = PopularScan(
      NameScan(query, state.users.displayNames(ofKind: kind), limit: limit, after: after, afterRank: afterRank),
      levels: Popularity.levels(from: afterRank ?? .max).makeIterator())
    let sample = try popular.scan(names: 1_024, state, &budget) { accepts($0, state) }
    if popular.isFull { return popular.found }
    let hits = popular.found.count + 1
    let wanted = (limit + 1 - hits) * sample / hits
    if wanted / Self.namesPerBlock < hits * state.users.count / max(1, sample) {
      _ = try popular.scan(names: 2 * wanted, state, &budget) { accepts($0, state) }
      if popular.isFull { return popular.found }
    }
    return try everybodyByPopularity(matches: .max, state, &budget) ?? []
  }

  /// A walk over all matches; nil if there are more than so many.
  private func everybodyByPopularity(
    matches: Int, _ state: borrowing GraphState, _ budget: inout QueryBudget
  ) throws(KithError) -> [FoundName]? {
    budget.beginPlan(limit: matches)
    // Without follows all have one rank: the first in name order end the walk.
    let isSimple = afterRank == nil && state.users.hasOneSource(ofKind: kind) && state.follows.count > 0
    let all = isSimple ? mostPopular(state, &budget) : everybodyRanked(state, &budget)
    try budget.check()
    return budget.canContinue ? all : nil
  }

  /// The most popular matches of an index of one source. It yields them in name order, so that no names are compared.
  private func mostPopular(_ state: borrowing GraphState, _ budget: inout QueryBudget) -> [FoundName] {
    // By number of followers, then by place in name order; the low words hold the rows.
    var best = TopK<WeightedID<Int>>(limit: limit)
    var place: Int64 = 0
    withTemporaryList(of: UInt32.self, capacity: Self.cardsPerGroup) { rows in
      func rankAll() {
        for index in rows.indices {
          let followerCount = state.users.names.card(rows[index]).followerCount
          best.push(WeightedID(weight: followerCount, id: place << 32 | Int64(rows[index])))
          place += 1
        }
        rows.removeAll()
      }
      let search = NameSearch(query: query, limit: limit)
      _ = state.users.find(search, ofKind: kind, &budget) { row, _ in
        guard accepts(row, state) else { return nil }
        state.users.prefetchCard(row)
        rows.append(row)
        if rows.isFull { rankAll() }
        return nil
      }
      rankAll()
    }
    return best.sorted().map { FoundName(row: UInt32(truncatingIfNeeded: $0.id), rank: $0.weight) }
  }

  /// The matches whose cards are fetched together.
  private static let cardsPerGroup = 16

  /// The same of any index, from the cursor on.
  private func everybodyRanked(_ state: borrowing GraphState, _ budget: inout QueryBudget) -> [FoundName] {
    // If no user has followers, all ranks are 0.
    var search = NameSearch(query: query, limit: limit, ceiling: state.follows.count == 0 ? 0 : afterRank ?? .max)
    (search.after, search.afterRank) = (after, afterRank ?? .max)
    return state.users.find(search, ofKind: kind, &budget) { row, _ in
      accepts(row, state) ? state.users.names.card(row).followerCount : nil
    }
  }
}

/// A scan of the names of the popular users, most popular level first, which can be continued.
private struct PopularScan: ~Copyable {
  private var names: NameScan
  private var levels: ReversedCollection<Range<Int>>.Iterator

  init(_ names: consuming NameScan, levels: ReversedCollection<Range<Int>>.Iterator) {
    self.names = names
    self.levels = levels
  }

  /// Whether the page is full: users of further levels are less popular than all that were found.
  var isFull: Bool { names.isFull }
  var found: [FoundName] { names.found }

  /// Scans whole levels until the page is full, or so many names were scanned. Returns how many were.
  mutating func scan(
    names count: Int, _ state: borrowing GraphState, _ budget: inout QueryBudget, accepts: (UInt32) -> Bool
  ) throws(KithError) -> Int {
    var scanned = 0
    budget.beginPlan()
    while scanned < count && !names.isFull, let level = levels.next() {
      scanned += state.popularity.count(of: level)
      state.popularity.forEachRun(of: level) { run in
        names.add(run, digests: state.users.digests, names: state.users.names, &budget) {
          $0
        } rank: { row in
          accepts(row) ? state.users.names.card(row).followerCount : nil
        }
      }
      names.finish(names: state.users.names, &budget) { row in
        accepts(row) ? state.users.names.card(row).followerCount : nil
      }
    }
    try budget.check()
    return scanned
  }
}
