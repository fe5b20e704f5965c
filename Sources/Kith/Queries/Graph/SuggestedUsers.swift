/// Follow recommendations: friends of friends, ranked by the number of a user's followees who follow them.
struct SuggestedUsers: Query {
  let user: UserID
  let query: SuggestionQuery
  var operation: GraphOperation { .suggestions }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<Suggestion> {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    guard (0...SocialGraph.Limits.namedCount).contains(query.namedCount), query.followLimit >= 0 else {
      throw .invalidRequest(.suggestions(namedCount: query.namedCount, followLimit: query.followLimit))
    }
    let kind = try state.relations.number(ofKind: query.kind)
    let own = try state.userRow(user)
    let followees = HopFrontier(of: own, in: state, followLimit: query.followLimit)
    let best = best(for: own, followees, kind, state)
    let named = query.namedCount == 0 ? [] : Self.sortedByID(followees.rows, state)
    var rows = best.map(\.row)
    var mutualEnds: [Int] = []
    if !named.isEmpty {
      for candidate in best {
        rows += firstMutuals(with: candidate.row, among: named, state)
        mutualEnds.append(rows.count)
      }
    }
    let users = UserRecords(rows.span, viewer: nil, state, row: { $0 }) { index, _, record in
      record.following = index < best.count ? .no : .yes
    }
    let records = SuggestionRecords(users: users, best: best, mutualEnds: mutualEnds)
    return Page(records, isTruncated: followees.isTruncated)
  }

  func dependencies(of page: Page<Suggestion>) -> [QueryDependency] {
    let shown = page.flatMap { [$0.user] + $0.mutuals }
    // An edit of flags may bring a user who is not shown.
    let flags = query.flags.isEmpty ? [] : [QueryDependency.anyName]
    return [.anyFollow] + QueryDependency.omitted(by: user) + flags + QueryDependency.shown(shown)
  }

  // MARK: - Candidates

  /// The best candidates. The user, users already followed, users muted and users across a block are excluded.
  ///
  /// All users at two hops are counted, and the excluded ones are dropped afterwards. That is one operation per
  /// excluded user; a test while counting would be one per follow.
  /// - Complexity: O(followees + their follows + limit · log limit).
  private func best(
    for user: UInt32, _ followees: HopFrontier, _ kind: UInt8, _ state: borrowing GraphState
  ) -> [SuggestionRecords.Candidate] {
    state.marks.lend(rowCount: state.users.rowCount) { marks in
      followees.countVisits(marks, state)
      marks[user] = 0
      marks.exclude(targetsOf: user, in: state.follows)
      marks.exclude(targetsOf: user, in: state.mutes)
      marks.exclude(targetsOf: user, in: state.blocks)
      marks.exclude(sourcesOf: user, in: state.blocks)
      return state.users.identifiers.isAscending ? bestByRow(marks, kind, state) : bestByID(marks, kind, state)
    }
  }

  /// Selects by a key in one word: the count in the high half, the complement of the row in the low half.
  private func bestByRow(
    _ marks: VisitCounters, _ kind: UInt8, _ state: borrowing GraphState
  ) -> [SuggestionRecords.Candidate] {
    var best = TopK<UInt64>(limit: query.limit)
    marks.drain { row, count in
      if count > 0 && passes(row, kind, state) { best.push(UInt64(count) << 32 | UInt64(~row)) }
    }
    return best.sorted().map { (~UInt32(truncatingIfNeeded: $0), Int($0 >> 32)) }
  }

  /// Whether a user has the kind and the flags.
  @inline(__always)
  private func passes(_ row: UInt32, _ kind: UInt8, _ state: borrowing GraphState) -> Bool {
    if state.users.hasKinds && state.users.names.kind(row) != kind { return false }
    return query.flags.isEmpty || query.flags.passes(state.users.flags(of: row))
  }

  private func bestByID(_ marks: VisitCounters, _ kind: UInt8, _ state: borrowing GraphState) -> [SuggestionRecords
    .Candidate]
  {
    var best = TopK<WeightedID<UInt16>>(limit: query.limit)
    marks.drain { row, count in
      if count > 0 && passes(row, kind, state) {
        best.push(WeightedID(weight: count, id: state.users.identifiers.ids[row]))
      }
    }
    return best.sorted().compactMap { key in
      state.users.identifiers.row(of: key.id).map { ($0, Int(key.weight)) }
    }
  }

  // MARK: - Mutuals

  /// The first mutuals of a suggestion by id: the user's followees who follow the candidate.
  /// - Parameter followees: rows with ascending ids.
  /// - Complexity: O(followees · log longest list) in the worst case. Stops at `namedCount`.
  private func firstMutuals(
    with candidate: UInt32, among followees: [UInt32], _ state: borrowing GraphState
  ) -> [UInt32] {
    var found: [UInt32] = []
    for row in followees where state.follows.contains(row, candidate) {
      found.append(row)
      if found.count == query.namedCount { break }
    }
    return found
  }

  /// The rows sorted by their ids.
  private static func sortedByID(_ rows: [UInt32], _ state: borrowing GraphState) -> [UInt32] {
    if state.users.identifiers.isAscending { return rows.sorted() }
    return rows.map { (id: state.users.identifiers.ids[$0], row: $0) }.sorted { $0.id < $1.id }.map(\.row)
  }
}
