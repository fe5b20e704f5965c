/// The orders that put something before the name. Each answers exactly; each has a plan for matches that are few, and
/// one for matches that are many.
extension GraphView {
  /// Names that begin with the query (front 1), then the others (0): two walks in order of name.
  func prefixFirst(_ walk: UserWalk) throws(KithError) -> [FoundName] {
    if walk.query.matchesNothing { return [] }
    var found: [FoundName] = []
    if (walk.afterFront ?? 1) >= 1 {
      // Whatever matches as a prefix, exactly, or without a text begins with the query.
      let beginnings = walk.query.mayStandAnywhere ? walk.query.beginning : walk.query
      let search = NameSearch(query: beginnings, after: walk.after, limit: walk.limit)
      found = try self.found(search) { accepts($0, walk) ? .take(front: 1) : .leaveOut }
    }
    if !walk.query.mayStandAnywhere || walk.query.isEmpty || found.count == walk.limit { return found }
    let place = walk.afterFront == 0 ? walk.after : nil
    if walk.query.fold == .strict || walk.query.match == .pattern {
      // Names that begin with the loose text are looked at one by one: they may begin with other accents.
      let beginnings = walk.query.beginning
      let rest = NameSearch(query: walk.query, after: place, limit: walk.limit - found.count)
      return try found
        + self.found(rest) { row in
          let isOther = accepts(row, walk) && !beginnings.holds(row, names: state.users.names)
          return isOther ? .take(front: 0) : .leaveOut
        }
    }
    // Names that begin with the text are neighbours: the walk goes before them, then behind them.
    let text = walk.query.loose
    var search = NameSearch(query: walk.query, after: place, below: text, limit: walk.limit - found.count)
    if place.map({ ByteSearch.compare($0.loose.span, text.span) < 0 }) ?? true {
      found += try self.found(search) { accepts($0, walk) ? .take(front: 0) : .leaveOut }
    }
    let behind = NameKey.behindAll(beginningWith: text)
    search.below = nil
    search.after = place.map { max($0, behind) } ?? behind
    search.limit = walk.limit - found.count
    return try found + self.found(search) { accepts($0, walk) ? .take(front: 0) : .leaveOut }
  }

  /// Those whom the viewer follows (front 1), then the others (0).
  ///
  /// A walk over the matches in order of name finds both at once while matches are few, or followees many. When it has
  /// seen more matches than one for each 32 followees, it is cheaper to look the followees' own names through;
  /// the others then follow in order of name.
  func followedFirst(_ walk: UserWalk) throws(KithError) -> [FoundName] {
    guard let viewer = walk.sight.viewer else { return [] }
    let followeeCount = state.follows.targetCount(viewer)
    var found: [FoundName] = []
    if (walk.afterFront ?? 1) >= 1 {
      var search = NameSearch(query: walk.query, limit: walk.limit, ceiling: 1)
      (search.after, search.afterFront) = (walk.after, walk.afterFront ?? 1)
      var left = 32 + followeeCount / 32
      let (both, end) = state.users.search.search(search, names: state.users.names) { row in
        left -= 1
        if left < 0 { return .stop }
        return accepts(row, walk) ? .take(front: state.follows.contains(viewer, row) ? 1 : 0) : .leaveOut
      }
      switch end {
      case .complete: return both
      case .cancelled: throw .cancelled
      case .stopped: found = followees(of: viewer, walk)
      }
    }
    if found.count == walk.limit { return found }
    let place = walk.afterFront == 0 ? walk.after : nil
    let rest = NameSearch(query: walk.query, after: place, limit: walk.limit - found.count)
    return try found
      + self.found(rest) { row in
        accepts(row, walk) && !state.follows.contains(viewer, row) ? .take(front: 0) : .leaveOut
      }
  }

  /// The first followees who answer, found by looking all of their names through.
  private func followees(of viewer: UInt32, _ walk: UserWalk) -> [FoundName] {
    var scan = NameScan(walk.query, capacity: state.follows.targetCount(viewer))
    state.follows.forward.forEachRun(of: Int(viewer)) { run in
      scan.add(run, names: state.users.names) { Relation.target($0) }
    }
    return scan.first(walk.limit, after: walk.after, afterFront: walk.afterFront, names: state.users.names) { row in
      accepts(row, walk) ? 1 : nil
    }
  }

  /// By number of followers (the front), descending.
  ///
  /// While matches are few, a walk over all of them; else a look at the names of the most popular, level by level.
  /// Which it is shows as they are tried in turn, each time four times as far. For a query that many names match and no
  /// popular one, nothing but the walk is left.
  /// - Complexity: O(min(matches, users of the levels from the top, or the cursor's, down to the page's last one)),
  ///   where that one has 32 followers or more; else O(matches).
  func popular(_ walk: UserWalk) throws(KithError) -> [FoundName] {
    // Where nobody follows anybody, the first names are the most popular.
    let ceiling = state.follows.count == 0 ? 0 : walk.afterFront ?? .max
    var search = NameSearch(query: walk.query, limit: walk.limit, ceiling: ceiling)
    (search.after, search.afterFront) = (walk.after, walk.afterFront ?? .max)
    var budget = 64
    while true {
      var left = budget
      let (all, end) = state.users.search.search(search, names: state.users.names) { row in
        left -= 1
        if left < 0 { return .stop }
        return accepts(row, walk) ? .take(front: state.follows.sourceCount(row)) : .leaveOut
      }
      if end == .cancelled { throw .cancelled }
      if end == .complete { return all }
      switch mostPopular(walk, budget: budget) {
      case .full(let found): return found
      case .exhausted: budget = .max
      case .overBudget: budget *= 4
      }
    }
  }

  private enum Levels {
    case full([FoundName])
    /// They hold fewer than a page.
    case exhausted
    case overBudget
  }

  /// Looks the popular users' names through, the most popular level first, until the page is full.
  private func mostPopular(_ walk: UserWalk, budget: Int) -> Levels {
    var found: [FoundName] = []
    var left = budget
    for level in Popularity.levels(from: walk.afterFront ?? .max) {
      let count = state.popularity.count(of: level)
      if count == 0 { continue }
      left -= count
      if left < 0 { return .overBudget }
      var scan = NameScan(walk.query, capacity: count)
      state.popularity.forEachRun(of: level) { scan.add($0, names: state.users.names) { $0 } }
      found += scan.first(
        walk.limit - found.count, after: walk.after, afterFront: walk.afterFront, names: state.users.names
      ) { row in accepts(row, walk) ? state.follows.sourceCount(row) : nil }
      if found.count == walk.limit { return .full(found) }
    }
    return .exhausted
  }
}
