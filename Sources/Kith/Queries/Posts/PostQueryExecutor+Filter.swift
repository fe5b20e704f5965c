/// The scan by a filter: most posts are rejected unread.
extension PostQueryExecutor {
  /// Continues the scan from the newest post not yet scanned to older ones.
  /// - Returns: true if the result is complete; false if about `count` posts were scanned and more are needed.
  mutating func walk(
    _ state: borrowing GraphState, _ filter: inout PostFilter, atMost count: Int
  ) throws(KithError) -> Bool {
    guard var place else { return try walk(state, atLeast: count) }
    defer { self.place = place }
    var left = count
    while left > 0 {
      if place.offset == 0 {
        if place.run == 0 { return true }
        place.run -= 1
        place.offset = state.posts.all.run(place.run, of: 0).count
        continue
      }
      let run = state.posts.all.run(place.run, of: 0)
      let posts = run.extracting(max(0, place.offset - PostFilter.groupCount)..<place.offset)
      let next = max(0, place.offset - 2 * PostFilter.groupCount)..<place.offset - posts.count
      prefetchAuthors(run.extracting(next), state)
      var candidates = filter.candidates(among: posts, &budget, state)
      if !state.posts.index.hasNoEdits {
        for index in posts.indices where state.posts.index.isEdited(posts[index]) { candidates |= 1 << UInt64(index) }
      }
      try budget.check()
      while candidates != 0 {
        let index = 63 - candidates.leadingZeroBitCount
        candidates &= ~(1 << UInt64(index))
        let key = state.posts.key(posts[index])
        if key <= low { return true }
        if matches(posts[index], state) { found.add(key, posts[index]) }
        if found.count == limit { return true }
      }
      high = state.posts.key(posts[0])
      if high <= low { return true }
      place.offset -= posts.count
      left -= posts.count
      if !budget.takeSteps(posts.count) { throw .cancelled }
    }
    return false
  }

  /// Moves a filter to the newest post not yet scanned.
  mutating func advance(_ filter: inout PostFilter, _ state: borrowing GraphState) throws(KithError) {
    if author != nil { return }
    let place = place ?? state.posts.all.partitionPoint(of: 0) { state.posts.isBefore($0, high) }
    self.place = place
    guard let (row, _) = state.posts.all.element(before: place, of: 0) else { return }
    filter.move(to: row, &budget, state)
    try budget.check()
  }
}
