/// What is derived of the columns of a snapshot, compared with them by sums.
extension GraphState {
  /// Where lists and counts differ from what they are derived of, as sentences; empty if nowhere. What waits for the
  /// end of a deferral is left out.
  ///
  /// A digest covers the columns alone, so replicas compare this beside it. Lists are compared as sets, by sums of
  /// hashes: their orders, and the search indexes, are left to `checkInvariants`.
  /// - Complexity: O(graph), without a lookup for an edge.
  func checkDerived() -> [String] {
    var problems: [String] = []
    for kind in kinds where !self[kind].hasEqualSums {
      problems.append("\(name(of: kind)): the lists by target hold other edges than those by source")
    }
    if posts.isListing { problems += posts.checkSums() }
    if popularity.isDeferred || !posts.isListing { return problems }
    return problems + checkCards() + popularity.checkInvariants(follows)
  }
}
