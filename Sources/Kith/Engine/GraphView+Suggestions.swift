/// Whom to follow next.
extension GraphView {
  /// Friends of friends: whom a user's followees follow, by how many of them do, then by id; without the user, those
  /// already followed and those across a block.
  ///
  /// The answer is exact as long as the user's followees together follow no more than `followLimit` others, and are no
  /// more than 65,534. Where they do, those who follow most are left out, and the page `isTruncated`.
  /// Errors: `unknownUser`, `invalidRequest`.
  /// - Complexity: O(followees + their follows + limit · log limit); naming mutuals O(followees · log) each.
  public func suggestions(
    for user: UserID, _ options: SuggestionOptions = SuggestionOptions()
  ) throws(KithError) -> SuggestionPage {
    try checkOpen()
    try Self.check(limit: options.limit)
    guard (0...100).contains(options.namedCount), options.followLimit >= 0 else {
      throw .invalidRequest(reason: "0 to 100 mutuals can be named, and a limit of follows is not negative")
    }
    let own = try state.userRow(user)
    let followees = Followees(of: own, in: state, followLimit: options.followLimit)
    let best = state.suggestions(for: own, followees, limit: options.limit)
    let named = options.namedCount == 0 ? [] : state.sortedByID(followees.rows)
    var rows = best.map(\.row)
    var mutualEnds: [Int] = []
    if !named.isEmpty {
      for candidate in best {
        rows += state.firstMutuals(with: candidate.row, among: named, limit: options.namedCount)
        mutualEnds.append(rows.count)
      }
    }
    var left = best.count
    let people = people(rows) { _, record in
      record.following = left > 0 ? .no : .yes
      left -= 1
    }
    return SuggestionPage(people: people, best: best, mutualEnds: mutualEnds, isTruncated: followees.isTruncated)
  }
}
