/// Whom to follow next.
extension GraphView {
  /// Friends of friends: whom a user's followees follow, by how many of them do, then by id; without the user, those
  /// already followed and those across a block.
  ///
  /// The answer is exact as long as the user's followees together follow no more than `followLimit` others, and are no
  /// more than 65,535. Where they do, those who follow most are left out, and the page `isTruncated`.
  /// Errors: `unknownUser`, `invalidRequest`.
  /// - Complexity: O(followees + their follows + limit · log limit); naming mutuals O(followees · log) each.
  public func suggestions(
    for user: UserID, _ options: SuggestionOptions = SuggestionOptions()
  ) throws(KithError) -> Page<Suggestion> {
    try checkOpen()
    try Self.check(limit: options.limit)
    guard (0...100).contains(options.namedCount), options.followLimit >= 0 else {
      throw .invalidRequest(reason: "0 to 100 mutuals can be named, and a limit of follows is not negative")
    }
    let own = try state.userRow(user)
    let followees = Followees(of: own, in: state, followLimit: options.followLimit)
    let best = state.suggestions(for: own, followees, limit: options.limit)
    var suggested = users(best.map(\.row), Sight.nobody)
    for index in suggested.indices { suggested[index].following = false }
    let named = options.namedCount == 0 ? [] : mutuals(best, state.sortedByID(followees.rows), options.namedCount)
    var page = Page(
      best.indices.map {
        Suggestion(
          user: suggested[$0], mutualCount: Int(best[$0].weight), mutuals: named.isEmpty ? [] : named[$0])
      })
    page.isTruncated = followees.isTruncated
    return page
  }

  private func mutuals(_ best: [BestRows<UInt16>.Entry], _ followees: [UInt32], _ count: Int) -> [[User]] {
    best.map { candidate in
      var mutuals = users(state.firstMutuals(with: candidate.row, among: followees, limit: count), Sight.nobody)
      for index in mutuals.indices { mutuals[index].following = true }
      return mutuals
    }
  }
}
