/// The orders that rank users before the name. Each is exact. Each has one plan for few matches and one for many.
extension UserQueryPlan {
  /// Names that begin with the query (rank 1), then the others (rank 0): two walks in name order.
  func prefixFirst(_ state: borrowing GraphState, _ budget: inout QueryBudget) throws(KithError) -> [FoundName] {
    if query.matchesNothing { return [] }
    var found: [FoundName] = []
    if (afterRank ?? 1) >= 1 {
      // A prefix, exact or empty query matches only names that begin with it.
      let beginnings = query.matchesAnywhere ? query.beginning : query
      let search = NameSearch(query: beginnings, after: after, limit: limit)
      found = try state.users.execute(search, &budget) { row, _ in accepts(row, state) ? 1 : nil }
    }
    if !query.matchesAnywhere || query.isEmpty || found.count == limit { return found }
    let place = afterRank == 0 ? after : nil
    if query.fold == .strict || query.match == .pattern {
      // Names that begin with the loose text are tested one by one: their accents may differ.
      let beginnings = query.beginning
      let others = NameSearch(query: query, after: place, limit: limit - found.count)
      return try found
        + state.users.execute(others, &budget) { row, budget in
          let isOther = accepts(row, state) && !beginnings.holds(name: state.users.names.bytes(Int(row)), &budget)
          return isOther ? 0 : nil
        }
    }
    // Names that begin with the text are adjacent. One walk covers the names before them, another the names after them.
    let text = query.loose
    var search = NameSearch(query: query, after: place, below: text, limit: limit - found.count)
    if place.map({ ByteSearch.compare($0.loose.span, text.span) < 0 }) ?? true {
      found += try state.users.execute(search, &budget) { row, _ in accepts(row, state) ? 0 : nil }
    }
    let behind = NameKey.behindAll(beginningWith: text)
    search.below = nil
    search.after = place.map { max($0, behind) } ?? behind
    search.limit = limit - found.count
    return try found + state.users.execute(search, &budget) { row, _ in accepts(row, state) ? 0 : nil }
  }

  /// Followees of the viewer (rank 1), then the others (rank 0).
  ///
  /// The first plan walks the matches in name order and finds both groups in one pass. It suits few matches, or many
  /// followees. After more than one match per 32 followees, it is cheaper to scan the followees' own names; the others
  /// then follow in name order.
  func followedFirst(_ state: borrowing GraphState, _ budget: inout QueryBudget) throws(KithError) -> [FoundName] {
    guard let viewer = visibility.viewer else { return [] }
    let followeeCount = state.follows.targetCount(viewer)
    var found: [FoundName] = []
    if (afterRank ?? 1) >= 1 {
      var search = NameSearch(query: query, limit: limit, ceiling: 1)
      (search.after, search.afterRank) = (after, afterRank ?? 1)
      budget.beginPlan(limit: 32 + followeeCount / 32)
      let both = state.users.search.search(search, names: state.users.names, &budget) { row, _ in
        accepts(row, state) ? state.follows.contains(viewer, row) ? 1 : 0 : nil
      }
      try budget.check()
      if budget.canContinue { return both }
      found = followees(of: viewer, state, &budget)
    }
    try budget.check()
    if found.count == limit { return found }
    let place = afterRank == 0 ? after : nil
    let others = NameSearch(query: query, after: place, limit: limit - found.count)
    return try found
      + state.users.execute(others, &budget) { row, _ in
        accepts(row, state) && !state.follows.contains(viewer, row) ? 0 : nil
      }
  }

  /// The first followees who match, found by a scan of all followees' names.
  private func followees(
    of viewer: UInt32, _ state: borrowing GraphState, _ budget: inout QueryBudget
  ) -> [FoundName] {
    var scan = NameScan(query, capacity: state.follows.targetCount(viewer))
    state.follows.forward.forEachRun(of: Int(viewer)) { run in
      scan.add(run, names: state.users.names) { Relation.target($0) }
    }
    return scan.first(limit, after: after, afterRank: afterRank, names: state.users.names, &budget) { row in
      accepts(row, state) ? 1 : nil
    }
  }

  /// By number of followers (the rank), descending.
  ///
  /// For few matches, a walk over all of them. Otherwise, a scan of the names of the most popular users, level by
  /// level. The two plans are tried in turn, each time with four times the limit. If many names match the query but no
  /// popular one does, only the walk is left.
  /// - Complexity: O(min(matches, users of the levels from the top, or the cursor's, down to that of the page's last
  ///   user)) if that user has 32 followers or more; else O(matches).
  func popular(_ state: borrowing GraphState, _ budget: inout QueryBudget) throws(KithError) -> [FoundName] {
    // If no user has followers, all ranks are 0.
    let ceiling = state.follows.count == 0 ? 0 : afterRank ?? .max
    var search = NameSearch(query: query, limit: limit, ceiling: ceiling)
    (search.after, search.afterRank) = (after, afterRank ?? .max)
    var planLimit = 64
    while true {
      budget.beginPlan(limit: planLimit)
      let all = state.users.search.search(search, names: state.users.names, &budget) { row, _ in
        accepts(row, state) ? state.follows.sourceCount(row) : nil
      }
      try budget.check()
      if budget.canContinue { return all }
      budget.beginPlan(limit: planLimit)
      let found = mostPopular(state, &budget)
      try budget.check()
      if let found { return found }
      // All levels together may have fewer matches than a page holds: then only the walk is left.
      planLimit = budget.canContinue ? .max : 4 * planLimit
    }
  }

  /// Scans the names of the popular users, most popular level first, until the page is full; nil if it does not get
  /// full, or the plan's limit is reached.
  private func mostPopular(_ state: borrowing GraphState, _ budget: inout QueryBudget) -> [FoundName]? {
    var found: [FoundName] = []
    for level in Popularity.levels(from: afterRank ?? .max) {
      let count = state.popularity.count(of: level)
      if count == 0 { continue }
      if !budget.take(count) { return nil }
      var scan = NameScan(query, capacity: count)
      state.popularity.forEachRun(of: level) { scan.add($0, names: state.users.names) { $0 } }
      found += scan.first(
        limit - found.count, after: after, afterRank: afterRank, names: state.users.names, &budget
      ) { row in accepts(row, state) ? state.follows.sourceCount(row) : nil }
      if found.count == limit { return found }
    }
    return nil
  }
}
