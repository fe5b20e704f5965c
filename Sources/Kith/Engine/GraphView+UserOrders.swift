/// The orders that put something before the name. Each answers exactly; each has a plan for matches that are few, and
/// one for matches that are many.
extension GraphView {
  /// Names that begin with the query (front 1), then the others (0): two walks in order of name.
  func prefixFirst(_ walk: UserWalk) throws(KithError) -> [FoundName] {
    if walk.query.matchesNothing { return [] }
    var found: [FoundName] = []
    if (walk.afterFront ?? 1) >= 1 {
      // Whatever matches as a prefix, exactly, or without a text begins with the query.
      let beginnings = walk.query.match == .substring ? walk.query.matching(.prefix) : walk.query
      let search = NameSearch(query: beginnings, after: walk.after, limit: walk.limit)
      found = try self.found(search) { accepts($0, walk) ? .take(front: 1) : .leaveOut }
    }
    if walk.query.match != .substring || walk.query.isEmpty || found.count == walk.limit { return found }
    let place = walk.afterFront == 0 ? walk.after : nil
    if walk.query.fold == .strict {
      // Names that begin with the loose text are looked at one by one: they may begin with other accents.
      let beginnings = walk.query.matching(.prefix)
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
  /// seen more matches than a few for each eight followees, it is cheaper to look the followees' own names through;
  /// the others then follow in order of name.
  func followedFirst(_ walk: UserWalk) throws(KithError) -> [FoundName] {
    guard let viewer = walk.sight.viewer else { return [] }
    let followeeCount = state.follows.targetCount(viewer)
    var found: [FoundName] = []
    if (walk.afterFront ?? 1) >= 1 {
      var search = NameSearch(query: walk.query, limit: walk.limit, ceiling: 1)
      (search.after, search.afterFront) = (walk.after, walk.afterFront ?? 1)
      var left = 32 + followeeCount / 8
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
    let list = Int(viewer)
    var scan = NameScan(walk.query, capacity: state.follows.targetCount(viewer))
    for run in 0..<state.follows.forward.runCount(of: list) {
      let elements = state.follows.forward.run(run, of: list)
      for index in elements.indices { scan.add(Relation.target(elements[index]), names: state.users.names) }
    }
    return scan.first(walk.limit, after: walk.after, afterFront: walk.afterFront, names: state.users.names) { row in
      accepts(row, walk) ? 1 : nil
    }
  }

  /// By number of followers (the front), descending.
  /// - Complexity: O(matches).
  func popular(_ walk: UserWalk) throws(KithError) -> [FoundName] {
    var search = NameSearch(query: walk.query, limit: walk.limit, ceiling: walk.afterFront ?? .max)
    (search.after, search.afterFront) = (walk.after, walk.afterFront ?? .max)
    return try found(search) { row in
      accepts(row, walk) ? .take(front: state.follows.sourceCount(row)) : .leaveOut
    }
  }
}
